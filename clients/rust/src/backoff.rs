//! How long to wait before the next attempt to connect.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
const MOST: Duration = Duration::from_secs(5);

/// Waits that double from 0.2 s to 5 s, each shortened at random by up to half.
///
/// The jitter keeps a thousand bots from coming back to a restarted server in step.
pub(crate) struct Backoff<C = fn() -> f64> {
    next: Duration,
    chance: C,
}

impl Default for Backoff {
    fn default() -> Self {
        Self::new(chance)
    }
}

impl<C: FnMut() -> f64> Backoff<C> {
    /// `chance` gives a number from 0 to 1, another one each time.
    pub(crate) fn new(chance: C) -> Self {
        Self { next: FIRST, chance }
    }

    /// The next wait.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = self.next;
        self.next = MOST.min(wait * 2);
        wait.mul_f64(1.0 - (self.chance)() / 2.0)
    }

    /// Begins with the shortest wait again, after a connection that held.
    pub(crate) fn reset(&mut self) {
        self.next = FIRST;
    }
}

/// A number from 0 to below 1 from the keys that the standard library draws for its hash maps.
fn chance() -> f64 {
    (RandomState::new().hash_one(0u8) >> 11) as f64 / (1u64 << 53) as f64
}
