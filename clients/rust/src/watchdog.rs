//! Notices that a server does not say anything any more.

use std::future::pending;
use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// Rounds in which nothing may come before a stream is given up.
pub(crate) const MISSED_HEARTBEATS: u32 = 3;

/// Gives a stream up when nothing has come for several heartbeats.
///
/// Counts its own rounds, not the time: after a pause of the whole process it gives the reader a chance first.
#[derive(Default)]
pub(crate) struct Watchdog {
    rounds: Option<Interval>,
    fed: bool,
    missed: u32,
}

impl Watchdog {
    /// Watches from now on at this interval; at 0 not at all.
    pub(crate) fn new(period: Duration) -> Self {
        let rounds = (!period.is_zero()).then(|| {
            let mut rounds = interval_at(Instant::now() + period, period);
            rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
            rounds
        });
        Self { rounds, fed: false, missed: 0 }
    }

    /// Something came.
    pub(crate) fn feed(&mut self) {
        self.fed = true;
    }

    /// Waits until too many rounds have passed in which nothing came.
    pub(crate) async fn bark(&mut self) {
        let Some(rounds) = &mut self.rounds else {
            return pending().await;
        };
        while self.missed < MISSED_HEARTBEATS {
            rounds.tick().await;
            self.missed = if std::mem::take(&mut self.fed) { 0 } else { self.missed + 1 };
        }
        let silence = rounds.period() * self.missed;
        log::warn!("nothing came from the server for {:.0} s", silence.as_secs_f64());
    }
}
