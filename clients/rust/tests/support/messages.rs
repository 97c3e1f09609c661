//! Messages of a server as a bot gets them: cards and actions by notation, one seat 0 at a table `t`.

use std::time::Duration;

use lastcard_bot::cards::card_text;
use lastcard_bot::v1::ActResult;
use lastcard_bot::v1::server_message::Message;
use lastcard_bot::v1::{
    Action, ActionKind, Decision, DecisionClosed, DecisionKind, Draining, Event, Heartbeat, MessageRefused, Notice,
    NoticeKind, ProtocolReason, Reason, Receipt, RuleOption, Ruleset, Seated, ServerMessage, TableClosed, TableEvents,
    TableSnapshot, TurnStarted, View, Welcome, event,
};

pub fn card(text: &str) -> i32 {
    (1..80).find(|&card| card_text(card) == text).unwrap_or_else(|| panic!("{text} is no card"))
}

pub fn cards(text: &str) -> Vec<i32> {
    text.split_whitespace().map(card).collect()
}

/// `R5`, `W/G`, `R7>2`, `draw`, `color G`, `jump R6`, `catch 2`, `pass` and so on.
pub fn action(text: &str) -> Action {
    let color = |letter: &str| "-RYGB".find(letter).expect("a colour") as i32;
    let of = |kind: ActionKind| Action { kind: kind.into(), ..Action::default() };
    let plain = match text {
        "draw" => Some(ActionKind::Draw),
        "keep" => Some(ActionKind::Keep),
        "accept" => Some(ActionKind::Accept),
        "challenge" => Some(ActionKind::Challenge),
        "uno" => Some(ActionKind::Uno),
        "pass" => Some(ActionKind::Pass),
        _ => None,
    };
    if let Some(kind) = plain {
        return of(kind);
    }
    match text.split_once(' ') {
        Some(("color", letter)) => Action { color: color(letter), ..of(ActionKind::ChooseColor) },
        Some(("catch", seat)) => Action { target: Some(seat.parse().expect("a seat")), ..of(ActionKind::Catch) },
        Some(("jump", play)) => Action { kind: ActionKind::JumpIn.into(), ..action(play) },
        _ => {
            let (rest, target) = text.split_once('>').map_or((text, None), |(rest, seat)| (rest, Some(seat)));
            let (face, letter) = rest.split_once('/').map_or((rest, "-"), |parts| parts);
            let target = target.map(|seat| seat.parse().expect("a seat"));
            Action { card: card(face), color: color(letter), target, ..of(ActionKind::Play) }
        }
    }
}

/// Several actions, a comma between them.
pub fn actions(texts: &str) -> Vec<Action> {
    texts.split(", ").map(action).collect()
}

/// What seat 0 of two sees who holds these cards.
pub fn view(hand: &str) -> View {
    let hand = cards(hand);
    View {
        seat: Some(0),
        hand_counts: vec![hand.len() as u32, 5],
        hand,
        active_seats: vec![0, 1],
        direction: 1,
        turn_seat: Some(0),
        ..View::default()
    }
}

/// Rules that depart from their preset in these options.
pub fn ruleset(options: &[(&str, &str)]) -> Option<Ruleset> {
    let option = |&(name, value): &(&str, &str)| RuleOption { name: name.into(), value: value.into() };
    Some(Ruleset { preset: "official".into(), options: options.iter().map(option).collect() })
}

/// A question at table `t`: two plays and a draw to choose from.
pub fn decision(number: u32) -> Decision {
    Decision {
        table_id: "t".into(),
        decision_id: number,
        kind: DecisionKind::Turn.into(),
        view: Some(view("R1 R2 Y1")),
        legal_actions: actions("R1, R2, draw"),
        ..Decision::default()
    }
}

pub fn reaction(number: u32, legal: &str) -> Decision {
    let kind = DecisionKind::Reaction.into();
    Decision { kind, legal_actions: actions(legal), ..decision(number) }
}

pub fn say(message: Message) -> ServerMessage {
    ServerMessage { message: Some(message) }
}

pub fn ask(decision: Decision) -> ServerMessage {
    say(Message::Decision(decision))
}

pub fn asked(number: u32) -> ServerMessage {
    ask(decision(number))
}

pub fn asked_at(table: &str, number: u32) -> ServerMessage {
    ask(Decision { table_id: table.into(), ..decision(number) })
}

pub fn receipt(number: u32) -> Receipt {
    Receipt { decision_id: number, ..Receipt::default() }
}

/// A question that brings the receipt of a former one.
pub fn asked_with_receipt(number: u32, former: u32) -> ServerMessage {
    ask(Decision { previous_receipt: Some(receipt(former)), ..decision(number) })
}

pub fn welcome() -> Welcome {
    Welcome { session_id: "s".into(), bot_name: "me".into(), protocol_version: 1, ..Welcome::default() }
}

pub fn seated(table: &str) -> ServerMessage {
    say(Message::Seated(Seated { table_id: table.into(), ..Seated::default() }))
}

/// The answer took effect.
pub fn accepted(number: u32) -> ServerMessage {
    let receipt = Some(receipt(number));
    say(Message::ActResult(ActResult { receipt, accepted: true, ..result(number) }))
}

/// The answer took effect and left the decision open.
pub fn accepted_apart(number: u32) -> ServerMessage {
    say(Message::ActResult(ActResult { accepted: true, ..result(number) }))
}

/// The answer was refused by the game.
pub fn refused(number: u32, reason: Reason, refusals_left: u32) -> ServerMessage {
    let reason = reason.into();
    say(Message::ActResult(ActResult { reason, refusals_left, message: "no, because".into(), ..result(number) }))
}

/// The answer was refused by the transport.
pub fn refused_by_transport(number: u32, reason: ProtocolReason, refusals_left: u32) -> ServerMessage {
    let (protocol_reason, message) = (reason.into(), "no, because".into());
    say(Message::ActResult(ActResult { protocol_reason, refusals_left, message, ..result(number) }))
}

pub fn result(number: u32) -> ActResult {
    ActResult { table_id: "t".into(), decision_id: number, ..ActResult::default() }
}

pub fn decision_closed(number: u32, reason: Reason) -> ServerMessage {
    say(Message::DecisionClosed(DecisionClosed {
        table_id: "t".into(),
        decision_id: number,
        reason: reason.into(),
        receipt: Some(receipt(number)),
    }))
}

/// Events of a table, all of them turns that began.
pub fn events(table: &str, sequences: impl IntoIterator<Item = u32>) -> ServerMessage {
    let event = |sequence| Event {
        sequence,
        event: Some(event::Event::TurnStarted(TurnStarted { turn: sequence, ..TurnStarted::default() })),
    };
    let events = sequences.into_iter().map(event).collect();
    say(Message::TableEvents(TableEvents { table_id: table.into(), events }))
}

pub fn snapshot(sequence: u32) -> ServerMessage {
    say(Message::TableSnapshot(TableSnapshot { table_id: "t".into(), sequence, view: Some(view("R1")) }))
}

pub fn notice(kind: NoticeKind) -> ServerMessage {
    say(Message::Notice(Notice { table_id: "t".into(), kind: kind.into(), seat: None }))
}

pub fn table_closed(table: &str) -> ServerMessage {
    say(Message::TableClosed(TableClosed { table_id: table.into(), ..TableClosed::default() }))
}

pub fn message_refused(reason: ProtocolReason, table: &str) -> ServerMessage {
    say(Message::MessageRefused(MessageRefused {
        reason: reason.into(),
        message: "no, because".into(),
        table_id: table.into(),
        retry_after: None,
    }))
}

pub fn heartbeat(number: u32) -> ServerMessage {
    say(Message::Heartbeat(Heartbeat { number }))
}

pub fn draining() -> ServerMessage {
    say(Message::Draining(Draining { time_left: Some(span(1_500)) }))
}

pub fn span(millis: u64) -> prost_types::Duration {
    Duration::from_millis(millis).try_into().expect("a span that the wire can hold")
}
