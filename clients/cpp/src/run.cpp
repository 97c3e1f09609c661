// Running a bot as a program: settings, signals, log, exit status. Not here: the connection itself (`connection.h`).
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "connection.h"
#include "lastcard/bot.h"
#include "settings.h"
#include "signals.h"

namespace lastcard {
namespace {

void log_to_stderr(const std::string& text, bool serious) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    tm parts;
    localtime_r(&now.tv_sec, &parts);
    char time[32];
    std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", &parts);
    std::fprintf(stderr, "%s,%03ld %s lastcard: %s\n", time, now.tv_nsec / 1'000'000, serious ? "WARNING" : "INFO",
                 text.c_str());
}

int failed(const BotError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}

/// The exit status of a run.
template <class Run>
int ended(const Run& run) {
    try {
        run();
        return 0;
    } catch (const BotError& error) {
        return failed(error);
    }
}

}  // namespace

int run_program(Bot& bot, const Where& where) {
    std::signal(SIGPIPE, SIG_IGN);  // whoever reads the log may end before the bot
    try {
        Connection connection(bot, settings(where, process_environment, default_name(bot)), log_to_stderr, {},
                              Listening::heard);
        const Listening listening(connection.wake_fd());
        const int status = ended([&] { connection.run(); });
        // A thread that thinks on cannot be ended by itself, and what it uses must not be destroyed under it.
        if (connection.left_thinking()) std::_Exit(status);
        return status;
    } catch (const BotError& error) {
        return failed(error);
    }
}

}  // namespace lastcard
