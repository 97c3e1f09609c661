//! Opening, decisions and their answers, refusals.

use super::*;
use crate::memory::KEPT_ANSWERS;
use crate::support::messages::*;
use crate::support::messages::{accepted, ask, refused, say, span}; // and not the session's own
use crate::v1::RefusedCatch;

mod streams;

/// A server and a bot, at the two ends of a session.
struct Other {
    session: Session,
}

impl Other {
    fn new() -> Self {
        Self::with(Hello { protocol_version: 1, bot_name: "me".into(), ..Hello::default() })
    }

    fn with(hello: Hello) -> Self {
        let mut other = Self { session: Session::new(hello) };
        other.reconnect();
        other
    }

    /// A new stream, with its welcome; returns the `Hello` that opened it.
    fn reconnect(&mut self) -> Hello {
        let opening = self.session.open_stream();
        self.hear([say(Heard::Welcome(welcome()))]);
        let Some(Said::Hello(hello)) = opening.message else { panic!("{opening:?}") };
        hello
    }

    fn hear(&mut self, messages: impl IntoIterator<Item = ServerMessage>) -> Vec<Output> {
        messages.into_iter().flat_map(|message| self.session.receive(message)).collect()
    }

    fn answer(&mut self, number: u32, choice: u32) -> Vec<Output> {
        self.answer_at("t", number, choice)
    }

    fn answer_at(&mut self, table: &str, number: u32, choice: u32) -> Vec<Output> {
        let act = Act { table_id: table.into(), ..act(number, choice) };
        self.session.answered(&(table.into(), number), act)
    }

    /// A call or catch by itself at decision 1.
    fn answer_apart(&mut self, text: &str) -> Vec<Output> {
        let act = Act { answer: Some(ActAnswer::Action(action(text))), ..act(1, 0) };
        self.session.answered(&("t".into(), 1), act)
    }
}

fn act(number: u32, choice: u32) -> Act {
    let answer = Some(ActAnswer::Choice(choice));
    Act { table_id: "t".into(), decision_id: number, answer, ..Act::default() }
}

fn sent(number: u32, choice: u32) -> Output {
    Output::Send(super::say(Said::Act(act(number, choice))))
}

fn told_receipt(number: u32) -> Output {
    Output::Tell(Tell::Receipt("t".into(), receipt(number)))
}

fn key(number: u32) -> Key {
    ("t".into(), number)
}

/// The questions among what is to be done.
fn asks(outputs: Vec<Output>) -> Vec<Ask> {
    let ask = |output| if let Output::Ask(ask) = output { Some(ask) } else { None };
    outputs.into_iter().filter_map(ask).collect()
}

fn warnings(outputs: &[Output]) -> Vec<&str> {
    fn text(output: &Output) -> Option<&str> {
        if let Output::Warn(text) = output { Some(text) } else { None }
    }
    outputs.iter().filter_map(text).collect()
}

#[test]
fn the_first_message_is_hello_without_cursors() {
    let hello = Hello { protocol_version: 1, bot_name: "me".into(), max_tables: 3, ..Hello::default() };
    let mut session = Session::new(hello.clone());
    assert_eq!(session.open_stream(), super::say(Said::Hello(hello)));
    assert!(!session.welcomed);
}

#[test]
fn a_welcome_opens_the_stream_and_tells_its_limits() {
    let mut session = Session::new(Hello::default());
    session.open_stream();
    let welcome =
        Welcome { server_version: "7".into(), max_frame_bytes: 99, heartbeat_interval: Some(span(1_500)), ..welcome() };
    let expected = Welcomed {
        bot_name: "me".into(),
        server_version: "7".into(),
        max_frame_bytes: 99,
        heartbeat_interval: Duration::from_millis(1_500),
    };
    assert_eq!(session.receive(say(Heard::Welcome(welcome))), [Output::Welcomed(expected)]);
    assert!(session.welcomed);
}

#[test]
fn a_server_that_does_not_begin_with_welcome_is_given_up() {
    for first in [seated("t"), heartbeat(1), asked(1)] {
        let mut session = Session::new(Hello::default());
        session.open_stream();
        assert!(matches!(&session.receive(first)[..], [Output::Fail(text)] if text.contains("welcome")));
    }
}

#[test]
fn a_protocol_of_another_version_is_given_up() {
    let mut session = Session::new(Hello::default());
    session.open_stream();
    let outputs = session.receive(say(Heard::Welcome(Welcome { protocol_version: 2, ..welcome() })));
    assert!(matches!(&outputs[..], [Output::Fail(text)] if text.contains("version 2; this client speaks 1")));
    assert!(!session.welcomed);
}

#[test]
fn messages_of_a_newer_server_are_ignored() {
    assert_eq!(Other::new().hear([ServerMessage::default()]), []);
}

#[test]
fn a_decision_without_legal_actions_is_not_put_to_the_bot() {
    let empty = Decision { legal_actions: Vec::new(), ..decision(1) };
    let outputs = Other::new().hear([ServerMessage { message: Some(Heard::Decision(empty)) }]);
    let text = "the server asked decision 1 of table t without any legal action; it stays unanswered";
    assert_eq!(outputs, [Output::Warn(text.to_owned())]);
}

#[test]
fn a_decision_is_put_to_the_bot_and_its_answer_sent() {
    let mut bot = Other::new();
    let asks = asks(bot.hear([seated("t"), asked(1)]));
    assert_eq!(asks.len(), 1);
    assert_eq!((&asks[0].key, &*asks[0].decision), (&key(1), &decision(1)));
    assert_eq!(bot.answer(1, 2), [sent(1, 2)]);
    assert_eq!(bot.hear([accepted(1)]), [told_receipt(1)]);
}

#[test]
fn decisions_of_many_tables_are_apart_from_each_other() {
    let mut bot = Other::new();
    bot.hear([asked_at("a", 1), asked_at("t", 1), asked_at("a", 2)]);
    assert_eq!(bot.answer(1, 1), [sent(1, 1)]);
    assert_eq!(bot.answer_at("a", 2, 2).len(), 1);
    bot.hear([accepted(1)]);
    assert_eq!(bot.answer_at("a", 1, 0).len(), 1);
}

#[test]
fn a_decision_repeated_while_the_bot_thinks_is_not_put_again() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    assert_eq!(bot.hear([asked(1)]), []);
    assert_eq!(bot.answer(1, 0), [sent(1, 0)]);
}

#[test]
fn a_repeated_decision_gets_the_same_answer_before_and_after_its_verdict() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 2);
    assert_eq!(bot.hear([asked(1)]), [sent(1, 2)]);
    bot.hear([accepted(1)]);
    assert_eq!(bot.hear([asked(1)]), [sent(1, 2)]);
}

#[test]
fn answers_that_nobody_waits_for_are_dropped() {
    let mut bot = Other::new();
    assert_eq!(bot.answer(7, 0), []);
    bot.hear([asked(1)]);
    bot.answer(1, 0);
    assert_eq!(bot.answer(1, 1), []);
    assert_eq!(bot.hear([accepted_apart(9), refused(9, Reason::CardNotPlayable, 2)]), []);
}

#[test]
fn answers_of_closed_decisions_are_kept_for_a_while() {
    let mut bot = Other::new();
    for number in 1..=KEPT_ANSWERS as u32 + 1 {
        bot.hear([asked(number)]);
        bot.answer(number, 1);
        bot.hear([accepted(number)]);
    }
    assert_eq!(bot.hear([asked(2)]), [sent(2, 1)]);
    assert_eq!(asks(bot.hear([asked(1)])).len(), 1);
}

#[test]
fn a_decision_that_was_closed_meanwhile_is_not_answered() {
    for (reason, late) in [(Reason::TurnExpired, true), (Reason::StaleDecision, false)] {
        let mut bot = Other::new();
        bot.hear([asked(1)]);
        let outputs = bot.hear([decision_closed(1, reason)]);
        assert!(outputs.contains(&Output::Withdraw(key(1))));
        assert!(outputs.contains(&told_receipt(1)));
        assert_eq!(warnings(&outputs).len(), usize::from(late));
        assert_eq!(bot.answer(1, 0), []);
        assert_eq!(bot.hear([decision_closed(1, reason)]), []);
    }
}

#[test]
fn a_refused_answer_is_put_to_the_bot_for_correction() {
    use ProtocolReason::{ChoiceOutOfRange, InvalidArgument};
    use Reason::{ActionNotAvailable, CardNotInHand, CardNotPlayable, ColorRequired, NotLiable, TargetRequired};
    let by_game = [CardNotInHand, CardNotPlayable, ColorRequired, TargetRequired, ActionNotAvailable, NotLiable];
    let by_transport = [ChoiceOutOfRange, InvalidArgument];
    let refusals = by_game.map(|reason| refused(1, reason, 2)).into_iter();
    for refusal in refusals.chain(by_transport.map(|reason| refused_by_transport(1, reason, 2))) {
        let mut bot = Other::new();
        bot.hear([asked(1)]);
        bot.answer(1, 1);
        let outputs = bot.hear([refusal]);
        assert!(warnings(&outputs)[0].ends_with("no, because"), "{outputs:?}");
        let ask = &asks(outputs)[0];
        let said = ask.refusal.as_ref().expect("a refusal");
        assert_eq!((&ask.key, &*ask.decision, &ask.refused[..]), (&key(1), &decision(1), &[1][..]));
        assert_eq!((said.message.as_str(), said.refusals_left), ("no, because", 2));
        assert_ne!(said.reason() == Reason::Unspecified, said.protocol_reason() == ProtocolReason::Unspecified);
        assert_eq!(bot.answer(1, 0), [sent(1, 0)]);
    }
}

#[test]
fn every_choice_that_was_refused_is_remembered() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 2);
    bot.hear([refused(1, Reason::CardNotPlayable, 2)]);
    bot.answer(1, 0);
    assert_eq!(asks(bot.hear([refused(1, Reason::CardNotPlayable, 1)]))[0].refused, [2, 0]);
}

#[test]
fn an_unknown_reason_of_a_newer_server_is_a_refusal() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 0);
    let outputs = bot.hear([say(Heard::ActResult(ActResult { reason: 99, refusals_left: 2, ..result(1) }))]);
    assert!(warnings(&outputs)[0].contains("reason 99"));
    assert_eq!(asks(outputs).len(), 1);
}

#[test]
fn the_last_refusal_closes_the_decision() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 0);
    let outputs = bot.hear([refused(1, Reason::CardNotPlayable, 0)]);
    assert_eq!((outputs.len(), warnings(&outputs).len()), (1, 1));
    assert_eq!(bot.answer(1, 1), []);
}

#[test]
fn what_no_other_answer_can_mend_is_dropped() {
    use ProtocolReason::{UnknownDecision, UnknownTable};
    use Reason::{Forbidden, MatchOver, NotYourTurn, RoundOver, SessionReplaced, StaleDecision, TurnExpired};
    for left in [0, 2] {
        let by_game = [StaleDecision, TurnExpired, RoundOver, MatchOver, Forbidden, NotYourTurn, SessionReplaced];
        let refusals = by_game.map(|reason| refused(1, reason, left)).into_iter();
        for refusal in
            refusals.chain([UnknownTable, UnknownDecision].map(|reason| refused_by_transport(1, reason, left)))
        {
            let mut bot = Other::new();
            bot.hear([asked(1)]);
            bot.answer(1, 0);
            assert!(matches!(&bot.hear([refusal])[..], [Output::Info(_)]));
            assert_eq!(bot.answer(1, 1), []);
        }
    }
}

#[test]
fn a_verdict_on_what_was_sent_twice_is_not_taken_for_one_on_the_correction() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 1);
    assert_eq!(bot.hear([asked(1)]), [sent(1, 1)]);
    assert_eq!(bot.hear([refused(1, Reason::CardNotPlayable, 2)]), []);
    assert_eq!(asks(bot.hear([refused(1, Reason::CardNotPlayable, 2)])).len(), 1);
}

#[test]
fn an_answer_that_came_too_fast_is_said_again_later() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 2);
    let outputs = bot.hear([refused_by_transport(1, ProtocolReason::TooFast, 0)]);
    assert_eq!(outputs[1], Output::SendLater(Duration::from_millis(200), "t".into()));
    assert_eq!(bot.session.resend("t"), [sent(1, 2)]);
    assert_eq!(bot.session.resend("t"), []);
    assert_eq!(bot.hear([accepted(1)]), [told_receipt(1)]);
}

#[test]
fn a_refused_catch_is_noted_and_nothing_else() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer(1, 0);
    let catch = RefusedCatch { seat: 3, reason: Reason::NotLiable.into(), message: "nobody can".into() };
    let verdict = ActResult { accepted: true, receipt: Some(receipt(1)), refused_catches: vec![catch], ..result(1) };
    let outputs = bot.hear([say(Heard::ActResult(verdict))]);
    assert!(matches!(&outputs[0], Output::Info(text) if text.contains("seat 3") && text.contains("nobody can")));
    assert_eq!(outputs[1..], [told_receipt(1)]);
}

#[test]
fn a_call_or_catch_by_itself_leaves_the_turn_open() {
    for (text, called, catchable) in [("uno", vec![0, 1], vec![1]), ("catch 1", vec![1], vec![])] {
        let mut bot = Other::new();
        let mut question = decision(1);
        let seen = question.view.as_mut().expect("a view");
        (seen.called_seats, seen.catchable_seats) = (vec![1], vec![1]);
        bot.hear([ask(question)]);
        bot.answer_apart(text);
        let asked = &asks(bot.hear([accepted_apart(1)]))[0];
        let seen = asked.decision.view.as_ref().expect("a view");
        assert_eq!((&seen.called_seats, &seen.catchable_seats), (&called, &catchable));
        assert_eq!(asked.decision.legal_actions, decision(1).legal_actions);
        assert_eq!(bot.answer(1, 0), [sent(1, 0)]);
        bot.hear([accepted(1)]);
        assert_eq!(bot.answer(1, 0), []);
    }
}

#[test]
fn a_bot_that_calls_for_ever_is_told_to_play() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    let mut refusals = Vec::new();
    for _ in 0..APART_MOST {
        bot.answer_apart("uno");
        refusals.extend(asks(bot.hear([accepted_apart(1)])).into_iter().map(|ask| ask.refusal));
    }
    assert_eq!(refusals[..2], [None, None]);
    assert!(refusals[2].as_ref().is_some_and(|refusal| refusal.message.contains("choose from legal_actions")));
}

#[test]
fn a_refused_call_leaves_all_choices() {
    let mut bot = Other::new();
    bot.hear([asked(1)]);
    bot.answer_apart("uno");
    let asks = asks(bot.hear([refused(1, Reason::ActionNotAvailable, 2)]));
    assert!(asks[0].refused.is_empty());
}

#[test]
fn a_chosen_reaction_closes_its_decision_even_without_a_receipt() {
    let mut bot = Other::new();
    bot.hear([ask(reaction(1, "uno, pass"))]);
    bot.answer(1, 0);
    assert_eq!(bot.hear([accepted_apart(1)]), []);
    assert_eq!(bot.answer(1, 1), []);
}
