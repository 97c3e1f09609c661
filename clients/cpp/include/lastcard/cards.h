// Cards, colours and views in a bot author's words: text, colour, rank, points, counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lastcard/messages.h"

namespace lastcard {

/// Ranks above the numbers 0 to 9.
inline constexpr int SKIP = 10, REVERSE = 11, DRAW_TWO = 12, WILD = 13, WILD_DRAW_FOUR = 14;

/// Colour of a card, `COLOR_UNSPECIFIED` (0) for wilds.
constexpr int color_of(int card) { return card >> 4; }
/// Rank of a card: 0 to 9, `SKIP`, `REVERSE`, `DRAW_TWO`, `WILD` or `WILD_DRAW_FOUR`.
constexpr int rank_of(int card) { return card & 15; }
/// Whether a card has no colour of its own.
constexpr bool is_wild(int card) { return card < 16; }
/// Points of a card in a loser's hand: its number, 20 for action cards, 50 for wilds.
constexpr int points(int card) { return is_wild(card) ? 50 : rank_of(card) >= SKIP ? 20 : rank_of(card); }

/// A card in the notation of records: `R5`, `YS`, `GV`, `BD`, `W`, `W4`; `?` and its number if unknown.
std::string card_text(int card);
/// Several cards in notation, separated by blanks.
std::string hand_text(const google::protobuf::RepeatedField<int>& cards);
/// An action in the notation of records: `R5`, `W/G`, `R7>2`, `draw`, `color G`, `jump R6`, `catch 2`.
std::string action_text(const Action& action);
/// How many of the cards have each of the four colours; wilds are not counted.
std::map<int, int> color_counts(const google::protobuf::RepeatedField<int>& cards);
/// The active seat that is `steps` places after `seat` in the direction of play; none when `seat` is not active.
std::optional<std::uint32_t> next_seat(const View& view, std::uint32_t seat, int steps = 1);
/// The cards of a classic deck that the viewer sees nowhere, ascending: they are in other hands or in the pile.
std::vector<int> unseen(const View& view);
/// The value of a rule option as text if the table departs from its preset in it, otherwise `otherwise`.
std::string option(const View& view, const std::string& name, const std::string& otherwise = "");

}  // namespace lastcard
