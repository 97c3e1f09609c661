#include "signals.h"

#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace lastcard {
namespace {

constexpr long SAME_MS = 500;

volatile std::sig_atomic_t fd_to_wake = -1;
volatile std::sig_atomic_t was_heard = 0;
timespec heard_at;  // written once, by the handler that sets `was_heard` behind it

void hear(int number) {
    const int former_errno = errno;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (was_heard == 0) {
        heard_at = now;
        was_heard = 1;
        const char byte = 0;
        // A full pipe wakes as well.
        if (fd_to_wake >= 0 && write(fd_to_wake, &byte, 1) < 0) errno = former_errno;
    } else if ((now.tv_sec - heard_at.tv_sec) * 1000 + (now.tv_nsec - heard_at.tv_nsec) / 1'000'000 > SAME_MS) {
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
    errno = former_errno;
}

}  // namespace

Listening::Listening(int wake_fd) {
    was_heard = 0;
    fd_to_wake = wake_fd;
    struct sigaction action = {};
    action.sa_handler = hear;
    action.sa_flags = SA_RESTART;
    // While one is handled the other waits, so that `hear` is never within itself.
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGINT);
    sigaction(SIGTERM, &action, &former_term_);
    sigaction(SIGINT, &action, &former_int_);
}

Listening::~Listening() {
    fd_to_wake = -1;
    if (was_heard != 0) return;
    sigaction(SIGTERM, &former_term_, nullptr);
    sigaction(SIGINT, &former_int_, nullptr);
}

bool Listening::heard() { return was_heard != 0; }

}  // namespace lastcard
