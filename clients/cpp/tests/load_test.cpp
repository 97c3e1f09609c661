// The load generator: what its players say, who sits with whom, its options and its report.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "options.h"
#include "player.h"
#include "report.h"
#include "tables.h"

namespace lastcard::load {
namespace {

struct Heard {
    Tally tally;
    std::vector<std::string> closed;
    Player player{"b1", 7, 1, tally, [this](const std::string& table) { closed.push_back(table); }};

    v1::PlayRequest hear(const std::vector<v1::ServerMessage>& messages) {
        v1::PlayResponse frame;
        for (const auto& message : messages) *frame.add_messages() = message;
        return player.hear(frame);
    }
};

v1::ServerMessage decision(int legal, bool has_limit = true, v1::DecisionKind kind = v1::DECISION_KIND_TURN) {
    v1::ServerMessage message;
    v1::Decision& made = *message.mutable_decision();
    made.set_table_id("t");
    made.set_decision_id(300);
    made.set_sequence(5);
    made.set_kind(kind);
    if (has_limit) made.mutable_time_left()->set_seconds(2);
    for (int count = 0; count < legal; ++count) made.add_legal_actions()->set_kind(v1::ACTION_KIND_PLAY);
    return message;
}

v1::ServerMessage verdict(bool accepted, uint32_t id = 300) {
    v1::ServerMessage message;
    message.mutable_act_result()->set_table_id("t");
    message.mutable_act_result()->set_decision_id(id);
    message.mutable_act_result()->set_accepted(accepted);
    return message;
}

v1::ServerMessage event(uint32_t sequence) {
    v1::ServerMessage message;
    message.mutable_table_events()->set_table_id("t");
    message.mutable_table_events()->add_events()->set_sequence(sequence);
    return message;
}

TEST(Load, OpensAsABotDoes) {
    Heard heard;
    const v1::PlayRequest request = heard.player.hello();
    ASSERT_EQ(request.messages_size(), 1);
    EXPECT_EQ(request.messages(0).hello().protocol_version(), 1u);
    EXPECT_EQ(request.messages(0).hello().bot_name(), "b1");
}

TEST(Load, AnswersAllDecisionsOfAFrameInOneByAnyActionButTheLast) {
    Heard heard;
    std::set<uint32_t> choices;
    for (int round = 0; round < 100; ++round) {
        const v1::PlayRequest answers = heard.hear({decision(4), decision(1)});
        ASSERT_EQ(answers.messages_size(), 2);
        EXPECT_EQ(answers.messages(0).act().table_id(), "t");
        EXPECT_EQ(answers.messages(0).act().decision_id(), 300u);
        choices.insert(answers.messages(0).act().choice());
        EXPECT_EQ(answers.messages(1).act().choice(), 0u);
    }
    EXPECT_EQ(choices, (std::set<uint32_t>{0, 1, 2}));
}

TEST(Load, LeavesOpenReactionsAlone) {
    Heard heard;
    EXPECT_EQ(heard.hear({decision(2, false, v1::DECISION_KIND_REACTION)}).messages_size(), 0);
}

TEST(Load, CountsVerdictsAndTimesThoseOfItsAnswersOnce) {
    Heard heard;
    heard.hear({decision(2)});
    heard.hear({verdict(true), verdict(true), verdict(false, 301)});
    EXPECT_EQ(heard.tally.answered, 2);
    EXPECT_EQ(heard.tally.refused, 1);
    EXPECT_EQ(heard.tally.verdict_ms.size(), 1u);
}

TEST(Load, TimesTheFirstEventBehindTheDecision) {
    Heard heard;
    heard.hear({decision(2)});
    heard.hear({event(5)});
    EXPECT_TRUE(heard.tally.event_ms.empty());
    heard.hear({event(6), event(7)});
    EXPECT_EQ(heard.tally.event_ms.size(), 1u);
}

TEST(Load, TimesNoEventOfAReaction) {
    Heard heard;
    EXPECT_EQ(heard.hear({decision(2, true, v1::DECISION_KIND_REACTION)}).messages_size(), 1);
    heard.hear({event(6)});
    EXPECT_TRUE(heard.tally.event_ms.empty());
}

TEST(Load, AcknowledgesTheEndOfATableAndTellsOfIt) {
    Heard heard;
    v1::ServerMessage end;
    end.mutable_table_closed()->set_table_id("t");
    const v1::PlayRequest answers = heard.hear({end});
    EXPECT_EQ(answers.messages(0).table_closed_received().table_id(), "t");
    EXPECT_EQ(heard.tally.ended, 1);
    EXPECT_EQ(heard.closed, std::vector<std::string>{"t"});
}

TEST(Load, AnswersHeartbeats) {
    Heard heard;
    v1::ServerMessage beat;
    beat.mutable_heartbeat()->set_number(9);
    EXPECT_EQ(heard.hear({beat}).messages(0).heartbeat_reply().number(), 9u);
}

TEST(Load, SeatsEachBotAtItsNumberOfTablesAndNeverTwiceAtOne) {
    for (const auto& [bots, tables, seats] : {std::tuple{64, 1, 4}, {64, 64, 4}, {5, 4, 4}, {4, 3, 2}, {10, 7, 10}}) {
        std::map<int, int> count;
        const auto groups = compositions(bots, tables, seats);
        EXPECT_EQ(static_cast<int>(groups.size()), bots * tables / seats);
        for (const auto& group : groups) {
            EXPECT_EQ(static_cast<int>(std::set<int>(group.begin(), group.end()).size()), seats);
            for (const int bot : group) ++count[bot];
        }
        for (int bot = 0; bot < bots; ++bot) EXPECT_EQ(count[bot], tables) << bots << "x" << tables << " bot " << bot;
    }
}

TEST(Load, RefusesOptionsWithWhatIsWrong) {
    const std::map<std::string, std::vector<std::string>> wrong = {
        {"--bots x is no whole number from 1 to 10000", {"--bots", "x"}},
        {"--bots 2.5 is no whole number from 1 to 10000", {"--bots", "2.5"}},
        {"--bots 0x10 is no whole number from 1 to 10000", {"--bots", "0x10"}},
        {"--bots  4 is no whole number from 1 to 10000", {"--bots", " 4"}},
        {"--bots '' is no whole number from 1 to 10000", {"--bots", ""}},
        {"--server '' is no address; give host:port, for example 127.0.0.1:7600", {"--server", ""}},
        {"--server here is no address; give host:port, for example 127.0.0.1:7600", {"--server", "here"}},
        {"--server :1 is no address; give host:port, for example 127.0.0.1:7600", {"--server", ":1"}},
        {"--server a:99999 is no address; give host:port, for example 127.0.0.1:7600", {"--server", "a:99999"}},
        {"--server a:0 is no address; give host:port, for example 127.0.0.1:7600", {"--server", "a:0"}},
        {"--server a:1x is no address; give host:port, for example 127.0.0.1:7600", {"--server", "a:1x"}},
        {"--seats 11 is no whole number from 2 to 10", {"--seats", "11"}},
        {"--seconds 0 measures nothing; give a number above 0", {"--seconds", "0"}},
        {"--seconds nan is no number from 0 to 3600", {"--seconds", "nan"}},
        {"--foo is no option; --help lists them", {"--foo"}},
        {"--bots needs a value; --help says which", {"--bots"}},
        {"--bots 3 is too few for tables of 4; a bot has one seat at a table", {"--bots", "3"}},
        {"--bots 5 x --tables 1 seats do not fill tables of 4; their product must be a multiple of it",
         {"--bots", "5"}},
    };
    for (const auto& [sentence, arguments] : wrong) {
        try {
            options(arguments);
            ADD_FAILURE() << "no refusal: " << sentence;
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(), sentence);
        }
    }
}

TEST(Load, TakesOptionsThatAreRight) {
    const Options made = options({"--bots", "3", "--echo", "--json", "--seconds", "0.5", "--server", "[::1]:7"});
    EXPECT_EQ(made.bots, 3);
    EXPECT_TRUE(made.echo && made.json);
    EXPECT_EQ(made.seconds, 0.5);
    EXPECT_EQ(made.server, "[::1]:7");
}

TEST(Load, ReportsRatesAndQuantiles) {
    Options asked;
    asked.json = true;
    Tally tally;
    tally.answered = 200;
    tally.ended = 8;
    for (int ms = 100; ms > 0; --ms) tally.verdict_ms.push_back(ms);
    const std::string line = report(asked, tally, {2, 1, 0.02});
    EXPECT_NE(line.find("\"moves_per_s\":100.0,\"games_per_s\":1.000"), std::string::npos) << line;
    EXPECT_NE(line.find("\"verdict_ms\":{\"count\":100,\"p50\":51.0000,\"p99\":100.0000},\"own_event_ms\":null}"),
              std::string::npos)
        << line;
    asked.json = false;
    EXPECT_NE(report(asked, tally, {2, 1, 0.02}).find("server CPU 100.0 us a move"), std::string::npos);
}

TEST(Load, TellsThatAProcessIsMissing) { EXPECT_THROW(cpu_seconds(4'194'305), std::runtime_error); }

}  // namespace
}  // namespace lastcard::load
