//! The bot's log on stderr, for programs that have set up no logger of their own.

use std::fmt;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use log::{LevelFilter, Log, Metadata, Record};

struct Stderr;

/// Writes a line to stderr. Whoever reads it may end before the bot, which plays on then; `eprintln` would panic.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Has everything from `info` up logged to stderr, unless the program has set up a logger.
pub(crate) fn begin() {
    if log::set_logger(&Stderr).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

impl Log for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= LevelFilter::Info
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let (seconds, millis) = (since.as_secs() % 86_400, since.subsec_millis());
            let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let source = record.target().split("::").next().unwrap_or_default();
            let level = record.level();
            say(format_args!("{hour:02}:{minute:02}:{second:02}.{millis:03}Z {level} {source}: {}", record.args()));
        }
    }

    fn flush(&self) {}
}
