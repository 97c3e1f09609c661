// A bot in twenty lines: it plays its longest colour, keeps wilds for later and draws when nothing fits.
#include <algorithm>
#include <tuple>

#include "lastcard/bot.h"
#include "lastcard/cards.h"

using namespace lastcard;

class MyBot : public Bot {
    Answer choose(const View& view, const Actions& legal_actions) override {
        auto held = color_counts(view.hand());
        const auto worth = [&](const Action& action) {
            const bool plays = action.kind() == ACTION_KIND_PLAY;
            const int color = action.color() ? action.color() : color_of(action.card());
            return std::tuple(plays, !is_wild(action.card()), held[color]);
        };
        return *std::max_element(legal_actions.begin(), legal_actions.end(),
                                 [&](const Action& a, const Action& b) { return worth(a) < worth(b); });
    }
};

int main() {
    MyBot bot;
    return run(bot);
}
