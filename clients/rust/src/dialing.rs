//! Making one call of `Play`, on a connection of its own.
//!
//! A connection that died without a word would swallow a new call as it did the old one; so each call gets a new one.

use std::error::Error;
use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Endpoint;
use tonic::{Request, Status, Streaming};

use crate::endings::{End, cause_of};
use crate::outbox::Outbox;
use crate::v1::PlayResponse;
use crate::v1::play_service_client::PlayServiceClient;

/// Largest frame that is read, in bytes.
const MOST_READ: usize = 64 * 1024 * 1024;
/// How long an attempt to connect is given.
const CONNECT: Duration = Duration::from_secs(5);

/// A call that can be made.
pub(crate) struct Dialing {
    endpoint: Endpoint,
    request: Request<Outbox>,
}

impl Dialing {
    /// A call to a server, with a token or a resume secret unless it is empty; a sentence when that is impossible.
    pub(crate) fn new(server: &str, token: &str, outbox: Outbox) -> Result<Self, String> {
        let endpoint = Endpoint::from_shared(format!("http://{server}"))
            .map_err(|error| format!("server '{server}' is no address: {error}"))?;
        let mut request = Request::new(outbox);
        if !token.is_empty() {
            let bearer: MetadataValue<Ascii> = format!("Bearer {token}")
                .parse()
                .map_err(|_| "the server gave a resume secret that cannot be sent as metadata".to_owned())?;
            request.metadata_mut().insert("authorization", bearer);
        }
        Ok(Self { endpoint: endpoint.connect_timeout(CONNECT), request })
    }

    /// Connects, and makes the call.
    pub(crate) async fn dial(self) -> Result<Streaming<PlayResponse>, Status> {
        let channel = self.endpoint.connect().await.map_err(|error| Status::unavailable(chain(&error)))?;
        let mut client = PlayServiceClient::new(channel).max_decoding_message_size(MOST_READ);
        Ok(client.play(self.request).await?.into_inner())
    }
}

/// How a call ended that ended with a status.
pub(crate) fn end_of(status: &Status) -> End {
    let text = if status.message().is_empty() { chain(status) } else { status.message().to_owned() };
    End { code: status.code(), text, cause: cause_of(status) }
}

/// An error with all that caused it, but for what it says already.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
