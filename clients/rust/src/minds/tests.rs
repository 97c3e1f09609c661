use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;
use crate::support::arena::bounded;
use crate::support::messages::{decision, seated, table_closed};
use crate::v1::server_message::Message as Heard;
use crate::v1::{Action, Decision, TableClosed, View};

/// Answers with what it is told to, and tells what it was asked.
struct Puppet {
    replies: Receiver<Answer>,
    corrections: Vec<Answer>,
    heard: Sender<String>,
    handle: Option<Handle>,
}

impl Bot for Puppet {
    fn choose(&mut self, _: &View, legal_actions: &[Action]) -> Answer {
        self.heard.send(format!("choose {}", legal_actions.len())).expect("the test listens");
        self.replies.recv().expect("a reply, or nothing to say any more")
    }

    fn on_refused(&mut self, decision: &Decision, refusal: &Refusal) -> Option<Answer> {
        let open = self.handle.as_ref().is_some_and(|handle| handle.is_open(decision));
        self.heard.send(format!("refused {open}: {}", refusal.message)).expect("the test listens");
        self.corrections.pop()
    }

    fn on_table_closed(&mut self, closed: &TableClosed) {
        self.heard.send(format!("closed {}", closed.table_id)).expect("the test listens");
        assert_ne!(closed.table_id, "bad", "this is the panic that the test wants");
    }

    fn attach(&mut self, handle: Handle) {
        self.handle = Some(handle);
    }
}

struct Stage {
    mind: Mind,
    replies: Sender<Answer>,
    heard: Receiver<String>,
    posts: UnboundedReceiver<Post>,
}

fn stage(threaded: bool, corrections: Vec<Answer>) -> Stage {
    let (replies, coming) = channel();
    let (hears, heard) = channel();
    let (sender, posts) = unbounded_channel();
    let bot = Box::new(Puppet { replies: coming, corrections, heard: hears, handle: None });
    let options = Options { threaded, ..Options::default() };
    let mind = Mind::new(bot, options, Poster(sender)).expect("a thread");
    Stage { mind, replies, heard, posts }
}

fn ask(number: u32) -> Ask {
    Ask { key: ("t".into(), number), decision: Arc::new(decision(number)), refusal: None, refused: Vec::new() }
}

fn choice(act: Option<Act>) -> Option<ActAnswer> {
    act.expect("an answer").answer
}

#[test]
fn an_inline_bot_answers_at_once() {
    let mut stage = stage(false, Vec::new());
    stage.replies.send(2.into()).expect("the bot listens");
    assert_eq!(choice(stage.mind.ask(ask(1))), Some(ActAnswer::Choice(2)));
}

#[test]
fn nonsense_is_corrected_by_the_bot_or_else_replaced() {
    for (corrections, taken) in [(vec![1.into()], 1), (vec![99.into()], 0), (vec![], 0)] {
        let mut stage = stage(false, corrections);
        stage.replies.send(9.into()).expect("the bot listens");
        assert_eq!(choice(stage.mind.ask(ask(1))), Some(ActAnswer::Choice(taken)));
        let heard: Vec<String> = stage.heard.try_iter().collect();
        let complaint = "refused true: choice 9 is no index into legal_actions; valid are 0 to 2";
        assert_eq!(heard, ["choose 3", complaint]);
    }
}

#[test]
fn a_bot_that_panics_plays_on() {
    let mut stage = stage(false, Vec::new());
    drop(stage.replies); // so that asking for a reply panics
    let refused = Ask { refused: vec![0], ..ask(1) };
    assert_eq!(choice(stage.mind.ask(refused)), Some(ActAnswer::Choice(1)));
    stage.mind.tell(Tell::TableClosed(Box::new(TableClosed { table_id: "bad".into(), ..TableClosed::default() })));
    assert_eq!(choice(stage.mind.ask(ask(2))), Some(ActAnswer::Choice(0)));
}

#[test]
fn a_decision_without_legal_actions_is_answered_all_the_same() {
    let mut stage = stage(false, Vec::new());
    stage.replies.send(0.into()).expect("the bot listens");
    let empty = Arc::new(Decision { legal_actions: Vec::new(), ..decision(1) });
    assert_eq!(choice(stage.mind.ask(Ask { decision: empty, ..ask(1) })), Some(ActAnswer::Choice(0)));
}

#[tokio::test]
async fn a_decision_that_is_withdrawn_is_not_answered_and_not_asked_any_more() {
    let mut stage = stage(true, Vec::new());
    for number in 1..=3 {
        assert_eq!(stage.mind.ask(ask(number)), None);
    }
    assert_eq!(stage.heard.recv().as_deref(), Ok("choose 3"));
    stage.mind.withdraw(&("t".into(), 1)); // it is being thought about
    stage.mind.withdraw(&("t".into(), 2)); // its turn has not come
    for reply in [0, 1] {
        stage.replies.send(reply.into()).expect("the bot listens");
    }
    let Some(Post::Answered(key, act)) = bounded(stage.posts.recv()).await else { panic!("no answer") };
    assert_eq!((key.1, act.answer), (3, Some(ActAnswer::Choice(1))));
}

#[tokio::test]
async fn what_was_told_is_heard_before_the_end() {
    let mut stage = stage(true, Vec::new());
    for number in 0..100 {
        let Some(Heard::TableClosed(closed)) = table_closed(&number.to_string()).message else { panic!() };
        stage.mind.tell(Tell::TableClosed(Box::new(closed)));
    }
    let Some(Heard::Seated(seat)) = seated("t").message else { panic!() };
    stage.mind.tell(Tell::Seated(Box::new(seat)));
    stage.mind.close().await;
    assert_eq!(stage.heard.try_iter().last().as_deref(), Some("closed 99"));
}

/// Thinks about each decision until another is thought about as well, and loses its head over decision 9.
struct Ponders(Arc<Barrier>);

impl Bot for Ponders {
    fn choose(&mut self, _: &View, _: &[Action]) -> Answer {
        unreachable!("thoughts answer")
    }

    fn think(&mut self, decision: &Arc<Decision>) -> Option<Thought> {
        let (decision, met) = (Arc::clone(decision), Arc::clone(&self.0));
        Some(Box::new(move || {
            met.wait();
            assert_ne!(decision.decision_id, 9, "this is the panic that the test wants");
            (decision.decision_id as usize % 3).into()
        }))
    }
}

/// The answers to decisions that are put to thoughts at once, by number.
async fn pondered<const COUNT: usize>(threaded: bool, numbers: [u32; COUNT], withdrawn: &[u32]) -> Vec<(u32, u32)> {
    let (sender, mut posts) = unbounded_channel();
    let options = Options { threaded, ..Options::default() };
    let bot = Box::new(Ponders(Arc::new(Barrier::new(COUNT))));
    let mut mind = Mind::new(bot, options, Poster(sender)).expect("a thread");
    for number in numbers {
        assert_eq!(mind.ask(ask(number)), None);
    }
    let mut finished = 0;
    let mut answers = Vec::new();
    while finished < COUNT || answers.len() + withdrawn.len() < COUNT {
        let act = match bounded(posts.recv()).await.expect("the mind thinks") {
            Post::Thought(ask, number, reply) => {
                finished += 1;
                if withdrawn.contains(&ask.key.1) {
                    mind.withdraw(&ask.key);
                }
                mind.finish(ask, number, reply)
            }
            Post::Answered(_, act) => Some(act),
            other => panic!("{other:?}"),
        };
        if let Some(act) = act {
            let Some(ActAnswer::Choice(choice)) = act.answer else { panic!("{act:?}") };
            answers.push((act.decision_id, choice));
        }
    }
    mind.close().await;
    assert!(posts.try_recv().is_err(), "one answer a decision");
    answers.sort_unstable();
    answers
}

#[tokio::test]
async fn thoughts_run_at_once_and_each_answers_its_decision() {
    for threaded in [true, false] {
        assert_eq!(pondered(threaded, [1, 2, 3], &[]).await, [(1, 1), (2, 2), (3, 0)]);
    }
}

#[tokio::test]
async fn a_thought_that_panics_is_replaced_and_a_withdrawn_one_not_answered() {
    for threaded in [true, false] {
        assert_eq!(pondered(threaded, [9, 5, 4], &[4]).await, [(5, 2), (9, 0)]);
    }
}
