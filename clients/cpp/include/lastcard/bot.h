// What a bot author writes: a class derived from `Bot` with a method `choose`, and `run`.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "lastcard/messages.h"

namespace lastcard {

/// A bot cannot play (on); the sentence says what was wrong and what would be valid.
class BotError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What `choose` returns: an index into `legal_actions`, an action, or one of them with more to say.
///
/// `call_uno` and `catch_seats` left empty are decided by the SDK (`Bot::auto_uno`, `Bot::auto_catch`); set, they are
/// sent as they are.
struct Answer {
    template <std::integral Index>
    requires(!std::same_as<Index, bool>) Answer(Index index)
        : choice(static_cast<std::int64_t>(index)) {}     // NOLINT: `return 0;` is an answer
    Answer(Action action) : choice(std::move(action)) {}  // NOLINT: so is `return legal_actions[0];`

    std::variant<std::int64_t, Action> choice;
    std::optional<bool> call_uno;
    std::optional<std::vector<std::uint32_t>> catch_seats;
};

/// Why an answer did not count: by the game (`reason`), by the transport (`protocol_reason`) or, with both unset, by
/// the SDK before it was sent. `refusals_left` is how many more the server allows at this decision.
struct Refusal {
    std::string message;
    v1::Reason reason = v1::REASON_UNSPECIFIED;
    v1::ProtocolReason protocol_reason = v1::PROTOCOL_REASON_UNSPECIFIED;
    std::uint32_t refusals_left = 2;
};

/// A bot. It has to say one thing, `choose`; everything else has a default.
///
/// All methods run in a thread of their own, one at a time and in order, so that the stream stays alive while the bot
/// thinks and a bot needs no lock; `threads` changes that.
class Bot {
  public:
    /// Name of the bot; empty for `LASTCARD_BOT`, or else the class's name in lower case.
    std::string name;
    /// Version of the bot, for records.
    std::string version;
    /// Whether UNO is called with every play that leaves one card, unless an `Answer` says otherwise.
    bool auto_uno = true;
    /// Whether seats that forgot their call are caught when that costs nothing, unless an `Answer` says otherwise.
    bool auto_catch = true;
    /// Most tables at once; 0 for as many as the server allows.
    std::uint32_t max_tables = 0;
    /// Threads that think. With several, decisions are thought about at once and `choose` needs locks of its own; with
    /// 0 the bot is called where the stream is read: faster for bots that answer within a millisecond, wrong for
    /// others.
    unsigned threads = 1;
    /// Most open decisions at once, 0 for no limit; by default `threads`. The clocks of further ones wait until one
    /// closes.
    std::optional<std::uint32_t> max_open_decisions;
    /// Whether the server is to send events; by default exactly when `on_event`, `on_snapshot` or `on_notice` is
    /// overridden.
    std::optional<bool> wants_events;

    Bot() = default;
    Bot(const Bot&) = delete;
    Bot& operator=(const Bot&) = delete;
    virtual ~Bot() = default;

    /// Answers a decision in the bot's own turn.
    virtual Answer choose(const View& view, const Actions& legal_actions) = 0;
    /// Answers a decision out of turn (jump-in, catch, late call); by default calls and catches, never jumps in.
    virtual Answer react(const View& view, const Actions& legal_actions);
    /// Answers any decision; override it to see kind, time left, bank and receipt as well.
    virtual Answer decide(const Decision& decision);
    /// Corrects a refused answer; without one, the default, the SDK takes another legal action.
    virtual std::optional<Answer> on_refused(const Decision&, const Refusal&) { return std::nullopt; }
    /// Is told of a seat at a table.
    virtual void on_seated(const Seated&) {}
    /// Is told of each numbered event of its tables, once and in order.
    virtual void on_event(const std::string& /*table_id*/, const Event&) {}
    /// Is told the state of a table in place of events that the server no longer keeps.
    virtual void on_snapshot(const TableSnapshot&) {}
    /// Is told of presence and other things that are not part of the game.
    virtual void on_notice(const Notice&) {}
    /// Is told the account of each closed decision, once.
    virtual void on_receipt(const std::string& /*table_id*/, const Receipt&) {}
    /// Is told the end of a table and its result, once.
    virtual void on_table_closed(const TableClosed&) {}

    /// Leaves a table for good; may be called from any thread while the bot runs. Nothing happens once it has ended.
    void leave(const std::string& table_id);
    /// Ends the run cleanly; may be called from any thread while the bot runs. Nothing happens once it has ended.
    void stop();
    /// While the bot thinks about a decision: whether its answer is still wanted. A search may look now and then.
    static bool wanted();

    /// Tells the bot how to reach the connection that plays it; called by the SDK.
    void attach(std::function<void(const std::string&)> leave, std::function<void()> stop);

  private:
    /// Guards all below: another thread may leave or stop just when the run ends.
    std::mutex reach_;
    bool has_run_ = false;
    std::function<void(const std::string&)> leave_;
    std::function<void()> stop_;
};

/// Where to play and as whom; what is not given comes from `LASTCARD_SERVER`, `LASTCARD_TOKEN` and `LASTCARD_BOT`.
struct Where {
    std::optional<std::string> server = {};
    std::optional<std::string> token = {};
    std::optional<std::string> name = {};
};

/// Whether a class of bots overrides a hook for events; also when that cannot be seen from here.
template <std::derived_from<Bot> B>
constexpr bool hears_events() {
    constexpr bool event = requires { requires std::same_as<decltype(&B::on_event), decltype(&Bot::on_event)>; };
    constexpr bool snapshot = requires {
        requires std::same_as<decltype(&B::on_snapshot), decltype(&Bot::on_snapshot)>;
    };
    constexpr bool notice = requires { requires std::same_as<decltype(&B::on_notice), decltype(&Bot::on_notice)>; };
    return !(event && snapshot && notice);
}

/// `run` for a bot that says in `wants_events` what it wants.
int run_program(Bot& bot, const Where& where);

/// Plays until the event is over or the program is asked to end (SIGTERM, SIGINT), and returns the exit status: 0, or 1
/// when the bot cannot play (on), which is said on stderr. Logs to stderr.
///
/// When a bot is still thinking after its time to end, the process ends here.
template <std::derived_from<Bot> B>
int run(B& bot, const Where& where = {}) {
    if (!bot.wants_events) bot.wants_events = typeid(bot) != typeid(B) || hears_events<B>();
    return run_program(bot, where);
}

}  // namespace lastcard
