//! What a bot author writes: [`Bot`], and [`Listener`] where it wants to hear of everything that happens.
//!
//! Here: the traits, their options and [`Answer`]. Not here: how answers become messages (`answers`), the stream
//! (`session`, `connection`), how a program is run (`runner`).
//!
//! A bot has to say one thing, [`Bot::choose`]. Everything else has a default.

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::outputs::{Post, Poster};
use crate::v1::{
    Action, ActionKind, Decision, DecisionKind, Event, Notice, ProtocolReason, Reason, Receipt, Seated, TableClosed,
    TableSnapshot, View,
};
use crate::waiting::Waiting;

/// What a bot wants to do: an index into `legal_actions`, or an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// An index into `legal_actions`.
    Index(usize),
    /// One of `legal_actions`, or a call or catch by itself, which leaves the turn open.
    Action(Action),
}

/// An answer to a decision. An index or an action becomes one by `into()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What to do.
    pub choice: Choice,
    /// Whether UNO is called with it; `None` leaves that to the SDK ([`Options::auto_uno`]).
    pub call_uno: Option<bool>,
    /// The seats to be caught along with it; `None` leaves that to the SDK ([`Options::auto_catch`]).
    pub catch_seats: Option<Vec<u32>>,
}

impl Answer {
    /// The same answer, with or without an UNO call.
    pub fn calling_uno(self, call: bool) -> Self {
        Self { call_uno: Some(call), ..self }
    }

    /// The same answer, catching exactly these seats.
    pub fn catching(self, seats: impl IntoIterator<Item = u32>) -> Self {
        Self { catch_seats: Some(seats.into_iter().collect()), ..self }
    }
}

impl From<Choice> for Answer {
    fn from(choice: Choice) -> Self {
        Self { choice, call_uno: None, catch_seats: None }
    }
}

impl From<usize> for Answer {
    fn from(index: usize) -> Self {
        Choice::Index(index).into()
    }
}

impl From<Action> for Answer {
    fn from(action: Action) -> Self {
        Choice::Action(action).into()
    }
}

impl From<&Action> for Answer {
    fn from(action: &Action) -> Self {
        Choice::Action(*action).into()
    }
}

/// Why an answer did not count: by the game, by the transport or, with both unset, by the SDK before it was sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refusal {
    /// One sentence: what was wrong and what would be valid.
    pub message: String,
    /// Why the game refused, as the number on the wire.
    pub reason: i32,
    /// Why the transport refused, as the number on the wire.
    pub protocol_reason: i32,
    /// How many more refusals the server allows at this decision.
    pub refusals_left: u32,
}

impl Refusal {
    /// A refusal by the SDK, before anything was sent.
    pub(crate) fn before_sending(message: String) -> Self {
        Self { message, refusals_left: 2, ..Self::default() }
    }

    /// Why the game refused; unspecified when it did not, or for a reason that this client does not know.
    pub fn reason(&self) -> Reason {
        Reason::try_from(self.reason).unwrap_or_default()
    }

    /// Why the transport refused; unspecified when it did not, or for a reason that this client does not know.
    pub fn protocol_reason(&self) -> ProtocolReason {
        ProtocolReason::try_from(self.protocol_reason).unwrap_or_default()
    }
}

/// How a bot is played. They are asked for once, before the first connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Name of the bot; empty for `LASTCARD_BOT`, or else the type's name in lower case.
    pub name: String,
    /// Version of the bot, for records.
    pub version: String,
    /// Whether UNO is called with every play that leaves one card, unless an [`Answer`] says otherwise.
    pub auto_uno: bool,
    /// Whether seats that forgot their call are caught when that costs nothing, unless an [`Answer`] says otherwise.
    pub auto_catch: bool,
    /// Most tables at once; 0 for as many as the server allows.
    pub max_tables: u32,
    /// Most open decisions at once; 0 for no limit. The clocks of further ones wait until one closes.
    pub max_open_decisions: u32,
    /// Whether the bot thinks in a thread of its own. Without, it is called where the stream is read: faster for bots
    /// that answer within a millisecond, wrong for all others.
    pub threaded: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: String::new(),
            version: String::new(),
            auto_uno: true,
            auto_catch: true,
            max_tables: 0,
            max_open_decisions: 1,
            threaded: true,
        }
    }
}

/// Thinking that goes on beside the bot, in a thread of its own; see [`Bot::think`].
pub type Thought = Box<dyn FnOnce() -> Answer + Send>;

/// A bot. Its methods are called one at a time and in order, so that it needs no lock, and while it thinks the stream
/// stays alive.
#[allow(unused_variables)]
pub trait Bot: Send {
    /// Answers a decision in the bot's own turn: an index into `legal_actions`, an action, or an [`Answer`].
    fn choose(&mut self, view: &View, legal_actions: &[Action]) -> Answer;

    /// Answers a decision out of turn (jump-in, catch, late call); by default calls and catches, never jumps in.
    fn react(&mut self, view: &View, legal_actions: &[Action]) -> Answer {
        default_reaction(view, legal_actions, self.options().auto_catch).into()
    }

    /// Answers any decision; implement it to see kind, time left, bank and receipt as well.
    fn decide(&mut self, decision: &Decision) -> Answer {
        match decision.kind() {
            DecisionKind::Reaction => self.react(view_of(decision), &decision.legal_actions),
            _ => self.choose(view_of(decision), &decision.legal_actions),
        }
    }

    /// Thinks about several decisions at once: a [`Thought`] runs in a thread of its own and gives the answer, while the
    /// bot is asked the next. `None`, the default, has [`Bot::decide`] answer.
    fn think(&mut self, decision: &Arc<Decision>) -> Option<Thought> {
        None
    }

    /// Corrects a refused answer; `None`, the default, leaves it to the SDK, which takes another legal action.
    fn on_refused(&mut self, decision: &Decision, refusal: &Refusal) -> Option<Answer> {
        None
    }

    /// Is told of a seat at a table.
    fn on_seated(&mut self, seated: &Seated) {}

    /// Is told the account of each closed decision, once.
    fn on_receipt(&mut self, table_id: &str, receipt: &Receipt) {}

    /// Is told the end of a table and its result, once.
    fn on_table_closed(&mut self, closed: &TableClosed) {}

    /// How the bot is played.
    fn options(&self) -> Options {
        Options::default()
    }

    /// Where events go: `Some(self)` for a bot that is a [`Listener`]. Only then does the server send any.
    fn listener(&mut self) -> Option<&mut dyn Listener> {
        None
    }

    /// Is given the means to leave tables and to end the run, before anything else.
    fn attach(&mut self, handle: Handle) {}
}

/// Hears what happens at the bot's tables; see [`Bot::listener`].
#[allow(unused_variables)]
pub trait Listener {
    /// Is told of each numbered event of its tables, once and in order.
    fn on_event(&mut self, table_id: &str, event: &Event) {}

    /// Is told the state of a table in place of events that the server no longer keeps.
    fn on_snapshot(&mut self, snapshot: &TableSnapshot) {}

    /// Is told of presence and other things that are not part of the game.
    fn on_notice(&mut self, notice: &Notice) {}
}

/// Reaches the connection that plays a bot, from any thread.
#[derive(Clone)]
pub struct Handle {
    poster: Poster,
    waiting: Waiting,
}

impl Handle {
    pub(crate) fn new(poster: Poster, waiting: Waiting) -> Self {
        Self { poster, waiting }
    }

    /// Leaves a table for good.
    pub fn leave(&self, table_id: &str) {
        self.poster.post(Post::Leave(table_id.to_owned()));
    }

    /// Ends the run cleanly.
    pub fn stop(&self) {
        self.poster.post(Post::Stop);
    }

    /// Whether a decision still waits for an answer; a long search may ask now and then, and break off.
    pub fn is_open(&self, decision: &Decision) -> bool {
        self.waiting.has(&(decision.table_id.clone(), decision.decision_id))
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Handle").finish_non_exhaustive()
    }
}

/// The view of a decision.
pub fn view_of(decision: &Decision) -> &View {
    static NOTHING: LazyLock<View> = LazyLock::new(View::default);
    decision.view.as_ref().unwrap_or(&NOTHING)
}

/// The index of the safe reaction: the own late call, else a catch that costs nothing, else passing.
///
/// With a penalty for false catches a catch is left out: somebody else may have been faster, and the penalty is ours.
pub fn default_reaction(view: &View, legal_actions: &[Action], catch: bool) -> usize {
    let catches: &[ActionKind] = if catch && catches_are_free(view) { &[ActionKind::Catch] } else { &[] };
    let wanted = [&[ActionKind::Uno], catches, &[ActionKind::Pass, ActionKind::Keep]].concat();
    wanted
        .into_iter()
        .find_map(|kind| legal_actions.iter().position(|action| action.kind() == kind))
        .unwrap_or(legal_actions.len().saturating_sub(1))
}

/// Whether a false catch costs nothing under the table's rules (the case in every preset).
pub(crate) fn catches_are_free(view: &View) -> bool {
    let options = view.ruleset.iter().flat_map(|ruleset| &ruleset.options);
    options.into_iter().all(|option| option.name != "false_catch_penalty" || option.value == "0")
}
