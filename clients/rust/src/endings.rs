//! What the end of a stream means: come back, come back as somebody new, stop, or give up.
//!
//! Here: reading the status of a finished call. Not here: acting on it (`connection`).

use prost::Message;
use tonic::{Code, Status};

use crate::v1::{ErrorCause, ProtocolReason, Reason};

/// What to do after a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Reconnect,
    /// Reconnect without the resume secret: the server does not know it any more.
    Forget,
    /// The server is done with this bot.
    Finish,
    /// It would fail again, or somebody else plays in our place.
    Fail,
}

/// What to do next and why, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    pub next: Next,
    pub sentence: String,
}

impl Ending {
    pub(crate) fn new(next: Next, sentence: impl Into<String>) -> Self {
        Self { next, sentence: sentence.into() }
    }
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct End {
    pub code: Code,
    pub text: String,
    pub cause: Option<ErrorCause>,
}

/// What else is known of a stream that ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Circumstances {
    /// Whether the bot identified itself by a token.
    pub with_token: bool,
    /// Whether it did so by a resume secret.
    pub with_secret: bool,
    /// Whether the server has welcomed this bot before, on this stream or an earlier one.
    pub known: bool,
    /// Whether the server said that it shuts down.
    pub draining: bool,
}

/// Judges the end of a stream.
pub(crate) fn judge(end: &End, circumstances: Circumstances) -> Ending {
    let Circumstances { with_token, with_secret, known, draining } = circumstances;
    let text = &end.text;
    let reason = end.cause.map_or(ProtocolReason::Unspecified, |cause| cause.protocol_reason());
    let replaced = reason == ProtocolReason::SessionReplaced
        || end.cause.is_some_and(|cause| cause.reason() == Reason::SessionReplaced)
        || (end.code == Code::Aborted && end.cause.is_none());
    if replaced {
        return Ending::new(
            Next::Fail,
            format!("another program with the same identity took the session over: {text}"),
        );
    }
    if end.code == Code::Ok {
        return match draining {
            true => Ending::new(Next::Reconnect, "the server has shut down"),
            false => Ending::new(Next::Finish, "the server ended the session"),
        };
    }
    if end.code == Code::Unauthenticated || reason == ProtocolReason::Unauthenticated {
        return unauthenticated(text, with_token, with_secret, known);
    }
    if end.code == Code::Unimplemented && !known {
        return Ending::new(
            Next::Fail,
            format!("what answers at this address is no arena that this client knows: {text}"),
        );
    }
    if is_hopeless(end.code) {
        return Ending::new(Next::Fail, format!("the server refused the bot: {text}"));
    }
    let lost = if known { "connection lost" } else { "no connection" };
    Ending::new(Next::Reconnect, format!("{lost} ({:?}: {text})", end.code))
}

fn unauthenticated(text: &str, with_token: bool, with_secret: bool, known: bool) -> Ending {
    match (with_token, with_secret, known) {
        (true, _, true) => {
            Ending::new(Next::Finish, format!("the token is not valid any more, so the event is over: {text}"))
        }
        (true, _, false) => Ending::new(Next::Fail, format!("the server does not accept the token: {text}")),
        (false, true, _) => {
            Ending::new(Next::Forget, format!("the server does not know this session any more: {text}"))
        }
        _ => Ending::new(Next::Fail, format!("the server wants a token (set LASTCARD_TOKEN): {text}")),
    }
}

/// Whether the same `Hello` would be refused again.
fn is_hopeless(code: Code) -> bool {
    matches!(code, Code::FailedPrecondition | Code::InvalidArgument | Code::PermissionDenied | Code::Unimplemented)
}

/// `google.rpc.Status`, as it comes in `grpc-status-details-bin`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RpcStatus {
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<prost_types::Any>,
}

/// The `ErrorCause` in the details of a status; `None` when there is none or it cannot be read.
pub(crate) fn cause_of(status: &Status) -> Option<ErrorCause> {
    let details = RpcStatus::decode(status.details()).ok()?.details;
    let cause = details.iter().find(|detail| detail.type_url.ends_with("/lastcard.v1.ErrorCause"))?;
    ErrorCause::decode(cause.value.as_slice()).ok()
}

#[cfg(test)]
mod tests;
