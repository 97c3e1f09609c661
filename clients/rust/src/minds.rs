//! How a bot is made to think: in a thread of its own, or where the stream is read, and beside that in thoughts.
//!
//! Here: calling a bot's methods, and turning whatever happens into an answer. Not here: what is asked and when
//! (`session`, `connection`).
//!
//! A bot that panics or returns nonsense still answers: the fault is logged and another legal action taken, since a
//! defect in one position should not cost a match.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;
use std::{io, thread};

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::answers::{act_for, fallback};
use crate::bot::{Answer, Bot, Handle, Options, Refusal, Thought};
use crate::outputs::{Ask, Key, Post, Poster, Tell};
use crate::v1::Act;
use crate::v1::act::Answer as ActAnswer;
use crate::waiting::Waiting;

/// How long a bot may take, when its connection has ended, with what it was told before: the end of its last table.
const CLOSE: Duration = Duration::from_secs(1);

/// Lets one bot think.
pub(crate) struct Mind {
    waiting: Waiting,
    asked: u64,
    poster: Poster,
    place: Place,
}

enum Place {
    Inline(Thinker),
    Thread(mpsc::Sender<Job>, oneshot::Receiver<()>),
}

enum Job {
    Ask(Ask, u64),
    Finish(Ask, u64, Option<Answer>),
    Tell(Tell),
}

impl Mind {
    /// The mind for a bot: answers come by `poster`, or at once from an inline one.
    pub(crate) fn new(mut bot: Box<dyn Bot>, options: Options, poster: Poster) -> io::Result<Self> {
        let waiting = Waiting::default();
        let threaded = options.threaded;
        bot.attach(Handle::new(poster.clone(), waiting.clone()));
        let thinker = Thinker { bot, options };
        let place = if threaded {
            let (jobs, queue) = mpsc::channel();
            let (done, ended) = oneshot::channel();
            let (waiting, poster) = (waiting.clone(), poster.clone());
            thread::Builder::new().name("bot thinks".to_owned()).spawn(move || {
                work(thinker, &queue, &waiting, &poster);
                drop(done);
            })?;
            Place::Thread(jobs, ended)
        } else {
            Place::Inline(thinker)
        };
        Ok(Self { waiting, asked: 0, poster, place })
    }

    /// Puts a decision to the bot; the answer, unless it is returned here, is posted, if nothing withdraws it before.
    pub(crate) fn ask(&mut self, ask: Ask) -> Option<Act> {
        self.asked += 1;
        self.waiting.add(ask.key.clone(), self.asked);
        match &mut self.place {
            Place::Inline(thinker) => {
                let act = thinker.begin(&ask, self.asked, &self.poster)?;
                self.waiting.take(&ask.key, self.asked).then_some(act)
            }
            Place::Thread(jobs, _) => {
                hand_over(jobs, Job::Ask(ask, self.asked));
                None
            }
        }
    }

    /// Takes what a thought has come to; the answer comes as from `ask`.
    pub(crate) fn finish(&mut self, ask: Ask, number: u64, reply: Option<Answer>) -> Option<Act> {
        match &mut self.place {
            Place::Inline(thinker) => {
                let act = self.waiting.is(&ask.key, number).then(|| thinker.finish(&ask, reply))?;
                self.waiting.take(&ask.key, number).then_some(act)
            }
            Place::Thread(jobs, _) => {
                hand_over(jobs, Job::Finish(ask, number, reply));
                None
            }
        }
    }

    /// Drops a decision; an answer that is already on its way may still come.
    pub(crate) fn withdraw(&self, key: &Key) {
        self.waiting.remove(key);
    }

    /// Calls a hook, after everything that was told before.
    pub(crate) fn tell(&mut self, tell: Tell) {
        match &mut self.place {
            Place::Inline(thinker) => thinker.hear(&tell),
            Place::Thread(jobs, _) => hand_over(jobs, Job::Tell(tell)),
        }
    }

    /// Ends all thinking, after the hooks that were called for before; a bot that never returns is left behind.
    pub(crate) async fn close(self) {
        self.waiting.clear();
        if let Place::Thread(jobs, ended) = self.place {
            drop(jobs);
            if timeout(CLOSE, ended).await.is_err() {
                log::warn!("the bot was still thinking when its connection ended");
            }
        }
    }
}

fn hand_over(jobs: &mpsc::Sender<Job>, job: Job) {
    jobs.send(job).expect("the bot's thread runs as long as its mind");
}

/// The thread: one job after the other. A decision withdrawn before its turn is passed over.
fn work(mut thinker: Thinker, jobs: &mpsc::Receiver<Job>, waiting: &Waiting, poster: &Poster) {
    for job in jobs {
        let (key, number, act) = match job {
            Job::Tell(tell) => {
                thinker.hear(&tell);
                continue;
            }
            Job::Ask(ask, number) => {
                let act = waiting.is(&ask.key, number).then(|| thinker.begin(&ask, number, poster)).flatten();
                (ask.key, number, act)
            }
            Job::Finish(ask, number, reply) => {
                let act = waiting.is(&ask.key, number).then(|| thinker.finish(&ask, reply));
                (ask.key, number, act)
            }
        };
        if let Some(act) = act
            && waiting.take(&key, number)
        {
            poster.post(Post::Answered(key, act));
        }
    }
}

/// Lets a thought run in a thread of its own; what it comes to is posted.
fn run(thought: Thought, ask: Ask, number: u64, poster: Poster) {
    let (key, lost) = (ask.key.clone(), (ask.clone(), poster.clone()));
    let running = thread::Builder::new().name("bot's thought".to_owned()).spawn(move || {
        let reply = guarded(thought);
        poster.post(Post::Thought(ask, number, reply));
    });
    if let Err(error) = running {
        log::error!("no thread for a thought about {key:?}: {error}");
        let (ask, poster) = lost;
        poster.post(Post::Thought(ask, number, None));
    }
}

/// A bot, and what becomes of its replies.
struct Thinker {
    bot: Box<dyn Bot>,
    options: Options,
}

impl Thinker {
    /// The bot's answer to a decision, or a legal one in its place; `None` when a thought is to give it.
    fn begin(&mut self, ask: &Ask, number: u64, poster: &Poster) -> Option<Act> {
        if ask.refusal.is_none()
            && let Some(Some(thought)) = guarded(|| self.bot.think(&ask.decision))
        {
            run(thought, ask.clone(), number, poster.clone());
            return None;
        }
        let reply = guarded(|| match &ask.refusal {
            None => Some(self.bot.decide(&ask.decision)),
            Some(refusal) => self.bot.on_refused(&ask.decision, refusal),
        });
        match reply {
            Some(None) => Some(self.fallback(ask)),
            reply => Some(self.finish(ask, reply.flatten())),
        }
    }

    /// What becomes of a reply; `None`: the bot panicked.
    fn finish(&mut self, ask: &Ask, reply: Option<Answer>) -> Act {
        let Some(reply) = reply else {
            log::error!("the bot panicked at {:?}; another legal action is taken", ask.key);
            return self.fallback(ask);
        };
        match self.act(ask, &reply) {
            Ok(act) => act,
            Err(error) => {
                log::error!("the bot at {:?}: {error}", ask.key);
                self.corrected(ask, &Refusal::before_sending(error.to_string()))
            }
        }
    }

    /// The bot's second attempt after a bad reply, or the fallback.
    fn corrected(&mut self, ask: &Ask, refusal: &Refusal) -> Act {
        let reply = guarded(|| self.bot.on_refused(&ask.decision, refusal));
        match reply.flatten().map(|reply| self.act(ask, &reply)) {
            Some(Ok(act)) => return act,
            Some(Err(error)) => log::error!("the bot could not correct its answer at {:?}: {error}", ask.key),
            None => {}
        }
        self.fallback(ask)
    }

    /// Another legal action. Of a decision without any the first is named all the same, so that the server says so.
    fn fallback(&self, ask: &Ask) -> Act {
        let index = fallback(&ask.decision, &ask.refused);
        self.act(ask, &index.into()).unwrap_or_else(|_| Act {
            table_id: ask.key.0.clone(),
            decision_id: ask.key.1,
            answer: Some(ActAnswer::Choice(index as u32)),
            ..Act::default()
        })
    }

    fn act(&self, ask: &Ask, reply: &Answer) -> Result<Act, crate::BadReply> {
        act_for(&ask.decision, reply, self.options.auto_uno, self.options.auto_catch)
    }

    /// Calls a hook; its fault is logged.
    fn hear(&mut self, tell: &Tell) {
        let bot = &mut self.bot;
        let heard = guarded(|| match tell {
            Tell::Seated(seated) => bot.on_seated(seated),
            Tell::Receipt(table_id, receipt) => bot.on_receipt(table_id, receipt),
            Tell::TableClosed(closed) => bot.on_table_closed(closed),
            Tell::Event(table_id, event) => bot.listener().into_iter().for_each(|all| all.on_event(table_id, event)),
            Tell::Snapshot(snapshot) => bot.listener().into_iter().for_each(|all| all.on_snapshot(snapshot)),
            Tell::Notice(notice) => bot.listener().into_iter().for_each(|all| all.on_notice(notice)),
        });
        if heard.is_none() {
            log::error!("the bot panicked in a hook");
        }
    }
}

/// What a call to the bot returns; `None` when it panicked, which the panic hook has printed.
fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

#[cfg(test)]
mod tests;
