#include "loop.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace lastcard {

Loop::Loop() {
    if (pipe(wake_) != 0) throw std::system_error(errno, std::generic_category(), "no pipe to wake the bot by");
    for (const int end : wake_) {
        fcntl(end, F_SETFL, O_NONBLOCK);
        fcntl(end, F_SETFD, FD_CLOEXEC);
    }
}

Loop::~Loop() {
    close(wake_[0]);
    close(wake_[1]);
}

void Loop::post(Work work) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    if (posted_.size() > 1) return;  // the byte for the first is on its way
    const char byte = 0;
    // A full pipe wakes as well; nothing else can go wrong with a pipe that is open.
    while (write(wake_[1], &byte, 1) < 0 && errno == EINTR) {
    }
}

Loop::Timer Loop::later(double seconds, Work work) {
    const auto wait = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    const Timer timer{Clock::now() + wait, ++timer_number_};
    timers_.emplace(timer, std::move(work));
    return timer;
}

void Loop::run_until(const std::function<bool()>& done, std::optional<double> seconds) {
    std::optional<Clock::time_point> end;
    if (seconds)
        end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    while (true) {
        while (run_batch()) {
        }
        if (done() || (end && Clock::now() >= *end)) return;
        sleep_until(end);
    }
}

/// Does what is due; whether there was anything.
bool Loop::run_batch() {
    std::vector<Work> batch;
    {
        const std::lock_guard lock(mutex_);
        batch.swap(posted_);
    }
    const auto now = Clock::now();
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
        batch.push_back(std::move(timers_.begin()->second));
        timers_.erase(timers_.begin());
    }
    for (Work& work : batch) work();
    if (after_batch_) after_batch_();
    return !batch.empty();
}

/// Sleeps until there is something to do, or until `end`.
void Loop::sleep_until(std::optional<Clock::time_point> end) {
    if (!timers_.empty() && (!end || timers_.begin()->first.first < *end)) end = timers_.begin()->first.first;
    int wait_ms = -1;
    if (end) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()).count();
        wait_ms = left < 0 ? 0 : left > 60'000 ? 60'000 : static_cast<int>(left);
    }
    pollfd waiting{wake_[0], POLLIN, 0};
    poll(&waiting, 1, wait_ms);
    char bytes[64];
    while (read(wake_[0], bytes, sizeof bytes) > 0) {
    }
}

}  // namespace lastcard
