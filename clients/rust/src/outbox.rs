//! What is to be sent on one stream, packed into as few frames as fit.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use prost::Message;
use tokio_stream::Stream;

use crate::v1::{ClientMessage, PlayRequest};

/// The frames of a stream. Each is made when the transport has room for it, of all that is ready by then.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Mutex<Contents>>);

#[derive(Default)]
struct Contents {
    ready: VecDeque<ClientMessage>,
    max_frame_bytes: usize,
    closed: bool,
    waker: Option<Waker>,
}

impl Outbox {
    /// Adds messages; what is added at once leaves in one frame, if it fits.
    pub(crate) fn extend(&self, messages: impl IntoIterator<Item = ClientMessage>) {
        self.change(|contents| contents.ready.extend(messages));
    }

    /// Limits frames to `bytes` each; 0: no limit. A single larger message gets a frame of its own.
    pub(crate) fn limit(&self, bytes: usize) {
        self.change(|contents| contents.max_frame_bytes = bytes);
    }

    /// Half-closes the stream once what is ready has been sent.
    pub(crate) fn close(&self) {
        self.change(|contents| contents.closed = true);
    }

    /// Gives the stream up: what was not sent yet is not sent any more.
    ///
    /// Without that the transport, which waits for frames, would hold the stream and its connection for ever.
    pub(crate) fn abandon(&self) {
        self.change(|contents| {
            contents.ready.clear();
            contents.closed = true;
        });
    }

    fn change(&self, change: impl FnOnce(&mut Contents)) {
        let waker = {
            let mut contents = self.lock();
            change(&mut contents);
            contents.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    fn frame(&mut self) -> Option<PlayRequest> {
        let mut messages = Vec::new();
        let mut size = 0;
        while let Some(message) = self.ready.front() {
            size += message.encoded_len() + 6; // tag and length of the repeated field
            if !messages.is_empty() && self.max_frame_bytes != 0 && size > self.max_frame_bytes {
                break;
            }
            messages.extend(self.ready.pop_front());
        }
        (!messages.is_empty()).then_some(PlayRequest { messages })
    }
}

impl Stream for Outbox {
    type Item = PlayRequest;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<PlayRequest>> {
        let mut contents = self.lock();
        match contents.frame() {
            Some(frame) => Poll::Ready(Some(frame)),
            None if contents.closed => Poll::Ready(None),
            None => {
                contents.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests;
