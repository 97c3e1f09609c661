// Answers as messages: what is checked, what is added, what stands in for nonsense.
#include "answers.h"

#include <gtest/gtest.h>

#include "lastcard/cards.h"
#include "messages.h"

namespace lastcard::testing {
namespace {

std::string bad_reply(const Decision& decision, const Answer& answer) {
    try {
        act_for(decision, answer);
    } catch (const BadReplyError& error) {
        return error.what();
    }
    return "accepted";
}

bool called(const Seen& seen, const std::string& play) {
    return act_for(decision({.legal = {play}, .seen = seen}), 0).call_uno();
}

std::vector<std::uint32_t> caught(const v1::Act& act) { return {act.catch_seats().begin(), act.catch_seats().end()}; }

Answer catching(std::vector<std::uint32_t> seats) {
    Answer answer = 0;
    answer.catch_seats = std::move(seats);
    return answer;
}

using Seats = std::vector<std::uint32_t>;

TEST(Choices, AreAnIndexOrAnAction) {
    for (const Answer& answer : {Answer(1), Answer(1UL), Answer(action("R2"))}) {
        const v1::Act act = act_for(decision({.number = 7, .table = "x"}), answer);
        EXPECT_EQ(act.table_id(), "x");
        EXPECT_EQ(act.decision_id(), 7);
        EXPECT_TRUE(act.has_choice());
        EXPECT_EQ(act.choice(), 1);
        EXPECT_FALSE(act.call_uno());
    }
}

TEST(Choices, OfAnyOtherKindAreRefusedWithWhatWouldBeValid) {
    EXPECT_EQ(bad_reply(decision(), 3), "choice 3 is no index into legal_actions; valid are 0 to 2");
    EXPECT_EQ(bad_reply(decision(), -1), "choice -1 is no index into legal_actions; valid are 0 to 2");
    EXPECT_EQ(bad_reply(decision(), action("B5")), "B5 is not a legal action; valid are R1, R2, draw");
    EXPECT_EQ(bad_reply(decision(), action("pass")), "pass is not a legal action; valid are R1, R2, draw");
    EXPECT_EQ(bad_reply(decision(), Action()), "?0 is not a legal action; valid are R1, R2, draw");
}

TEST(Choices, FindAnActionAmongTheLegalOnes) {
    const std::vector<std::string> legal{"W/R", "W/G", "R7>1", "R7>2", "color R", "color B", "jump R6", "catch 3"};
    for (std::size_t index = 0; index < legal.size(); ++index) {
        EXPECT_EQ(act_for(decision({.legal = legal, .kind = DECISION_KIND_REACTION}), action(legal[index])).choice(),
                  index);
    }
}

TEST(Choices, BearAColourOrTargetThatIsNotNeededAndWantOneThatIs) {
    Action surplus = action("R1");
    surplus.set_color(COLOR_GREEN);
    surplus.set_target(1);
    EXPECT_EQ(act_for(decision(), surplus).choice(), 0);
    EXPECT_EQ(bad_reply(decision({.legal = {"W/R", "W/G"}}), action("W")),
              "W is not a legal action; valid are W/R, W/G");
}

TEST(Choices, MayBeACallOrCatchByItselfInTheOwnTurnAlone) {
    for (const char* text : {"uno", "catch 1"}) {
        const v1::Act act = act_for(decision({.seen = {.catchable = {1}}}), action(text));
        EXPECT_TRUE(is_apart(act));
        EXPECT_FALSE(act.call_uno());
        EXPECT_EQ(caught(act), Seats{});
    }
    const Decision reaction = decision({.legal = {"uno", "pass"}, .kind = DECISION_KIND_REACTION});
    EXPECT_EQ(bad_reply(reaction, action("catch 1")), "catch 1 is not a legal action; valid are uno, pass");
    EXPECT_FALSE(is_apart(act_for(reaction, action("uno"))));
}

TEST(CallingUno, GoesWithThePlayThatLeavesOneCard) {
    EXPECT_TRUE(called({.hand = "R1 R2"}, "R1"));
    EXPECT_TRUE(called({.hand = "W R2"}, "W/B"));
    EXPECT_TRUE(called({.hand = "R1 R2"}, "jump R1"));
    EXPECT_FALSE(called({.hand = "R1 R2 R3"}, "R1"));
    EXPECT_FALSE(called({.hand = "R1"}, "R1"));
    for (const char* other : {"draw", "keep", "challenge"}) EXPECT_FALSE(called({.hand = "R1 R2"}, other));
}

TEST(CallingUno, CountsTheHandThatASwapBrings) {
    Seen seen{.hand = "R7 R2 R3", .counts = {3, 5, 1}, .options = {{"seven_swap", "true"}}, .active = {0, 1, 2}};
    EXPECT_TRUE(called(seen, "R7>2"));
    seen.hand = "R7 R2";
    seen.counts = {2, 5, 4};
    EXPECT_FALSE(called(seen, "R7>2"));
    EXPECT_TRUE(called({.hand = "R7 R2", .counts = {2, 5}}, "R7")) << "a plain number without its option";
}

TEST(CallingUno, CountsTheHandThatARotationBrings) {
    Seen seen{.hand = "R0 R2 R3", .counts = {3, 5, 6, 1}, .options = {{"zero_rotate", "true"}}, .active = {0, 1, 3}};
    EXPECT_TRUE(called(seen, "R0"));
    seen.direction = -1;
    EXPECT_FALSE(called(seen, "R0"));
    EXPECT_TRUE(called({.hand = "R0 R2", .counts = {2, 5}}, "R0")) << "a plain number without its option";
}

TEST(CallingUno, CountsHandsMovedByALastCardOnlyWhenItHasItsEffect) {
    for (const bool applies : {false, true}) {
        const std::map<std::string, std::string> options{
            {"seven_swap", "true"}, {"zero_rotate", "true"}, {"last_card_hand_effect", applies ? "apply" : "win"}};
        EXPECT_EQ(called({.hand = "R7", .counts = {1, 1}, .options = options}, "R7>1"), applies);
        EXPECT_EQ(called({.hand = "R0", .counts = {1, 1}, .options = options}, "R0"), applies);
    }
}

TEST(CallingUno, IsLeftToTheAnswerThatSaysSo) {
    const Decision due = decision({.legal = {"R1"}, .seen = {.hand = "R1 R2"}});
    Answer silent = 0, loud = 0;
    silent.call_uno = false;
    loud.call_uno = true;
    EXPECT_FALSE(act_for(due, silent).call_uno());
    EXPECT_TRUE(act_for(due, loud, {.uno = false}).call_uno());
    EXPECT_FALSE(act_for(due, 0, {.uno = false}).call_uno());
}

TEST(Catching, TakesWhoForgotWhereThatCostsNothing) {
    const Seats seats{0, 1, 3};
    EXPECT_EQ(caught(act_for(decision({.seen = {.catchable = seats}}), 0)), (Seats{1, 3}));
    EXPECT_EQ(caught(act_for(decision({.seen = {.options = {{"false_catch_penalty", "0"}}, .catchable = seats}}), 0)),
              (Seats{1, 3}));
    EXPECT_EQ(caught(act_for(decision({.seen = {.options = {{"false_catch_penalty", "2"}}, .catchable = seats}}), 0)),
              Seats{});
    EXPECT_EQ(caught(act_for(decision({.seen = {.catchable = seats}}), 0, {.catches = false})), Seats{});
}

TEST(Catching, IsLeftToTheAnswerThatSaysSo) {
    EXPECT_EQ(caught(act_for(decision({.seen = {.catchable = {0}}}), catching({1, 1}))), Seats{1});
    EXPECT_EQ(caught(act_for(decision({.seen = {.catchable = {1}}}), catching({}))), Seats{});
    EXPECT_EQ(bad_reply(decision(), catching({2})), "catch_seats names 2; valid are seats from 0 to 1");
}

TEST(AfterACall, TheViewIsACopyThatSaysSo) {
    v1::Act call;
    *call.mutable_action() = action("uno");
    const Decision before = decision({.seen = {.called = {1}}});
    const Decision after = after_apart(before, call), twice = after_apart(after, call);
    EXPECT_EQ(Seats(after.view().called_seats().begin(), after.view().called_seats().end()), (Seats{0, 1}));
    EXPECT_EQ(before.view().called_seats_size(), 1);
    EXPECT_EQ(twice.view().called_seats_size(), 2);
}

TEST(Fallback, IsLegalNotRefusedBeforeAndPassesOutOfTurn) {
    EXPECT_EQ(fallback(decision()), 0);
    EXPECT_EQ(fallback(decision(), {0, 1}), 2);
    EXPECT_EQ(fallback(decision(), {0, 1, 2}), 0);
    const Decision reaction = decision({.legal = {"jump R6", "catch 1", "pass"}, .kind = DECISION_KIND_REACTION});
    EXPECT_EQ(fallback(reaction), 2);
    EXPECT_EQ(fallback(reaction, {2}), 1);
}

TEST(DefaultReaction, CallsElseCatchesElsePasses) {
    const auto reaction = [](std::vector<std::string> legal, Seen seen = {}, bool catches = true) {
        const Decision asked = decision({.legal = std::move(legal), .seen = std::move(seen)});
        return default_reaction(asked.view(), asked.legal_actions(), catches);
    };
    EXPECT_EQ(reaction({"jump R6", "uno", "catch 1", "pass"}), 1);
    EXPECT_EQ(reaction({"jump R6", "catch 1", "pass"}), 1);
    EXPECT_EQ(reaction({"jump R6", "catch 1", "pass"}, {}, false), 2);
    EXPECT_EQ(reaction({"jump R6", "catch 1", "pass"}, {.options = {{"false_catch_penalty", "2"}}}), 2);
    EXPECT_EQ(reaction({"jump R6", "jump R5"}), 1);
}

}  // namespace
}  // namespace lastcard::testing
