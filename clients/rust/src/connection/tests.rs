//! A bot's connection and an arena that does what the test says, on real ports.

use std::sync::mpsc::{Receiver, Sender, channel};

use tokio::task::JoinHandle;

use super::*;
use crate::bot::{Answer, Handle, Listener, Options, Refusal};
use crate::support::arena::{Arena, Call, bounded};
use crate::support::messages::*;
use crate::v1::client_message::Message as Said;
use crate::v1::{
    Act, Action, Decision, Event, Notice, Receipt, Seated, ServerMessage, TableClosed, TableSnapshot, View, Welcome,
};

mod endings;
mod resuming;
mod talking;

type Choose = Box<dyn FnMut(&Decision) -> Answer + Send>;
type Correct = Box<dyn FnMut(&Refusal) -> Option<Answer> + Send>;

/// What the bots of these tests do, each by a function, and what they hear.
struct Double {
    options: Options,
    listens: bool,
    choose: Choose,
    correct: Correct,
    heard: Sender<String>,
    handle: Sender<Handle>,
}

/// A bot that plays, and how it is got at.
struct Playing {
    task: JoinHandle<Result<(), BotError>>,
    heard: Receiver<String>,
    handle: Handle,
}

impl Playing {
    /// Everything that the bot was told, once it has been told the last.
    async fn heard_until(&self, last: &str) -> Vec<String> {
        let mut heard = Vec::new();
        let wait = async {
            while heard.last().is_none_or(|text| text != last) {
                heard.extend(self.heard.try_iter());
                tokio::task::yield_now().await;
            }
        };
        bounded(wait).await;
        heard
    }

    async fn ended(mut self) -> Result<(), String> {
        bounded(&mut self.task).await.expect("no panic").map_err(|error| error.to_string())
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A bot that takes the first legal action.
fn first() -> (Double, Receiver<String>, Receiver<Handle>) {
    let (hears, heard) = channel();
    let (gives, handle) = channel();
    let double = Double {
        options: Options::default(),
        listens: false,
        choose: Box::new(|_| 0.into()),
        correct: Box::new(|_| None),
        heard: hears,
        handle: gives,
    };
    (double, heard, handle)
}

/// Lets the first-taker play after a change, with waits that are short.
fn dial(arena: &str, change: impl FnOnce(&mut Double)) -> Playing {
    dial_with(arena, "", |_| {}, change)
}

fn dial_with(
    arena: &str,
    token: &str,
    tune: impl FnOnce(&mut Connection),
    change: impl FnOnce(&mut Double),
) -> Playing {
    let (mut double, heard, handle) = first();
    change(&mut double);
    let settings = Settings::new(arena, token, "me").expect("valid settings");
    let mut connection = Connection::new(Box::new(double), settings).expect("a thread");
    let millisecond = Duration::from_millis(1);
    connection.backoff = Backoff::new(millisecond, millisecond, || 0.0);
    tune(&mut connection);
    let task = tokio::spawn(connection.run());
    Playing { task, heard, handle: handle.recv().expect("a handle") }
}

fn says(heard: &Sender<String>, text: String) {
    heard.send(text).expect("the test listens");
}

impl Bot for Double {
    fn choose(&mut self, _: &View, _: &[Action]) -> Answer {
        unreachable!("decide is answered")
    }

    fn decide(&mut self, decision: &Decision) -> Answer {
        (self.choose)(decision)
    }

    fn on_refused(&mut self, _: &Decision, refusal: &Refusal) -> Option<Answer> {
        (self.correct)(refusal)
    }

    fn on_seated(&mut self, seated: &Seated) {
        says(&self.heard, format!("seated {} {}", seated.table_id, seated.seat));
    }

    fn on_receipt(&mut self, table_id: &str, receipt: &Receipt) {
        says(&self.heard, format!("receipt {table_id} {}", receipt.decision_id));
    }

    fn on_table_closed(&mut self, closed: &TableClosed) {
        says(&self.heard, format!("closed {}", closed.table_id));
    }

    fn options(&self) -> Options {
        self.options.clone()
    }

    fn listener(&mut self) -> Option<&mut dyn Listener> {
        self.listens.then_some(self)
    }

    fn attach(&mut self, handle: Handle) {
        self.handle.send(handle).expect("the test listens");
    }
}

impl Listener for Double {
    fn on_event(&mut self, table_id: &str, event: &Event) {
        says(&self.heard, format!("event {table_id} {}", event.sequence));
    }

    fn on_snapshot(&mut self, snapshot: &TableSnapshot) {
        says(&self.heard, format!("snapshot {} {}", snapshot.table_id, snapshot.sequence));
    }

    fn on_notice(&mut self, notice: &Notice) {
        says(&self.heard, format!("notice {}", notice.table_id));
    }
}

/// A bot that thinks until it is told to go on, and tells what it thinks about.
struct Thinking {
    began: Receiver<u32>,
    go: Sender<()>,
}

fn thinker(double: &mut Double) -> Thinking {
    let (begins, began) = channel();
    let (go, goes) = channel::<()>();
    double.choose = Box::new(move |decision| {
        begins.send(decision.decision_id).expect("the test listens");
        goes.recv().expect("the test lets it go on");
        0.into()
    });
    Thinking { began, go }
}

impl Thinking {
    /// The next decision that it thinks about.
    async fn begins(&self) -> u32 {
        bounded(async {
            loop {
                if let Ok(number) = self.began.try_recv() {
                    return number;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }

    fn go_on(&self) {
        self.go.send(()).expect("the bot thinks");
    }
}

/// Decision and choice of an answer.
fn said(act: &Act) -> (u32, Option<u32>) {
    use crate::v1::act::Answer as ActAnswer;
    let choice = if let Some(ActAnswer::Choice(choice)) = act.answer { Some(choice) } else { None };
    (act.decision_id, choice)
}

async fn acts(call: &mut Call, count: usize) -> Vec<(u32, Option<u32>)> {
    let mut acts = Vec::new();
    for _ in 0..count {
        acts.push(said(&call.act().await));
    }
    acts
}

fn secret(secret: &str) -> Welcome {
    Welcome { resume_secret: secret.into(), ..welcome() }
}

fn cursors(hello: &Hello) -> Vec<(&str, u32)> {
    hello.cursors.iter().map(|cursor| (cursor.table_id.as_str(), cursor.last_sequence)).collect()
}
