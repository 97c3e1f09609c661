// A bot as a program: how it ends, and with which status.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "lastcard/bot.h"
#include "scripted_arena.h"
#include "signals.h"

namespace lastcard::testing {
namespace {

struct First : Bot {
    Answer choose(const View&, const Actions&) override { return 0; }
};

/// Asks its own process to end, and never comes to an end of its thoughts.
struct Ponders : Bot {
    Answer choose(const View&, const Actions&) override {
        kill(getpid(), SIGTERM);
        while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
};

/// Runs a bot against an arena that asks it something and, with a signal, asks the process to end when it has answered.
[[noreturn]] void run_until_asked_to_end(Bot& bot, int signal) {
    ScriptedArena arena;
    std::thread other([&] {
        Stream& stream = arena.stream();
        if (!stream.open({seated(), asked(1)}).decisions_only()) std::_Exit(9);
        if (signal != 0) {
            stream.acts(1);
            kill(getpid(), signal);
        }
        if (!stream.next()) stream.end();
    });
    other.detach();
    std::_Exit(run_program(bot, {.server = arena.address(), .token = "", .name = "me"}));
}

struct ProgramTest : ::testing::Test {
    ProgramTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

TEST_F(ProgramTest, EndsInGoodOrderWhenAsked) {
    for (const int signal : {SIGTERM, SIGINT}) {
        First bot;
        bot.wants_events = false;
        EXPECT_EXIT(run_until_asked_to_end(bot, signal), ExitedWithCode(0),
                    "INFO lastcard: seated at table t, seat 0\n.* INFO lastcard: ended: stopped\n$");
    }
}

TEST_F(ProgramTest, UsesNoProxyOfTheEnvironment) {
    First bot;
    bot.wants_events = false;
    EXPECT_EXIT(
        {
            for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) setenv(name, "http://127.0.0.1:1", 1);
            run_until_asked_to_end(bot, SIGTERM);
        },
        ExitedWithCode(0), "connected to 127.0.0.1");
}

TEST_F(ProgramTest, EndsThoughTheBotThinks) {
    EXPECT_EXIT(
        {
            Ponders bot;
            bot.wants_events = false;
            run_until_asked_to_end(bot, 0);
        },
        ExitedWithCode(0), "ended: stopped\n$");
}

TEST_F(ProgramTest, SaysWhyItCannotPlay) {
    First bot;
    EXPECT_EXIT(std::_Exit(run(bot, {.server = "nowhere"})), ExitedWithCode(1),
                "^error: server 'nowhere' is no address; give host:port, for example 127.0.0.1:7777\n$");
}

TEST_F(ProgramTest, SaysWhyItCannotPlayOn) {
    First bot;
    EXPECT_EXIT(
        {
            ScriptedArena arena;
            std::thread([&] {
                Stream& stream = arena.stream();
                stream.open();
                stream.end_for(grpc::StatusCode::ABORTED, v1::PROTOCOL_REASON_SESSION_REPLACED);
            }).detach();
            std::_Exit(run(bot, {.server = arena.address()}));
        },
        ExitedWithCode(1), "\nerror: another program with the same identity took the session over: because\n$");
}

TEST_F(ProgramTest, DiesAtOnceOfASecondWish) {
    EXPECT_EXIT(
        {
            int pipe_ends[2];
            if (pipe(pipe_ends) != 0) std::_Exit(9);
            const Listening listening(pipe_ends[1]);
            std::raise(SIGTERM);
            char byte = 1;
            if (!Listening::heard() || read(pipe_ends[0], &byte, 1) != 1) std::_Exit(8);
            std::this_thread::sleep_for(std::chrono::milliseconds(600));
            std::raise(SIGTERM);
            std::_Exit(7);
        },
        KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace lastcard::testing
