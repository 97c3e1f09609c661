//! One bot's side of the protocol as a state machine: server messages in, things to do out.
//!
//! Here: handshake, cursors, open decisions, answers and their repetition, refusals, receipts, ends of tables. Not here:
//! the network, threads and clocks (`connection`), what a reply means (`answers`). No input or output, no clock, so that
//! every disturbance of a network is a unit test.
//!
//! A *stream* is one call of `Play`; a session outlives streams. A decision is thought about once. Its answer is sent
//! each time that the server puts the decision, on whatever stream, and is the same each time unless it was refused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::answers::{after_apart, is_apart};
use crate::bot::Refusal;
use crate::memory::{KEPT_TABLES, Latest, Open, Table};
use crate::outputs::{Ask, Key, Output, Tell, Welcomed};
use crate::v1::act::Answer as ActAnswer;
use crate::v1::client_message::Message as Said;
use crate::v1::server_message::Message as Heard;
use crate::v1::{
    Act, ActResult, ClientMessage, Decision, DecisionClosed, DecisionKind, ErrorCause, HeartbeatReply, Hello, Leave,
    MessageRefused, NoticeKind, ProtocolReason, Reason, Receipt, Seated, ServerMessage, TableClosed,
    TableClosedReceived, TableCursor, TableEvents, TableSnapshot, Welcome,
};
use crate::words::{fault_texts, protocol_reason_name, reason_name, result_text, seat_text};

pub(crate) const PROTOCOL_VERSION: u32 = 1;
/// Calls and catches by themselves at one decision, after which the bot is told to play: it could go on for ever.
const APART_MOST: u32 = 3;
/// How long to wait with an answer that came too fast; the server's allowance is full again within a few times that.
const TOO_FAST: Duration = Duration::from_millis(200);

/// The state of a bot's session, over all its streams.
pub(crate) struct Session {
    /// The opening message without cursors.
    hello: Hello,
    stream: u64,
    tables: BTreeMap<String, Table>,
    closed: Latest<String, ()>,
    leaving: BTreeSet<String>,
    /// Whether something is missing on the present stream, so that nothing more is taken from it.
    broken: bool,
    /// Whether the server has welcomed the bot on the present stream.
    pub welcomed: bool,
    /// The resume secret, once the server gave one.
    pub secret: String,
    /// Whether the server said on the present stream that it shuts down.
    pub draining: bool,
    /// Why the server ends the present stream, if it said so.
    pub farewell: Option<(ErrorCause, String)>,
}

impl Session {
    pub(crate) fn new(hello: Hello) -> Self {
        Self {
            hello,
            stream: 0,
            tables: BTreeMap::new(),
            closed: Latest::new(KEPT_TABLES),
            leaving: BTreeSet::new(),
            broken: false,
            welcomed: false,
            secret: String::new(),
            draining: false,
            farewell: None,
        }
    }

    /// Begins a stream: the `Hello` for it, with a cursor for each table of which events were seen.
    pub(crate) fn open_stream(&mut self) -> ClientMessage {
        self.stream += 1;
        self.welcomed = false;
        self.draining = false;
        self.broken = false;
        self.farewell = None;
        let mut hello = self.hello.clone();
        for (table_id, table) in &mut self.tables {
            for entry in table.open.values_mut() {
                entry.unjudged = 0;
            }
            if let (Some(last_sequence), false) = (table.cursor, hello.decisions_only) {
                hello.cursors.push(TableCursor { table_id: table_id.clone(), last_sequence });
            }
        }
        say(Said::Hello(hello))
    }

    /// Ends a stream, so that nothing more is said on it; whether it was welcomed.
    pub(crate) fn end_stream(&mut self) -> bool {
        std::mem::take(&mut self.welcomed)
    }

    /// Begins anew after the server has lost the session: all tables are dropped, and so is the secret.
    pub(crate) fn forget(&mut self) -> Vec<Output> {
        let mut outputs = Vec::new();
        for (table_id, table) in std::mem::take(&mut self.tables) {
            outputs.extend(withdraw_all(&table_id, &table));
        }
        self.closed.clear();
        self.leaving.clear();
        self.secret.clear();
        outputs
    }

    /// What is to be done about one message of the server, in order. Unknown messages are ignored.
    pub(crate) fn receive(&mut self, message: ServerMessage) -> Vec<Output> {
        self.farewell = None;
        let Some(message) = message.message else {
            return Vec::new();
        };
        if self.broken {
            return Vec::new();
        }
        match message {
            Heard::Welcome(welcome) => self.welcome(welcome),
            Heard::MessageRefused(refused) => self.message_refused(refused),
            _ if !self.welcomed => {
                vec![Output::Fail("the server did not open the stream with a welcome, as it must".to_owned())]
            }
            Heard::Seated(seated) => self.seated(seated),
            Heard::Decision(decision) => self.decision(decision),
            Heard::ActResult(result) => self.act_result(result),
            Heard::TableEvents(events) => self.table_events(events),
            Heard::TableSnapshot(snapshot) => self.table_snapshot(snapshot),
            Heard::Notice(notice) => {
                let restarted = notice.kind() == NoticeKind::Recovered;
                let text = || format!("the server was restarted and goes on with table {}", notice.table_id);
                let mut outputs: Vec<Output> = restarted.then(|| Output::Info(text())).into_iter().collect();
                outputs.push(Output::Tell(Tell::Notice(notice)));
                outputs
            }
            Heard::TableClosed(closed) => self.table_closed(closed),
            Heard::Heartbeat(heartbeat) => {
                vec![Output::Send(say(Said::HeartbeatReply(HeartbeatReply { number: heartbeat.number })))]
            }
            Heard::Draining(draining) => {
                self.draining = true;
                vec![Output::Drain(span(draining.time_left))]
            }
            Heard::DecisionClosed(closed) => self.decision_closed(closed),
        }
    }

    /// Takes the bot's answer to a decision; nothing is sent when it was closed, or not put again on this stream.
    pub(crate) fn answered(&mut self, key: &Key, act: Act) -> Vec<Output> {
        let (stream, welcomed) = (self.stream, self.welcomed);
        let Some(table) = self.tables.get_mut(&key.0) else {
            return Vec::new();
        };
        let Some(entry) = table.open.get_mut(&key.1).filter(|entry| entry.act.is_none()) else {
            return Vec::new();
        };
        entry.act = Some(act.clone());
        table.answers.insert(key.1, act);
        if entry.stream == stream && welcomed { put(entry) } else { Vec::new() }
    }

    /// Leaves a table for good; said again after a reconnect, until the table is over for the bot.
    pub(crate) fn leave(&mut self, table_id: &str) -> Vec<Output> {
        if !self.tables.contains_key(table_id) {
            return Vec::new();
        }
        self.leaving.insert(table_id.to_owned());
        if self.welcomed { vec![leave(table_id)] } else { Vec::new() }
    }

    /// Says again at a table (all tables when empty) what came too fast: leaving, and answers without a verdict.
    pub(crate) fn resend(&mut self, table_id: &str) -> Vec<Output> {
        let mut outputs = Vec::new();
        if !self.welcomed {
            return outputs;
        }
        for (name, table) in self.tables.iter_mut().filter(|(name, _)| table_id.is_empty() || *name == table_id) {
            if self.leaving.contains(name) {
                outputs.push(leave(name));
            }
            for entry in table.open.values_mut().filter(|entry| entry.unjudged == 0 && entry.stream == self.stream) {
                outputs.extend(put(entry));
            }
        }
        outputs
    }

    fn welcome(&mut self, welcome: Welcome) -> Vec<Output> {
        if welcome.protocol_version != PROTOCOL_VERSION {
            return vec![Output::Fail(format!(
                "the server speaks protocol version {}; this client speaks {PROTOCOL_VERSION}: \
                 build it from the server's version of lastcard",
                welcome.protocol_version
            ))];
        }
        self.welcomed = true;
        if !welcome.resume_secret.is_empty() {
            self.secret = welcome.resume_secret;
        }
        vec![Output::Welcomed(Welcomed {
            bot_name: welcome.bot_name,
            server_version: welcome.server_version,
            max_frame_bytes: welcome.max_frame_bytes as usize,
            heartbeat_interval: span(welcome.heartbeat_interval),
        })]
    }

    fn seated(&mut self, seated: Seated) -> Vec<Output> {
        let table_id = seated.table_id.clone();
        let receipt = seated.previous_receipt;
        let table = self.tables.entry(table_id.clone()).or_default();
        let mut outputs = Vec::new();
        if table.cursor.is_none() && seated.last_sequence == 0 {
            table.cursor = Some(0); // nothing has happened yet, so that all events can be had from now on
        }
        if table.seat.is_none() {
            table.seat = Some(seated.seat);
            outputs.push(Output::Info(format!("seated at {}", seat_text(&seated))));
            outputs.push(Output::Tell(Tell::Seated(Box::new(seated))));
        }
        outputs.extend(self.receipt(&table_id, receipt));
        if self.leaving.contains(&table_id) {
            outputs.push(leave(&table_id));
        }
        outputs
    }

    fn decision(&mut self, decision: Decision) -> Vec<Output> {
        let stream = self.stream;
        let key = (decision.table_id.clone(), decision.decision_id);
        let mut outputs = self.receipt(&key.0, decision.previous_receipt);
        let table = self.tables.entry(key.0.clone()).or_default();
        if let Some(entry) = table.open.get_mut(&key.1) {
            entry.stream = stream;
            outputs.extend(put(entry));
            return outputs;
        }
        if let Some(former) = table.answers.get(&key.1) {
            outputs.push(Output::Send(say(Said::Act(former.clone()))));
            return outputs;
        }
        outputs.extend(outdated(table, &decision, stream));
        if decision.legal_actions.is_empty() {
            let text = format!("the server asked {} without any legal action; it stays unanswered", place(&key));
            outputs.push(Output::Warn(text));
            return outputs;
        }
        let decision = Arc::new(decision);
        table.open.insert(key.1, Open::new(Arc::clone(&decision), stream));
        outputs.push(Output::Ask(Ask { key, decision, refusal: None, refused: Vec::new() }));
        outputs
    }

    fn act_result(&mut self, result: ActResult) -> Vec<Output> {
        let key = (result.table_id.clone(), result.decision_id);
        let mut outputs: Vec<Output> = Vec::new();
        for catch in &result.refused_catches {
            let text = format!("catch of seat {} at {} refused: {}", catch.seat, place(&key), catch.message);
            outputs.push(Output::Info(text));
        }
        if let Some(table) = self.tables.get_mut(&key.0)
            && let Some(entry) = table.open.get_mut(&key.1)
            && let Some(act) = entry.act.clone()
        {
            entry.unjudged = entry.unjudged.saturating_sub(1);
            if result.accepted {
                outputs.extend(accepted(table, &key, &act, &result));
            } else if entry.unjudged == 0 {
                // Otherwise it is a verdict on what was sent before; that on the present answer follows.
                outputs.extend(refused(table, &key, &act, &result));
            }
        }
        outputs.extend(self.receipt(&key.0, result.receipt));
        outputs
    }

    fn decision_closed(&mut self, closed: DecisionClosed) -> Vec<Output> {
        let key = (closed.table_id.clone(), closed.decision_id);
        let mut outputs = Vec::new();
        if self.close(&key) {
            if closed.reason() == Reason::TurnExpired {
                outputs.push(Output::Warn(format!("no answer in time at {}", place(&key))));
            }
            outputs.push(Output::Withdraw(key));
        }
        outputs.extend(self.receipt(&closed.table_id, closed.receipt));
        outputs
    }

    fn table_events(&mut self, events: TableEvents) -> Vec<Output> {
        let table_id = events.table_id;
        let table = self.tables.entry(table_id.clone()).or_default();
        let mut outputs = Vec::new();
        for event in events.events {
            let seen = table.cursor.unwrap_or_default();
            if event.sequence <= seen {
                continue;
            }
            if table.cursor.is_some() && event.sequence != seen + 1 {
                let gap = format!("events {} to {} at table {table_id}", seen + 1, event.sequence - 1);
                if table.gap != Some(seen) {
                    table.gap = Some(seen);
                    self.broken = true;
                    outputs.push(Output::Warn(format!("{gap} did not come; reconnecting to have them")));
                    outputs.push(Output::Resume);
                    return outputs;
                }
                outputs.push(Output::Warn(format!("{gap} never came")));
            }
            table.cursor = Some(event.sequence);
            if event.event.is_some() {
                outputs.push(Output::Tell(Tell::Event(table_id.clone(), event)));
            }
        }
        outputs
    }

    fn table_snapshot(&mut self, snapshot: TableSnapshot) -> Vec<Output> {
        let table = self.tables.entry(snapshot.table_id.clone()).or_default();
        if table.cursor.is_some_and(|seen| snapshot.sequence < seen) {
            return Vec::new();
        }
        table.cursor = Some(snapshot.sequence);
        vec![Output::Tell(Tell::Snapshot(Box::new(snapshot)))]
    }

    fn table_closed(&mut self, closed: TableClosed) -> Vec<Output> {
        let table_id = closed.table_id.clone();
        let repeated = self.closed.contains(&table_id);
        let mut outputs = if repeated { Vec::new() } else { self.receipt(&table_id, closed.previous_receipt) };
        let table = self.tables.remove(&table_id);
        self.leaving.remove(&table_id);
        if let Some(table) = &table {
            outputs.extend(withdraw_all(&table_id, table));
        }
        if !repeated {
            let seat = table.and_then(|table| table.seat);
            outputs.extend(fault_texts(&closed, seat).into_iter().map(Output::Warn));
            outputs.push(Output::Info(result_text(&closed, seat)));
            outputs.push(Output::Tell(Tell::TableClosed(Box::new(closed))));
        }
        self.closed.insert(table_id.clone(), ());
        outputs.push(Output::Send(say(Said::TableClosedReceived(TableClosedReceived { table_id }))));
        outputs
    }

    fn message_refused(&mut self, refused: MessageRefused) -> Vec<Output> {
        let table_id = refused.table_id.clone();
        let about = if table_id.is_empty() { String::new() } else { format!(" about table {table_id}") };
        let name = protocol_reason_name(refused.reason);
        let mut outputs = vec![Output::Warn(format!("message{about} refused, {name}: {}", refused.message))];
        let reason = refused.reason();
        if table_id.is_empty() {
            // The last message of a stream that the server ends says why; its status may be lost to a failed write.
            let cause = ErrorCause { protocol_reason: refused.reason, ..ErrorCause::default() };
            self.farewell = Some((cause, refused.message));
        }
        match self.tables.get_mut(&table_id) {
            Some(table) if reason == ProtocolReason::CursorBeyondEnd => table.cursor = None,
            Some(table) if reason == ProtocolReason::UnknownTable => {
                outputs.extend(withdraw_all(&table_id, table));
                self.leaving.remove(&table_id);
                self.tables.remove(&table_id);
            }
            _ if refused.retry_after.is_some() => {
                outputs.push(Output::SendLater(span(refused.retry_after), table_id));
            }
            _ => {}
        }
        outputs
    }

    /// Drops an open decision; whether there was one.
    fn close(&mut self, key: &Key) -> bool {
        self.tables.get_mut(&key.0).is_some_and(|table| table.open.remove(&key.1).is_some())
    }

    /// Tells a receipt once, however often the server repeats it; its decision needs no thought any more.
    fn receipt(&mut self, table_id: &str, receipt: Option<Receipt>) -> Vec<Output> {
        let Some(receipt) = receipt else { return Vec::new() };
        if self.closed.contains(&table_id.to_owned()) && !self.tables.contains_key(table_id) {
            return Vec::new();
        }
        let table = self.tables.entry(table_id.to_owned()).or_default();
        if table.receipts.contains(&receipt.decision_id) {
            return Vec::new();
        }
        table.receipts.insert(receipt.decision_id, ());
        let key = (table_id.to_owned(), receipt.decision_id);
        let mut outputs = Vec::new();
        if self.close(&key) {
            outputs.push(Output::Withdraw(key));
        }
        outputs.push(Output::Tell(Tell::Receipt(table_id.to_owned(), receipt)));
        outputs
    }
}

/// Drops what a new decision shows to be closed, the news of it having been lost with an earlier stream.
///
/// A seat is asked one question of its turn at a time, and beside it one for a reaction.
fn outdated(table: &mut Table, decision: &Decision, stream: u64) -> Vec<Output> {
    let is_reaction = |decision: &Decision| decision.kind() == DecisionKind::Reaction;
    let of_kind = is_reaction(decision);
    let mut outputs = Vec::new();
    table.open.retain(|&number, entry| {
        let stays = entry.stream == stream || is_reaction(&entry.decision) != of_kind;
        if !stays {
            outputs.push(Output::Withdraw((decision.table_id.clone(), number)));
        }
        stays
    });
    outputs
}

/// A call or catch apart from the turn leaves it open; everything else closes the decision.
fn accepted(table: &mut Table, key: &Key, act: &Act, result: &ActResult) -> Vec<Output> {
    let Some(entry) = table.open.get_mut(&key.1).filter(|_| is_apart(act) && result.receipt.is_none()) else {
        table.open.remove(&key.1);
        return Vec::new();
    };
    entry.decision = Arc::new(after_apart(&entry.decision, act));
    entry.act = None;
    entry.apart += 1;
    if entry.apart < APART_MOST {
        return vec![ask(key, entry, None)];
    }
    let text = format!("{} calls and catches by themselves at {}; choose from legal_actions", entry.apart, place(key));
    vec![Output::Warn(text.clone()), ask(key, entry, Some(Refusal::before_sending(text)))]
}

fn refused(table: &mut Table, key: &Key, act: &Act, result: &ActResult) -> Vec<Output> {
    let name = match result.reason {
        0 => protocol_reason_name(result.protocol_reason),
        reason => reason_name(reason),
    };
    let text = format!("answer at {} refused, {name}: {}", place(key), result.message);
    if result.protocol_reason() == ProtocolReason::TooFast {
        return vec![Output::Warn(text), Output::SendLater(TOO_FAST, key.0.clone())];
    }
    if is_final(result) {
        table.open.remove(&key.1);
        return vec![Output::Info(text)];
    }
    let Some(entry) = table.open.get_mut(&key.1).filter(|_| result.refusals_left > 0) else {
        table.open.remove(&key.1);
        return vec![Output::Warn(text)];
    };
    if let Some(ActAnswer::Choice(choice)) = act.answer {
        entry.refused.push(choice as usize);
    }
    entry.act = None;
    let refusal = Refusal {
        message: result.message.clone(),
        reason: result.reason,
        protocol_reason: result.protocol_reason,
        refusals_left: result.refusals_left,
    };
    vec![Output::Warn(text), ask(key, entry, Some(refusal))]
}

/// Whether no other answer can mend a refusal. After all others, also unknown ones, the decision is still open.
fn is_final(result: &ActResult) -> bool {
    use ProtocolReason::{UnknownDecision, UnknownTable};
    use Reason::{Forbidden, MatchOver, NotYourTurn, RoundOver, SessionReplaced, StaleDecision, TurnExpired};
    let by_game = [NotYourTurn, StaleDecision, TurnExpired, RoundOver, MatchOver, Forbidden, SessionReplaced];
    by_game.map(i32::from).contains(&result.reason)
        || [UnknownTable, UnknownDecision].map(i32::from).contains(&result.protocol_reason)
}

/// Sends the answer of an open decision, once there is one.
fn put(entry: &mut Open) -> Vec<Output> {
    let Some(act) = &entry.act else { return Vec::new() };
    entry.unjudged += 1;
    vec![Output::Send(say(Said::Act(act.clone())))]
}

fn ask(key: &Key, entry: &Open, refusal: Option<Refusal>) -> Output {
    let (decision, refused) = (Arc::clone(&entry.decision), entry.refused.clone());
    Output::Ask(Ask { key: key.clone(), decision, refusal, refused })
}

fn withdraw_all(table_id: &str, table: &Table) -> Vec<Output> {
    table.open.keys().map(|&number| Output::Withdraw((table_id.to_owned(), number))).collect()
}

fn leave(table_id: &str) -> Output {
    Output::Send(say(Said::Leave(Leave { table_id: table_id.to_owned() })))
}

fn say(message: Said) -> ClientMessage {
    ClientMessage { message: Some(message) }
}

/// A duration of the wire; nothing for an absent or a negative one.
fn span(duration: Option<prost_types::Duration>) -> Duration {
    duration.and_then(|duration| Duration::try_from(duration).ok()).unwrap_or_default()
}

fn place(key: &Key) -> String {
    format!("decision {} of table {}", key.1, key.0)
}

#[cfg(test)]
mod tests;
