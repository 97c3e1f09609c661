//! Receipts, events and cursors, streams that break, leaving, ends.

use super::*;
use crate::support::messages;
use crate::v1::{Fault, FaultKind, MatchResult};

/// The numbers of the events among what is told.
fn event_numbers(outputs: &[Output]) -> Vec<u32> {
    let number = |output: &Output| match output {
        Output::Tell(Tell::Event(_, event)) => Some(event.sequence),
        _ => None,
    };
    outputs.iter().filter_map(number).collect()
}

fn cursors(hello: &Hello) -> Vec<(&str, u32)> {
    hello.cursors.iter().map(|cursor| (cursor.table_id.as_str(), cursor.last_sequence)).collect()
}

fn seated_at(seat: Seated) -> ServerMessage {
    messages::say(Heard::Seated(seat))
}

/// The tables that are left by what goes out.
fn leaves(outputs: &[Output]) -> Vec<&str> {
    sent_about(outputs, |said| if let Said::Leave(leave) = said { Some(&leave.table_id) } else { None })
}

/// The tables of which the end is acknowledged by what goes out.
fn acknowledges(outputs: &[Output]) -> Vec<&str> {
    sent_about(outputs, |said| if let Said::TableClosedReceived(closed) = said { Some(&closed.table_id) } else { None })
}

fn sent_about(outputs: &[Output], table: fn(&Said) -> Option<&String>) -> Vec<&str> {
    let mut tables = Vec::new();
    for output in outputs {
        if let Output::Send(ClientMessage { message: Some(said) }) = output {
            tables.extend(table(said).map(String::as_str));
        }
    }
    tables
}

#[test]
fn a_receipt_is_told_once_however_often_it_comes() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 0);
    let over = TableClosed { table_id: "t".into(), previous_receipt: Some(receipt(2)), ..TableClosed::default() };
    let news = [
        accepted(1),
        asked_with_receipt(2, 1),
        decision_closed(2, Reason::StaleDecision),
        messages::say(Heard::TableClosed(over)),
    ];
    let outputs = bot.hear(news);
    let told = outputs.iter().filter(|output| matches!(output, Output::Tell(Tell::Receipt(..))));
    assert_eq!(told.collect::<Vec<_>>(), [&told_receipt(1), &told_receipt(2)]);
    assert_eq!(bot.hear([decision_closed(3, Reason::StaleDecision)]), [], "the table is over");
}

#[test]
fn a_receipt_that_comes_with_seated_after_a_reconnect_ends_the_thinking() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.reconnect();
    let seat = Seated { table_id: "t".into(), previous_receipt: Some(receipt(1)), ..Seated::default() };
    assert!(bot.hear([seated_at(seat)]).contains(&Output::Withdraw(key(1))));
    assert_eq!(bot.answer(1, 0), []);
}

#[test]
fn events_are_told_once_and_in_order() {
    let mut bot = Other::new();
    let outputs = bot.hear([seated("t"), events("t", [1, 2]), events("t", [2, 3]), events("t", [3])]);
    assert_eq!(event_numbers(&outputs), [1, 2, 3]);
    assert!(warnings(&outputs).is_empty());
}

#[test]
fn a_gap_in_the_numbers_is_closed_by_coming_back() {
    let mut bot = Other::new();
    let outputs = bot.hear([seated("t"), events("t", [1, 2]), events("t", [5])]);
    assert!(warnings(&outputs)[0].contains("events 3 to 4"));
    assert_eq!(outputs.last(), Some(&Output::Resume));
    assert_eq!(bot.hear([events("t", [6]), asked(1)]), [], "what comes behind a gap is not taken");
    assert_eq!(cursors(&bot.reconnect()), [("t", 2)]);
    let outputs = bot.hear([seated("t"), events("t", [3, 4, 5])]);
    assert_eq!(event_numbers(&outputs), [3, 4, 5]);
    assert!(warnings(&outputs).is_empty());
}

#[test]
fn a_gap_that_stays_is_said_and_play_goes_on() {
    let mut bot = Other::new();
    bot.hear([seated("t"), events("t", [1, 2]), events("t", [5])]);
    bot.reconnect();
    let outputs = bot.hear([seated("t"), events("t", [5, 6])]);
    assert!(warnings(&outputs)[0].contains("never came"));
    assert_eq!(event_numbers(&outputs), [5, 6]);
    assert!(bot.hear([events("t", [9])]).contains(&Output::Resume), "another gap is another matter");
}

#[test]
fn unknown_events_count_and_are_not_told() {
    let mut bot = Other::new();
    let unknown = |sequence| crate::v1::Event { sequence, ..Default::default() };
    let batch = TableEvents { table_id: "t".into(), events: vec![unknown(1), unknown(2)] };
    let outputs = bot.hear([seated("t"), messages::say(Heard::TableEvents(batch)), events("t", [3])]);
    assert_eq!(event_numbers(&outputs), [3]);
}

#[test]
fn a_hello_names_the_last_number_of_each_table() {
    let mut bot = Other::new();
    let late = Seated { table_id: "c".into(), last_sequence: 9, ..Seated::default() };
    bot.hear([seated("a"), events("a", [1, 2]), seated("b"), seated_at(late), snapshot(9)]);
    assert_eq!(cursors(&bot.reconnect()), [("a", 2), ("b", 0), ("t", 9)], "c has seen nothing: it wants a snapshot");
}

#[test]
fn a_bot_without_events_names_no_cursors() {
    let mut bot = Other::with(Hello { decisions_only: true, ..Hello::default() });
    bot.hear([seated("t"), events("t", [1])]);
    assert_eq!(cursors(&bot.reconnect()), []);
}

#[test]
fn a_snapshot_stands_for_the_events_before_it() {
    let mut bot = Other::new();
    bot.hear([seated("t"), events("t", [1, 2])]);
    assert!(matches!(&bot.hear([snapshot(8)])[..], [Output::Tell(Tell::Snapshot(told))] if told.sequence == 8));
    assert_eq!(event_numbers(&bot.hear([events("t", [8, 9])])), [9]);
    assert_eq!(bot.hear([snapshot(4)]), []);
}

#[test]
fn a_cursor_beyond_the_end_is_dropped_and_the_snapshot_counts() {
    let mut bot = Other::new();
    bot.hear([seated("t"), events("t", 1..9)]);
    bot.hear([message_refused(ProtocolReason::CursorBeyondEnd, "t"), snapshot(3)]);
    assert_eq!(cursors(&bot.reconnect()), [("t", 3)]);
}

#[test]
fn a_seat_is_told_once_over_all_streams() {
    let mut bot = Other::new();
    let outputs = bot.hear([seated("t"), seated("t")]);
    assert_eq!(outputs.iter().filter(|output| matches!(output, Output::Tell(Tell::Seated(_)))).count(), 1);
    bot.reconnect();
    assert_eq!(bot.hear([seated("t")]), []);
}

#[test]
fn an_answer_given_while_disconnected_waits_until_it_is_asked_again() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.session.open_stream();
    assert_eq!(bot.answer(1, 2), []);
    bot.hear([messages::say(Heard::Welcome(welcome()))]);
    assert_eq!(bot.session.resend(""), []);
    assert_eq!(bot.hear([asked(1)]), [sent(1, 2)]);
}

#[test]
fn nothing_is_said_on_a_stream_that_has_ended() {
    let mut bot = Other::new();
    bot.hear([seated("t"), asked(1)]);
    assert!(bot.session.end_stream());
    assert!(!bot.session.end_stream());
    assert_eq!(bot.answer(1, 2), []);
    assert_eq!(bot.session.leave("t"), []);
    bot.reconnect();
    assert_eq!(bot.hear([asked(1)]), [sent(1, 2)]);
}

#[test]
fn an_answer_to_what_the_new_stream_does_not_ask_is_not_sent() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.reconnect();
    assert_eq!(bot.answer(1, 0), []);
    assert_eq!(bot.hear([asked(1)]), [sent(1, 0)], "thought about once");
}

#[test]
fn what_was_closed_while_the_bot_was_away_is_not_thought_about_any_more() {
    let mut bot = Other::new();
    bot.hear([seated("t"), asked(1), ask(reaction(2, "uno, pass"))]);
    bot.reconnect();
    let outputs = bot.hear([seated("t"), ask(reaction(4, "uno, pass"))]);
    assert!(matches!(&outputs[..], [Output::Withdraw(gone), Output::Ask(_)] if *gone == key(2)), "{outputs:?}");
    let outputs = bot.hear([asked(3)]);
    assert!(matches!(&outputs[..], [Output::Withdraw(gone), Output::Ask(_)] if *gone == key(1)), "{outputs:?}");
    assert_eq!(bot.answer(1, 0), []);
    assert_eq!((bot.answer(3, 0).len(), bot.answer(4, 0).len()), (1, 1));
}

#[test]
fn a_decision_asked_again_on_a_new_stream_is_not_outdated_by_another_kind() {
    let mut bot = Other::new();
    bot.hear([asked(1), ask(reaction(2, "uno, pass"))]);
    bot.reconnect();
    assert_eq!(bot.hear([asked(1), ask(reaction(2, "uno, pass"))]), []);
    assert_eq!((bot.answer(1, 0).len(), bot.answer(2, 0).len()), (1, 1));
}

#[test]
fn an_answer_whose_verdict_was_lost_is_sent_again_and_judged() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 1);
    bot.reconnect();
    assert_eq!(bot.hear([asked(1)]), [sent(1, 1)]);
    let outputs = bot.hear([refused(1, Reason::CardNotPlayable, 2)]);
    assert_eq!(asks(outputs).len(), 1, "the lost verdict is not waited for");
}

#[test]
fn the_resume_secret_is_kept_until_the_server_forgets_it() {
    let mut bot = Other::new();
    bot.hear([messages::say(Heard::Welcome(Welcome { resume_secret: "one".into(), ..welcome() }))]);
    bot.reconnect();
    assert_eq!(bot.session.secret, "one");
    bot.hear([asked(1), table_closed("old")]);
    bot.session.leave("t");
    assert_eq!(bot.session.forget(), [Output::Withdraw(key(1))]);
    assert_eq!(bot.session.secret, "");
    assert!(leaves(&bot.hear([seated("t")])).is_empty(), "another session's table of the same name is not left");
    let outputs = bot.hear([table_closed("old")]);
    assert!(outputs.iter().any(|output| matches!(output, Output::Tell(Tell::TableClosed(_)))));
}

#[test]
fn a_table_that_the_server_does_not_know_is_dropped() {
    let mut bot = Other::new();
    bot.hear([seated("t"), asked(1), events("t", [1])]);
    bot.session.leave("t");
    bot.reconnect();
    let outputs = bot.hear([message_refused(ProtocolReason::UnknownTable, "t")]);
    assert!(outputs.contains(&Output::Withdraw(key(1))));
    assert_eq!(cursors(&bot.reconnect()), []);
    assert!(leaves(&bot.hear([seated("t")])).is_empty());
}

#[test]
fn a_table_is_left_for_good_also_when_the_first_word_was_lost() {
    let mut bot = Other::new();
    bot.hear([seated("t")]);
    assert_eq!(leaves(&bot.session.leave("t")), ["t"]);
    bot.session.open_stream();
    assert_eq!(bot.session.leave("t"), []);
    bot.hear([messages::say(Heard::Welcome(welcome()))]);
    assert_eq!(leaves(&bot.hear([seated("t")])), ["t"]);
    bot.hear([table_closed("t")]);
    assert!(leaves(&bot.hear([seated("t")])).is_empty());
    assert_eq!(bot.session.leave("nowhere"), []);
}

#[test]
fn a_leave_that_came_too_fast_is_said_again_after_the_time_given() {
    let mut bot = Other::new();
    bot.hear([seated("t")]);
    bot.session.leave("t");
    let refusal = MessageRefused {
        reason: ProtocolReason::TooFast.into(),
        table_id: "t".into(),
        retry_after: Some(span(250)),
        ..MessageRefused::default()
    };
    let outputs = bot.hear([messages::say(Heard::MessageRefused(refusal))]);
    assert_eq!(outputs[1], Output::SendLater(Duration::from_millis(250), "t".into()));
    assert_eq!(leaves(&bot.session.resend("t")), ["t"]);
    bot.session.open_stream();
    assert_eq!(bot.session.resend("t"), [], "not before the welcome");
}

#[test]
fn the_end_of_a_table_is_told_once_and_acknowledged_each_time() {
    let mut bot = Other::new();
    bot.hear([seated("t"), asked(1)]);
    let first = bot.hear([table_closed("t")]);
    assert!(first.contains(&Output::Withdraw(key(1))));
    assert!(first.iter().any(|output| matches!(output, Output::Tell(Tell::TableClosed(_)))));
    assert_eq!(acknowledges(&first), ["t"]);
    let again = bot.hear([table_closed("t")]);
    assert_eq!((again.len(), acknowledges(&again)), (1, vec!["t"]));
    assert_eq!(bot.answer(1, 0), []);
    assert_eq!(cursors(&bot.reconnect()), []);
}

#[test]
fn seat_result_and_own_faults_are_said_once() {
    let fault = |seat| Fault {
        seat,
        kind: FaultKind::Timeout.into(),
        evidence: format!("seat {seat} slept"),
        ..Fault::default()
    };
    let result =
        MatchResult { places: vec![2, 1], points: vec![0, 31], faults: vec![fault(0), fault(1)], ..Default::default() };
    let over = messages::say(Heard::TableClosed(TableClosed {
        table_id: "t".into(),
        result: Some(result),
        ..TableClosed::default()
    }));
    let outputs = Other::new().hear([seated("t"), seated("t"), over.clone(), over]);
    let said = outputs.into_iter().filter(|output| matches!(output, Output::Info(_) | Output::Warn(_)));
    let expected = [
        Output::Info("seated at table t, seat 0".into()),
        Output::Warn("table t, fault TIMEOUT: seat 0 slept".into()),
        Output::Info("table t is over: place 2 of 2, 0 points (all: 0 31)".into()),
    ];
    assert_eq!(said.collect::<Vec<_>>(), expected);
}

#[test]
fn closed_tables_are_remembered_for_a_while() {
    let mut bot = Other::new();
    bot.hear((0..=KEPT_TABLES).map(|number| table_closed(&format!("t{number}"))));
    assert_eq!(bot.hear([table_closed("t1")]).len(), 1);
    assert!(bot.hear([table_closed("t0")]).len() > 1);
}

#[test]
fn a_heartbeat_is_answered_with_its_number() {
    let reply = |number| Output::Send(super::super::say(Said::HeartbeatReply(HeartbeatReply { number })));
    assert_eq!(Other::new().hear([heartbeat(4), heartbeat(5)]), [reply(4), reply(5)]);
}

#[test]
fn draining_holds_for_its_stream() {
    let mut bot = Other::new();
    assert_eq!(bot.hear([draining()]), [Output::Drain(Duration::from_millis(1_500))]);
    assert!(bot.session.draining);
    bot.reconnect();
    assert!(!bot.session.draining);
}

#[test]
fn the_last_message_of_a_stream_may_say_why_it_ends() {
    let mut bot = Other::new();
    let outputs = bot.hear([message_refused(ProtocolReason::SessionReplaced, "")]);
    assert!(warnings(&outputs)[0].contains("SESSION_REPLACED"));
    let (cause, text) = bot.session.farewell.clone().expect("a farewell");
    assert_eq!((cause.protocol_reason(), text.as_str()), (ProtocolReason::SessionReplaced, "no, because"));
    bot.hear([heartbeat(1)]);
    assert_eq!(bot.session.farewell, None, "it was not the last");
    bot.hear([message_refused(ProtocolReason::UnknownTable, "nowhere")]);
    assert_eq!(bot.session.farewell, None, "it is about a table");
}

#[test]
fn a_stream_may_be_refused_before_its_welcome() {
    let mut session = Session::new(Hello::default());
    session.open_stream();
    let outputs = session.receive(message_refused(ProtocolReason::Unauthenticated, ""));
    assert!(matches!(&outputs[..], [Output::Warn(_)]));
}

#[test]
fn notices_are_told_and_a_restart_is_said() {
    let outputs = Other::new().hear([notice(NoticeKind::SeatAway), notice(NoticeKind::Recovered)]);
    let [Output::Tell(_), Output::Info(text), Output::Tell(_)] = &outputs[..] else { panic!("{outputs:?}") };
    assert_eq!(text, "the server was restarted and goes on with table t");
}
