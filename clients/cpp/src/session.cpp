#include "session.h"

#include "answers.h"
#include "words.h"

namespace lastcard {
namespace {

/// Refusals that no other answer can mend. After all others, also unknown ones, the decision is still open.
bool is_final(v1::Reason reason) {
    switch (static_cast<int>(reason)) {
        case v1::REASON_NOT_YOUR_TURN:
        case v1::REASON_STALE_DECISION:
        case v1::REASON_TURN_EXPIRED:
        case v1::REASON_ROUND_OVER:
        case v1::REASON_MATCH_OVER:
        case v1::REASON_FORBIDDEN:
        case v1::REASON_SESSION_REPLACED:
            return true;
        default:
            return false;
    }
}

bool is_final(v1::ProtocolReason reason) {
    return reason == v1::PROTOCOL_REASON_UNKNOWN_TABLE || reason == v1::PROTOCOL_REASON_UNKNOWN_DECISION;
}

double seconds(const google::protobuf::Duration& duration) {
    return static_cast<double>(duration.seconds()) + duration.nanos() / 1e9;
}

std::string where(const Key& key) { return "decision " + std::to_string(key.second) + " of table " + key.first; }

v1::ClientMessage message_of(const v1::Act& act) {
    v1::ClientMessage message;
    *message.mutable_act() = act;
    return message;
}

/// The field of the oneof that is set, as the protocol spells it.
std::string kind_name(const v1::ServerMessage& message) {
    return v1::ServerMessage::descriptor()->FindFieldByNumber(message.message_case())->name();
}

}  // namespace

std::vector<std::string> Session::tables() const {
    std::vector<std::string> names;
    for (const auto& [name, table] : tables_) names.push_back(name);
    return names;
}

v1::ClientMessage Session::open_stream() {
    ++stream_;
    welcomed_ = draining_ = broken_ = false;
    farewell_.reset();
    farewell_text_.clear();
    v1::ClientMessage message;
    *message.mutable_hello() = hello_;
    for (auto& [name, table] : tables_) {
        for (auto& [number, entry] : table.open) entry.unjudged = 0;
        if (!table.cursor || hello_.decisions_only()) continue;
        auto& cursor = *message.mutable_hello()->add_cursors();
        cursor.set_table_id(name);
        cursor.set_last_sequence(*table.cursor);
    }
    return message;
}

Outputs Session::forget() {
    for (const auto& [name, table] : tables_) withdraw_all(name, table);
    tables_.clear();
    closed_.clear();
    leaving_.clear();
    secret_.clear();
    return taken();
}

Outputs Session::receive(v1::ServerMessage message) {
    farewell_.reset();
    farewell_text_.clear();
    const auto kind = message.message_case();
    if (kind == v1::ServerMessage::MESSAGE_NOT_SET || broken_) return {};
    if (!welcomed_ && kind != v1::ServerMessage::kWelcome && kind != v1::ServerMessage::kMessageRefused) {
        return {Fail{"the server opened the stream with '" + kind_name(message) + "'; it must begin with 'welcome'"}};
    }
    switch (kind) {
        case v1::ServerMessage::kWelcome:
            welcome(message.welcome());
            break;
        case v1::ServerMessage::kSeated:
            seated(std::move(*message.mutable_seated()));
            break;
        case v1::ServerMessage::kDecision:
            decision(std::move(*message.mutable_decision()));
            break;
        case v1::ServerMessage::kActResult:
            act_result(message.act_result());
            break;
        case v1::ServerMessage::kTableEvents:
            table_events(*message.mutable_table_events());
            break;
        case v1::ServerMessage::kTableSnapshot:
            table_snapshot(std::move(*message.mutable_table_snapshot()));
            break;
        case v1::ServerMessage::kNotice:
            notice(std::move(*message.mutable_notice()));
            break;
        case v1::ServerMessage::kTableClosed:
            table_closed(std::move(*message.mutable_table_closed()));
            break;
        case v1::ServerMessage::kHeartbeat: {
            v1::ClientMessage reply;
            reply.mutable_heartbeat_reply()->set_number(message.heartbeat().number());
            outputs_.push_back(Send{std::move(reply)});
            break;
        }
        case v1::ServerMessage::kDraining:
            draining_ = true;
            outputs_.push_back(Drain{seconds(message.draining().time_left())});
            break;
        case v1::ServerMessage::kMessageRefused:
            message_refused(message.message_refused());
            break;
        case v1::ServerMessage::kDecisionClosed:
            decision_closed(message.decision_closed());
            break;
        case v1::ServerMessage::MESSAGE_NOT_SET:
            break;
    }
    return taken();
}

Outputs Session::answered(const Key& key, v1::Act act) {
    Open* open = entry(key);
    if (open == nullptr || open->act) return {};
    tables_.at(key.first).answers.put(key.second, act);
    open->act = std::move(act);
    if (open->stream == stream_ && welcomed_) put(*open);
    return taken();
}

Outputs Session::leave(const std::string& table_id) {
    if (!tables_.contains(table_id)) return {};
    leaving_.insert(table_id);
    if (welcomed_) say_leave(table_id);
    return taken();
}

Outputs Session::resend(const std::string& table_id) {
    if (!welcomed_) return {};
    for (auto& [name, table] : tables_) {
        if (!table_id.empty() && name != table_id) continue;
        if (leaving_.contains(name)) say_leave(name);
        for (auto& [number, open] : table.open) {
            if (open.unjudged == 0 && open.stream == stream_) put(open);
        }
    }
    return taken();
}

// Messages of the server, by their name in `ServerMessage`.

void Session::welcome(const v1::Welcome& welcome) {
    if (welcome.protocol_version() != PROTOCOL_VERSION) {
        outputs_.push_back(Fail{"the server speaks protocol version " + std::to_string(welcome.protocol_version()) +
                                "; this client speaks " + std::to_string(PROTOCOL_VERSION) +
                                ": build it from the server's version of lastcard"});
        return;
    }
    welcomed_ = true;
    if (!welcome.resume_secret().empty()) secret_ = welcome.resume_secret();
    outputs_.push_back(Welcomed{welcome.bot_name(), welcome.server_version(), welcome.max_frame_bytes(),
                                seconds(welcome.heartbeat_interval())});
}

void Session::seated(Seated seated) {
    const std::string table_id = seated.table_id();
    TableMemory& table = tables_[table_id];
    // Nothing has happened yet, so that all events can be had from now on.
    if (!table.cursor && seated.last_sequence() == 0) table.cursor = 0;
    std::optional<Receipt> previous;
    if (seated.has_previous_receipt()) previous = seated.previous_receipt();
    if (!table.seat) {
        table.seat = seated.seat();
        note("seated at " + seat_text(seated));
        outputs_.push_back(Tell{std::move(seated)});
    }
    if (previous) receipt(table_id, *previous);
    if (leaving_.contains(table_id)) say_leave(table_id);
}

void Session::decision(Decision decision) {
    TableMemory& table = tables_[decision.table_id()];
    if (decision.has_previous_receipt()) receipt(decision.table_id(), decision.previous_receipt());
    const Key key{decision.table_id(), decision.decision_id()};
    if (Open* open = entry(key)) {
        open->stream = stream_;
        put(*open);
        return;
    }
    if (const v1::Act* former = table.answers.find(key.second)) {
        outputs_.push_back(Send{message_of(*former)});
        return;
    }
    outdated(decision);
    Open& open = table.open[key.second];
    open.decision = std::make_shared<const Decision>(std::move(decision));
    open.stream = stream_;
    outputs_.push_back(Ask{key, open.decision, std::nullopt, {}});
}

/// Drops what a new decision shows to be closed, the news of it having been lost with an earlier stream. A seat is
/// asked one question of its turn at a time, and beside it one for a reaction.
void Session::outdated(const Decision& decision) {
    const bool reaction = decision.kind() == DECISION_KIND_REACTION;
    TableMemory& table = tables_[decision.table_id()];
    std::erase_if(table.open, [&](const auto& item) {
        const auto& [number, open] = item;
        const bool closed = open.stream != stream_ && (open.decision->kind() == DECISION_KIND_REACTION) == reaction;
        if (closed) outputs_.push_back(Withdraw{{decision.table_id(), number}});
        return closed;
    });
}

void Session::act_result(const v1::ActResult& result) {
    const Key key{result.table_id(), result.decision_id()};
    for (const auto& refused : result.refused_catches()) {
        note("catch of seat " + std::to_string(refused.seat()) + " at " + where(key) +
             " refused: " + refused.message());
    }
    if (Open* open = entry(key); open != nullptr && open->act) {
        if (open->unjudged > 0) --open->unjudged;
        if (result.accepted()) {
            accepted(key, *open, result);
        } else if (open->unjudged ==
                   0) {  // otherwise a verdict on what was sent before; that on the present one follows
            refused(key, *open, result);
        }
    }
    if (result.has_receipt()) receipt(result.table_id(), result.receipt());
}

/// A call or catch apart from the turn leaves it open; everything else closes the decision.
void Session::accepted(const Key& key, Open& open, const v1::ActResult& result) {
    if (!is_apart(*open.act) || result.has_receipt()) {
        close(key);
        return;
    }
    open.decision = std::make_shared<const Decision>(after_apart(*open.decision, *open.act));
    open.act.reset();
    if (++open.apart < APART_MOST) {
        outputs_.push_back(Ask{key, open.decision, std::nullopt, {}});
        return;
    }
    const std::string text = std::to_string(open.apart) + " calls and catches by themselves at " + where(key) +
                             "; choose from legal_actions";
    note(text, true);
    outputs_.push_back(Ask{key, open.decision, Refusal{.message = text}, open.refused});
}

void Session::refused(const Key& key, Open& open, const v1::ActResult& result) {
    const std::string name = result.reason() ? reason_name(result.reason()) : reason_name(result.protocol_reason());
    const std::string text = "answer at " + where(key) + " refused, " + name + ": " + result.message();
    if (result.protocol_reason() == v1::PROTOCOL_REASON_TOO_FAST) {
        note(text, true);
        outputs_.push_back(SendLater{TOO_FAST_S, key.first});
        return;
    }
    const bool final = is_final(result.reason()) || is_final(result.protocol_reason());
    note(text, !final);
    if (final || result.refusals_left() == 0) {
        close(key);
        return;
    }
    if (open.act->has_choice()) open.refused.push_back(open.act->choice());
    open.act.reset();
    outputs_.push_back(Ask{key, open.decision,
                           Refusal{.message = result.message(),
                                   .reason = result.reason(),
                                   .protocol_reason = result.protocol_reason(),
                                   .refusals_left = result.refusals_left()},
                           open.refused});
}

void Session::decision_closed(const v1::DecisionClosed& closed) {
    const Key key{closed.table_id(), closed.decision_id()};
    if (close(key)) {
        outputs_.push_back(Withdraw{key});
        if (closed.reason() == v1::REASON_TURN_EXPIRED) note("no answer in time at " + where(key), true);
    }
    if (closed.has_receipt()) receipt(closed.table_id(), closed.receipt());
}

void Session::table_events(v1::TableEvents& events) {
    const std::string& table_id = events.table_id();
    TableMemory& table = tables_[table_id];
    for (Event& event : *events.mutable_events()) {
        const std::uint32_t seen = table.cursor.value_or(0);
        if (event.sequence() <= seen) continue;
        if (table.cursor && event.sequence() != seen + 1) {
            const std::string gap = "events " + std::to_string(seen + 1) + " to " +
                                    std::to_string(event.sequence() - 1) + " at table " + table_id;
            if (table.gap != seen) {
                table.gap = seen;
                broken_ = true;
                note(gap + " did not come; reconnecting to have them", true);
                outputs_.push_back(Resume{});
                return;
            }
            note(gap + " never came", true);
        }
        table.cursor = event.sequence();
        if (event.event_case() != Event::EVENT_NOT_SET) {
            outputs_.push_back(Tell{TableEvent{table_id, std::move(event)}});
        }
    }
}

void Session::table_snapshot(TableSnapshot snapshot) {
    TableMemory& table = tables_[snapshot.table_id()];
    if (table.cursor && snapshot.sequence() < *table.cursor) return;
    table.cursor = snapshot.sequence();
    outputs_.push_back(Tell{std::move(snapshot)});
}

void Session::notice(Notice notice) {
    if (notice.kind() == v1::NOTICE_KIND_RECOVERED) {
        note("the server was restarted and goes on with table " + notice.table_id());
    }
    outputs_.push_back(Tell{std::move(notice)});
}

void Session::table_closed(TableClosed closed) {
    const std::string table_id = closed.table_id();
    const bool again = closed_.contains(table_id);
    if (closed.has_previous_receipt() && !again) receipt(table_id, closed.previous_receipt());
    std::optional<std::uint32_t> seat;
    if (const auto at = tables_.find(table_id); at != tables_.end()) {
        withdraw_all(table_id, at->second);
        seat = at->second.seat;
        tables_.erase(at);
    }
    leaving_.erase(table_id);
    if (!again) {
        for (std::string& text : fault_texts(closed, seat)) note(std::move(text), true);
        note(result_text(closed, seat));
        outputs_.push_back(Tell{std::move(closed)});
    }
    closed_.put(table_id, true);
    v1::ClientMessage received;
    received.mutable_table_closed_received()->set_table_id(table_id);
    outputs_.push_back(Send{std::move(received)});
}

void Session::message_refused(const v1::MessageRefused& refused) {
    const std::string& table_id = refused.table_id();
    if (table_id.empty()) {
        // The last message of a stream that the server ends says why; its status may be lost to a failed write.
        farewell_.emplace().set_protocol_reason(refused.reason());
        farewell_text_ = refused.message();
    }
    const std::string about = table_id.empty() ? "" : " about table " + table_id;
    note("message" + about + " refused, " + reason_name(refused.reason()) + ": " + refused.message(), true);
    const auto table = tables_.find(table_id);
    if (refused.reason() == v1::PROTOCOL_REASON_CURSOR_BEYOND_END && table != tables_.end()) {
        table->second.cursor.reset();
    } else if (refused.reason() == v1::PROTOCOL_REASON_UNKNOWN_TABLE && table != tables_.end()) {
        withdraw_all(table_id, table->second);
        leaving_.erase(table_id);
        tables_.erase(table);
    } else if (refused.has_retry_after()) {
        outputs_.push_back(SendLater{seconds(refused.retry_after()), table_id});
    }
}

// What the handlers share.

Open* Session::entry(const Key& key) {
    const auto table = tables_.find(key.first);
    if (table == tables_.end()) return nullptr;
    const auto open = table->second.open.find(key.second);
    return open == table->second.open.end() ? nullptr : &open->second;
}

/// Drops an open decision; whether there was one.
bool Session::close(const Key& key) {
    const auto table = tables_.find(key.first);
    return table != tables_.end() && table->second.open.erase(key.second) > 0;
}

/// Sends the answer of an open decision, once the bot has given it.
void Session::put(Open& open) {
    if (!open.act) return;
    ++open.unjudged;
    outputs_.push_back(Send{message_of(*open.act)});
}

/// Tells a receipt once, however often the server repeats it; its decision needs no thought any more.
void Session::receipt(const std::string& table_id, const Receipt& receipt) {
    if (closed_.contains(table_id) && !tables_.contains(table_id)) return;
    auto& told = tables_[table_id].receipts;
    if (told.contains(receipt.decision_id())) return;
    told.put(receipt.decision_id(), true);
    const Key key{table_id, receipt.decision_id()};
    if (close(key)) outputs_.push_back(Withdraw{key});
    outputs_.push_back(Tell{TableReceipt{table_id, receipt}});
}

void Session::say_leave(const std::string& table_id) {
    v1::ClientMessage message;
    message.mutable_leave()->set_table_id(table_id);
    outputs_.push_back(Send{std::move(message)});
}

void Session::withdraw_all(const std::string& table_id, const TableMemory& table) {
    for (const auto& [number, open] : table.open) outputs_.push_back(Withdraw{{table_id, number}});
}

}  // namespace lastcard
