use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::*;
use crate::v1::Leave;
use crate::v1::client_message::Message as Said;

struct Counts(AtomicUsize);

impl Wake for Counts {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn leave(table_id: &str) -> ClientMessage {
    ClientMessage { message: Some(Said::Leave(Leave { table_id: table_id.into() })) }
}

/// How many messages the frames have that are ready now; `None` at the end for a stream that is over.
fn sizes(outbox: &mut Outbox, waker: &Waker) -> Vec<Option<usize>> {
    let mut sizes = Vec::new();
    while let Poll::Ready(frame) = Pin::new(&mut *outbox).poll_next(&mut Context::from_waker(waker)) {
        sizes.push(frame.as_ref().map(|frame| frame.messages.len()));
        if frame.is_none() {
            break;
        }
    }
    sizes
}

#[test]
fn what_is_ready_together_leaves_in_one_frame() {
    let mut outbox = Outbox::default();
    let waker = Waker::noop();
    outbox.extend([leave("a"), leave("b")]);
    outbox.extend([leave("c")]);
    assert_eq!(sizes(&mut outbox, waker), [Some(3)]);
    assert_eq!(sizes(&mut outbox, waker), []);
}

#[test]
fn no_frame_is_larger_than_the_limit_but_for_a_single_message() {
    let mut outbox = Outbox::default();
    outbox.limit(40);
    outbox.extend((0..5).map(|_| leave("ten-letter")));
    outbox.extend([leave(&"x".repeat(99)), leave("a")]);
    let mut frames = Vec::new();
    while let Poll::Ready(Some(frame)) = Pin::new(&mut outbox).poll_next(&mut Context::from_waker(Waker::noop())) {
        assert!(frame.encoded_len() <= 40 || frame.messages.len() == 1);
        frames.push(frame.messages.len());
    }
    assert_eq!(frames, [2, 2, 1, 1, 1]);
}

#[test]
fn a_closed_stream_ends_behind_what_was_ready() {
    let mut outbox = Outbox::default();
    outbox.extend([leave("a")]);
    outbox.close();
    assert_eq!(sizes(&mut outbox, Waker::noop()), [Some(1), None]);
}

#[test]
fn an_abandoned_stream_ends_at_once() {
    let mut outbox = Outbox::default();
    outbox.extend([leave("a")]);
    outbox.abandon();
    assert_eq!(sizes(&mut outbox, Waker::noop()), [None]);
}

#[test]
fn the_transport_is_woken_by_what_comes() {
    let counts = Arc::new(Counts(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&counts));
    let mut outbox = Outbox::default();
    for (round, change) in [|outbox: &Outbox| outbox.extend([leave("a")]), Outbox::close].into_iter().enumerate() {
        sizes(&mut outbox, &waker);
        assert_eq!(counts.0.load(Ordering::SeqCst), round);
        change(&outbox);
        assert_eq!(counts.0.load(Ordering::SeqCst), round + 1);
    }
}
