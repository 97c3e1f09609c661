//! Many streams: coming back with cursors and secret, and what becomes of decisions meanwhile.

use super::*;

#[tokio::test]
async fn a_lost_stream_is_resumed_with_numbers_and_secret() {
    let mut arena = Arena::start().await;
    let playing = dial(&arena.address, |double| double.listens = true);
    let mut call = arena.call().await;
    assert_eq!(call.authorization, None);
    call.open_with(secret("hush"), [seated("a"), events("a", [1, 2, 3]), seated("b"), asked_at("b", 1)]).await;
    call.act().await;
    call.fail(Code::Unavailable);
    let mut again = arena.call().await;
    assert_eq!(again.authorization.as_deref(), Some("Bearer hush"));
    let hello = again.open([seated("a"), events("a", [3, 4])]).await;
    assert_eq!(cursors(&hello), [("a", 3), ("b", 0)]);
    let heard = playing.heard_until("event a 4").await;
    assert_eq!(heard, ["seated a 0", "event a 1", "event a 2", "event a 3", "seated b 0", "event a 4"]);
}

#[tokio::test]
async fn the_secret_stays_on_later_streams_and_a_token_goes_before_it() {
    for (token, later) in [("", "Bearer hush"), ("token", "Bearer token")] {
        let mut arena = Arena::start().await;
        let _playing = dial_with(&arena.address, token, |_| {}, |_| {});
        let mut call = arena.call().await;
        assert_eq!(call.authorization.is_some(), !token.is_empty());
        call.open_with(secret("hush"), []).await;
        call.fail(Code::Internal);
        for _ in 0..2 {
            let mut call = arena.call().await;
            assert_eq!(call.authorization.as_deref(), Some(later));
            call.open([]).await;
            call.fail(Code::Internal);
        }
    }
}

#[tokio::test]
async fn a_server_that_forgot_the_session_is_greeted_as_a_new_one() {
    let mut arena = Arena::start().await;
    let playing = dial(&arena.address, |double| double.listens = true);
    let mut call = arena.call().await;
    call.open_with(secret("old"), [seated("t"), events("t", [1])]).await;
    call.settle(1).await;
    call.fail(Code::Unavailable);
    arena.call().await.fail_for(Code::Unauthenticated, crate::v1::ProtocolReason::Unauthenticated);
    let mut again = arena.call().await;
    assert_eq!(again.authorization, None);
    let hello = again.open_with(secret("new"), [seated("t"), asked(1)]).await;
    assert_eq!(cursors(&hello), []);
    again.act().await;
    assert_eq!(playing.heard.try_iter().filter(|text| text == "seated t 0").count(), 2);
    again.fail(Code::Unavailable);
    assert_eq!(arena.call().await.authorization.as_deref(), Some("Bearer new"));
}

#[tokio::test]
async fn an_answer_whose_verdict_was_lost_is_sent_again_and_thought_about_once() {
    let mut arena = Arena::start().await;
    let mut thinking = None;
    let _playing = dial(&arena.address, |double| thinking = Some(thinker(double)));
    let thinking = thinking.expect("a thinker");
    thinking.go_on();
    let mut call = arena.call().await;
    call.open([asked(1)]).await;
    assert_eq!(acts(&mut call, 1).await, [(1, Some(0))]);
    call.fail(Code::Unavailable);
    let mut again = arena.call().await;
    again.open([seated("t"), asked(1)]).await;
    assert_eq!(acts(&mut again, 1).await, [(1, Some(0))]);
    thinking.go_on();
    again.send([accepted(1), asked(2)]);
    assert_eq!(acts(&mut again, 1).await, [(2, Some(0))]);
    assert_eq!(thinking.began.try_iter().collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn what_the_bot_thought_of_while_away_is_said_when_it_is_asked_again() {
    let mut arena = Arena::start().await;
    let mut thinking = None;
    let _playing = dial(&arena.address, |double| thinking = Some(thinker(double)));
    let thinking = thinking.expect("a thinker");
    let mut call = arena.call().await;
    call.open([asked(1)]).await;
    assert_eq!(thinking.begins().await, 1);
    call.fail(Code::Unavailable);
    let mut again = arena.call().await;
    thinking.go_on();
    again.open([seated("t"), asked(1)]).await;
    assert_eq!(acts(&mut again, 1).await, [(1, Some(0))]);
    assert!(thinking.began.try_recv().is_err());
}

#[tokio::test]
async fn an_answer_to_a_decision_that_was_closed_meanwhile_is_never_sent() {
    let mut arena = Arena::start().await;
    let mut thinking = None;
    let _playing = dial(&arena.address, |double| thinking = Some(thinker(double)));
    let thinking = thinking.expect("a thinker");
    let mut call = arena.call().await;
    call.open([asked(1)]).await;
    assert_eq!(thinking.begins().await, 1);
    call.fail(Code::Unavailable);
    let mut again = arena.call().await;
    again.open([seated("t"), asked_with_receipt(2, 1)]).await;
    again.settle(1).await;
    thinking.go_on();
    thinking.go_on();
    assert_eq!(acts(&mut again, 1).await, [(2, Some(0))]);
    again.settle(2).await;
}

#[tokio::test]
async fn a_table_is_left_on_the_next_stream_when_the_first_was_lost() {
    let mut arena = Arena::start().await;
    let playing = dial(&arena.address, |_| {});
    let mut call = arena.call().await;
    call.open([seated("t")]).await;
    call.settle(1).await;
    playing.handle.leave("t");
    call.next().await;
    call.fail(Code::Unavailable);
    let mut again = arena.call().await;
    again.open([seated("t")]).await;
    assert!(matches!(again.next().await, Some(Said::Leave(leave)) if leave.table_id == "t"));
}

#[tokio::test]
async fn events_that_did_not_come_are_asked_for_by_coming_back() {
    let mut arena = Arena::start().await;
    let playing = dial(&arena.address, |double| double.listens = true);
    let mut call = arena.call().await;
    call.open([seated("t"), events("t", [1, 2]), events("t", [5])]).await;
    assert_eq!(call.next().await, None, "the stream is broken off");
    let mut again = arena.call().await;
    assert_eq!(cursors(&again.open([seated("t"), events("t", [3, 4, 5])]).await), [("t", 2)]);
    assert_eq!(playing.heard_until("event t 5").await.len(), 6);
}

#[tokio::test]
async fn a_stream_on_which_nothing_comes_any_more_is_given_up() {
    let mut arena = Arena::start().await;
    let _playing = dial(&arena.address, |_| {});
    let mut call = arena.call().await;
    call.open_with(Welcome { heartbeat_interval: Some(span(20)), ..secret("hush") }, []).await;
    let mut again = arena.call().await;
    assert_eq!(again.authorization.as_deref(), Some("Bearer hush"));
    assert_eq!(call.next().await, None, "it is broken off, not forgotten");
    again.open([asked(1)]).await;
    again.act().await;
}

#[tokio::test]
async fn a_stream_that_held_begins_the_waits_anew() {
    let mut arena = Arena::start().await;
    let quick = |connection: &mut Connection| {
        // Without beginning anew the later waits would be longer than a test waits.
        connection.backoff = Backoff::new(Duration::from_millis(1), Duration::from_secs(1_000), || 0.0);
        connection.timing.held = Duration::ZERO;
    };
    let _playing = dial_with(&arena.address, "", quick, |_| {});
    for _ in 0..20 {
        let mut call = arena.call().await;
        call.open([]).await;
        call.fail(Code::Unavailable);
    }
}

#[tokio::test]
async fn a_server_that_never_welcomes_the_bot_is_given_up() {
    let mut arena = Arena::start().await;
    let hasty = |connection: &mut Connection| connection.timing.welcome = Duration::from_millis(60);
    let _playing = dial_with(&arena.address, "", hasty, |_| {});
    let mut call = arena.call().await;
    assert!(matches!(call.next().await, Some(Said::Hello(_))));
    arena.call().await;
    assert_eq!(call.next().await, None);
}

#[tokio::test]
async fn a_server_that_shuts_down_is_awaited() {
    for code in [Code::Ok, Code::Unavailable] {
        let mut arena = Arena::start().await;
        let _playing = dial(&arena.address, |_| {});
        let mut call = arena.call().await;
        call.open([draining()]).await;
        if code == Code::Ok {
            call.end()
        } else {
            call.fail(code)
        }
        let mut again = arena.call().await;
        again.open([asked(1)]).await;
        again.act().await;
    }
}
