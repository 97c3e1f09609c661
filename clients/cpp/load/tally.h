// What is counted while the load runs.
// Not here: who counts (`bot`, `echo`), the report (`report`).
#pragma once

#include <chrono>
#include <vector>

namespace lastcard::load {

using Clock = std::chrono::steady_clock;
using Moment = Clock::time_point;

/// Milliseconds from a moment until now.
inline double milliseconds_since(Moment begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Tally {
    /// Answers that were accepted, or messages that came back.
    long answered = 0;
    /// Answers that were refused.
    long refused = 0;
    /// Ends of tables, one for each of their seats.
    long ended = 0;
    /// Milliseconds from writing an answer to its verdict (or a message to its echo).
    std::vector<double> verdict_ms;
    /// Milliseconds from writing an answer to the event that tells what the bot itself did.
    std::vector<double> event_ms;

    /// Forgets what came before the measurement.
    void begin() {
        answered = refused = ended = 0;
        verdict_ms.clear();
        event_ms.clear();
    }
};

}  // namespace lastcard::load
