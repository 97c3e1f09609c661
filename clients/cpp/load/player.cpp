#include "player.h"

#include <algorithm>
#include <utility>

namespace lastcard::load {

Player::Player(std::string name, unsigned seed, int sample_every, Tally& tally, Closed closed)
    : name_(std::move(name)), random_(seed), sample_every_(sample_every), tally_(tally), closed_(std::move(closed)) {}

v1::PlayRequest Player::hello() const {
    v1::PlayRequest request;
    v1::Hello& hello = *request.add_messages()->mutable_hello();
    hello.set_protocol_version(1);
    hello.set_bot_name(name_);
    hello.set_client_name("lastcard_load");
    return request;
}

v1::PlayRequest Player::hear(const v1::PlayResponse& frame) {
    v1::PlayRequest answers;
    for (const v1::ServerMessage& message : frame.messages()) {
        switch (message.message_case()) {
            case v1::ServerMessage::kWelcome:
                welcome_ = true;
                break;
            case v1::ServerMessage::kDecision:
                answer(message.decision(), answers);
                break;
            case v1::ServerMessage::kActResult:
                judge(message.act_result());
                break;
            case v1::ServerMessage::kTableEvents:
                see(message.table_events());
                break;
            case v1::ServerMessage::kHeartbeat:
                answers.add_messages()->mutable_heartbeat_reply()->set_number(message.heartbeat().number());
                break;
            case v1::ServerMessage::kTableClosed: {
                const std::string& table = message.table_closed().table_id();
                ++tally_.ended;
                asked_.erase(table);
                answers.add_messages()->mutable_table_closed_received()->set_table_id(table);
                closed_(table);
                break;
            }
            default:
                break;  // nothing that an answer depends on
        }
    }
    return answers;
}

/// Any choice but the last, which draws, keeps or passes: so games end as those of people do. Open reactions, which
/// have no time limit, are left alone, as most bots do.
void Player::answer(const v1::Decision& decision, v1::PlayRequest& answers) {
    if (!decision.has_time_left() || decision.legal_actions_size() == 0) return;
    const auto choices = static_cast<unsigned>(std::max(1, decision.legal_actions_size() - 1));
    v1::Act& act = *answers.add_messages()->mutable_act();
    act.set_table_id(decision.table_id());
    act.set_decision_id(decision.decision_id());
    act.set_choice(static_cast<uint32_t>(random_() % choices));
    if (++answers_ % sample_every_ == 0) {
        // What follows from a reaction is told when all have answered, so it says nothing of this answer's way.
        const bool told_at_once = decision.kind() != v1::DECISION_KIND_REACTION;
        asked_[decision.table_id()] = {decision.decision_id(), decision.sequence(), Clock::now(), true, told_at_once};
    }
}

void Player::judge(const v1::ActResult& result) {
    ++(result.accepted() ? tally_.answered : tally_.refused);
    const auto asked = asked_.find(result.table_id());
    if (asked == asked_.end() || asked->second.decision != result.decision_id() || !asked->second.awaits_verdict)
        return;
    tally_.verdict_ms.push_back(milliseconds_since(asked->second.sent));
    asked->second.awaits_verdict = false;
}

/// The first event behind the decision tells what its answer did.
void Player::see(const v1::TableEvents& events) {
    const auto asked = asked_.find(events.table_id());
    if (asked == asked_.end() || !asked->second.awaits_event || events.events_size() == 0) return;
    if (events.events(events.events_size() - 1).sequence() <= asked->second.sequence) return;
    tally_.event_ms.push_back(milliseconds_since(asked->second.sent));
    asked->second.awaits_event = false;
}

}  // namespace lastcard::load
