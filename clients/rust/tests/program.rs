//! The example as a program: its environment, its exit status, what it says on the way out.

#![cfg(unix)]

use std::env;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use lastcard_bot::v1::ProtocolReason;
use support::arena::{Arena, Call};
use support::messages::{asked, seated, table_closed};
use tonic::Code;

mod support;

/// The example, which `cargo test` builds beside the tests.
fn program(server: Option<&str>) -> Command {
    let tests = env::current_exe().expect("the test's own path");
    let built = tests.ancestors().nth(2).map(PathBuf::from).expect("the folder of what is built");
    let mut command = Command::new(built.join("examples/my_bot"));
    for name in ["LASTCARD_SERVER", "LASTCARD_TOKEN", "LASTCARD_BOT"] {
        command.env_remove(name);
    }
    command.envs(server.map(|server| ("LASTCARD_SERVER", server)));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A program that has connected.
async fn connected(arena: &mut Arena, token: &str) -> (Child, Call) {
    let child = program(Some(&arena.address)).env("LASTCARD_TOKEN", token).spawn().expect("the example");
    (child, arena.call().await)
}

async fn ended(child: Child) -> (Option<i32>, String) {
    let output: Output =
        tokio::task::spawn_blocking(|| child.wait_with_output()).await.expect("a thread").expect("its end");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test]
async fn a_program_without_a_server_says_what_is_missing() {
    let (status, said) = ended(program(None).spawn().expect("the example")).await;
    assert_eq!(status, Some(1));
    assert_eq!(said, "error: no server is named; set LASTCARD_SERVER to host:port, or pass a server\n");
}

#[tokio::test]
async fn a_program_plays_under_its_name_until_the_event_is_over() {
    let mut arena = Arena::start().await;
    let (child, mut call) = connected(&mut arena, "").await;
    let hello = call.open([seated("t"), asked(1)]).await;
    assert_eq!((hello.protocol_version, hello.bot_name.as_str()), (1, "mybot"));
    assert_eq!(
        (hello.client_name.as_str(), hello.client_version.as_str()),
        ("lastcard-rust", env!("CARGO_PKG_VERSION"))
    );
    assert!(hello.decisions_only);
    assert_eq!(hello.max_open_decisions, 1);
    assert_eq!(call.act().await.decision_id, 1);
    call.end();
    let (status, said) = ended(child).await;
    assert_eq!(status, Some(0), "{said}");
}

#[tokio::test]
async fn a_revoked_token_ends_the_program_well_and_another_s_session_does_not() {
    let endings = [
        (Code::Unauthenticated, ProtocolReason::Unauthenticated, 0, "the event is over"),
        (Code::Aborted, ProtocolReason::SessionReplaced, 1, "error: another program with the same identity"),
    ];
    for (code, reason, expected, words) in endings {
        let mut arena = Arena::start().await;
        let (child, mut call) = connected(&mut arena, "token").await;
        assert_eq!(call.authorization.as_deref(), Some("Bearer token"));
        assert_eq!(call.open([]).await.bot_name, "");
        call.fail_for(code, reason);
        let (status, said) = ended(child).await;
        assert_eq!(status, Some(expected), "{said}");
        assert!(said.contains(words), "{said}");
        assert!(arena.is_quiet());
    }
}

#[tokio::test]
async fn a_program_that_is_asked_to_end_ends_its_stream_and_itself() {
    for signal in ["-TERM", "-INT"] {
        let mut arena = Arena::start().await;
        let (child, mut call) = connected(&mut arena, "").await;
        call.open([table_closed("t")]).await;
        assert!(call.next().await.is_some(), "the end of the table is acknowledged");
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        assert_eq!(call.next().await, None, "the stream is half-closed");
        call.end();
        let (status, said) = ended(child).await;
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("ended: stopped"), "{said}");
    }
}

#[tokio::test]
async fn a_program_plays_on_when_nobody_reads_its_log() {
    let mut arena = Arena::start().await;
    let (mut child, mut call) = connected(&mut arena, "").await;
    drop(child.stderr.take());
    call.open([seated("t"), asked(1)]).await;
    assert_eq!(call.act().await.decision_id, 1);
    call.end();
    assert_eq!(ended(child).await.0, Some(0));
}
