//! The Rust SDK for bots: write one method, and the arena does the rest.
//!
//! ```no_run
//! use lastcard_bot::v1::{Action, View};
//! use lastcard_bot::{Answer, Bot, run};
//!
//! struct First;
//!
//! impl Bot for First {
//!     fn choose(&mut self, _view: &View, _legal_actions: &[Action]) -> Answer {
//!         0.into()
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     run(First)
//! }
//! ```
//!
//! [`cards`] has functions on cards and views. The messages are those of `lastcard.v1`, in [`v1`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

/// The stubs of `lastcard.v1`: messages, enums and, in modules of their own, the clients of its services.
#[allow(missing_docs, clippy::all)]
pub mod v1 {
    tonic::include_proto!("lastcard.v1");
}

#[cfg(test)]
extern crate self as lastcard_bot;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

mod answers;
mod backoff;
mod bot;
pub mod cards;
mod connection;
mod dialing;
mod endings;
mod journal;
mod memory;
mod minds;
mod outbox;
mod outputs;
mod runner;
mod session;
mod settings;
mod signals;
mod waiting;
mod watchdog;
mod words;

pub use answers::{BadReply, act_for, leaves_one_card};
pub use bot::{Answer, Bot, Choice, Handle, Listener, Options, Refusal, Thought, default_reaction, view_of};
pub use runner::{play, run, run_with};
pub use settings::{Arguments, BotError, Settings};
