//! One stream: questions, answers, frames, hooks, leaving and stopping.

use super::*;
use crate::v1::Reason;

#[tokio::test]
async fn answers_that_are_ready_together_leave_in_one_frame() {
    let mut arena = Arena::start().await;
    let _playing = dial(&arena.address, |double| {
        double.options = Options { threaded: false, max_open_decisions: 0, ..Options::default() };
    });
    let mut call = arena.call().await;
    let hello = call.open((1..=20).map(|number| asked_at(&format!("t{number}"), number))).await;
    assert_eq!(hello.max_open_decisions, 0);
    assert_eq!(acts(&mut call, 20).await, (1..=20).map(|number| (number, Some(0))).collect::<Vec<_>>());
    assert_eq!(call.frames, [1, 20]);
}

#[tokio::test]
async fn no_frame_is_larger_than_the_server_reads() {
    let mut arena = Arena::start().await;
    let _playing = dial(&arena.address, |double| double.options.threaded = false);
    let mut call = arena.call().await;
    let welcome = Welcome { max_frame_bytes: 100, ..welcome() };
    call.open_with(welcome, (1..=40).map(asked)).await;
    assert_eq!(acts(&mut call, 40).await.len(), 40);
    assert!(call.largest <= 100, "{}", call.largest);
    assert!(call.frames.len() < 15, "{:?}", call.frames);
}

#[tokio::test]
async fn a_frame_of_several_megabytes_is_read() {
    let mut arena = Arena::start().await;
    let _playing = dial(&arena.address, |_| {});
    let mut call = arena.call().await;
    let names = crate::v1::Seat { name: "n".repeat(8 * 1024 * 1024), ..Default::default() };
    let large = Seated { table_id: "t".into(), seats: vec![names], ..Seated::default() };
    call.open([say(crate::v1::server_message::Message::Seated(large)), asked(1)]).await;
    assert_eq!(acts(&mut call, 1).await, [(1, Some(0))]);
}

#[tokio::test]
async fn decisions_of_many_tables_are_answered_one_after_the_other() {
    let mut arena = Arena::start().await;
    let _playing = dial(&arena.address, |_| {});
    let mut call = arena.call().await;
    let keys: Vec<(String, u32)> =
        (1..=2).flat_map(|number| (0..25).map(move |table| (format!("t{table}"), number))).collect();
    call.open(keys.iter().map(|(table, number)| asked_at(table, *number))).await;
    for key in keys {
        let act = call.act().await;
        assert_eq!((act.table_id, act.decision_id), key);
    }
}

#[tokio::test]
async fn a_bot_that_thinks_for_long_is_alive_and_what_it_does_not_know_is_ignored() {
    let mut arena = Arena::start().await;
    let mut thinking = None;
    let _playing = dial(&arena.address, |double| thinking = Some(thinker(double)));
    let thinking = thinking.expect("a thinker");
    let mut call = arena.call().await;
    call.open([asked(1), ServerMessage::default()]).await;
    assert_eq!(thinking.begins().await, 1);
    for number in 1..=5 {
        call.settle(number).await;
    }
    thinking.go_on();
    assert_eq!(acts(&mut call, 1).await, [(1, Some(0))]);
}

#[tokio::test]
async fn a_repeated_decision_gets_the_same_answer_and_a_closed_one_none() {
    let mut arena = Arena::start().await;
    let mut thinking = None;
    let _playing = dial(&arena.address, |double| thinking = Some(thinker(double)));
    let thinking = thinking.expect("a thinker");
    let mut call = arena.call().await;
    call.open([asked(1)]).await;
    assert_eq!(thinking.begins().await, 1);
    call.send([asked(1), decision_closed(1, Reason::StaleDecision), asked(2)]);
    call.settle(1).await;
    thinking.go_on();
    assert_eq!(thinking.begins().await, 2);
    thinking.go_on();
    assert_eq!(acts(&mut call, 1).await, [(2, Some(0))]);
    call.send([asked(2)]);
    assert_eq!(acts(&mut call, 1).await, [(2, Some(0))]);
    assert!(thinking.began.try_recv().is_err(), "it is thought about once");
}

#[tokio::test]
async fn a_refused_answer_is_corrected_by_the_bot() {
    let mut arena = Arena::start().await;
    let _playing = dial(&arena.address, |double| {
        double.choose = Box::new(|_| Answer::from(1).calling_uno(false));
        double.correct = Box::new(|refusal| (refusal.message == "no, because").then(|| 2.into()));
    });
    let mut call = arena.call().await;
    call.open([asked(1)]).await;
    assert_eq!(acts(&mut call, 1).await, [(1, Some(1))]);
    call.send([refused(1, Reason::CardNotPlayable, 2)]);
    assert_eq!(acts(&mut call, 1).await, [(1, Some(2))]);
}

#[tokio::test]
async fn a_refused_answer_that_nobody_corrects_is_replaced_until_the_refusals_are_used_up() {
    let mut arena = Arena::start().await;
    let _playing = dial(&arena.address, |_| {});
    let mut call = arena.call().await;
    call.open([asked(1)]).await;
    for (left, choice) in [(2, 0), (1, 1), (0, 2)] {
        assert_eq!(acts(&mut call, 1).await, [(1, Some(choice))]);
        call.send([refused(1, Reason::CardNotPlayable, left)]);
    }
    call.settle(1).await;
}

#[tokio::test]
async fn everything_is_told_once_and_in_order() {
    let mut arena = Arena::start().await;
    let playing = dial(&arena.address, |double| double.listens = true);
    let mut call = arena.call().await;
    let hello = call.open([seated("t"), events("t", [1, 2]), asked(1)]).await;
    assert!(!hello.decisions_only);
    call.act().await;
    let more = [accepted(1), events("t", [2, 3]), notice(crate::v1::NoticeKind::SeatBack), snapshot(9)];
    call.send(more.into_iter().chain([asked_with_receipt(2, 1)]));
    call.act().await;
    call.send([accepted(2), table_closed("t"), table_closed("t")]);
    for _ in 0..2 {
        assert!(matches!(call.next().await, Some(Said::TableClosedReceived(closed)) if closed.table_id == "t"));
    }
    let expected = [
        "seated t 0",
        "event t 1",
        "event t 2",
        "receipt t 1",
        "event t 3",
        "notice t",
        "snapshot t 9",
        "receipt t 2",
        "closed t",
    ];
    assert_eq!(playing.heard_until("closed t").await, expected);
}

#[tokio::test]
async fn a_bot_leaves_a_table_from_any_thread() {
    let mut arena = Arena::start().await;
    let playing = dial(&arena.address, |_| {});
    let mut call = arena.call().await;
    call.open([seated("t")]).await;
    call.settle(1).await;
    playing.handle.leave("nowhere");
    playing.handle.leave("t");
    assert!(matches!(call.next().await, Some(Said::Leave(leave)) if leave.table_id == "t"));
}

#[tokio::test]
async fn a_bot_that_stops_says_what_is_ready_and_half_closes_its_stream() {
    let mut arena = Arena::start().await;
    let patient = |connection: &mut Connection| connection.timing.flush = Duration::from_secs(1_000);
    let playing = dial_with(&arena.address, "", patient, |_| {});
    let mut call = arena.call().await;
    call.open([table_closed("t")]).await;
    assert!(matches!(call.next().await, Some(Said::TableClosedReceived(_))));
    playing.handle.stop();
    assert_eq!(call.next().await, None);
    assert!(!playing.task.is_finished());
    call.end();
    assert!(bounded(playing.ended()).await.is_ok());
    assert!(arena.is_quiet());
}

#[tokio::test]
async fn a_server_that_does_not_end_the_stream_holds_nobody_up() {
    let mut arena = Arena::start().await;
    let hasty = |connection: &mut Connection| connection.timing.flush = Duration::from_millis(10);
    let playing = dial_with(&arena.address, "", hasty, |_| {});
    let mut call = arena.call().await;
    call.open([asked(1)]).await;
    call.act().await;
    playing.handle.stop();
    assert!(bounded(playing.ended()).await.is_ok());
}
