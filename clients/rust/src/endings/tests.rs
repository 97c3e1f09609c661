use tonic::{Code, Status};

use super::{Circumstances, End, Next, cause_of, judge};
use crate::support::arena::with_cause;
use crate::v1::{ErrorCause, ProtocolReason, Reason};

fn end(code: Code, reason: ProtocolReason) -> End {
    let cause = (reason != ProtocolReason::Unspecified)
        .then(|| ErrorCause { protocol_reason: reason.into(), ..ErrorCause::default() });
    End { code, text: "because".to_owned(), cause }
}

fn next(code: Code, reason: ProtocolReason, circumstances: Circumstances) -> (Next, String) {
    let ending = judge(&end(code, reason), circumstances);
    (ending.next, ending.sentence)
}

const NEW: Circumstances = Circumstances { with_token: false, with_secret: false, known: false, draining: false };
const KNOWN: Circumstances = Circumstances { known: true, ..NEW };

#[test]
fn who_takes_the_session_over_is_not_fought() {
    let by_game = ErrorCause { reason: Reason::SessionReplaced.into(), ..ErrorCause::default() };
    let ends = [
        end(Code::Aborted, ProtocolReason::SessionReplaced),
        end(Code::Aborted, ProtocolReason::Unspecified),
        end(Code::Internal, ProtocolReason::SessionReplaced),
        End { cause: Some(by_game), ..end(Code::Aborted, ProtocolReason::Unspecified) },
    ];
    for end in ends {
        let ending = judge(&end, KNOWN);
        assert_eq!(ending.next, Next::Fail, "{end:?}");
        assert_eq!(ending.sentence, "another program with the same identity took the session over: because");
    }
}

#[test]
fn an_abort_for_another_reason_is_come_back_from() {
    assert_eq!(next(Code::Aborted, ProtocolReason::ReaderTooSlow, KNOWN).0, Next::Reconnect);
}

#[test]
fn an_end_without_fault_is_the_end_unless_the_server_shuts_down() {
    assert_eq!(next(Code::Ok, ProtocolReason::Unspecified, KNOWN).0, Next::Finish);
    let draining = Circumstances { draining: true, ..KNOWN };
    assert_eq!(next(Code::Ok, ProtocolReason::Unspecified, draining).0, Next::Reconnect);
}

#[test]
fn an_identity_that_is_not_accepted_is_judged_by_what_it_was() {
    let token = Circumstances { with_token: true, ..NEW };
    let secret = Circumstances { with_secret: true, ..KNOWN };
    let cases = [
        (token, Next::Fail, "does not accept the token"),
        (Circumstances { known: true, ..token }, Next::Finish, "the event is over"),
        (secret, Next::Forget, "does not know this session any more"),
        (NEW, Next::Fail, "set LASTCARD_TOKEN"),
    ];
    for (circumstances, expected, words) in cases {
        for (code, reason) in
            [(Code::Unauthenticated, ProtocolReason::Unspecified), (Code::Unknown, ProtocolReason::Unauthenticated)]
        {
            let (next, sentence) = next(code, reason, circumstances);
            assert_eq!(next, expected, "{circumstances:?}");
            assert!(sentence.contains(words), "{sentence}");
            assert!(sentence.ends_with(": because"), "{sentence}");
        }
    }
}

#[test]
fn what_would_be_refused_again_is_not_tried_again() {
    for code in [Code::FailedPrecondition, Code::InvalidArgument, Code::PermissionDenied] {
        let refused = "the server refused the bot: because".to_owned();
        assert_eq!(next(code, ProtocolReason::VersionUnsupported, KNOWN), (Next::Fail, refused));
    }
}

#[test]
fn a_server_that_knows_no_play_is_no_arena() {
    let (next_new, sentence) = next(Code::Unimplemented, ProtocolReason::Unspecified, NEW);
    assert_eq!(next_new, Next::Fail);
    assert!(sentence.contains("no arena that this client knows"), "{sentence}");
    assert_eq!(next(Code::Unimplemented, ProtocolReason::Unspecified, KNOWN).0, Next::Fail);
}

#[test]
fn everything_else_is_come_back_from() {
    for code in [Code::Unavailable, Code::Unknown, Code::Internal, Code::Cancelled, Code::ResourceExhausted] {
        assert_eq!(next(code, ProtocolReason::Draining, KNOWN).0, Next::Reconnect);
    }
    let lost = next(Code::Unavailable, ProtocolReason::Unspecified, KNOWN).1;
    assert_eq!(lost, "connection lost (Unavailable: because)");
    let never = next(Code::Unavailable, ProtocolReason::Unspecified, NEW).1;
    assert_eq!(never, "no connection (Unavailable: because)");
}

#[test]
fn the_cause_stands_in_the_details_of_the_status() {
    let cause = ErrorCause { protocol_reason: ProtocolReason::TooFast.into(), ..ErrorCause::default() };
    assert_eq!(cause_of(&with_cause(Code::Aborted, cause)), Some(cause));
    assert_eq!(cause_of(&Status::aborted("without details")), None);
    assert_eq!(cause_of(&Status::with_details(Code::Aborted, "", vec![0xff; 4].into())), None);
}
