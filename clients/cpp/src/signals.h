// Being asked to end by SIGTERM or SIGINT. Not here: what ending takes (`connection.h`).
#pragma once

#include <csignal>

namespace lastcard {

/// While it lives, writes a byte to a file descriptor at the first SIGTERM or SIGINT; one that comes more than half a
/// second later ends the process at once (`timeout`, shells and supervisors tell a process and its group). One of it at
/// a time. Once a signal has come its handlers stay.
class Listening {
  public:
    explicit Listening(int wake_fd);
    ~Listening();
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

    /// Whether the process was asked to end.
    static bool heard();

  private:
    struct sigaction former_term_, former_int_;
};

}  // namespace lastcard
