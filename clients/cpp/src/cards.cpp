#include "lastcard/cards.h"

#include <algorithm>

namespace lastcard {
namespace {

constexpr char kColorLetters[] = "-RYGB";
constexpr char kRankLetters[] = "0123456789SVD";

std::string color_letter(int color) {
    return color >= 0 && color <= COLOR_BLUE ? std::string(1, kColorLetters[color]) : "?" + std::to_string(color);
}

std::vector<int> classic_deck() {
    std::vector<int> deck;
    for (int wild : {WILD, WILD_DRAW_FOUR}) deck.insert(deck.end(), 4, wild);
    for (int color = COLOR_RED; color <= COLOR_BLUE; ++color) {
        for (int rank = 0; rank <= DRAW_TWO; ++rank) deck.insert(deck.end(), rank == 0 ? 1 : 2, 16 * color + rank);
    }
    return deck;
}

}  // namespace

std::string card_text(int card) {
    if (card == WILD) return "W";
    if (card == WILD_DRAW_FOUR) return "W4";
    const int color = color_of(card), rank = rank_of(card);
    if (color < COLOR_RED || color > COLOR_BLUE || rank > DRAW_TWO) return "?" + std::to_string(card);
    return {kColorLetters[color], kRankLetters[rank]};
}

std::string hand_text(const google::protobuf::RepeatedField<int>& cards) {
    std::string text;
    for (int card : cards) text += (text.empty() ? "" : " ") + card_text(card);
    return text;
}

std::string action_text(const Action& action) {
    switch (static_cast<int>(action.kind())) {
        case ACTION_KIND_DRAW:
            return "draw";
        case ACTION_KIND_KEEP:
            return "keep";
        case ACTION_KIND_ACCEPT:
            return "accept";
        case ACTION_KIND_CHALLENGE:
            return "challenge";
        case ACTION_KIND_UNO:
            return "uno";
        case ACTION_KIND_PASS:
            return "pass";
        case ACTION_KIND_CHOOSE_COLOR:
            return "color " + color_letter(action.color());
        case ACTION_KIND_CATCH:
            return "catch " + std::to_string(action.target());
        case ACTION_KIND_PLAY:
        case ACTION_KIND_JUMP_IN:
            break;
        default:
            return "?" + std::to_string(action.kind());
    }
    std::string text = (action.kind() == ACTION_KIND_JUMP_IN ? "jump " : "") + card_text(action.card());
    if (is_wild(action.card()) && action.color()) text += "/" + color_letter(action.color());
    if (action.has_target()) text += ">" + std::to_string(action.target());
    return text;
}

std::map<int, int> color_counts(const google::protobuf::RepeatedField<int>& cards) {
    std::map<int, int> counts{{COLOR_RED, 0}, {COLOR_YELLOW, 0}, {COLOR_GREEN, 0}, {COLOR_BLUE, 0}};
    for (int card : cards) {
        if (!is_wild(card)) ++counts[color_of(card)];
    }
    return counts;
}

std::optional<std::uint32_t> next_seat(const View& view, std::uint32_t seat, int steps) {
    const auto& active = view.active_seats();
    const auto at = std::find(active.begin(), active.end(), seat);
    if (at == active.end()) return std::nullopt;
    const std::int64_t count = active.size(), direction = view.direction() < 0 ? -1 : 1;
    const std::int64_t place = ((at - active.begin()) + direction * steps) % count;
    return active[static_cast<int>((place + count) % count)];
}

std::vector<int> unseen(const View& view) {
    std::vector<int> rest = classic_deck();
    const auto remove = [&rest](const google::protobuf::RepeatedField<int>& cards) {
        for (int card : cards) {
            if (const auto at = std::find(rest.begin(), rest.end(), card); at != rest.end()) rest.erase(at);
        }
    };
    remove(view.hand());
    remove(view.discard());
    for (const auto& known : view.known_cards()) remove(known.cards());
    return rest;
}

std::string option(const View& view, const std::string& name, const std::string& otherwise) {
    for (const auto& entry : view.ruleset().options()) {
        if (entry.name() == name) return entry.value();
    }
    return otherwise;
}

}  // namespace lastcard
