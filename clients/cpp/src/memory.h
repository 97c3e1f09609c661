// What a session remembers of tables and decisions, over all its streams. Not here: what is made of it (`session.h`).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lastcard/messages.h"

namespace lastcard {

/// Answers and receipts of closed decisions that are remembered for each table in case the server repeats one.
inline constexpr std::size_t KEPT_ANSWERS = 64;

/// The latest entries by their keys, at most so many.
template <class Key, class Value>
class Recent {
  public:
    explicit Recent(std::size_t most) : most_(most) {}

    bool contains(const Key& key) const { return entries_.contains(key); }
    const Value* find(const Key& key) const {
        const auto at = entries_.find(key);
        return at == entries_.end() ? nullptr : &at->second;
    }
    /// Adds or replaces an entry; the oldest one makes room.
    void put(const Key& key, Value value) {
        const bool added = entries_.insert_or_assign(key, std::move(value)).second;
        if (!added) return;
        order_.push_back(key);
        if (order_.size() > most_) {
            entries_.erase(order_.front());
            order_.pop_front();
        }
    }
    void clear() {
        entries_.clear();
        order_.clear();
    }

  private:
    std::size_t most_;
    std::map<Key, Value> entries_;
    std::deque<Key> order_;
};

/// A decision that is not closed.
struct Open {
    std::shared_ptr<const Decision> decision;
    /// The stream that put it last.
    std::uint64_t stream = 0;
    /// The bot's answer; none while it thinks.
    std::optional<v1::Act> act;
    /// How often `act` was sent and is not judged yet.
    unsigned unjudged = 0;
    std::vector<std::uint32_t> refused;
    /// Calls and catches by themselves so far.
    unsigned apart = 0;
};

/// What is remembered of a table.
struct TableMemory {
    std::optional<std::uint32_t> seat;
    std::optional<std::uint32_t> cursor;
    /// The last event before one that did not come; it has been asked for once by coming back.
    std::optional<std::uint32_t> gap;
    std::map<std::uint32_t, Open> open;
    Recent<std::uint32_t, v1::Act> answers{KEPT_ANSWERS};
    Recent<std::uint32_t, bool> receipts{KEPT_ANSWERS};
};

}  // namespace lastcard
