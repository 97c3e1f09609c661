//! The stream: dials in, keeps it alive, comes back after every disturbance, ends cleanly.
//!
//! Here: one call of `Play` at a time, its reader, writer and watchdog. Not here: what the messages mean (`session`),
//! the bot's thinking (`minds`), what the end of a call means (`endings`).

use std::future::{Future, pending};
use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tonic::Code;

use crate::backoff::Backoff;
use crate::bot::Bot;
use crate::dialing::{Dialing, end_of};
use crate::endings::{Circumstances, End, Ending, Next, judge};
use crate::minds::Mind;
use crate::outbox::Outbox;
use crate::outputs::{Output, Post, Poster, Welcomed};
use crate::session::{PROTOCOL_VERSION, Session};
use crate::settings::{BotError, Settings};
use crate::v1::{ClientMessage, Hello, PlayResponse};
use crate::watchdog::{MISSED_HEARTBEATS, Watchdog};

const CLIENT_NAME: &str = "lastcard-rust";

/// How long things may take.
struct Timing {
    /// How long the server may take to welcome the bot before a stream is given up.
    welcome: Duration,
    /// A stream that lasted this long was no failed attempt: the waits begin anew.
    held: Duration,
    /// A bot that has not once connected after so long says what to check.
    check: Duration,
    /// How long the server may take to end the stream after we have, on the way out.
    flush: Duration,
}

const TIMING: Timing = Timing {
    welcome: Duration::from_secs(30),
    held: Duration::from_secs(10),
    check: Duration::from_secs(10),
    flush: Duration::from_secs(1),
};

/// A bot's connection to an arena, over as many streams as it takes.
pub(crate) struct Connection {
    settings: Settings,
    session: Session,
    mind: Mind,
    poster: Poster,
    posts: UnboundedReceiver<Post>,
    /// The present stream's.
    outbox: Outbox,
    watchdog: Watchdog,
    /// What is to be sent, until the next flush.
    ready: Vec<ClientMessage>,
    /// When it was stopped.
    stopped: Option<Instant>,
    /// Whether the server has welcomed the bot before.
    known: bool,
    told_to_check: bool,
    timing: Timing,
    backoff: Backoff,
}

/// Why reading a stream ends from here.
enum Break {
    /// Come back: something did not come.
    Resume,
    /// The bot must not go on.
    Fail(String),
}

impl Connection {
    pub(crate) fn new(mut bot: Box<dyn Bot>, settings: Settings) -> io::Result<Self> {
        let options = bot.options();
        let hello = Hello {
            protocol_version: PROTOCOL_VERSION,
            bot_name: settings.name().to_owned(),
            bot_version: options.version.clone(),
            client_name: CLIENT_NAME.to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            max_tables: options.max_tables,
            max_open_decisions: options.max_open_decisions,
            decisions_only: bot.listener().is_none(),
            cursors: Vec::new(),
        };
        let (sender, posts) = mpsc::unbounded_channel();
        let poster = Poster(sender);
        Ok(Self {
            settings,
            session: Session::new(hello),
            mind: Mind::new(bot, options, poster.clone())?,
            poster,
            posts,
            outbox: Outbox::default(),
            watchdog: Watchdog::default(),
            ready: Vec::new(),
            stopped: None,
            known: false,
            told_to_check: false,
            timing: TIMING,
            backoff: Backoff::default(),
        })
    }

    /// Where it can be told what to do.
    pub(crate) fn poster(&self) -> Poster {
        self.poster.clone()
    }

    /// Plays until stopped or until the server is done with the bot.
    pub(crate) async fn run(mut self) -> Result<(), BotError> {
        let outcome = self.play().await;
        self.mind.close().await;
        if let Ok(why) = &outcome {
            log::info!("ended: {why}");
        }
        outcome.map(drop)
    }

    /// Plays over as many streams as it takes; why it ended.
    async fn play(&mut self) -> Result<String, BotError> {
        let mut last_welcome = Instant::now();
        loop {
            let begun = Instant::now();
            let ending = self.stream().await;
            if self.stopped.is_some() {
                return Ok("stopped".to_owned());
            }
            match ending.next {
                Next::Finish => return Ok(ending.sentence),
                Next::Fail => return Err(BotError(ending.sentence)),
                Next::Forget => {
                    let outputs = self.session.forget();
                    self.perform(outputs);
                }
                Next::Reconnect => {}
            }
            if self.session.end_stream() {
                last_welcome = Instant::now();
            }
            if begun.elapsed() >= self.timing.held {
                self.backoff.reset();
            }
            let time = self.backoff.next();
            self.wait(time, last_welcome.elapsed(), &ending).await?;
        }
    }

    /// Waits before the next attempt, or gives up.
    async fn wait(&mut self, time: Duration, away: Duration, ending: &Ending) -> Result<(), BotError> {
        let server = self.settings.server();
        let give_up = self.settings.give_up();
        if away + time > give_up {
            return Err(BotError(format!(
                "no connection to {server} for {:.0} s; last: {}. Is the server running, and is the address right?",
                away.as_secs_f64(),
                ending.sentence
            )));
        }
        log::warn!("{}; next attempt in {:.1} s", ending.sentence, time.as_secs_f64());
        if away >= self.timing.check && !self.known && !self.told_to_check {
            self.told_to_check = true;
            log::warn!(
                "not connected to {server} yet; is an arena running there, and is the address right? \
                 Giving up in {:.0} s",
                (give_up - away).as_secs_f64()
            );
        }
        self.attend(sleep(time)).await;
        Ok(())
    }

    /// Awaits something without keeping others waiting; `None` when the connection is stopped before it comes.
    async fn attend<T>(&mut self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        while self.stopped.is_none() {
            tokio::select! {
                output = &mut future => return Some(output),
                Some(post) = self.posts.recv() => self.take(post),
            }
        }
        None
    }

    /// Runs one call of `Play` to its end, and judges that.
    async fn stream(&mut self) -> Ending {
        self.ready.clear(); // what was for the stream before is put again by the server
        self.outbox = Outbox::default();
        self.outbox.extend([self.session.open_stream()]);
        self.watchdog = Watchdog::new(self.timing.welcome / MISSED_HEARTBEATS);
        let with_token = !self.settings.token().is_empty();
        let with_secret = !with_token && !self.session.secret.is_empty();
        let outcome = self.read().await;
        self.outbox.abandon();
        let end = match outcome {
            Ok(end) => end,
            Err(Break::Fail(sentence)) => return Ending::new(Next::Fail, sentence),
            Err(Break::Resume) => End { code: Code::Cancelled, text: "broken off from here".to_owned(), cause: None },
        };
        let (farewell, text) = match self.session.farewell.take() {
            Some((cause, text)) => (Some(cause), text),
            None => (None, end.text),
        };
        let end = End { code: end.code, text, cause: end.cause.or(farewell) };
        let (known, draining) = (self.known, self.session.draining);
        judge(&end, Circumstances { with_token, with_secret, known, draining })
    }

    /// Opens the stream and reads its frames until it ends.
    async fn read(&mut self) -> Result<End, Break> {
        let token = Some(self.settings.token()).filter(|token| !token.is_empty()).unwrap_or(&self.session.secret);
        let dialing = Dialing::new(self.settings.server(), token, self.outbox.clone()).map_err(Break::Fail)?;
        let opened = self.attend(timeout(self.timing.welcome, dialing.dial())).await;
        let mut frames = match opened {
            None => return Err(Break::Resume),
            Some(Err(_)) => {
                let text = "the server did not answer the call".to_owned();
                return Ok(End { code: Code::DeadlineExceeded, text, cause: None });
            }
            Some(Ok(Err(status))) => return Ok(end_of(&status)),
            Some(Ok(Ok(frames))) => frames,
        };
        loop {
            let flushed = self.stopped.map(|stopped| stopped + self.timing.flush);
            tokio::select! {
                frame = frames.message() => match frame {
                    Ok(Some(frame)) => self.hear(frame)?,
                    Ok(None) => return Ok(End { code: Code::Ok, text: String::new(), cause: None }),
                    Err(status) => return Ok(end_of(&status)),
                },
                Some(post) = self.posts.recv() => {
                    self.take(post);
                    while let Ok(post) = self.posts.try_recv() {
                        self.take(post);
                    }
                    self.flush();
                }
                () = self.watchdog.bark() => return Err(Break::Resume),
                () = deadline(flushed) => return Err(Break::Resume),
            }
        }
    }

    /// Takes a frame of the server.
    fn hear(&mut self, frame: PlayResponse) -> Result<(), Break> {
        self.watchdog.feed();
        for message in frame.messages {
            let outputs = self.session.receive(message);
            if let Some(reason) = self.perform(outputs) {
                return Err(reason);
            }
        }
        self.flush();
        Ok(())
    }

    /// Takes what others ask of the connection.
    fn take(&mut self, post: Post) {
        let outputs = match post {
            Post::Answered(key, act) => self.session.answered(&key, act),
            Post::Thought(ask, number, reply) => {
                let key = ask.key.clone();
                let act = self.mind.finish(ask, number, reply);
                act.map_or_else(Vec::new, |act| self.session.answered(&key, act))
            }
            Post::Leave(table_id) => self.session.leave(&table_id),
            Post::Resend(table_id) => self.session.resend(&table_id),
            Post::Stop => {
                self.stopped.get_or_insert_with(Instant::now);
                self.flush();
                self.outbox.close();
                Vec::new()
            }
        };
        self.perform(outputs);
    }

    /// Does what the session says; why the stream is to be broken off, if it is.
    fn perform(&mut self, outputs: Vec<Output>) -> Option<Break> {
        for output in outputs {
            match output {
                Output::Send(message) => self.ready.push(message),
                Output::Ask(ask) => {
                    let key = ask.key.clone();
                    if let Some(act) = self.mind.ask(ask) {
                        let outputs = self.session.answered(&key, act);
                        self.perform(outputs);
                    }
                }
                Output::Tell(tell) => self.mind.tell(tell),
                Output::Withdraw(key) => self.mind.withdraw(&key),
                Output::Info(text) => log::info!("{text}"),
                Output::Warn(text) => log::warn!("{text}"),
                Output::SendLater(time, table_id) => {
                    let poster = self.poster();
                    tokio::spawn(async move {
                        sleep(time).await;
                        poster.post(Post::Resend(table_id));
                    });
                }
                Output::Welcomed(welcomed) => self.welcome(&welcomed),
                Output::Drain(time) => {
                    let seconds = time.as_secs_f64();
                    log::warn!("the server shuts down within {seconds:.0} s; reconnecting when the stream ends");
                }
                Output::Resume => return Some(Break::Resume),
                Output::Fail(sentence) => return Some(Break::Fail(sentence)),
            }
        }
        None
    }

    /// The stream is open.
    fn welcome(&mut self, welcomed: &Welcomed) {
        let Welcomed { bot_name, server_version, max_frame_bytes, heartbeat_interval } = welcomed;
        self.known = true;
        self.outbox.limit(*max_frame_bytes);
        self.watchdog = Watchdog::new(*heartbeat_interval);
        log::info!("connected to {} (server {server_version}) as {bot_name}", self.settings.server());
    }

    /// Sends what is ready.
    fn flush(&mut self) {
        if !self.ready.is_empty() {
            self.outbox.extend(self.ready.drain(..));
        }
    }
}

async fn deadline(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests;
