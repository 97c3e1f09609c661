// The thread in which a connection lives: what other threads and timers want is done here, one after the other.
// Not here: what that is (`connection.h`).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace lastcard {

class Loop {
  public:
    using Work = std::function<void()>;
    using Clock = std::chrono::steady_clock;
    /// Names a timer, so that it can be cancelled.
    using Timer = std::pair<Clock::time_point, std::uint64_t>;

    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// Does `work` in the loop's thread, behind everything posted before; may be called from any thread.
    void post(Work work);
    /// Does `work` after a while. Like everything below for the loop's thread alone.
    Timer later(double seconds, Work work);
    void cancel(const Timer& timer) { timers_.erase(timer); }
    /// Is done after each batch of work: what was made ready by several posts can leave together.
    void after_each_batch(Work work) { after_batch_ = std::move(work); }
    /// Works until `done`, or until `seconds` have passed.
    void run_until(const std::function<bool()>& done, std::optional<double> seconds = std::nullopt);
    /// A byte written to this file descriptor wakes the loop; a signal handler may do that.
    int wake_fd() const { return wake_[1]; }

  private:
    bool run_batch();
    void sleep_until(std::optional<Clock::time_point> end);

    int wake_[2];
    std::mutex mutex_;
    std::vector<Work> posted_;
    std::map<Timer, Work> timers_;
    std::uint64_t timer_number_ = 0;
    Work after_batch_;
};

}  // namespace lastcard
