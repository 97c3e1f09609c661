// The stream: dials in, keeps it alive, comes back after every disturbance, ends cleanly.
// Not here: what the messages mean (`session.h`), the bot's thinking (`mind.h`), what the end of a call means
// (`endings.h`).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backoff.h"
#include "call.h"
#include "endings.h"
#include "loop.h"
#include "mind.h"
#include "session.h"
#include "settings.h"

namespace lastcard {

/// How long a connection waits for what, in seconds.
struct Patience {
    double first_wait_s = 0.2;
    double most_wait_s = 5.0;
    /// How long the server may take to welcome the bot before a stream is given up.
    double welcome_s = 30.0;
    /// A stream that lasted this long was no failed attempt: the waits begin anew.
    double held_s = 10.0;
    /// A bot that has not once connected after so long says what to check.
    double check_s = 10.0;
    /// How long the server may take to end the stream after we have, on the way out.
    double flush_s = 1.0;
};

/// A bot's connection to an arena, over as many streams as it takes. Lives in one thread but for `stop` and `leave`.
class Connection {
  public:
    /// `asked_to_end` is looked at whenever the loop wakes; true ends the connection like `stop`.
    Connection(Bot& bot, Settings settings, Log log, Patience patience = {},
               std::function<bool()> asked_to_end = nullptr);
    ~Connection();

    /// Plays until stopped or until the server is done with the bot. Throws `BotError` when it cannot go on.
    void run();
    /// Ends the connection: what is ready is still sent, then the stream is closed. From any thread.
    void stop();
    /// Leaves a table for good. From any thread.
    void leave(const std::string& table_id);
    /// Whether the bot was still thinking when the connection had ended.
    bool left_thinking() const { return left_thinking_; }
    /// A byte written to this file descriptor wakes the loop.
    int wake_fd() const { return loop_.wake_fd(); }

  private:
    std::unique_ptr<v1::PlayService::Stub> dial() const;
    std::string play();
    Ending stream(v1::PlayService::Stub& stub);
    void wait(double seconds, double away_s, const Ending& ending);
    void end_now();
    void read(v1::PlayResponse& frame);
    void perform(Outputs outputs);
    void perform(Output& output);
    void flush();
    void watch(double heartbeat_s);
    void check_heartbeat(double heartbeat_s, unsigned long seen, int missed);

    Bot& bot_;
    Settings settings_;
    Log log_;
    Patience patience_;
    Loop loop_;
    Session session_;
    Mind mind_;
    std::unique_ptr<Call> call_;
    std::vector<v1::ClientMessage> outbox_;
    std::size_t max_frame_bytes_ = 0;
    unsigned long frames_read_ = 0;
    /// Whether the present stream was given up because nothing came on it.
    bool silent_ = false;
    std::optional<Loop::Timer> watchdog_;
    /// Why the bot must not go on, said by the present stream.
    std::optional<std::string> failure_;
    bool stopped_ = false;
    bool known_ = false;
    bool told_to_check_ = false;
    bool left_thinking_ = false;
};

}  // namespace lastcard
