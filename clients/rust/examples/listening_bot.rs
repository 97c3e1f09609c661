//! A bot that hears all that happens, and takes its time: it thinks about all its decisions at once.

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use lastcard_bot::v1::event::Event as Happened;
use lastcard_bot::v1::{Action, ActionKind, Decision, DecisionKind, Event, Seated, TableClosed, View};
use lastcard_bot::{Answer, Bot, Listener, Options, Thought, run};

/// How long it thinks about a decision.
const THINKS: Duration = Duration::from_millis(300);

/// By table: its seat, and how many cards the others have played.
#[derive(Default)]
struct ListeningBot {
    tables: HashMap<String, (u32, u32)>,
}

/// The first card that can be played, else whatever comes first.
fn first_play(legal_actions: &[Action]) -> Answer {
    legal_actions.iter().position(|action| action.kind() == ActionKind::Play).unwrap_or(0).into()
}

impl Bot for ListeningBot {
    fn choose(&mut self, _: &View, legal_actions: &[Action]) -> Answer {
        first_play(legal_actions)
    }

    fn think(&mut self, decision: &Arc<Decision>) -> Option<Thought> {
        if decision.kind() == DecisionKind::Reaction {
            return None; // they are short: the default answers at once
        }
        let decision = Arc::clone(decision);
        Some(Box::new(move || {
            sleep(THINKS);
            first_play(&decision.legal_actions)
        }))
    }

    fn on_seated(&mut self, seated: &Seated) {
        self.tables.insert(seated.table_id.clone(), (seated.seat, 0));
    }

    fn on_table_closed(&mut self, closed: &TableClosed) {
        let (_, played) = self.tables.remove(&closed.table_id).unwrap_or_default();
        println!("table {}: the others played {played} cards", closed.table_id);
    }

    fn options(&self) -> Options {
        Options { max_open_decisions: 0, ..Options::default() }
    }

    fn listener(&mut self) -> Option<&mut dyn Listener> {
        Some(self)
    }
}

impl Listener for ListeningBot {
    fn on_event(&mut self, table_id: &str, event: &Event) {
        if let (Some(Happened::CardPlayed(play)), Some((seat, played))) = (&event.event, self.tables.get_mut(table_id))
        {
            *played += u32::from(play.seat != *seat);
        }
    }
}

fn main() -> ExitCode {
    run(ListeningBot::default())
}
