//! Ends: when the bot does not come back, and what it says then.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::v1::ProtocolReason;

fn impatient(connection: &mut Connection) {
    connection.settings = connection.settings.clone().giving_up_after(Duration::from_millis(50));
}

#[tokio::test]
async fn a_session_taken_over_by_another_program_is_not_fought_over() {
    for by_status in [true, false] {
        let mut arena = Arena::start().await;
        let playing = dial(&arena.address, |_| {});
        let mut call = arena.call().await;
        call.open([seated("t")]).await;
        if by_status {
            call.fail_for(Code::Aborted, ProtocolReason::SessionReplaced);
        } else {
            // The status of a stream that ends while the client is writing may be lost.
            call.send([message_refused(ProtocolReason::SessionReplaced, "")]);
            call.fail(Code::Internal);
        }
        let error = playing.ended().await.expect_err("an error");
        assert!(error.starts_with("another program with the same identity took the session over: "), "{error}");
        assert!(error.ends_with("because"), "{error}");
        assert!(arena.is_quiet());
    }
}

#[tokio::test]
async fn a_revoked_token_is_the_end_of_the_event_also_while_the_bot_was_away() {
    for away in [false, true] {
        let mut arena = Arena::start().await;
        let playing = dial_with(&arena.address, "token", |_| {}, |_| {});
        let mut call = arena.call().await;
        call.open([seated("t")]).await;
        if away {
            call.fail(Code::Unavailable);
            call = arena.call().await;
        }
        call.fail_for(Code::Unauthenticated, ProtocolReason::Unauthenticated);
        assert_eq!(playing.ended().await, Ok(()));
        assert!(arena.is_quiet());
    }
}

#[tokio::test]
async fn an_identity_that_was_never_good_is_an_error() {
    for (token, words) in [("token", "does not accept the token: because"), ("", "set LASTCARD_TOKEN")] {
        let mut arena = Arena::start().await;
        let playing = dial_with(&arena.address, token, |_| {}, |_| {});
        arena.call().await.fail_for(Code::Unauthenticated, ProtocolReason::Unauthenticated);
        let error = playing.ended().await.expect_err("an error");
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_done_with_the_bot_ends_it() {
    let mut arena = Arena::start().await;
    let playing = dial(&arena.address, |_| {});
    let mut call = arena.call().await;
    call.open((0..100).map(|number| table_closed(&format!("t{number}")))).await;
    call.end();
    let told = playing.heard_until("closed t99").await;
    assert_eq!(told.len(), 100, "what was told is heard before the end");
    assert_eq!(playing.ended().await, Ok(()));
    assert!(arena.is_quiet());
}

#[tokio::test]
async fn a_protocol_of_another_version_is_an_error() {
    let mut arena = Arena::start().await;
    let playing = dial(&arena.address, |_| {});
    arena.call().await.open_with(Welcome { protocol_version: 9, ..welcome() }, []).await;
    let error = playing.ended().await.expect_err("an error");
    assert!(error.contains("protocol version 9"), "{error}");
}

/// A port of this machine on which nobody listens.
async fn unused() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

#[tokio::test]
async fn without_a_server_the_bot_gives_up_and_says_so() {
    let address = unused().await;
    let error = dial_with(&address, "", impatient, |_| {}).ended().await.expect_err("an error");
    assert!(
        error.starts_with(&format!("no connection to {address} for 0 s; last: no connection (Unavailable: ")),
        "{error}"
    );
    assert_eq!(error.matches("tcp connect error").count(), 1, "{error}");
    assert!(error.ends_with("Is the server running, and is the address right?"), "{error}");
}

#[tokio::test]
async fn a_bot_that_waits_for_a_server_can_be_stopped() {
    let playing = dial(&unused().await, |_| {});
    playing.handle.stop();
    assert_eq!(playing.ended().await, Ok(()));
}

#[tokio::test]
async fn a_server_of_another_protocol_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let server = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            // That the client is gone by now is as good.
            let _ = stream.read(&mut [0; 64]).await;
            let _ = stream.write_all(b"HTTP/1.1 505 HTTP Version Not Supported\r\n\r\n").await;
        }
    });
    let error = dial_with(&address, "", impatient, |_| {}).ended().await.expect_err("an error");
    assert!(error.starts_with(&format!("no connection to {address} for ")), "{error}");
    server.abort();
}

#[tokio::test]
async fn a_grpc_server_that_is_no_arena_is_named_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let nothing = tonic::transport::Server::builder().add_routes(tonic::service::Routes::default());
    let server = tokio::spawn(nothing.serve_with_incoming(tonic::transport::server::TcpIncoming::from(listener)));
    let error = dial(&address, |_| {}).ended().await.expect_err("an error");
    assert!(error.starts_with("what answers at this address is no arena"), "{error}");
    server.abort();
}
