//! Being asked to end by SIGTERM or SIGINT.

use std::time::{Duration, Instant};
use std::{io, process, thread};

use tokio::runtime;

use crate::outputs::{Post, Poster};

/// A signal so soon after the first is the same wish: `timeout`, shells and supervisors tell a process and its group.
const SAME: Duration = Duration::from_millis(500);

/// Stops the connection at the first signal; one that comes later than `SAME` ends the process at once.
///
/// They are heard in a thread of their own, also while a bot thinks where the stream is read.
pub(crate) fn listen(poster: Poster) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _entered = runtime.enter();
        Signals::new()?
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async {
            signals.next().await;
            let first = Instant::now();
            poster.post(Post::Stop);
            loop {
                let status = signals.next().await;
                if first.elapsed() > SAME {
                    process::exit(status);
                }
            }
        });
    })?;
    Ok(())
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// The exit status that the next signal stands for, by the custom of shells.
    async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.terminate.recv() => 128 + 15,
            _ = self.interrupt.recv() => 128 + 2,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> i32 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        128 + 2
    }
}
