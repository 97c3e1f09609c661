//! A `PlayService` on a real port that does exactly what a test tells it.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use lastcard_bot::v1::client_message::Message as Said;
use lastcard_bot::v1::play_service_server::{PlayService, PlayServiceServer};
use lastcard_bot::v1::server_message::Message as Heard;
use lastcard_bot::v1::{Act, ErrorCause, Hello, PlayRequest, PlayResponse, ProtocolReason, ServerMessage, Welcome};
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::server::{Server, TcpIncoming};
use tonic::{Code, Request, Response, Status, Streaming};

use super::messages::say;

/// Longest that a test waits for anything; far above what is ever needed, so that it only bounds failures.
pub const BOUND: Duration = Duration::from_secs(120);

/// Awaits something that must come.
pub async fn bounded<T>(future: impl Future<Output = T>) -> T {
    timeout(BOUND, future).await.expect("it should have come long ago")
}

type Frames = mpsc::UnboundedSender<Result<PlayResponse, Status>>;

/// One call of `Play` as the test sees it.
pub struct Call {
    /// The metadata `authorization`.
    pub authorization: Option<String>,
    /// The frames that came, by the number of messages in each.
    pub frames: Vec<usize>,
    /// The size of the largest frame.
    pub largest: usize,
    received: VecDeque<Said>,
    requests: Streaming<PlayRequest>,
    responses: Frames,
}

impl Call {
    /// The next message of the bot; `None` when it has half-closed or broken off the stream.
    pub async fn next(&mut self) -> Option<Said> {
        while self.received.is_empty() {
            let frame = bounded(self.requests.message()).await.ok().flatten()?;
            self.frames.push(frame.messages.len());
            self.largest = self.largest.max(frame.encoded_len());
            self.received.extend(frame.messages.into_iter().filter_map(|message| message.message));
        }
        self.received.pop_front()
    }

    /// Takes the `Hello` and welcomes the bot; further messages go out in the same frame.
    pub async fn open(&mut self, messages: impl IntoIterator<Item = ServerMessage>) -> Hello {
        self.open_with(super::messages::welcome(), messages).await
    }

    pub async fn open_with(&mut self, welcome: Welcome, messages: impl IntoIterator<Item = ServerMessage>) -> Hello {
        let Some(Said::Hello(hello)) = self.next().await else { panic!("no Hello") };
        self.send([say(Heard::Welcome(welcome))].into_iter().chain(messages));
        hello
    }

    /// The next message, which must be an answer.
    pub async fn act(&mut self) -> Act {
        match self.next().await {
            Some(Said::Act(act)) => act,
            other => panic!("{other:?} instead of an answer"),
        }
    }

    /// Waits until the bot has taken everything that was sent, by a heartbeat with this number; nothing else may come.
    pub async fn settle(&mut self, number: u32) {
        self.send([super::messages::heartbeat(number)]);
        match self.next().await {
            Some(Said::HeartbeatReply(reply)) => assert_eq!(reply.number, number),
            other => panic!("{other:?} instead of the answer to a heartbeat"),
        }
    }

    /// Sends messages in one frame.
    pub fn send(&self, messages: impl IntoIterator<Item = ServerMessage>) {
        let frame = PlayResponse { messages: messages.into_iter().collect() };
        self.responses.send(Ok(frame)).expect("the stream is open");
    }

    /// Ends the stream with `OK`.
    pub fn end(self) {}

    /// Ends the stream with a status.
    pub fn fail(self, code: Code) {
        self.responses.send(Err(Status::new(code, "gone"))).expect("the stream is open");
    }

    /// Ends the stream for a reason of the transport, with the details that a real server gives.
    pub fn fail_for(self, code: Code, reason: ProtocolReason) {
        let cause = ErrorCause { protocol_reason: reason.into(), ..ErrorCause::default() };
        self.responses.send(Err(with_cause(code, cause))).expect("the stream is open");
    }
}

/// A status with its cause in `grpc-status-details-bin`.
pub fn with_cause(code: Code, cause: ErrorCause) -> Status {
    let type_url = "type.googleapis.com/lastcard.v1.ErrorCause".to_owned();
    let detail = prost_types::Any { type_url, value: cause.encode_to_vec() };
    // `google.rpc.Status`: code 1, message 2, details 3.
    let mut details = Vec::new();
    prost::encoding::int32::encode(1, &(code as i32), &mut details);
    prost::encoding::message::encode(3, &detail, &mut details);
    Status::with_details(code, "because", details.into())
}

/// The server: its address, and the calls in the order in which bots made them.
pub struct Arena {
    pub address: String,
    calls: mpsc::UnboundedReceiver<Call>,
    stopped: Arc<Notify>,
}

impl Arena {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let (sender, calls) = mpsc::unbounded_channel();
        let stopped = Arc::new(Notify::new());
        let until = Arc::clone(&stopped);
        let service = Server::builder().add_service(PlayServiceServer::new(Scripted(sender)));
        let serving = service.serve_with_incoming(TcpIncoming::from(listener));
        tokio::spawn(async move {
            tokio::select! {
                served = serving => served.expect("the arena serves"),
                () = until.notified() => {}
            }
        });
        Self { address, calls, stopped }
    }

    /// The next call that a bot makes.
    pub async fn call(&mut self) -> Call {
        bounded(self.calls.recv()).await.expect("the arena runs")
    }

    /// Whether no further call was made.
    pub fn is_quiet(&mut self) -> bool {
        self.calls.try_recv().is_err()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.stopped.notify_one();
    }
}

struct Scripted(mpsc::UnboundedSender<Call>);

#[tonic::async_trait]
impl PlayService for Scripted {
    type PlayStream = UnboundedReceiverStream<Result<PlayResponse, Status>>;

    async fn play(&self, request: Request<Streaming<PlayRequest>>) -> Result<Response<Self::PlayStream>, Status> {
        let authorization = request.metadata().get("authorization");
        let authorization = authorization.map(|value| value.to_str().expect("readable metadata").to_owned());
        let (responses, frames) = mpsc::unbounded_channel();
        let requests = request.into_inner();
        let call =
            Call { authorization, frames: Vec::new(), largest: 0, received: VecDeque::new(), requests, responses };
        self.0.send(call).map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(UnboundedReceiverStream::new(frames)))
    }
}
