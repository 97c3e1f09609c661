//! A bot in twenty lines: it plays its longest colour, keeps wilds for later and draws when nothing fits.

use std::cmp::Reverse;
use std::process::ExitCode;

use lastcard_bot::cards::{color_counts, color_of, is_wild};
use lastcard_bot::v1::{Action, ActionKind, View};
use lastcard_bot::{Answer, Bot, run};

struct MyBot;

impl Bot for MyBot {
    fn choose(&mut self, view: &View, legal_actions: &[Action]) -> Answer {
        let held = color_counts(&view.hand);
        let worth = |action: &Action| {
            let plays = action.kind() == ActionKind::Play;
            let color = if action.color != 0 { action.color } else { color_of(action.card) };
            (plays, !is_wild(action.card), held.get(color as usize).copied())
        };
        let best = legal_actions.iter().min_by_key(|action| Reverse(worth(action)));
        best.expect("there is always a legal action").into()
    }
}

fn main() -> ExitCode {
    run(MyBot)
}
