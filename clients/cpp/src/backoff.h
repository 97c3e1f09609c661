// How long to wait before the next attempt to connect. Not here: when to attempt (`connection.h`).
#pragma once

#include <algorithm>
#include <random>

namespace lastcard {

/// Waits that double from `first_s` to `most_s`, each shortened at random by up to half: the jitter keeps a thousand
/// bots from coming back to a restarted server in step.
class Backoff {
  public:
    explicit Backoff(double first_s = 0.2, double most_s = 5.0, std::mt19937::result_type seed = std::random_device{}())
        : first_s_(first_s), most_s_(most_s), next_s_(first_s), chance_(seed) {}

    /// The next wait, in seconds.
    double next_s() {
        const double wait = next_s_;
        next_s_ = std::min(most_s_, wait * 2);
        return wait * (1 - std::uniform_real_distribution(0.0, 0.5)(chance_));
    }
    /// Begins with the shortest wait again, after a connection that held.
    void reset() { next_s_ = first_s_; }

  private:
    double first_s_, most_s_, next_s_;
    std::mt19937 chance_;
};

}  // namespace lastcard
