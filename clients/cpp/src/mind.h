// How a bot is made to think: in threads of its own, or where the stream is read.
// Not here: what is asked and when (`session.h`, `connection.h`).
//
// A bot that throws or returns nonsense still answers: the fault is logged and another legal action taken, since a
// defect in one position should not cost a match.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "loop.h"
#include "outputs.h"

namespace lastcard {

/// Writes a line to the bot's log; `serious` when it points to a fault. May be called from any thread.
using Log = std::function<void(const std::string& text, bool serious)>;

/// How long a bot may take, when its connection has ended, with what it was told before: the end of its last table.
inline constexpr double CLOSE_S = 1.0;

/// The bot's answer to a decision, or a legal one in its place; none when there is no legal action at all.
std::optional<v1::Act> deliberate(Bot& bot, const Ask& ask, const Log& log);

/// Calls the hook that takes the news; a fault of the bot is logged.
void tell_bot(Bot& bot, const Tell& tell, const Log& log);

/// Lets one bot think. All methods are for the loop's thread.
class Mind {
  public:
    using Answered = std::function<void(const Key&, v1::Act)>;

    /// A mind with as many threads as the bot wants; `answered` takes answers, in the loop's thread.
    Mind(Bot& bot, Loop& loop, Log log, Answered answered);
    /// Waits for the threads, however long the bot thinks.
    ~Mind();

    /// Puts a decision to the bot; the answer comes by the callback, unless it is withdrawn before.
    void ask(Ask ask);
    /// Calls a hook, after everything that was told before.
    void tell(Tell tell);
    /// Drops a decision: the bot is not asked if it has not begun, and its answer is not taken if it has.
    void withdraw(const Key& key);
    /// Ends all thinking, after the hooks that were called for before; whether it ended within `seconds`.
    bool close(double seconds = CLOSE_S);

  private:
    /// A decision on its way through a thread.
    struct Thought {
        Ask ask;
        std::atomic<bool> wanted{true};
    };
    using Job = std::variant<std::shared_ptr<Thought>, Tell>;

    void add(Job job);
    void work();
    bool next_job(std::optional<Job>& job);
    void think(const std::shared_ptr<Thought>& thought);
    void deliver(const std::shared_ptr<Thought>& thought, std::optional<v1::Act> act);

    Bot& bot_;
    Loop& loop_;
    Log log_;
    Answered answered_;
    std::map<Key, std::shared_ptr<Thought>> thoughts_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    bool telling_ = false;
    bool closing_ = false;
    unsigned working_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace lastcard
