// The SDK over the wire, with a server that does what the test says.
#include "connection.h"

#include <gtest/gtest.h>

#include <thread>

#include "scripted_arena.h"

namespace lastcard::testing {
namespace {

using Code = grpc::StatusCode;
using Words = std::vector<std::string>;

/// Waits so short that no test waits.
constexpr Patience SHORT{.first_wait_s = 0.001, .most_wait_s = 0.001, .flush_s = 0.01};

struct First : Bot {
    First() { threads = 0; }
    Answer choose(const View&, const Actions&) override { return 0; }
};

/// Thinks in a thread of its own until the test says that it may go on, and notes what it was asked.
struct Thinker : Bot {
    Answer choose(const View&, const Actions&) override { return 0; }
    Answer decide(const Decision& asked) override {
        std::unique_lock lock(mutex);
        began.push_back(asked.table_id() + std::to_string(asked.decision_id()));
        changed.notify_all();
        changed.wait(lock, [this] { return go; });
        return 0;
    }
    void release() {
        const std::lock_guard lock(mutex);
        go = true;
        changed.notify_all();
    }
    void wait_until_began(std::size_t count) {
        std::unique_lock lock(mutex);
        if (!changed.wait_for(lock, BOUND, [&] { return began.size() >= count; })) {
            throw std::runtime_error("the bot was not asked");
        }
    }
    Words asked() {
        const std::lock_guard lock(mutex);
        return began;
    }
    std::mutex mutex;
    std::condition_variable changed;
    Words began;
    bool go = false;
};

/// Notes whatever it is told.
struct Listener : Bot {
    Listener() {
        threads = 0;
        wants_events = true;
    }
    Answer choose(const View&, const Actions&) override { return 0; }
    void on_seated(const Seated& seated) override { heard.push_back("seated " + seated.table_id()); }
    void on_event(const std::string& table_id, const Event& event) override {
        heard.push_back("event " + table_id + std::to_string(event.sequence()));
    }
    void on_snapshot(const TableSnapshot& snapshot) override {
        heard.push_back("snapshot " + std::to_string(snapshot.sequence()));
    }
    void on_notice(const Notice&) override { heard.push_back("notice"); }
    void on_receipt(const std::string& table_id, const Receipt& receipt) override {
        heard.push_back("receipt " + table_id + std::to_string(receipt.decision_id()));
    }
    void on_table_closed(const TableClosed& closed) override { heard.push_back("closed " + closed.table_id()); }
    Words heard;
};

/// A bot that plays in a thread, until the test stops it or the server is done with it.
class Playing {
  public:
    explicit Playing(Bot& bot, Settings settings, Patience patience = SHORT)
        : connection_(
              prepared(bot), std::move(settings),
              [this](const std::string& text, bool serious) { write(text, serious); }, patience) {
        thread_ = std::thread([this] {
            try {
                connection_.run();
            } catch (const BotError& error) {
                failure_ = error.what();
            }
        });
    }
    ~Playing() {
        if (!thread_.joinable()) return;
        connection_.stop();
        thread_.join();
    }

    /// Waits for the end; the sentence with which it failed, or `ended`.
    std::string outcome() {
        thread_.join();
        return failure_.value_or("ended");
    }
    void stop() { connection_.stop(); }
    /// Waits until the log has a line with this text in it, so often.
    void wait_for_log(const std::string& text, int times = 1) {
        std::unique_lock lock(mutex_);
        if (!logged_.wait_for(lock, BOUND, [&] { return count(text) >= times; })) {
            throw std::runtime_error("the log never said " + text);
        }
    }
    int in_log(const std::string& text) {
        const std::lock_guard lock(mutex_);
        return count(text);
    }

  private:
    static Bot& prepared(Bot& bot) {
        if (!bot.wants_events) bot.wants_events = false;
        return bot;
    }
    void write(const std::string& text, bool serious) {
        const std::lock_guard lock(mutex_);
        log_.push_back((serious ? "warning: " : "") + text);
        logged_.notify_all();
    }
    int count(const std::string& text) const {
        int lines = 0;
        for (const auto& line : log_) lines += line.find(text) != std::string::npos;
        return lines;
    }

    std::mutex mutex_;
    std::condition_variable logged_;
    Words log_;
    std::optional<std::string> failure_;
    Connection connection_;
    std::thread thread_;
};

struct ConnectionTest : ::testing::Test {
    Settings me(const std::string& token = "") const {
        return {.server = arena.address(), .token = token, .name = token.empty() ? "me" : ""};
    }
    static v1::ServerMessage welcome_with(const std::string& secret) {
        v1::ServerMessage message = welcome();
        message.mutable_welcome()->set_resume_secret(secret);
        return message;
    }
    ScriptedArena arena;
};

Words cursors(const v1::Hello& hello) {
    Words all;
    for (const auto& cursor : hello.cursors()) {
        all.push_back(cursor.table_id() + ":" + std::to_string(cursor.last_sequence()));
    }
    return all;
}

// ------------------------------------------------------------------ opening

TEST_F(ConnectionTest, HelloComesFirstAndAlone) {
    First bot;
    bot.version = "7";
    bot.max_tables = 3;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    const v1::Hello hello = stream.open();
    EXPECT_EQ(stream.frames(), std::vector<int>{1});
    EXPECT_EQ(hello.protocol_version(), 1);
    EXPECT_EQ(hello.bot_name() + " " + hello.bot_version() + " " + hello.client_name(), "me 7 lastcard-cpp");
    EXPECT_EQ(hello.client_version(), LASTCARD_VERSION);
    EXPECT_EQ(hello.max_tables(), 3);
    EXPECT_EQ(hello.max_open_decisions(), 0);
    EXPECT_TRUE(hello.decisions_only());
    EXPECT_EQ(stream.authorization, "");
}

TEST_F(ConnectionTest, AThinkingBotWantsOneDecisionAtATimeAndAListeningOneEvents) {
    Thinker thinker;
    Playing playing(thinker, me());
    EXPECT_EQ(arena.stream().open().max_open_decisions(), 1);
    Listener listener;
    listener.max_open_decisions = 7;
    Playing other(listener, me());
    const v1::Hello hello = arena.stream().open();
    EXPECT_FALSE(hello.decisions_only());
    EXPECT_EQ(hello.max_open_decisions(), 7);
}

TEST_F(ConnectionTest, TheTokenGoesIntoTheMetadata) {
    First bot;
    Playing playing(bot, me("secret"));
    Stream& stream = arena.stream();
    EXPECT_EQ(stream.open().bot_name(), "");
    EXPECT_EQ(stream.authorization, "Bearer secret");
}

TEST_F(ConnectionTest, AServerOfAnotherProtocolIsNotPlayedOn) {
    First bot;
    Playing playing(bot, me());
    v1::ServerMessage newer = welcome();
    newer.mutable_welcome()->set_protocol_version(9);
    arena.stream().open({}, newer);
    EXPECT_TRUE(playing.outcome().starts_with("the server speaks protocol version 9"));
    EXPECT_TRUE(arena.no_stream());
}

// ------------------------------------------------------------------ decisions and answers

TEST_F(ConnectionTest, DecisionsOfOneFrameAreAnsweredInOneFrame) {
    First bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    std::vector<v1::ServerMessage> questions;
    Words answers;
    for (const char* table : {"a", "b", "c"}) {
        for (const std::uint32_t number : {1U, 2U}) {
            questions.push_back(asked({.number = number, .table = table}));
            answers.push_back(table + std::to_string(number) + ":0");
        }
    }
    stream.open(questions);
    EXPECT_EQ(stream.acts(6), answers);
    EXPECT_EQ(stream.frames(), (std::vector<int>{1, 6}));
}

TEST_F(ConnectionTest, NoFrameIsLargerThanTheServerReads) {
    First bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    std::vector<v1::ServerMessage> questions;
    for (std::uint32_t number = 1; number <= 40; ++number) questions.push_back(asked(number));
    v1::ServerMessage narrow = welcome();
    narrow.mutable_welcome()->set_max_frame_bytes(100);
    stream.open(questions, narrow);
    stream.acts(40);
    EXPECT_LE(stream.largest_frame(), 100);
    EXPECT_LT(stream.frames().size(), 15);
}

TEST_F(ConnectionTest, LargeFramesAreRead) {
    First bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    v1::ServerMessage large = asked(1);
    large.mutable_decision()->mutable_view()->mutable_ruleset()->set_preset(std::string(5 << 20, 'x'));
    stream.open({large});
    EXPECT_EQ(stream.acts(1), Words{"t1:0"});
}

TEST_F(ConnectionTest, AThinkingBotAnswersManyTablesOneAfterTheOther) {
    Thinker bot;
    bot.release();
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    std::vector<v1::ServerMessage> questions;
    Words keys, answers;
    for (const std::uint32_t number : {1U, 2U}) {
        for (int table = 0; table < 25; ++table) {
            const std::string name = "t" + std::to_string(table) + "-";
            questions.push_back(asked({.number = number, .table = name}));
            keys.push_back(name + std::to_string(number));
            answers.push_back(keys.back() + ":0");
        }
    }
    stream.open(questions);
    EXPECT_EQ(stream.acts(50), answers);
    EXPECT_EQ(bot.asked(), keys);
}

TEST_F(ConnectionTest, TheCallOfUnoAndFreeCatchesGoAlong) {
    First bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({asked({.legal = {"R1", "draw"}, .seen = {.hand = "R1 R2", .catchable = {1}}})});
    const v1::Act act = stream.expect(v1::ClientMessage::kAct).act();
    EXPECT_TRUE(act.call_uno());
    EXPECT_EQ(act.catch_seats_size(), 1);
}

TEST_F(ConnectionTest, ARefusedAnswerIsReplacedUntilTheRefusalsAreUsedUp) {
    First bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    for (const std::uint32_t left : {2U, 1U, 0U}) {
        EXPECT_EQ(stream.acts(1), Words{"t1:" + std::to_string(2 - left)});
        stream.send({refused(1, "CARD_NOT_PLAYABLE", left)});
    }
    stream.send({asked(2)});
    EXPECT_EQ(stream.acts(1), Words{"t2:0"});
}

TEST_F(ConnectionTest, ARepeatedDecisionGetsTheSameAnswerAndAClosedOneNone) {
    Thinker bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    bot.wait_until_began(1);
    stream.send({asked(1), decision_closed(1), asked(2), heartbeat(1)});
    stream.expect(v1::ClientMessage::kHeartbeatReply);
    bot.release();
    EXPECT_EQ(stream.acts(1), Words{"t2:0"});
    stream.send({asked(2)});
    EXPECT_EQ(stream.acts(1), Words{"t2:0"});
    EXPECT_EQ(bot.asked(), (Words{"t1", "t2"}));
}

TEST_F(ConnectionTest, WhatCameTooFastIsSaidAgain) {
    First bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    stream.acts(1);
    stream.send({refused(1, "TOO_FAST", 0)});
    EXPECT_EQ(stream.acts(1), Words{"t1:0"});
}

// ------------------------------------------------------------------ life

TEST_F(ConnectionTest, ABotThatThinksForLongIsAlive) {
    Thinker bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    bot.wait_until_began(1);
    for (std::uint32_t number = 1; number <= 5; ++number) {
        stream.send({heartbeat(number)});
        EXPECT_EQ(stream.expect(v1::ClientMessage::kHeartbeatReply).heartbeat_reply().number(), number);
    }
    bot.release();
    EXPECT_EQ(stream.acts(1), Words{"t1:0"});
}

TEST_F(ConnectionTest, EverythingIsToldOnceAndInOrderAndTheUnknownIgnored) {
    Listener bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    v1::ServerMessage newer = seated();  // a message and fields that this client does not know
    newer.GetReflection()->MutableUnknownFields(&newer)->AddVarint(99, 1);
    newer.mutable_seated()->GetReflection()->MutableUnknownFields(newer.mutable_seated())->AddVarint(99, 1);
    v1::ServerMessage unknown;
    unknown.GetReflection()->MutableUnknownFields(&unknown)->AddLengthDelimited(99, "x");
    stream.open({newer, unknown, events({1, 2}), asked(1)});
    stream.acts(1);
    stream.send({accepted(1), events({2, 3}), notice(v1::NOTICE_KIND_SEAT_AWAY), snapshot(9),
                 asked({.number = 2, .receipt = 1})});
    stream.acts(1);
    stream.send({table_closed("t", 2), table_closed("t", 2)});
    for (int time = 0; time < 2; ++time) stream.expect(v1::ClientMessage::kTableClosedReceived);
    EXPECT_EQ(bot.heard, (Words{"seated t", "event t1", "event t2", "receipt t1", "event t3", "notice", "snapshot 9",
                                "receipt t2", "closed t"}));
}

TEST_F(ConnectionTest, ABotMayLeaveATableFromItsOwnThread) {
    struct Leaves : Bot {
        Answer choose(const View&, const Actions&) override {
            leave("t");
            leave("nowhere");
            return 0;
        }
    } bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({seated(), asked(1)});
    EXPECT_EQ(stream.expect(v1::ClientMessage::kLeave).leave().table_id(), "t");
    EXPECT_EQ(stream.acts(1), Words{"t1:0"});
}

TEST_F(ConnectionTest, ABotMayStopWhenItHasHadEnough) {
    struct Once : Listener {
        void on_table_closed(const TableClosed& closed) override {
            Listener::on_table_closed(closed);
            stop();
        }
    } bot;
    Patience patience = SHORT;
    patience.flush_s = 1'000;  // the stream is half-closed, not broken off
    Playing playing(bot, me(), patience);
    Stream& stream = arena.stream();
    stream.open({seated(), table_closed()});
    stream.expect(v1::ClientMessage::kTableClosedReceived);
    EXPECT_FALSE(stream.next());
    stream.end();
    EXPECT_EQ(playing.outcome(), "ended");
    EXPECT_EQ(bot.heard.back(), "closed t");
    EXPECT_TRUE(arena.no_stream());
}

TEST_F(ConnectionTest, AServerThatDoesNotEndTheStreamHoldsNobodyUp) {
    First bot;
    Patience patience = SHORT;
    patience.flush_s = 0.01;
    Playing playing(bot, me(), patience);
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    stream.acts(1);
    playing.stop();
    EXPECT_EQ(playing.outcome(), "ended");
    stream.wait_until_over();
}

TEST_F(ConnectionTest, TheLastEndIsHeardBeforeTheBotEnds) {
    struct Counts : Bot {
        Answer choose(const View&, const Actions&) override { return 0; }
        void on_table_closed(const TableClosed&) override { ++ends; }
        int ends = 0;
    } bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    std::vector<v1::ServerMessage> ends;
    for (int number = 0; number < 100; ++number) ends.push_back(table_closed("t" + std::to_string(number)));
    stream.open(ends);
    stream.end();
    EXPECT_EQ(playing.outcome(), "ended");
    EXPECT_EQ(bot.ends, 100);
}

// ------------------------------------------------------------------ coming back

TEST_F(ConnectionTest, ALostStreamIsResumedWithNumbersAndSecret) {
    Listener bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({seated("a"), events({1, 2, 3}, "a"), seated("b"), asked({.table = "b"})}, welcome_with("hush"));
    stream.acts(1);
    stream.end(Code::UNAVAILABLE);
    Stream& again = arena.stream();
    const v1::Hello hello = again.open({seated("a"), events({3, 4}, "a"), seated("b"), heartbeat(1)});
    EXPECT_EQ(again.authorization, "Bearer hush");
    EXPECT_EQ(cursors(hello), (Words{"a:3", "b:0"}));
    again.expect(v1::ClientMessage::kHeartbeatReply);
    EXPECT_EQ(bot.heard, (Words{"seated a", "event a1", "event a2", "event a3", "seated b", "event a4"}));
}

TEST_F(ConnectionTest, ATokenGoesBeforeTheSecret) {
    First bot;
    Playing playing(bot, me("token"));
    for (int time = 0; time < 2; ++time) {
        Stream& stream = arena.stream();
        stream.open({}, welcome_with("hush"));
        EXPECT_EQ(stream.authorization, "Bearer token");
        stream.end(Code::UNAVAILABLE);
    }
}

TEST_F(ConnectionTest, ALostStreamIsReplacedOnTheSameConnection) {
    First bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open();
    stream.end(Code::UNAVAILABLE);
    EXPECT_EQ(arena.stream().peer, stream.peer);
}

TEST_F(ConnectionTest, AnAnswerWhoseVerdictWasLostIsSentAgainAndThoughtAboutOnce) {
    Thinker bot;
    bot.release();
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    EXPECT_EQ(stream.acts(1), Words{"t1:0"});
    stream.end(Code::UNAVAILABLE);
    Stream& again = arena.stream();
    again.open({seated(), asked(1)});
    EXPECT_EQ(again.acts(1), Words{"t1:0"});
    again.send({accepted(1), asked(2)});
    EXPECT_EQ(again.acts(1), Words{"t2:0"});
    EXPECT_EQ(bot.asked(), (Words{"t1", "t2"}));
}

TEST_F(ConnectionTest, WhatWasThoughtOfWhileAwayIsSaidWhenItIsAskedAgain) {
    Thinker bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    bot.wait_until_began(1);
    stream.end(Code::UNAVAILABLE);
    Stream& again = arena.stream();
    bot.release();
    again.open({seated(), asked(1)});
    EXPECT_EQ(again.acts(1), Words{"t1:0"});
    EXPECT_EQ(bot.asked(), Words{"t1"});
}

TEST_F(ConnectionTest, WhatWasReadyWhileAwayDoesNotComeBeforeTheHello) {
    Thinker bot;
    Patience patience = SHORT;
    patience.first_wait_s = patience.most_wait_s = 0.2;
    Playing playing(bot, me(), patience);
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    bot.wait_until_began(1);
    stream.end(Code::UNAVAILABLE);
    playing.wait_for_log("next attempt in");
    bot.release();
    Stream& again = arena.stream();
    again.open({heartbeat(1)});
    again.expect(v1::ClientMessage::kHeartbeatReply);
}

TEST_F(ConnectionTest, AnAnswerToADecisionThatIsClosedMeanwhileIsNeverSent) {
    Thinker bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({asked(1)});
    bot.wait_until_began(1);
    stream.end(Code::UNAVAILABLE);
    Stream& again = arena.stream();
    again.open({seated(), asked({.number = 2, .receipt = 1}), heartbeat(1)});
    again.expect(v1::ClientMessage::kHeartbeatReply);
    bot.release();
    EXPECT_EQ(again.acts(1), Words{"t2:0"});
    again.send({heartbeat(2)});
    again.expect(v1::ClientMessage::kHeartbeatReply);
}

TEST_F(ConnectionTest, AGapInTheEventsIsClosedByComingBack) {
    Listener bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({seated(), events({1}), events({3})});
    Stream& again = arena.stream();
    EXPECT_EQ(cursors(again.open({seated(), events({2, 3}), heartbeat(1)})), Words{"t:1"});
    again.expect(v1::ClientMessage::kHeartbeatReply);
    EXPECT_EQ(bot.heard, (Words{"seated t", "event t1", "event t2", "event t3"}));
    stream.wait_until_over();
}

TEST_F(ConnectionTest, AStreamOnWhichNothingComesAnyMoreIsGivenUp) {
    First bot;
    Playing playing(bot, me());
    v1::ServerMessage quick = welcome();
    quick.mutable_welcome()->mutable_heartbeat_interval()->set_nanos(20'000'000);
    Stream& stream = arena.stream();
    stream.open({}, quick);
    EXPECT_NE(arena.stream().peer, stream.peer) << "the old connection may be dead";
    stream.wait_until_over();
    EXPECT_EQ(playing.in_log("warning: nothing came from the server"), 1);
}

TEST_F(ConnectionTest, AServerThatNeverWelcomesTheBotIsGivenUp) {
    First bot;
    Patience patience = SHORT;
    patience.welcome_s = 0.05;
    Playing playing(bot, me(), patience);
    Stream& stream = arena.stream();
    arena.stream();
    stream.wait_until_over();
}

TEST_F(ConnectionTest, AServerThatShutsDownIsAwaited) {
    First bot;
    Playing playing(bot, me());
    for (const Code code : {Code::UNAVAILABLE, Code::OK}) {
        Stream& stream = arena.stream();
        stream.open({seated(), draining()});
        code == Code::OK ? stream.end() : stream.end_for(code, v1::PROTOCOL_REASON_DRAINING);
    }
    Stream& again = arena.stream();
    again.open({asked(1)});
    again.acts(1);
}

TEST_F(ConnectionTest, AServerThatVanishesIsAwaitedUntilTheBotGivesUp) {
    Thinker bot;
    Settings settings = me();
    settings.give_up_s = 0.2;
    Playing playing(bot, settings);
    arena.stream().open({asked(1)});
    bot.wait_until_began(1);
    arena.vanish();
    playing.wait_for_log("warning: connection lost (");
    bot.release();
    const std::string outcome = playing.outcome();
    EXPECT_TRUE(outcome.starts_with("no connection to " + settings.server + " for ")) << outcome;
    EXPECT_TRUE(outcome.ends_with("Is the server running, and is the address right?")) << outcome;
}

TEST_F(ConnectionTest, TheTimeToGiveUpRunsFromTheLastWelcome) {
    First bot;
    Settings settings = me();
    settings.give_up_s = 0.5;
    Playing playing(bot, settings);
    Stream& stream = arena.stream();
    stream.open({heartbeat(1)});
    stream.expect(v1::ClientMessage::kHeartbeatReply);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    stream.end(Code::UNAVAILABLE);
    arena.stream();
}

TEST_F(ConnectionTest, ABotThatHasNeverConnectedSaysOnceWhatToCheckAndCanBeStopped) {
    First bot;
    Patience patience = SHORT;
    patience.check_s = 0;
    arena.vanish();
    Playing playing(bot, me(), patience);
    playing.wait_for_log("warning: no connection (UNAVAILABLE", 4);
    EXPECT_EQ(playing.in_log("not connected to " + arena.address() + " yet; is an arena running there"), 1);
    playing.stop();
    EXPECT_EQ(playing.outcome(), "ended");
}

// ------------------------------------------------------------------ ends

TEST_F(ConnectionTest, ASessionTakenOverByAnotherProgramIsNotFoughtOver) {
    for (const bool by_status : {true, false}) {
        First bot;
        Playing playing(bot, me());
        Stream& stream = arena.stream();
        stream.open({seated()});
        if (by_status) {
            stream.end_for(Code::ABORTED, v1::PROTOCOL_REASON_SESSION_REPLACED);
        } else {
            stream.send({message_refused("SESSION_REPLACED")});
            stream.end(Code::INTERNAL);  // as when the status is lost
        }
        const std::string outcome = playing.outcome();
        EXPECT_TRUE(outcome.starts_with("another program with the same identity took the session over: ")) << outcome;
        EXPECT_TRUE(outcome.ends_with(by_status ? " because" : " no, because")) << outcome;
        EXPECT_TRUE(arena.no_stream());
    }
}

TEST_F(ConnectionTest, ARevokedTokenIsTheEndOfTheEvent) {
    First bot;
    Playing playing(bot, me("token"));
    Stream& stream = arena.stream();
    stream.open({seated()});
    stream.end(Code::UNAVAILABLE);
    arena.stream().end_for(Code::UNAUTHENTICATED, v1::PROTOCOL_REASON_UNAUTHENTICATED);
    EXPECT_EQ(playing.outcome(), "ended");
    EXPECT_TRUE(arena.no_stream());
}

TEST_F(ConnectionTest, AWrongTokenIsAFailureAtOnce) {
    First bot;
    Playing playing(bot, me("token"));
    arena.stream().end_for(Code::UNAUTHENTICATED, v1::PROTOCOL_REASON_UNAUTHENTICATED);
    EXPECT_EQ(playing.outcome(), "the server does not accept the token: because");
}

TEST_F(ConnectionTest, AForgottenSessionBeginsAnewWithoutItsSecret) {
    Listener bot;
    Playing playing(bot, me());
    Stream& stream = arena.stream();
    stream.open({seated(), events({1})}, welcome_with("hush"));
    stream.end(Code::UNAVAILABLE);
    arena.stream().end_for(Code::UNAUTHENTICATED, v1::PROTOCOL_REASON_UNAUTHENTICATED);
    Stream& anew = arena.stream();
    EXPECT_EQ(anew.authorization, "");
    EXPECT_EQ(cursors(anew.open({heartbeat(1)})), Words{});
    anew.expect(v1::ClientMessage::kHeartbeatReply);
}

TEST_F(ConnectionTest, ARefusalOfTheHelloIsFinal) {
    First bot;
    Playing playing(bot, me());
    arena.stream().end_for(Code::FAILED_PRECONDITION, v1::PROTOCOL_REASON_VERSION_UNSUPPORTED);
    EXPECT_EQ(playing.outcome(), "the server refused the bot: because");
}

TEST_F(ConnectionTest, WhatIsLeftOrStoppedAfterTheEndHarmsNobody) {
    First bot;
    {
        Playing playing(bot, me());
        Stream& stream = arena.stream();
        stream.open();
        stream.end();
        EXPECT_EQ(playing.outcome(), "ended");
    }
    EXPECT_NO_THROW(bot.leave("t"));
    EXPECT_NO_THROW(bot.stop());
}

TEST(Attached, OnlyWhileItRuns) {
    First bot;
    EXPECT_THROW(bot.leave("t"), std::logic_error);
    EXPECT_THROW(bot.stop(), std::logic_error);
}

}  // namespace
}  // namespace lastcard::testing
