// What the end of a stream means, how long is waited before the next, and what is made of addresses and names.
#include "endings.h"

#include <google/protobuf/duration.pb.h>
#include <gtest/gtest.h>

#include "backoff.h"
#include "settings.h"
#include "status_details.pb.h"

namespace lastcard::testing {
namespace {

using Code = grpc::StatusCode;

v1::ErrorCause transport(v1::ProtocolReason reason) {
    v1::ErrorCause cause;
    cause.set_protocol_reason(reason);
    return cause;
}

Ending ending(Code code, std::optional<v1::ErrorCause> cause = {}, Circumstances circumstances = {.known = true}) {
    return judge(code, "because", cause, circumstances);
}

TEST(Endings, OfLostConnectionsAreMendedByAnother) {
    for (const Code code : {Code::UNAVAILABLE, Code::INTERNAL, Code::UNKNOWN, Code::CANCELLED, Code::RESOURCE_EXHAUSTED,
                            Code::DEADLINE_EXCEEDED, Code::ABORTED}) {
        EXPECT_EQ(ending(code, transport(v1::PROTOCOL_REASON_DRAINING)).next, Next::RECONNECT);
    }
    EXPECT_EQ(ending(Code::UNAVAILABLE).sentence, "connection lost (UNAVAILABLE: because)");
    EXPECT_EQ(ending(Code::UNAVAILABLE, {}, {.known = false}).sentence, "no connection (UNAVAILABLE: because)");
}

TEST(Endings, OfSessionsTakenOverAreNotFoughtOver) {
    v1::ErrorCause of_the_game;
    of_the_game.set_reason(v1::REASON_SESSION_REPLACED);
    for (const auto& cause : {transport(v1::PROTOCOL_REASON_SESSION_REPLACED), of_the_game}) {
        for (const Code code : {Code::ABORTED, Code::INTERNAL, Code::OK}) {
            EXPECT_EQ(ending(code, cause).next, Next::FAIL);
            EXPECT_NE(ending(code, cause).sentence.find("another program with the same identity"), std::string::npos);
        }
    }
    EXPECT_EQ(ending(Code::ABORTED).next, Next::FAIL);
}

TEST(Endings, InGoodOrderAreTheEndUnlessTheServerSaidThatItShutsDown) {
    EXPECT_EQ(ending(Code::OK).next, Next::FINISH);
    EXPECT_EQ(ending(Code::OK, {}, {.known = true, .draining = true}).next, Next::RECONNECT);
}

TEST(Endings, OfThoseWhoAreNotKnownAnyMore) {
    const auto next = [](Circumstances who) {
        const Ending by_status = ending(Code::UNAUTHENTICATED, {}, who);
        const Ending by_message = ending(Code::INTERNAL, transport(v1::PROTOCOL_REASON_UNAUTHENTICATED), who);
        EXPECT_EQ(by_status.next, by_message.next);
        EXPECT_EQ(by_status.sentence, by_message.sentence);
        return by_status.next;
    };
    EXPECT_EQ(next({.with_token = true, .known = true}), Next::FINISH);
    EXPECT_EQ(next({.with_token = true}), Next::FAIL);
    EXPECT_EQ(next({.with_secret = true, .known = true}), Next::FORGET);
    EXPECT_EQ(next({}), Next::FAIL);
}

TEST(Endings, ThatWouldComeAgainAreFinal) {
    for (const Code code :
         {Code::FAILED_PRECONDITION, Code::INVALID_ARGUMENT, Code::PERMISSION_DENIED, Code::UNIMPLEMENTED}) {
        EXPECT_EQ(ending(code).sentence, "the server refused the bot: because");
        EXPECT_EQ(ending(code).next, Next::FAIL);
    }
    EXPECT_EQ(ending(Code::UNIMPLEMENTED, {}, {}).sentence,
              "what answers at this address is no arena that this client knows: because");
}

TEST(Cause, IsFoundInTheDetailsOfAStatus) {
    client::StatusDetails details;
    details.set_code(10);
    details.add_details()->PackFrom(google::protobuf::Duration());  // somebody else's
    details.add_details()->PackFrom(transport(v1::PROTOCOL_REASON_SESSION_REPLACED));
    const auto cause = cause_of(grpc::Status(Code::ABORTED, "because", details.SerializeAsString()));
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->protocol_reason(), v1::PROTOCOL_REASON_SESSION_REPLACED);
}

TEST(Cause, IsNoneWhereNothingCanBeRead) {
    client::StatusDetails others;
    others.add_details()->PackFrom(google::protobuf::Duration());
    for (const std::string& details : {std::string(), std::string("\xff\xff\xff"), others.SerializeAsString()}) {
        EXPECT_FALSE(cause_of(grpc::Status(Code::ABORTED, "because", details)));
    }
    auto& broken = *others.add_details();
    broken.PackFrom(transport(v1::PROTOCOL_REASON_DRAINING));
    broken.set_value("\xff");
    EXPECT_FALSE(cause_of(grpc::Status(Code::ABORTED, "because", others.SerializeAsString())));
}

TEST(Backoff, DoublesUpToItsMostAndIsShortenedByUpToHalf) {
    Backoff waits(0.2, 5.0, 7);
    for (const double whole : {0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0}) {
        const double wait = waits.next_s();
        EXPECT_GE(wait, whole / 2);
        EXPECT_LE(wait, whole);
    }
    waits.reset();
    EXPECT_LE(waits.next_s(), 0.2);
}

TEST(Backoff, IsNotTheSameForAll) {
    std::set<double> waits;
    for (unsigned seed = 0; seed < 20; ++seed) waits.insert(Backoff(1.0, 5.0, seed).next_s());
    EXPECT_GT(waits.size(), 15);
}

std::string no_variables(const std::string&) { return ""; }

std::string mistake(const Where& where) {
    try {
        settings(where, no_variables, "mybot");
    } catch (const BotError& error) {
        return error.what();
    }
    return "none";
}

TEST(Settings, ComeFromArgumentsBeforeTheEnvironment) {
    const Environment variables = [](const std::string& name) {
        return name == "LASTCARD_SERVER" ? "a:1" : name + "!";
    };
    const Environment letters = [](const std::string& name) { return name == "LASTCARD_SERVER" ? "a:1" : "x"; };
    EXPECT_THROW(settings({}, variables, ""), BotError) << "LASTCARD_BOT! is no name";
    const Settings given = settings({.server = "b:2", .token = "", .name = "n"}, letters, "mybot");
    EXPECT_EQ(given.server + " " + given.token + " " + given.name, "b:2  n");
    const Settings found = settings({}, letters, "mybot");
    EXPECT_EQ(found.server + " " + found.token + " " + found.name, "a:1 x x");
}

TEST(Settings, TakeTheBotsOwnNameOnlyWithoutAToken) {
    EXPECT_EQ(settings({.server = "a:1"}, no_variables, "mybot").name, "mybot");
    EXPECT_EQ(settings({.server = "a:1", .token = "t"}, no_variables, "mybot").name, "");
}

TEST(Settings, ThatCannotBeUsedAreNamed) {
    EXPECT_EQ(mistake({}), "no server is named; set LASTCARD_SERVER to host:port, or give Where::server");
    for (const char* server : {"a", "a:", ":1", "a:0", "a:65536", "a:1x", "a b:1", "http://a:1", "a:000001", "[]:1"}) {
        EXPECT_EQ(mistake({.server = server}),
                  "server '" + std::string(server) + "' is no address; give host:port, for example 127.0.0.1:7777");
    }
    for (const char* server : {"a-b.c:1", "[::1]:65535", "127.0.0.1:7600"})
        EXPECT_EQ(mistake({.server = server}), "none");
    EXPECT_EQ(mistake({.server = "a:1", .token = "abc d"}), "the token has ' ' at place 3; use it as it was given out");
    EXPECT_EQ(mistake({.server = "a:1", .token = "\n"}),
              "the token has '\\x0a' at place 0; use it as it was given out");
    EXPECT_EQ(mistake({.server = "a:1", .name = "a b"}),
              "'a b' is no name for a bot; use 1 to 64 letters, digits, '-', '_' or '.'");
    EXPECT_NE(mistake({.server = "a:1", .name = std::string(65, 'a')}), "none");
}

struct MyOwn : Bot {
    Answer choose(const View&, const Actions&) override { return 0; }
};

TEST(DefaultName, IsTheBotsOrThatOfItsClass) {
    MyOwn bot;
    EXPECT_EQ(default_name(bot), "myown");
    bot.name = "Rex";
    EXPECT_EQ(default_name(bot), "Rex");
}

}  // namespace
}  // namespace lastcard::testing
