//! What a session asks for, messages to send, decisions to think about, hooks to call; and what others ask of the
//! connection.
//!
//! Here: plain values. Not here: who makes them (`session`), who acts on them (`connection`, `minds`).

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use crate::bot::{Answer, Refusal};
use crate::v1::{Act, ClientMessage, Decision, Event, Notice, Receipt, Seated, TableClosed, TableSnapshot};

/// Table id and decision id.
pub(crate) type Key = (String, u32);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    /// Send a message, with whatever else is ready in the same frame.
    Send(ClientMessage),
    /// Wait, then call `Session::resend` for the table and send what it returns.
    SendLater(Duration, String),
    /// Let the bot think, and give its answer to `Session::answered`.
    Ask(Ask),
    /// The bot need not think about a decision any more.
    Withdraw(Key),
    /// Call a hook of the bot.
    Tell(Tell),
    /// Something a bot author should know.
    Info(String),
    /// Something a bot author should know that points to a fault.
    Warn(String),
    /// The stream is open.
    Welcomed(Welcomed),
    /// The server is about to end the stream; reconnect then.
    Drain(Duration),
    /// Break the stream off and come back: something that should have come on it did not.
    Resume,
    /// The server speaks a protocol that this client does not know.
    Fail(String),
}

/// A decision to think about; with a refusal, the former answer is to be corrected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask {
    pub key: Key,
    pub decision: Arc<Decision>,
    pub refusal: Option<Refusal>,
    /// Indices into `legal_actions` that were refused at this decision.
    pub refused: Vec<usize>,
}

/// What holds from the welcome on; 0 for what it does not state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Welcomed {
    pub bot_name: String,
    pub server_version: String,
    pub max_frame_bytes: usize,
    pub heartbeat_interval: Duration,
}

/// A hook of the bot with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tell {
    Seated(Box<Seated>),
    Event(String, Event),
    Snapshot(Box<TableSnapshot>),
    Notice(Notice),
    Receipt(String, Receipt),
    TableClosed(Box<TableClosed>),
}

/// What is asked of a running connection, from any thread.
#[derive(Debug)]
pub(crate) enum Post {
    Answered(Key, Act),
    /// A thought has come to its end: what it was about, the number of the question, and its answer, unless it panicked.
    Thought(Ask, u64, Option<Answer>),
    Leave(String),
    Resend(String),
    Stop,
}

/// Posts to a running connection; what is posted to one that has ended is nobody's business any more.
#[derive(Clone, Debug)]
pub(crate) struct Poster(pub UnboundedSender<Post>);

impl Poster {
    pub(crate) fn post(&self, post: Post) {
        // The only error is that the connection has ended.
        let _ = self.0.send(post);
    }
}
