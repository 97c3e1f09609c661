// Cards and views in words.
#include "lastcard/cards.h"

#include <gtest/gtest.h>

#include "messages.h"

namespace lastcard::testing {
namespace {

TEST(Cards, HaveTheirNotation) {
    const std::vector<std::pair<int, std::string>> notations{{CARD_RED_5, "R5"},
                                                             {CARD_YELLOW_SKIP, "YS"},
                                                             {CARD_GREEN_REVERSE, "GV"},
                                                             {CARD_BLUE_DRAW_TWO, "BD"},
                                                             {CARD_WILD, "W"},
                                                             {CARD_WILD_DRAW_FOUR, "W4"},
                                                             {0, "?0"},
                                                             {99, "?99"},
                                                             {29, "?29"}};
    for (const auto& [card, text] : notations) EXPECT_EQ(card_text(card), text);
    EXPECT_EQ(hand_text(view().hand()), "R1 R2 Y1");
    EXPECT_EQ(hand_text({}), "");
}

TEST(Cards, HaveColourRankAndPoints) {
    EXPECT_EQ(color_of(CARD_GREEN_7), COLOR_GREEN);
    EXPECT_EQ(rank_of(CARD_GREEN_7), 7);
    EXPECT_EQ(rank_of(CARD_BLUE_DRAW_TWO), DRAW_TWO);
    EXPECT_TRUE(is_wild(CARD_WILD_DRAW_FOUR));
    EXPECT_FALSE(is_wild(CARD_RED_0));
    EXPECT_EQ(points(CARD_GREEN_7), 7);
    EXPECT_EQ(points(CARD_RED_SKIP), 20);
    EXPECT_EQ(points(CARD_WILD), 50);
}

TEST(Actions, HaveTheirNotation) {
    for (const char* text : {"R5", "W/G", "W4", "R7>2", "draw", "keep", "accept", "challenge", "uno", "pass", "color B",
                             "jump R6", "catch 2"}) {
        EXPECT_EQ(action_text(action(text)), text);
    }
    Action newer;
    newer.set_kind(static_cast<v1::ActionKind>(77));
    EXPECT_EQ(action_text(newer), "?77");
    Action colored = action("W/G");
    colored.set_color(static_cast<v1::Color>(9));
    EXPECT_EQ(action_text(colored), "W/?9");
}

TEST(ColorCounts, LeaveWildsOut) {
    EXPECT_EQ(color_counts(view({.hand = "R1 R2 B5 W W4"}).hand()),
              (std::map<int, int>{{COLOR_RED, 2}, {COLOR_YELLOW, 0}, {COLOR_GREEN, 0}, {COLOR_BLUE, 1}}));
}

TEST(NextSeat, GoesRoundAmongThoseWhoAreActive) {
    View seen = view({.active = {0, 1, 3}});
    EXPECT_EQ(next_seat(seen, 3), 0);
    EXPECT_EQ(next_seat(seen, 0, 2), 3);
    EXPECT_EQ(next_seat(seen, 0, -4), 3);
    EXPECT_EQ(next_seat(seen, 2), std::nullopt);
    seen.set_direction(-1);
    EXPECT_EQ(next_seat(seen, 0), 3);
}

TEST(Unseen, IsTheDeckWithoutWhatIsSeen) {
    View seen = view({.hand = "R1 R1 R0 W"});
    EXPECT_EQ(unseen(View()).size(), 108);
    seen.add_discard(CARD_BLUE_5);
    seen.add_known_cards()->add_cards(CARD_BLUE_5);
    const auto rest = unseen(seen);
    EXPECT_EQ(rest.size(), 102);
    EXPECT_EQ(std::count(rest.begin(), rest.end(), CARD_RED_1), 0);
    EXPECT_EQ(std::count(rest.begin(), rest.end(), CARD_BLUE_5), 0);
    EXPECT_EQ(std::count(rest.begin(), rest.end(), CARD_WILD), 3);
    EXPECT_TRUE(std::is_sorted(rest.begin(), rest.end()));
}

TEST(Option, IsTheTablesOrTheOneGiven) {
    EXPECT_EQ(option(view({.options = {{"jump_in", "true"}}}), "jump_in"), "true");
    EXPECT_EQ(option(view(), "jump_in", "false"), "false");
}

}  // namespace
}  // namespace lastcard::testing
