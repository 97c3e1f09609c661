#include "connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <cstdio>

namespace lastcard {
namespace {

/// Heartbeats that may fail to come before a stream is given up.
constexpr int MISSED_HEARTBEATS = 3;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string rounded(double seconds, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f s", digits, seconds);
    return text;
}

v1::Hello hello_of(const Bot& bot, const std::string& name) {
    v1::Hello hello;
    hello.set_protocol_version(PROTOCOL_VERSION);
    hello.set_bot_name(name);
    hello.set_bot_version(bot.version);
    hello.set_client_name("lastcard-cpp");
    hello.set_client_version(LASTCARD_VERSION);
    hello.set_max_tables(bot.max_tables);
    hello.set_max_open_decisions(bot.max_open_decisions.value_or(bot.threads));
    hello.set_decisions_only(!bot.wants_events.value_or(true));
    return hello;
}

std::shared_ptr<grpc::Channel> channel_to(const std::string& server) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own, not one shared by address
    arguments.SetMaxReceiveMessageSize(64 * 1024 * 1024);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // what the environment has for browsers is not for bots
    // The channel's own waits stay below those of `Backoff`, which are the ones that count.
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);  // in truth the least time that an attempt is given
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    return grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

Connection::Connection(Bot& bot, Settings settings, Log log, Patience patience, std::function<bool()> asked_to_end)
    : bot_(bot),
      settings_(std::move(settings)),
      log_(std::move(log)),
      patience_(patience),
      session_(hello_of(bot, settings_.name)),
      mind_(bot, loop_, log_,
            [this](const Key& key, v1::Act act) { perform(session_.answered(key, std::move(act))); }) {
    loop_.after_each_batch([this, asked_to_end = std::move(asked_to_end)] {
        if (asked_to_end && asked_to_end()) end_now();
        flush();
    });
    bot_.attach([this](const std::string& table_id) { leave(table_id); }, [this] { stop(); });
}

Connection::~Connection() { bot_.attach(nullptr, nullptr); }

void Connection::stop() {
    loop_.post([this] { end_now(); });
}

void Connection::leave(const std::string& table_id) {
    loop_.post([this, table_id] { perform(session_.leave(table_id)); });
}

/// Ends the stream: the server is given a moment to take what was written and to end it, too.
void Connection::end_now() {
    if (stopped_) return;
    stopped_ = true;
    loop_.later(patience_.flush_s, [this] {
        if (call_) call_->cancel();
    });
}

void Connection::run() {
    std::optional<BotError> failure;
    std::string why;
    try {
        why = play();
    } catch (const BotError& error) {
        failure = error;
    }
    left_thinking_ = !mind_.close();
    if (failure) throw *failure;
    log_("ended: " + why, false);
}

/// A stub with a connection of its own.
std::unique_ptr<v1::PlayService::Stub> Connection::dial() const {
    return v1::PlayService::NewStub(channel_to(settings_.server));
}

/// Plays over stream after stream; says why it ended.
std::string Connection::play() {
    Backoff backoff(patience_.first_wait_s, patience_.most_wait_s);
    auto stub = dial();
    double last_welcome = now_s();
    while (!stopped_) {
        const double begun = now_s();
        const Ending ending = stream(*stub);
        if (stopped_) break;
        if (ending.next == Next::FINISH) return ending.sentence;
        if (ending.next == Next::FAIL) throw BotError(ending.sentence);
        const double now = now_s();
        if (session_.welcomed()) last_welcome = now;
        if (ending.next == Next::FORGET) perform(session_.forget());
        if (now - begun >= patience_.held_s) backoff.reset();
        // A connection that died without a word stays open on this side: a new call would go out on it, too.
        if (std::exchange(silent_, false)) stub = dial();
        wait(backoff.next_s(), now - last_welcome, ending);
    }
    return "stopped";
}

/// Waits before the next attempt, or gives up.
void Connection::wait(double seconds, double away_s, const Ending& ending) {
    if (away_s + seconds > settings_.give_up_s) {
        throw BotError("no connection to " + settings_.server + " for " + rounded(away_s, 0) +
                       "; last: " + ending.sentence + ". Is the server running, and is the address right?");
    }
    log_(ending.sentence + "; next attempt in " + rounded(seconds, 1), true);
    if (away_s >= patience_.check_s && !known_ && !told_to_check_) {
        told_to_check_ = true;
        log_("not connected to " + settings_.server + " yet; is an arena running there, and is the address right? " +
                 "Giving up in " + rounded(settings_.give_up_s - away_s, 0),
             true);
    }
    loop_.run_until([this] { return stopped_; }, seconds);
}

/// Runs one call of `Play` to its end, and judges that.
Ending Connection::stream(v1::PlayService::Stub& stub) {
    const std::string token = settings_.token.empty() ? session_.secret() : settings_.token;
    const bool with_secret = settings_.token.empty() && !session_.secret().empty();
    outbox_.clear();
    outbox_.push_back(session_.open_stream());
    failure_.reset();
    call_ = std::make_unique<Call>(stub, token, loop_, [this](v1::PlayResponse& frame) { read(frame); });
    watch(patience_.welcome_s / MISSED_HEARTBEATS);
    loop_.run_until([this] { return call_->done(); });
    watch(0);
    const grpc::Status status = call_->status();
    call_.reset();
    if (failure_) return {Next::FAIL, *failure_};
    auto cause = cause_of(status);
    if (!cause) cause = session_.farewell();
    const std::string text = session_.farewell_text().empty() ? status.error_message() : session_.farewell_text();
    return judge(status.error_code(), text, cause,
                 {.with_token = !settings_.token.empty(),
                  .with_secret = with_secret,
                  .known = known_,
                  .draining = session_.draining()});
}

void Connection::read(v1::PlayResponse& frame) {
    ++frames_read_;
    for (v1::ServerMessage& message : *frame.mutable_messages()) {
        if (failure_) return;
        perform(session_.receive(std::move(message)));
    }
}

/// Does what the session says.
void Connection::perform(Outputs outputs) {
    for (Output& output : outputs) perform(output);
}

void Connection::perform(Output& output) {
    if (auto* send = std::get_if<Send>(&output)) {
        outbox_.push_back(std::move(send->message));
    } else if (auto* ask = std::get_if<Ask>(&output)) {
        mind_.ask(std::move(*ask));
    } else if (auto* tell = std::get_if<Tell>(&output)) {
        mind_.tell(std::move(*tell));
    } else if (const auto* withdraw = std::get_if<Withdraw>(&output)) {
        mind_.withdraw(withdraw->key);
    } else if (const auto* note = std::get_if<Note>(&output)) {
        log_(note->text, note->serious);
    } else if (const auto* later = std::get_if<SendLater>(&output)) {
        loop_.later(later->seconds, [this, table_id = later->table_id] { perform(session_.resend(table_id)); });
    } else if (const auto* welcomed = std::get_if<Welcomed>(&output)) {
        known_ = true;
        max_frame_bytes_ = welcomed->max_frame_bytes;
        log_("connected to " + settings_.server + " (server " + welcomed->server_version + ") as " + welcomed->bot_name,
             false);
        watch(welcomed->heartbeat_seconds);
    } else if (const auto* drain = std::get_if<Drain>(&output)) {
        log_("the server shuts down within " + rounded(drain->seconds_left, 0) + "; reconnecting when the stream ends",
             true);
    } else if (const auto* fail = std::get_if<Fail>(&output)) {
        failure_ = fail->sentence;
        call_->cancel();
    } else if (std::holds_alternative<Resume>(output)) {
        call_->cancel();
    }
}

/// Writes what is ready in as few frames as fit; half-closes the stream when stopped.
void Connection::flush() {
    if (!call_ || !call_->can_write()) return;
    if (!outbox_.empty()) {
        call_->write(take_frame(outbox_, max_frame_bytes_));
    } else if (stopped_) {
        call_->half_close();
    }
}

/// Watches the call from now on, at this interval (0: not at all).
void Connection::watch(double heartbeat_s) {
    if (watchdog_) loop_.cancel(*watchdog_);
    watchdog_.reset();
    if (heartbeat_s <= 0) return;
    watchdog_ = loop_.later(heartbeat_s, [=, this, seen = frames_read_] { check_heartbeat(heartbeat_s, seen, 0); });
}

/// Gives the call up when nothing has come for several heartbeats. Counts its own rounds, not the time: after a pause
/// of the whole process it gives the reader a chance first.
void Connection::check_heartbeat(double heartbeat_s, unsigned long seen, int missed) {
    missed = frames_read_ == seen ? missed + 1 : 0;
    if (missed >= MISSED_HEARTBEATS) {
        watchdog_.reset();
        log_("nothing came from the server for " + rounded(missed * heartbeat_s, 0), true);
        silent_ = true;
        call_->cancel();
        return;
    }
    watchdog_ =
        loop_.later(heartbeat_s, [=, this, seen = frames_read_] { check_heartbeat(heartbeat_s, seen, missed); });
}

}  // namespace lastcard
