#include "answers.h"

#include <algorithm>

#include "lastcard/cards.h"

namespace lastcard {
namespace {

bool is_call(const Action& action) { return action.kind() == ACTION_KIND_UNO || action.kind() == ACTION_KIND_CATCH; }

/// Whether `action` is `legal`, give or take a colour or target that `legal` does not need.
bool means(const Action& action, const Action& legal) {
    return action.kind() == legal.kind() && action.card() == legal.card() &&
           (!legal.color() || action.color() == legal.color()) &&
           (!legal.has_target() || (action.has_target() && action.target() == legal.target()));
}

std::uint32_t checked_index(std::int64_t index, const Actions& legal_actions) {
    if (index < 0 || index >= legal_actions.size()) {
        throw BadReplyError("choice " + std::to_string(index) + " is no index into legal_actions; valid are 0 to " +
                            std::to_string(legal_actions.size() - 1));
    }
    return static_cast<std::uint32_t>(index);
}

/// Puts an action into `act`: by its index when legal, as itself when it is a call or catch in the own turn.
const Action& set_action(v1::Act& act, const Action& action, const Decision& decision) {
    const Actions& legal = decision.legal_actions();
    for (int index = 0; index < legal.size(); ++index) {
        if (means(action, legal[index])) {
            act.set_choice(static_cast<std::uint32_t>(index));
            return legal[index];
        }
    }
    if (is_call(action) && decision.kind() != DECISION_KIND_REACTION) {
        *act.mutable_action() = action;
        return action;
    }
    std::string valid;
    for (const Action& one : legal) valid += (valid.empty() ? "" : ", ") + action_text(one);
    throw BadReplyError(action_text(action) + " is not a legal action; valid are " + valid);
}

void add_named_catches(v1::Act& act, const std::vector<std::uint32_t>& seats, const View& view) {
    const auto count = static_cast<std::uint32_t>(view.hand_counts_size());
    for (const std::uint32_t seat : seats) {
        if (seat >= count) {
            throw BadReplyError("catch_seats names " + std::to_string(seat) + "; valid are seats from 0 to " +
                                std::to_string(static_cast<std::int64_t>(count) - 1));
        }
        const auto& named = act.catch_seats();
        if (std::find(named.begin(), named.end(), seat) == named.end()) act.add_catch_seats(seat);
    }
}

void add_free_catches(v1::Act& act, const View& view) {
    if (!catches_are_free(view)) return;
    for (const std::uint32_t seat : view.catchable_seats()) {
        if (!view.has_seat() || seat != view.seat()) act.add_catch_seats(seat);
    }
}

/// How many cards a seat holds; none when there is no such seat.
std::optional<std::uint32_t> hand_count(const View& view, std::optional<std::uint32_t> seat) {
    if (!seat || *seat >= static_cast<std::uint32_t>(view.hand_counts_size())) return std::nullopt;
    return view.hand_counts(static_cast<int>(*seat));
}

}  // namespace

v1::Act act_for(const Decision& decision, const Answer& answer, Automatic automatic) {
    v1::Act act;
    act.set_table_id(decision.table_id());
    act.set_decision_id(decision.decision_id());
    if (answer.catch_seats) add_named_catches(act, *answer.catch_seats, decision.view());
    const Action* chosen = nullptr;
    if (const auto* action = std::get_if<Action>(&answer.choice)) {
        chosen = &set_action(act, *action, decision);
    } else {
        act.set_choice(checked_index(std::get<std::int64_t>(answer.choice), decision.legal_actions()));
        chosen = &decision.legal_actions(static_cast<int>(act.choice()));
    }
    act.set_call_uno(answer.call_uno.value_or(automatic.uno && leaves_one_card(decision.view(), *chosen)));
    if (!answer.catch_seats && automatic.catches && !is_call(*chosen)) add_free_catches(act, decision.view());
    return act;
}

bool is_apart(const v1::Act& act) { return act.has_action() && is_call(act.action()); }

Decision after_apart(const Decision& decision, const v1::Act& act) {
    Decision after = decision;
    View& view = *after.mutable_view();
    if (act.action().kind() == ACTION_KIND_CATCH) {
        auto& seats = *view.mutable_catchable_seats();
        seats.erase(std::remove(seats.begin(), seats.end(), act.action().target()), seats.end());
        return after;
    }
    auto& called = *view.mutable_called_seats();
    if (std::find(called.begin(), called.end(), view.seat()) == called.end()) {
        called.Add(view.seat());
        std::sort(called.begin(), called.end());
    }
    return after;
}

bool leaves_one_card(const View& view, const Action& action) {
    if (action.kind() != ACTION_KIND_PLAY && action.kind() != ACTION_KIND_JUMP_IN) return false;
    const int left = view.hand_size() - 1;
    if ((left > 0 || option(view, "last_card_hand_effect") == "apply") && !is_wild(action.card())) {
        std::optional<std::uint32_t> brought;
        if (rank_of(action.card()) == 7 && action.has_target() && option(view, "seven_swap") == "true") {
            brought = hand_count(view, action.target());
        } else if (rank_of(action.card()) == 0 && option(view, "zero_rotate") == "true") {
            brought = hand_count(view, next_seat(view, view.seat(), -1));
        }
        if (brought) return *brought == 1;
    }
    return left == 1;
}

int fallback(const Decision& decision, const std::vector<std::uint32_t>& refused) {
    const int count = decision.legal_actions_size();
    const bool last_first = decision.kind() == DECISION_KIND_REACTION;
    for (int step = 0; step < count; ++step) {
        const int index = last_first ? count - 1 - step : step;
        if (std::find(refused.begin(), refused.end(), static_cast<std::uint32_t>(index)) == refused.end()) return index;
    }
    return last_first ? count - 1 : 0;
}

int default_reaction(const View& view, const Actions& legal_actions, bool catches) {
    std::vector<v1::ActionKind> wanted{ACTION_KIND_UNO};
    if (catches && catches_are_free(view)) wanted.push_back(ACTION_KIND_CATCH);
    wanted.insert(wanted.end(), {ACTION_KIND_PASS, ACTION_KIND_KEEP});
    for (const v1::ActionKind kind : wanted) {
        const auto at = std::find_if(legal_actions.begin(), legal_actions.end(),
                                     [kind](const Action& action) { return action.kind() == kind; });
        if (at != legal_actions.end()) return static_cast<int>(at - legal_actions.begin());
    }
    return legal_actions.size() - 1;
}

bool catches_are_free(const View& view) { return option(view, "false_catch_penalty", "0") == "0"; }

}  // namespace lastcard
