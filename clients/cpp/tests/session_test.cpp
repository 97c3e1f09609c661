// The session as a state machine: what the server says in, what is to be done out.
#include "session.h"

#include <gtest/gtest.h>

#include "messages.h"

namespace lastcard::testing {
namespace {

using Numbers = std::vector<std::uint32_t>;

v1::Act act(std::uint32_t number = 1, std::uint32_t choice = 0, const std::string& table = "t") {
    v1::Act made;
    made.set_table_id(table);
    made.set_decision_id(number);
    made.set_choice(choice);
    return made;
}

v1::Act apart(const std::string& text) {
    v1::Act made;
    made.set_table_id("t");
    made.set_decision_id(1);
    *made.mutable_action() = action(text);
    return made;
}

/// An output in a few words, so that whole lists of them can be compared.
std::string word(const Output& output) {
    if (const auto* send = std::get_if<Send>(&output)) {
        const auto& message = send->message;
        if (message.has_act()) {
            return "send act " + message.act().table_id() + std::to_string(message.act().decision_id()) + ":" +
                   (message.act().has_choice() ? std::to_string(message.act().choice()) : "apart");
        }
        if (message.has_leave()) return "send leave " + message.leave().table_id();
        if (message.has_heartbeat_reply()) return "send reply " + std::to_string(message.heartbeat_reply().number());
        if (message.has_table_closed_received()) return "send received " + message.table_closed_received().table_id();
        return "send ?";
    }
    if (const auto* ask = std::get_if<Ask>(&output)) {
        std::string text = "ask " + ask->key.first + std::to_string(ask->key.second);
        if (ask->refusal) text += " again";
        for (const auto index : ask->refused) text += " not " + std::to_string(index);
        return text;
    }
    if (const auto* withdraw = std::get_if<Withdraw>(&output)) {
        return "withdraw " + withdraw->key.first + std::to_string(withdraw->key.second);
    }
    if (const auto* tell = std::get_if<Tell>(&output)) {
        if (const auto* event = std::get_if<TableEvent>(&tell->news)) {
            return "tell event " + event->table_id + std::to_string(event->event.sequence());
        }
        if (const auto* receipt = std::get_if<TableReceipt>(&tell->news)) {
            return "tell receipt " + receipt->table_id + std::to_string(receipt->receipt.decision_id());
        }
        if (const auto* snapshot = std::get_if<TableSnapshot>(&tell->news)) {
            return "tell snapshot " + snapshot->table_id() + std::to_string(snapshot->sequence());
        }
        if (const auto* seated = std::get_if<Seated>(&tell->news)) return "tell seated " + seated->table_id();
        if (const auto* closed = std::get_if<TableClosed>(&tell->news)) return "tell closed " + closed->table_id();
        return "tell notice";
    }
    if (const auto* note = std::get_if<Note>(&output)) return note->serious ? "warning" : "note";
    if (const auto* later = std::get_if<SendLater>(&output)) return "later " + later->table_id;
    if (const auto* fail = std::get_if<Fail>(&output)) return "fail: " + fail->sentence;
    if (std::holds_alternative<Resume>(output)) return "resume";
    if (std::holds_alternative<Drain>(output)) return "drain";
    return "welcomed";
}

using Words = std::vector<std::string>;

Words words(const Outputs& outputs) {
    Words said;
    for (const Output& output : outputs) said.push_back(word(output));
    return said;
}

/// A server and a bot, at the two ends of a session.
class SessionTest : public ::testing::Test {
  protected:
    explicit SessionTest(bool decisions_only = false) : session_(opening(decisions_only)) { reconnect(); }

    static v1::Hello opening(bool decisions_only) {
        v1::Hello hello;
        hello.set_protocol_version(1);
        hello.set_bot_name("me");
        hello.set_decisions_only(decisions_only);
        return hello;
    }

    /// A new stream, with its welcome; returns the `Hello` that opened it.
    v1::Hello reconnect(const std::string& secret = "") {
        const v1::Hello hello = session_.open_stream().hello();
        v1::ServerMessage message = welcome();
        message.mutable_welcome()->set_resume_secret(secret);
        hear({message});
        return hello;
    }

    Outputs outputs(const std::vector<v1::ServerMessage>& messages) {
        Outputs all;
        for (const auto& message : messages) {
            for (Output& output : session_.receive(message)) all.push_back(std::move(output));
        }
        return all;
    }
    Words hear(const std::vector<v1::ServerMessage>& messages) { return words(outputs(messages)); }
    Words answer(std::uint32_t number = 1, std::uint32_t choice = 0, const std::string& table = "t") {
        return words(session_.answered({table, number}, act(number, choice, table)));
    }

    Session session_;
};

class DecisionsOnlyTest : public SessionTest {
  protected:
    DecisionsOnlyTest() : SessionTest(true) {}
};

Words cursors(const v1::Hello& hello) {
    Words all;
    for (const auto& cursor : hello.cursors()) {
        all.push_back(cursor.table_id() + ":" + std::to_string(cursor.last_sequence()));
    }
    return all;
}

// ------------------------------------------------------------------ opening

TEST(Opening, IsHelloWithoutCursorsAndThenAWelcome) {
    v1::Hello hello;
    hello.set_protocol_version(1);
    hello.set_max_tables(3);
    Session session(hello);
    EXPECT_EQ(session.open_stream().hello().SerializeAsString(), hello.SerializeAsString());
    EXPECT_FALSE(session.welcomed());
    v1::ServerMessage message = welcome();
    message.mutable_welcome()->set_server_version("7");
    message.mutable_welcome()->set_max_frame_bytes(99);
    message.mutable_welcome()->mutable_heartbeat_interval()->set_seconds(1);
    message.mutable_welcome()->mutable_heartbeat_interval()->set_nanos(500'000'000);
    const Outputs outputs = session.receive(message);
    ASSERT_EQ(words(outputs), Words{"welcomed"});
    const auto& welcomed = std::get<Welcomed>(outputs[0]);
    EXPECT_EQ(welcomed.bot_name + welcomed.server_version, "me7");
    EXPECT_EQ(welcomed.max_frame_bytes, 99);
    EXPECT_EQ(welcomed.heartbeat_seconds, 1.5);
    EXPECT_TRUE(session.welcomed());
}

TEST(Opening, OfAnotherKindOrVersionIsGivenUp) {
    for (const auto& first : {seated(), heartbeat(1), asked(1)}) {
        Session session{v1::Hello()};
        session.open_stream();
        const Words said = words(session.receive(first));
        ASSERT_EQ(said.size(), 1);
        EXPECT_TRUE(said[0].starts_with("fail: the server opened the stream with '")) << said[0];
        EXPECT_TRUE(said[0].ends_with("it must begin with 'welcome'")) << said[0];
    }
    Session session{v1::Hello()};
    session.open_stream();
    v1::ServerMessage newer = welcome();
    newer.mutable_welcome()->set_protocol_version(2);
    EXPECT_TRUE(words(session.receive(newer)).at(0).starts_with("fail: the server speaks protocol version 2; this"));
    EXPECT_FALSE(session.welcomed());
}

TEST_F(SessionTest, IgnoresMessagesOfANewerServer) { EXPECT_EQ(hear({v1::ServerMessage()}), Words{}); }

// ------------------------------------------------------------------ decisions and answers

TEST_F(SessionTest, PutsADecisionToTheBotAndSendsItsAnswer) {
    EXPECT_EQ(hear({seated(), asked(1)}), (Words{"note", "tell seated t", "ask t1"}));
    EXPECT_EQ(answer(1, 2), Words{"send act t1:2"});
    EXPECT_EQ(hear({accepted(1)}), Words{"tell receipt t1"});
}

TEST_F(SessionTest, KeepsDecisionsOfManyTablesApart) {
    hear({asked({.number = 1, .table = "a"}), asked({.number = 1, .table = "b"}), asked({.number = 2, .table = "a"})});
    EXPECT_EQ(answer(1, 1, "b"), Words{"send act b1:1"});
    EXPECT_EQ(answer(2, 2, "a"), Words{"send act a2:2"});
    hear({accepted(1, true, "b")});
    EXPECT_EQ(answer(1, 0, "a"), Words{"send act a1:0"});
}

TEST_F(SessionTest, ThinksOnceAboutADecisionThatIsRepeated) {
    hear({asked(1)});
    EXPECT_EQ(hear({asked(1)}), Words{});
    EXPECT_EQ(answer(1, 2), Words{"send act t1:2"});
    EXPECT_EQ(answer(1, 0), Words{}) << "a second answer of the bot";
    EXPECT_EQ(hear({asked(1)}), Words{"send act t1:2"});
    hear({accepted(1)});
    EXPECT_EQ(hear({asked(1)}), Words{"send act t1:2"});
}

TEST_F(SessionTest, KeepsAnswersOfClosedDecisionsForAWhile) {
    for (std::uint32_t number = 1; number <= KEPT_ANSWERS + 1; ++number) {
        hear({asked(number)});
        answer(number, 1);
        hear({accepted(number)});
    }
    EXPECT_EQ(hear({asked(2)}), Words{"send act t2:1"});
    EXPECT_EQ(hear({asked(1)}), Words{"ask t1"});
}

TEST_F(SessionTest, DoesNotAnswerWhatWasClosedMeanwhile) {
    for (const bool expired : {true, false}) {
        const std::uint32_t number = expired ? 1 : 2;
        hear({asked(number)});
        const std::string where = std::to_string(number);
        Words expected{"withdraw t" + where, "tell receipt t" + where};
        if (expired) expected.insert(expected.begin() + 1, "warning");
        EXPECT_EQ(hear({decision_closed(number, expired ? "TURN_EXPIRED" : "STALE_DECISION")}), expected);
        EXPECT_EQ(answer(number), Words{});
    }
    EXPECT_EQ(hear({decision_closed(9, "TURN_EXPIRED", false)}), Words{}) << "one that is not open";
}

TEST_F(SessionTest, DropsAnswersAndVerdictsOnWhatIsNotOpen) {
    EXPECT_EQ(answer(7), Words{});
    EXPECT_EQ(hear({accepted(9, false), refused(9)}), Words{});
}

// ------------------------------------------------------------------ refusals

TEST_F(SessionTest, PutsARefusedAnswerToTheBotForCorrection) {
    std::uint32_t number = 0;
    for (const char* reason : {"CARD_NOT_IN_HAND", "CARD_NOT_PLAYABLE", "COLOR_REQUIRED", "TARGET_REQUIRED",
                               "ACTION_NOT_AVAILABLE", "NOT_LIABLE", "CHOICE_OUT_OF_RANGE", "INVALID_ARGUMENT"}) {
        const std::string where = "t" + std::to_string(++number);
        hear({asked(number)});
        answer(number, 1);
        const Outputs out = outputs({refused(number, reason)});
        EXPECT_EQ(words(out), (Words{"warning", "ask " + where + " again not 1"}));
        EXPECT_NE(std::get<Note>(out[0]).text.find(std::string(reason) + ": no, because"), std::string::npos);
        const auto& refusal = *std::get<Ask>(out[1]).refusal;
        EXPECT_EQ(refusal.message, "no, because");
        EXPECT_EQ(refusal.refusals_left, 2);
        EXPECT_NE(refusal.reason == 0, refusal.protocol_reason == 0);
        EXPECT_EQ(answer(number, 0), Words{"send act " + where + ":0"});
        hear({accepted(number)});
    }
}

TEST_F(SessionTest, RemembersEveryChoiceThatWasRefusedUntilTheLastRefusal) {
    hear({asked(1)});
    answer(1, 2);
    hear({refused(1)});
    answer(1, 0);
    EXPECT_EQ(hear({refused(1, "CHOICE_OUT_OF_RANGE", 1)}), (Words{"warning", "ask t1 again not 2 not 0"}));
    answer(1, 1);
    EXPECT_EQ(hear({refused(1, "CARD_NOT_PLAYABLE", 0)}), Words{"warning"});
    EXPECT_EQ(answer(1, 1), Words{});
}

TEST_F(SessionTest, TakesAnUnknownReasonForARefusal) {
    v1::ServerMessage message = refused(1);
    message.mutable_act_result()->set_reason(static_cast<v1::Reason>(99));
    hear({asked(1)});
    answer(1);
    const Outputs out = outputs({message});
    EXPECT_EQ(words(out), (Words{"warning", "ask t1 again not 0"}));
    EXPECT_NE(std::get<Note>(out[0]).text.find("reason 99"), std::string::npos);
}

TEST_F(SessionTest, DropsWhatNoOtherAnswerCanMend) {
    std::uint32_t number = 0;
    for (const char* reason : {"STALE_DECISION", "TURN_EXPIRED", "ROUND_OVER", "MATCH_OVER", "FORBIDDEN",
                               "NOT_YOUR_TURN", "UNKNOWN_TABLE", "UNKNOWN_DECISION"}) {
        hear({asked(++number)});
        answer(number);
        EXPECT_EQ(hear({refused(number, reason)}), Words{"note"}) << reason;
        EXPECT_EQ(answer(number, 1), Words{});
    }
}

TEST_F(SessionTest, DoesNotTakeAVerdictOnWhatWasSentTwiceForOneOnTheCorrection) {
    hear({asked(1)});
    answer(1, 1);
    EXPECT_EQ(hear({asked(1)}), Words{"send act t1:1"});
    EXPECT_EQ(hear({refused(1)}), Words{});
    EXPECT_EQ(hear({refused(1)}), (Words{"warning", "ask t1 again not 1"}));
}

TEST_F(SessionTest, SaysAgainLaterWhatCameTooFast) {
    hear({asked(1)});
    answer(1, 2);
    EXPECT_EQ(hear({refused(1, "TOO_FAST", 0)}), (Words{"warning", "later t"}));
    EXPECT_EQ(words(session_.resend("t")), Words{"send act t1:2"});
    EXPECT_EQ(words(session_.resend("t")), Words{});
    EXPECT_EQ(hear({accepted(1)}), Words{"tell receipt t1"});
}

TEST_F(SessionTest, NotesARefusedCatchAndNothingElse) {
    hear({asked(1)});
    answer(1);
    v1::ServerMessage message = accepted(1);
    auto& refused_catch = *message.mutable_act_result()->add_refused_catches();
    refused_catch.set_seat(3);
    refused_catch.set_message("nobody can");
    const Outputs out = outputs({message});
    EXPECT_EQ(words(out), (Words{"note", "tell receipt t1"}));
    EXPECT_EQ(std::get<Note>(out[0]).text, "catch of seat 3 at decision 1 of table t refused: nobody can");
}

// ------------------------------------------------------------------ calls and catches by themselves

TEST_F(SessionTest, IsAskedAgainAfterACallOrCatchByItself) {
    hear({asked({.seen = {.called = {1}, .catchable = {1}}})});
    EXPECT_EQ(words(session_.answered({"t", 1}, apart("uno"))), Words{"send act t1:apart"});
    Outputs out = outputs({accepted(1, false)});
    ASSERT_EQ(words(out), Words{"ask t1"});
    EXPECT_EQ(std::get<Ask>(out[0]).decision->view().called_seats_size(), 2);
    session_.answered({"t", 1}, apart("catch 1"));
    out = outputs({accepted(1, false)});
    EXPECT_EQ(std::get<Ask>(out[0]).decision->view().catchable_seats_size(), 0);
    EXPECT_EQ(answer(1, 0), Words{"send act t1:0"});
}

TEST_F(SessionTest, TellsABotThatCallsForEverToPlay) {
    hear({asked(1)});
    for (unsigned time = 1; time <= APART_MOST; ++time) {
        session_.answered({"t", 1}, apart("uno"));
        EXPECT_EQ(hear({accepted(1, false)}), time < APART_MOST ? Words{"ask t1"} : (Words{"warning", "ask t1 again"}));
    }
    session_.answered({"t", 1}, apart("uno"));
    EXPECT_EQ(hear({refused(1, "ACTION_NOT_AVAILABLE")}), (Words{"warning", "ask t1 again"})) << "all choices are left";
}

// ------------------------------------------------------------------ receipts, events, cursors

TEST_F(SessionTest, TellsAReceiptOnceHoweverOftenItComes) {
    hear({asked(1)});
    answer(1);
    EXPECT_EQ(hear({accepted(1), asked({.number = 2, .receipt = 1}), decision_closed(2), table_closed("t", 2)}),
              (Words{"tell receipt t1", "ask t2", "withdraw t2", "warning", "tell receipt t2", "note", "tell closed t",
                     "send received t"}));
    EXPECT_EQ(hear({table_closed("t", 3), decision_closed(6)}), Words{"send received t"});
}

TEST_F(SessionTest, EndsTheThinkingByAReceiptThatComesAfterAReconnect) {
    hear({seated(), asked(1)});
    reconnect();
    v1::ServerMessage message = seated();
    message.mutable_seated()->mutable_previous_receipt()->set_decision_id(1);
    EXPECT_EQ(hear({message}), (Words{"withdraw t1", "tell receipt t1"}));
    EXPECT_EQ(answer(1), Words{});
}

TEST_F(SessionTest, TellsEventsOnceAndInOrder) {
    v1::ServerMessage unknown = events({4, 5});
    unknown.mutable_table_events()->mutable_events(0)->clear_event();
    EXPECT_EQ(hear({seated(), events({1, 2}), events({2, 3}), unknown}),
              (Words{"note", "tell seated t", "tell event t1", "tell event t2", "tell event t3", "tell event t5"}));
}

TEST_F(SessionTest, ComesBackToCloseAGapOnce) {
    EXPECT_EQ(hear({seated(), events({1, 2}), events({5})}),
              (Words{"note", "tell seated t", "tell event t1", "tell event t2", "warning", "resume"}));
    EXPECT_EQ(hear({events({6}), asked(1), table_closed()}), Words{}) << "nothing behind a gap is taken";
    EXPECT_EQ(cursors(reconnect()), Words{"t:2"});
    EXPECT_EQ(hear({events({5, 6})}), (Words{"warning", "tell event t5", "tell event t6"})) << "a gap that stays";
    EXPECT_EQ(hear({events({9})}), (Words{"warning", "resume"})) << "another one";
}

TEST_F(SessionTest, NamesTheLastNumberOfEachTable) {
    v1::ServerMessage midway = seated("c");
    midway.mutable_seated()->set_last_sequence(9);
    hear({seated("a"), events({1, 2}, "a"), seated("b"), midway, snapshot(9, "d")});
    EXPECT_EQ(cursors(reconnect()), (Words{"a:2", "b:0", "d:9"})) << "c has seen nothing and wants a snapshot";
}

TEST_F(DecisionsOnlyTest, NamesNoCursors) {
    hear({seated(), events({1})});
    EXPECT_EQ(cursors(reconnect()), Words{});
}

TEST_F(SessionTest, TakesASnapshotInPlaceOfTheEventsBeforeIt) {
    hear({seated(), events({1, 2})});
    EXPECT_EQ(hear({snapshot(8), events({8, 9}), snapshot(4)}), (Words{"tell snapshot t8", "tell event t9"}));
    hear({message_refused("CURSOR_BEYOND_END", "t")});
    EXPECT_EQ(hear({snapshot(3)}), Words{"tell snapshot t3"});
    EXPECT_EQ(cursors(reconnect()), Words{"t:3"});
}

// ------------------------------------------------------------------ streams that break

TEST_F(SessionTest, SaysAnAnswerGivenWhileAwayWhenItIsAskedAgain) {
    hear({seated(), asked(1)});
    session_.open_stream();
    EXPECT_EQ(answer(1, 2), Words{});
    EXPECT_EQ(hear({welcome(), seated(), asked(1)}), (Words{"welcomed", "send act t1:2"}));
}

TEST_F(SessionTest, DoesNotSayWhatTheNewStreamDoesNotAsk) {
    hear({asked(1)});
    reconnect();
    EXPECT_EQ(answer(1), Words{});
    EXPECT_EQ(words(session_.resend("")), Words{});
    EXPECT_EQ(hear({asked(1)}), Words{"send act t1:0"});
}

TEST_F(SessionTest, TakesADecisionAskedAgainOnANewStreamForTheSame) {
    hear({asked(1)});
    reconnect();
    EXPECT_EQ(hear({asked(1)}), Words{});
    EXPECT_EQ(answer(1), Words{"send act t1:0"});
    reconnect();
    hear({asked(1)});
    EXPECT_EQ(hear({refused(1)}), (Words{"warning", "ask t1 again not 0"})) << "the lost verdict is not waited for";
}

TEST_F(SessionTest, DropsWhatWasClosedWhileItWasAway) {
    const Question reaction{.number = 2, .kind = DECISION_KIND_REACTION};
    const Question other{.number = 4, .kind = DECISION_KIND_REACTION};
    hear({asked(1), asked(reaction)});
    reconnect();
    EXPECT_EQ(hear({asked(other)}), (Words{"withdraw t2", "ask t4"})) << "a turn may be open beside a reaction";
    EXPECT_EQ(hear({asked(3)}), (Words{"withdraw t1", "ask t3"}));
    EXPECT_EQ(answer(1), Words{});
}

TEST_F(SessionTest, KeepsTheResumeSecretUntilTheServerForgetsIt) {
    reconnect("one");
    reconnect();
    EXPECT_EQ(session_.secret(), "one");
    hear({asked(1), table_closed("old")});
    session_.leave("t");
    EXPECT_EQ(words(session_.forget()), Words{"withdraw t1"});
    EXPECT_EQ(session_.secret(), "");
    EXPECT_EQ(hear({seated()}), (Words{"note", "tell seated t"})) << "another table of the same name is not left";
    EXPECT_EQ(hear({table_closed("old")}), (Words{"note", "tell closed old", "send received old"}));
}

TEST_F(SessionTest, DropsATableThatTheServerDoesNotKnow) {
    hear({seated(), asked(1), events({1})});
    session_.leave("t");
    reconnect();
    EXPECT_EQ(hear({message_refused("UNKNOWN_TABLE", "t")}), (Words{"warning", "withdraw t1"}));
    EXPECT_TRUE(session_.tables().empty());
    EXPECT_EQ(cursors(reconnect()), Words{});
}

// ------------------------------------------------------------------ leaving and ends

TEST_F(SessionTest, LeavesATableForGood) {
    EXPECT_EQ(words(session_.leave("nowhere")), Words{});
    hear({seated()});
    EXPECT_EQ(words(session_.leave("t")), Words{"send leave t"});
    v1::ServerMessage hurried = message_refused("TOO_FAST", "t");
    hurried.mutable_message_refused()->mutable_retry_after()->set_nanos(250'000'000);
    const Outputs out = outputs({hurried});
    ASSERT_EQ(words(out), (Words{"warning", "later t"}));
    EXPECT_EQ(std::get<SendLater>(out[1]).seconds, 0.25);
    EXPECT_EQ(words(session_.resend("t")), Words{"send leave t"});
    session_.open_stream();
    EXPECT_EQ(words(session_.leave("t")), Words{}) << "before the welcome";
    EXPECT_EQ(words(session_.resend("")), Words{});
    EXPECT_EQ(hear({welcome(), seated()}), (Words{"welcomed", "send leave t"}));
    hear({table_closed()});
    EXPECT_EQ(hear({seated()}), (Words{"note", "tell seated t"}));
}

TEST_F(SessionTest, TellsTheEndOfATableOnceAndAcknowledgesItEachTime) {
    hear({seated(), asked(1)});
    EXPECT_EQ(hear({table_closed()}), (Words{"withdraw t1", "note", "tell closed t", "send received t"}));
    EXPECT_EQ(hear({table_closed()}), Words{"send received t"});
    EXPECT_TRUE(session_.tables().empty());
    EXPECT_EQ(answer(1), Words{});
    for (std::size_t number = 0; number < KEPT_TABLES; ++number) hear({table_closed("t" + std::to_string(number))});
    EXPECT_EQ(hear({table_closed("t1")}), Words{"send received t1"});
    EXPECT_EQ(hear({table_closed("t")}).size(), 3) << "is not remembered for ever";
}

TEST_F(SessionTest, SaysSeatResultAndOwnFaults) {
    v1::ServerMessage over = table_closed(), at = seated();
    auto& result = *over.mutable_table_closed()->mutable_result();
    for (const auto place : {2U, 1U}) result.add_places(place);
    for (const auto points : {0U, 31U}) result.add_points(points);
    for (const auto seat : {0U, 1U}) {
        auto& fault = *result.add_faults();
        fault.set_seat(seat);
        fault.set_kind(v1::FAULT_KIND_TIMEOUT);
        fault.set_evidence("seat " + std::to_string(seat) + " slept");
    }
    at.mutable_seated()->add_seats()->set_name("me");
    at.mutable_seated()->add_seats()->set_builtin("greedy");
    at.mutable_seated()->add_seats();
    Words said;
    for (const Output& output : outputs({at, over})) {
        if (const auto* note = std::get_if<Note>(&output)) said.push_back(note->text);
    }
    EXPECT_EQ(said,
              (Words{"seated at table t, seat 0 of me, greedy, nobody yet", "table t, fault TIMEOUT: seat 0 slept",
                     "table t is over: place 2 of 2, 0 points (all: 0 31)"}));
    v1::ServerMessage cancelled = table_closed("u");
    cancelled.mutable_table_closed()->mutable_result()->set_cause(v1::CLOSE_CAUSE_CANCELLED);
    EXPECT_EQ(std::get<Note>(outputs({cancelled})[0]).text, "table u is over, cancelled");
}

TEST_F(SessionTest, AnswersHeartbeatsAndTellsNotices) {
    EXPECT_EQ(hear({heartbeat(4), heartbeat(5)}), (Words{"send reply 4", "send reply 5"}));
    EXPECT_EQ(hear({notice(v1::NOTICE_KIND_SEAT_AWAY), notice(v1::NOTICE_KIND_RECOVERED)}),
              (Words{"tell notice", "note", "tell notice"}));
}

TEST_F(SessionTest, KnowsThatTheServerShutsDownUntilTheNextStream) {
    EXPECT_EQ(hear({draining()}), Words{"drain"});
    EXPECT_TRUE(session_.draining());
    reconnect();
    EXPECT_FALSE(session_.draining());
}

TEST_F(SessionTest, HearsFromTheLastMessageWhyAStreamEnds) {
    EXPECT_EQ(hear({message_refused("UNKNOWN_TABLE", "nowhere")}), Words{"warning"});
    EXPECT_FALSE(session_.farewell());
    EXPECT_EQ(hear({message_refused("SESSION_REPLACED")}), Words{"warning"});
    ASSERT_TRUE(session_.farewell());
    EXPECT_EQ(session_.farewell()->protocol_reason(), v1::PROTOCOL_REASON_SESSION_REPLACED);
    EXPECT_EQ(session_.farewell_text(), "no, because");
    hear({heartbeat(1)});
    EXPECT_FALSE(session_.farewell()) << "it was not the last";
    session_.open_stream();
    EXPECT_EQ(hear({message_refused("UNAUTHENTICATED")}), Words{"warning"}) << "before the welcome";
    EXPECT_TRUE(session_.farewell());
}

// ------------------------------------------------------------------ frames

TEST(Frames, HoldWhatFits) {
    std::vector<v1::ClientMessage> ready(10);
    for (auto& message : ready) message.mutable_leave()->set_table_id("a table with a name");
    const std::size_t own = ready[0].ByteSizeLong() + 6;
    EXPECT_EQ(take_frame(ready, 3 * own).messages_size(), 3);
    EXPECT_EQ(take_frame(ready, 3 * own - 1).messages_size(), 2);
    EXPECT_EQ(take_frame(ready, 1).messages_size(), 1) << "a larger one gets a frame of its own";
    EXPECT_EQ(take_frame(ready, 0).messages_size(), 4);
    EXPECT_TRUE(ready.empty());
}

}  // namespace
}  // namespace lastcard::testing
