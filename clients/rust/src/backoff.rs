//! How long to wait before the next attempt to connect.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;

/// Waits that double from the first to the longest, each shortened at random by up to half.
///
/// The jitter keeps a thousand bots from coming back to a restarted server in step.
pub(crate) struct Backoff {
    first: Duration,
    most: Duration,
    next: Duration,
    /// Gives a number from 0 to 1, another one each time.
    chance: fn() -> f64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(200), Duration::from_secs(5), chance)
    }
}

impl Backoff {
    pub(crate) fn new(first: Duration, most: Duration, chance: fn() -> f64) -> Self {
        Self { first, most, next: first, chance }
    }

    /// The next wait.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = self.next;
        self.next = self.most.min(wait * 2);
        wait.mul_f64(1.0 - (self.chance)() / 2.0)
    }

    /// Begins with the shortest wait again, after a connection that held.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

/// A number from 0 to below 1 from the keys that the standard library draws for its hash maps.
fn chance() -> f64 {
    (RandomState::new().hash_one(0u8) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests;
