#include "messages.h"

#include <sstream>
#include <stdexcept>

namespace lastcard::testing {

int card(const std::string& text) {
    if (text == "W") return CARD_WILD;
    if (text == "W4") return CARD_WILD_DRAW_FOUR;
    const auto color = std::string("-RYGB").find(text.at(0));
    const auto rank = std::string("0123456789SVD").find(text.at(1));
    if (text.size() != 2 || color == std::string::npos || rank == std::string::npos) {
        throw std::invalid_argument(text + " is no card");
    }
    return static_cast<int>(16 * color + rank);
}

Action action(const std::string& text) {
    static const std::map<std::string, v1::ActionKind> kWords{
        {"draw", ACTION_KIND_DRAW},           {"keep", ACTION_KIND_KEEP}, {"accept", ACTION_KIND_ACCEPT},
        {"challenge", ACTION_KIND_CHALLENGE}, {"uno", ACTION_KIND_UNO},   {"pass", ACTION_KIND_PASS}};
    const auto color = [](char letter) { return static_cast<v1::Color>(std::string("-RYGB").find(letter)); };
    Action made;
    if (const auto word = kWords.find(text); word != kWords.end()) {
        made.set_kind(word->second);
    } else if (text.starts_with("catch ")) {
        made.set_kind(ACTION_KIND_CATCH);
        made.set_target(static_cast<std::uint32_t>(std::stoul(text.substr(6))));
    } else if (text.starts_with("color ")) {
        made.set_kind(ACTION_KIND_CHOOSE_COLOR);
        made.set_color(color(text.at(6)));
    } else {
        std::string rest = text;
        made.set_kind(ACTION_KIND_PLAY);
        if (rest.starts_with("jump ")) {
            made.set_kind(ACTION_KIND_JUMP_IN);
            rest.erase(0, 5);
        }
        const auto mark = rest.find_first_of("/>");
        made.set_card(static_cast<v1::Card>(card(rest.substr(0, mark))));
        if (mark != std::string::npos && rest[mark] == '/') made.set_color(color(rest.at(mark + 1)));
        if (mark != std::string::npos && rest[mark] == '>') {
            made.set_target(static_cast<std::uint32_t>(std::stoul(rest.substr(mark + 1))));
        }
    }
    return made;
}

View view(const Seen& seen) {
    View made;
    std::istringstream hand(seen.hand);
    for (std::string text; hand >> text;) made.add_hand(static_cast<v1::Card>(card(text)));
    made.set_seat(0);
    made.set_turn_seat(0);
    made.set_direction(seen.direction);
    if (seen.counts.empty()) {
        made.add_hand_counts(static_cast<std::uint32_t>(made.hand_size()));
        made.add_hand_counts(5);
    }
    for (const auto count : seen.counts) made.add_hand_counts(count);
    for (const auto seat : seen.active) made.add_active_seats(seat);
    for (const auto seat : seen.called) made.add_called_seats(seat);
    for (const auto seat : seen.catchable) made.add_catchable_seats(seat);
    for (const auto& [name, value] : seen.options) {
        auto& option = *made.mutable_ruleset()->add_options();
        option.set_name(name);
        option.set_value(value);
    }
    return made;
}

Decision decision(const Question& question) {
    Decision made;
    made.set_table_id(question.table);
    made.set_decision_id(question.number);
    made.set_kind(question.kind);
    *made.mutable_view() = view(question.seen);
    for (const auto& text : question.legal) *made.add_legal_actions() = action(text);
    if (question.receipt) made.mutable_previous_receipt()->set_decision_id(*question.receipt);
    return made;
}

v1::ServerMessage asked(const Question& question) {
    v1::ServerMessage message;
    *message.mutable_decision() = decision(question);
    return message;
}

v1::ServerMessage welcome() {
    v1::ServerMessage message;
    message.mutable_welcome()->set_session_id("s");
    message.mutable_welcome()->set_bot_name("me");
    message.mutable_welcome()->set_protocol_version(1);
    return message;
}

v1::ServerMessage seated(const std::string& table) {
    v1::ServerMessage message;
    message.mutable_seated()->set_table_id(table);
    return message;
}

v1::ServerMessage accepted(std::uint32_t number, bool receipt, const std::string& table) {
    v1::ServerMessage message;
    auto& result = *message.mutable_act_result();
    result.set_table_id(table);
    result.set_decision_id(number);
    result.set_accepted(true);
    if (receipt) result.mutable_receipt()->set_decision_id(number);
    return message;
}

v1::ServerMessage refused(std::uint32_t number, const std::string& reason, std::uint32_t left) {
    v1::ServerMessage message;
    auto& result = *message.mutable_act_result();
    result.set_table_id("t");
    result.set_decision_id(number);
    result.set_refusals_left(left);
    result.set_message("no, because");
    v1::Reason game;
    v1::ProtocolReason transport;
    if (v1::Reason_Parse("REASON_" + reason, &game)) {
        result.set_reason(game);
    } else if (v1::ProtocolReason_Parse("PROTOCOL_REASON_" + reason, &transport)) {
        result.set_protocol_reason(transport);
    } else {
        throw std::invalid_argument(reason + " is no reason");
    }
    return message;
}

v1::ServerMessage decision_closed(std::uint32_t number, const std::string& reason, bool receipt) {
    v1::ServerMessage message;
    auto& closed = *message.mutable_decision_closed();
    closed.set_table_id("t");
    closed.set_decision_id(number);
    v1::Reason why;
    if (!v1::Reason_Parse("REASON_" + reason, &why)) throw std::invalid_argument(reason + " is no reason");
    closed.set_reason(why);
    if (receipt) closed.mutable_receipt()->set_decision_id(number);
    return message;
}

v1::ServerMessage events(const std::vector<std::uint32_t>& sequences, const std::string& table) {
    v1::ServerMessage message;
    message.mutable_table_events()->set_table_id(table);
    for (const auto sequence : sequences) {
        auto& event = *message.mutable_table_events()->add_events();
        event.set_sequence(sequence);
        event.mutable_turn_started()->set_turn(sequence);
    }
    return message;
}

v1::ServerMessage snapshot(std::uint32_t sequence, const std::string& table) {
    v1::ServerMessage message;
    message.mutable_table_snapshot()->set_table_id(table);
    message.mutable_table_snapshot()->set_sequence(sequence);
    return message;
}

v1::ServerMessage table_closed(const std::string& table, std::optional<std::uint32_t> receipt) {
    v1::ServerMessage message;
    message.mutable_table_closed()->set_table_id(table);
    if (receipt) message.mutable_table_closed()->mutable_previous_receipt()->set_decision_id(*receipt);
    return message;
}

v1::ServerMessage message_refused(const std::string& reason, const std::string& table) {
    v1::ServerMessage message;
    auto& refused = *message.mutable_message_refused();
    v1::ProtocolReason why;
    if (!v1::ProtocolReason_Parse("PROTOCOL_REASON_" + reason, &why)) {
        throw std::invalid_argument(reason + " is no reason");
    }
    refused.set_reason(why);
    refused.set_message("no, because");
    refused.set_table_id(table);
    return message;
}

v1::ServerMessage heartbeat(std::uint32_t number) {
    v1::ServerMessage message;
    message.mutable_heartbeat()->set_number(number);
    return message;
}

v1::ServerMessage draining() {
    v1::ServerMessage message;
    message.mutable_draining()->mutable_time_left()->set_seconds(1);
    message.mutable_draining()->mutable_time_left()->set_nanos(500'000'000);
    return message;
}

v1::ServerMessage notice(v1::NoticeKind kind) {
    v1::ServerMessage message;
    message.mutable_notice()->set_table_id("t");
    message.mutable_notice()->set_kind(kind);
    return message;
}

}  // namespace lastcard::testing
