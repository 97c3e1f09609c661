// One bot's side of the protocol as a state machine: server messages in, things to do out. Handshake, cursors, open
// decisions, answers and their repetition, refusals, receipts, ends of tables.
// Not here: the network, threads and clocks (`connection.h`), what an answer means (`answers.h`). No input or output,
// no clock, so that every disturbance of a network is a unit test.
//
// A *stream* is one call of `Play`; a session outlives streams. A decision is thought about once. Its answer is sent
// each time that the server puts the decision, on whatever stream, and is the same each time unless it was refused.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "memory.h"
#include "outputs.h"

namespace lastcard {

inline constexpr std::uint32_t PROTOCOL_VERSION = 1;
/// Closed tables that are remembered in case the server repeats their end.
inline constexpr std::size_t KEPT_TABLES = 1024;
/// Calls and catches by themselves at one decision, after which the bot is told to play: it could go on for ever.
inline constexpr unsigned APART_MOST = 3;
/// How long to wait with an answer that came too fast; the server's allowance is full again within a few times that.
inline constexpr double TOO_FAST_S = 0.2;

class Session {
  public:
    /// A session with this opening message, which has no cursors.
    explicit Session(v1::Hello hello) : hello_(std::move(hello)) {}

    /// Whether the present stream was welcomed.
    bool welcomed() const { return welcomed_; }
    /// The resume secret; empty until the server gave one.
    const std::string& secret() const { return secret_; }
    /// Whether the server said on the present stream that it shuts down.
    bool draining() const { return draining_; }
    /// Why the server ends the present stream, if it said so in its last message.
    const std::optional<v1::ErrorCause>& farewell() const { return farewell_; }
    const std::string& farewell_text() const { return farewell_text_; }
    /// The tables that are not over.
    std::vector<std::string> tables() const;

    /// Begins a stream: the `Hello` for it, with a cursor for each table of which events were seen.
    v1::ClientMessage open_stream();
    /// Begins anew after the server has lost the session: all tables are dropped, and so is the secret.
    Outputs forget();
    /// What is to be done about one message of the server, in order. Unknown messages are ignored.
    Outputs receive(v1::ServerMessage message);
    /// Takes the bot's answer to a decision; nothing is sent when it was closed, or not put again on this stream.
    Outputs answered(const Key& key, v1::Act act);
    /// Leaves a table for good; said again after a reconnect, until the table is over for the bot.
    Outputs leave(const std::string& table_id);
    /// Says again at a table (all tables when empty) what came too fast: leaving, and answers without a verdict.
    Outputs resend(const std::string& table_id);

  private:
    void welcome(const v1::Welcome& welcome);
    void seated(Seated seated);
    void decision(Decision decision);
    void act_result(const v1::ActResult& result);
    void decision_closed(const v1::DecisionClosed& closed);
    void table_events(v1::TableEvents& events);
    void table_snapshot(TableSnapshot snapshot);
    void notice(Notice notice);
    void table_closed(TableClosed closed);
    void message_refused(const v1::MessageRefused& refused);

    void outdated(const Decision& decision);
    void accepted(const Key& key, Open& entry, const v1::ActResult& result);
    void refused(const Key& key, Open& entry, const v1::ActResult& result);
    void receipt(const std::string& table_id, const Receipt& receipt);
    void put(Open& entry);
    void say_leave(const std::string& table_id);
    void withdraw_all(const std::string& table_id, const TableMemory& table);
    Open* entry(const Key& key);
    bool close(const Key& key);
    void note(std::string text, bool serious = false) { outputs_.push_back(Note{std::move(text), serious}); }
    Outputs taken() { return std::exchange(outputs_, {}); }

    v1::Hello hello_;
    std::uint64_t stream_ = 0;
    std::map<std::string, TableMemory> tables_;
    Recent<std::string, bool> closed_{KEPT_TABLES};
    std::set<std::string> leaving_;
    bool welcomed_ = false;
    std::string secret_;
    bool draining_ = false;
    std::optional<v1::ErrorCause> farewell_;
    std::string farewell_text_;
    /// Whether something is missing on the present stream, so that nothing more is taken from it.
    bool broken_ = false;
    /// What the call in progress asks for so far.
    Outputs outputs_;
};

}  // namespace lastcard
