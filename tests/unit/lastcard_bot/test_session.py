"""The session as a state machine: what the server says in, what is to be done out."""

import pytest

from bot_messages import (
    REACTION,
    accepted,
    action,
    asked,
    decision,
    decision_closed,
    draining,
    events,
    heartbeat,
    message_refused,
    refused,
    seated,
    snapshot,
    table_closed,
    view,
    welcome,
)
from lastcard.v1.play_service_pb2 import ClientMessage, Hello, NoticeKind, ServerMessage
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.table_pb2 import Act
from lastcard_bot.memory import KEPT_ANSWERS
from lastcard_bot.outputs import Ask, Drain, Fail, Log, Resume, Send, SendLater, Tell, Welcomed, Withdraw
from lastcard_bot.session import (
    APART_MOST,
    KEPT_TABLES,
    TOO_FAST_S,
    Session,
)

KEY = ("t", 1)


def act(number: int = 1, choice: int = 0, table: str = "t") -> Act:
    return Act(table_id=table, decision_id=number, choice=choice)


def apart(text: str, number: int = 1) -> Act:
    return Act(table_id="t", decision_id=number, action=action(text))


class Other:
    """A server and a bot, at the two ends of a session: everything that was to be done stands in `done`."""

    def __init__(self, **hello) -> None:
        self.session = Session(Hello(protocol_version=1, bot_name="me", **hello))
        self.hello = self.reconnect()

    def reconnect(self, **fields) -> Hello:
        """A new stream, with its welcome; returns the `Hello` that opened it."""
        opening = self.session.open_stream()
        self.hear(welcome(**fields))
        return opening.hello

    def hear(self, *messages: ServerMessage) -> list:
        return [output for message in messages for output in self.session.receive(message)]

    def answer(self, number: int = 1, choice: int = 0, table: str = "t") -> list:
        return self.session.answered((table, number), act(number, choice, table))

    def say(self, *messages: ServerMessage) -> list:
        """The messages that go out, and nothing else, as a reply to those that come in."""
        return [output.message for output in self.hear(*messages) if isinstance(output, Send)]


@pytest.fixture
def bot() -> Other:
    return Other()


def tells(outputs: list, hook: str) -> list:
    return [output.arguments for output in outputs if isinstance(output, Tell) and output.hook == hook]


def serious(outputs: list) -> list[Log]:
    return [output for output in outputs if isinstance(output, Log) and output.serious]


def kinds(outputs: list) -> list[str]:
    return [type(output).__name__ for output in outputs]


# ------------------------------------------------------------------ opening


def test_the_first_message_is_hello_without_cursors():
    session = Session(Hello(protocol_version=1, bot_name="me", max_tables=3))
    opening = session.open_stream()
    assert opening == ClientMessage(hello=Hello(protocol_version=1, bot_name="me", max_tables=3))
    assert not session.welcomed


def test_a_welcome_opens_the_stream_and_tells_its_limits():
    session = Session(Hello(protocol_version=1))
    session.open_stream()
    message = welcome(server_version="7", max_frame_bytes=99)
    message.welcome.heartbeat_interval.FromMilliseconds(1_500)
    assert session.receive(message) == [Welcomed("me", "7", 99, 1.5)]
    assert session.welcomed


@pytest.mark.parametrize("first", [seated(), heartbeat(1), asked()], ids=["seated", "heartbeat", "decision"])
def test_a_server_that_does_not_begin_with_welcome_is_given_up(first):
    session = Session(Hello(protocol_version=1))
    session.open_stream()
    [fail] = session.receive(first)
    assert isinstance(fail, Fail)
    assert "must begin with 'welcome'" in fail.sentence
    assert repr(first.WhichOneof("message")) in fail.sentence


def test_a_protocol_of_another_version_is_given_up():
    session = Session(Hello(protocol_version=1))
    session.open_stream()
    [fail] = session.receive(welcome(protocol_version=2))
    assert isinstance(fail, Fail)
    assert "version 2" in fail.sentence
    assert "speaks 1" in fail.sentence
    assert not session.welcomed


def test_messages_of_a_newer_server_are_ignored(bot):
    assert bot.hear(ServerMessage()) == []


# ------------------------------------------------------------------ decisions and answers


def test_a_decision_is_put_to_the_bot_and_its_answer_sent(bot):
    outputs = bot.hear(seated(), asked(1))
    assert tells(outputs, "on_seated") == [(seated().seated,)]
    assert outputs[-1] == Ask(KEY, decision(1))
    assert bot.answer(1, 2) == [Send(ClientMessage(act=act(1, 2)))]
    assert bot.hear(accepted(1)) == [Tell("on_receipt", ("t", accepted(1).act_result.receipt))]


def test_a_decision_without_legal_actions_is_not_put_to_the_bot(bot):
    message = asked()
    del message.decision.legal_actions[:]
    text = "the server asked decision 1 of table t without any legal action; it stays unanswered"
    assert bot.session.receive(message) == [Log(text, serious=True)]


def test_the_bot_keeps_what_it_was_asked_when_the_frame_is_gone(bot):
    message = asked(1)
    [ask] = bot.hear(message)
    message.decision.view.pile_count = 99
    assert ask.decision == decision(1)


def test_decisions_of_many_tables_are_apart_from_each_other(bot):
    bot.hear(asked(1, table="a"), asked(1, table="b"), asked(2, table="a"))
    assert bot.answer(1, 1, "b") == [Send(ClientMessage(act=act(1, 1, "b")))]
    assert bot.answer(2, 2, "a") == [Send(ClientMessage(act=act(2, 2, "a")))]
    assert bot.hear(accepted(1, "b"))
    assert bot.answer(1, 0, "a") == [Send(ClientMessage(act=act(1, 0, "a")))]


def test_a_decision_repeated_while_the_bot_thinks_is_not_put_again(bot):
    bot.hear(asked(1))
    assert bot.hear(asked(1)) == []
    assert len(bot.answer(1)) == 1


@pytest.mark.parametrize("judged", [False, True], ids=["before-the-verdict", "after-it"])
def test_a_repeated_decision_gets_the_same_answer(bot, judged):
    bot.hear(asked(1))
    bot.answer(1, 2)
    if judged:
        bot.hear(accepted(1))
    assert bot.hear(asked(1)) == [Send(ClientMessage(act=act(1, 2)))]


def test_a_second_answer_of_the_bot_is_dropped(bot):
    bot.hear(asked(1))
    bot.answer(1, 0)
    assert bot.answer(1, 1) == []


def test_an_answer_to_what_was_never_asked_is_dropped(bot):
    assert bot.answer(7) == []


def test_verdicts_on_what_is_not_open_change_nothing(bot):
    assert bot.hear(accepted(9, receipt=False), refused(9)) == []


def test_answers_of_closed_decisions_are_kept_for_a_while(bot):
    for number in range(1, KEPT_ANSWERS + 2):
        bot.hear(asked(number))
        bot.answer(number, 1)
        bot.hear(accepted(number))
    assert bot.say(asked(2)) == [ClientMessage(act=act(2, 1))]
    assert kinds(bot.hear(asked(1))) == ["Ask"]


@pytest.mark.parametrize("reason", ["TURN_EXPIRED", "STALE_DECISION"])
def test_a_decision_that_was_closed_meanwhile_is_not_answered(bot, reason):
    bot.hear(asked(1))
    outputs = bot.hear(decision_closed(1, reason))
    assert outputs[0] == Withdraw(KEY)
    assert any(isinstance(output, Log) and output.serious for output in outputs) == (reason == "TURN_EXPIRED")
    assert tells(outputs, "on_receipt") == [("t", decision_closed(1, reason).decision_closed.receipt)]
    assert bot.answer(1) == []


def test_the_close_of_a_decision_that_is_not_open_is_nothing_to_speak_of(bot):
    assert bot.hear(decision_closed(4, receipt=False)) == []


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    "reason",
    [
        "CARD_NOT_IN_HAND",
        "CARD_NOT_PLAYABLE",
        "COLOR_REQUIRED",
        "TARGET_REQUIRED",
        "ACTION_NOT_AVAILABLE",
        "NOT_LIABLE",
        "CHOICE_OUT_OF_RANGE",
        "INVALID_ARGUMENT",
    ],
)
def test_a_refused_answer_is_put_to_the_bot_for_correction(bot, reason):
    bot.hear(asked(1))
    bot.answer(1, 1)
    log, ask = bot.hear(refused(1, reason, left=2))
    assert log.serious
    assert reason in log.text
    assert "no, because" in log.text
    assert (ask.key, ask.decision, ask.refused) == (KEY, decision(1), (1,))
    assert (ask.refusal.message, ask.refusal.refusals_left) == ("no, because", 2)
    assert (ask.refusal.reason == 0) == (reason in ("CHOICE_OUT_OF_RANGE", "INVALID_ARGUMENT"))
    assert bot.answer(1, 0) == [Send(ClientMessage(act=act(1, 0)))]


def test_every_choice_that_was_refused_is_remembered(bot):
    bot.hear(asked(1))
    for choice in (2, 0):
        bot.answer(1, choice)
        ask = bot.hear(refused(1))[-1]
    assert ask.refused == (2, 0)


def test_an_unknown_reason_of_a_newer_server_is_a_refusal(bot):
    message = refused(1)
    message.act_result.reason = 99
    bot.hear(asked(1))
    bot.answer(1)
    log, ask = bot.hear(message)
    assert "reason 99" in log.text
    assert isinstance(ask, Ask)


@pytest.mark.parametrize("reason", ["CARD_NOT_PLAYABLE", "CHOICE_OUT_OF_RANGE"])
def test_the_last_refusal_closes_the_decision(bot, reason):
    bot.hear(asked(1))
    bot.answer(1)
    [log] = bot.hear(refused(1, reason, left=0))
    assert log.serious
    assert bot.answer(1, 1) == []


@pytest.mark.parametrize("left", [0, 2])
@pytest.mark.parametrize(
    "reason",
    [
        "STALE_DECISION",
        "TURN_EXPIRED",
        "ROUND_OVER",
        "MATCH_OVER",
        "FORBIDDEN",
        "NOT_YOUR_TURN",
        "UNKNOWN_TABLE",
        "UNKNOWN_DECISION",
    ],
)
def test_what_no_other_answer_can_mend_is_dropped(bot, reason, left):
    bot.hear(asked(1))
    bot.answer(1)
    [log] = bot.hear(refused(1, reason, left=left))
    assert reason in log.text
    assert not log.serious
    assert bot.answer(1, 1) == []


def test_a_verdict_on_what_was_sent_twice_is_not_taken_for_one_on_the_correction(bot):
    bot.hear(asked(1))
    bot.answer(1, 1)
    assert bot.say(asked(1)) == [ClientMessage(act=act(1, 1))]
    assert bot.hear(refused(1)) == []
    assert kinds(bot.hear(refused(1))) == ["Log", "Ask"]


def test_an_answer_that_came_too_fast_is_said_again_later(bot):
    bot.hear(asked(1))
    bot.answer(1, 2)
    outputs = bot.hear(refused(1, "TOO_FAST", left=0))
    assert outputs[1] == SendLater(TOO_FAST_S, "t")
    assert bot.session.resend("t") == [Send(ClientMessage(act=act(1, 2)))]
    assert bot.session.resend("t") == []
    assert tells(bot.hear(accepted(1)), "on_receipt")


def test_a_refused_catch_is_noted_and_nothing_else(bot):
    bot.hear(asked(1))
    bot.answer(1)
    message = accepted(1)
    message.act_result.refused_catches.add(seat=3, reason=Reason.REASON_NOT_LIABLE, message="nobody can")
    log, tell = bot.hear(message)
    assert (log.serious, tell.hook) == (False, "on_receipt")
    assert "seat 3" in log.text
    assert "nobody can" in log.text


# ------------------------------------------------------------------ calls and catches by themselves


@pytest.mark.parametrize(
    ("text", "called", "catchable"),
    [("uno", [0, 1], [1]), ("catch 1", [1], [])],
    ids=["C53-call", "C56-catch"],
)
def test_a_call_or_catch_by_itself_leaves_the_turn_open(bot, text, called, catchable):
    seen = view("R1 R2", called_seats=[1], catchable_seats=[1])
    bot.hear(asked(1, seen=seen))
    bot.session.answered(KEY, apart(text))
    [ask] = bot.hear(accepted(1, receipt=False))
    assert list(ask.decision.view.called_seats) == called
    assert list(ask.decision.view.catchable_seats) == catchable
    assert ask.decision.legal_actions == decision(1).legal_actions
    assert bot.answer(1, 0) == [Send(ClientMessage(act=act(1, 0)))]
    bot.hear(accepted(1))
    assert bot.answer(1) == []


def test_a_bot_that_calls_for_ever_is_told_to_play(bot):
    bot.hear(asked(1))
    asks = []
    for _ in range(APART_MOST):
        bot.session.answered(KEY, apart("uno"))
        asks.append(bot.hear(accepted(1, receipt=False))[-1])
    assert [ask.refusal is not None for ask in asks] == [False] * (APART_MOST - 1) + [True]
    assert "legal_actions" in asks[-1].refusal.message
    assert list(asks[-1].decision.view.called_seats) == [0]


def test_a_refused_call_leaves_all_choices(bot):
    bot.hear(asked(1))
    bot.session.answered(KEY, apart("uno"))
    assert bot.hear(refused(1, "ACTION_NOT_AVAILABLE"))[-1].refused == ()


def test_a_chosen_reaction_closes_its_decision_even_without_a_receipt(bot):
    bot.hear(asked(1, "uno", "pass", kind=REACTION))
    bot.answer(1, 0)
    assert bot.hear(accepted(1, receipt=False)) == []
    assert bot.answer(1, 1) == []


# ------------------------------------------------------------------ receipts


def test_a_receipt_is_told_once_however_often_it_comes(bot):
    bot.hear(asked(1))
    bot.answer(1)
    outputs = bot.hear(accepted(1), asked(2, receipt=1), decision_closed(2), table_closed(receipt=2))
    assert [receipt.decision_id for _, receipt in tells(outputs, "on_receipt")] == [1, 2]


def test_a_receipt_that_comes_with_seated_after_a_reconnect_ends_the_thinking(bot):
    bot.hear(asked(1))
    bot.reconnect()
    message = seated(resumed=True)
    message.seated.previous_receipt.decision_id = 1
    outputs = bot.hear(message)
    assert Withdraw(KEY) in outputs
    assert bot.answer(1) == []


def test_receipts_of_a_closed_table_are_not_told_again(bot):
    bot.hear(table_closed(receipt=4))
    assert tells(bot.hear(table_closed(receipt=5), decision_closed(6)), "on_receipt") == []


# ------------------------------------------------------------------ events and cursors


def test_events_are_told_once_and_in_order(bot):
    outputs = bot.hear(seated(), events(1, 2), events(2, 3), events(3))
    assert [(table, event.sequence) for table, event in tells(outputs, "on_event")] == [("t", 1), ("t", 2), ("t", 3)]
    assert serious(outputs) == []


def test_a_gap_in_the_numbers_is_closed_by_coming_back(bot):
    outputs = bot.hear(seated(), events(1, 2), events(5))
    [log] = serious(outputs)
    assert "3 to 4" in log.text
    assert outputs[-1] == Resume()
    assert bot.hear(events(6), asked(1), table_closed()) == [], "what comes behind a gap is not taken"
    assert [cursor.last_sequence for cursor in bot.reconnect().cursors] == [2]
    outputs = bot.hear(seated(resumed=True), events(3, 4, 5), asked(1))
    assert [event.sequence for _, event in tells(outputs, "on_event")] == [3, 4, 5]
    assert serious(outputs) == []


def test_a_gap_that_stays_is_said_and_play_goes_on(bot):
    bot.hear(seated(), events(1, 2), events(5))
    bot.reconnect()
    outputs = bot.hear(seated(resumed=True), events(5, 6))
    [log] = serious(outputs)
    assert "3 to 4" in log.text
    assert "never came" in log.text
    assert [event.sequence for _, event in tells(outputs, "on_event")] == [5, 6]
    assert Resume() in bot.hear(events(9)), "another gap is another matter"


def test_unknown_events_count_and_are_not_told(bot):
    message = events(1, 2)
    message.table_events.events[0].ClearField("turn_started")
    assert [event.sequence for _, event in tells(bot.hear(seated(), message), "on_event")] == [2]


def test_a_hello_names_the_last_number_of_each_table(bot):
    bot.hear(seated("a"), events(1, 2, table="a"), seated("b"), seated("c", last_sequence=9), snapshot(9, "d"))
    cursors = {cursor.table_id: cursor.last_sequence for cursor in bot.reconnect().cursors}
    assert cursors == {"a": 2, "b": 0, "d": 9}, "c joined in the middle and has seen nothing: it wants a snapshot"


def test_a_bot_without_events_names_no_cursors():
    bot = Other(decisions_only=True)
    bot.hear(seated(), events(1))
    assert list(bot.reconnect().cursors) == []


def test_a_snapshot_stands_for_the_events_before_it(bot):
    bot.hear(seated(), events(1, 2))
    assert tells(bot.hear(snapshot(8)), "on_snapshot") == [(snapshot(8).table_snapshot,)]
    assert tells(bot.hear(events(8, 9)), "on_event")[0][1].sequence == 9
    assert bot.hear(snapshot(4)) == []


def test_a_cursor_beyond_the_end_is_dropped_and_the_snapshot_counts(bot):
    bot.hear(seated(), events(*range(1, 9)))
    bot.hear(message_refused("CURSOR_BEYOND_END", "t"))
    assert tells(bot.hear(snapshot(3)), "on_snapshot")
    assert [cursor.last_sequence for cursor in bot.reconnect().cursors] == [3]


# ------------------------------------------------------------------ streams that break


def test_a_seat_is_told_once_over_all_streams(bot):
    assert tells(bot.hear(seated(), seated()), "on_seated") == [(seated().seated,)]
    bot.reconnect()
    assert bot.hear(seated(resumed=True)) == []


def test_an_answer_given_while_disconnected_waits_until_it_is_asked_again(bot):
    bot.hear(asked(1))
    bot.session.open_stream()
    assert bot.answer(1, 2) == []
    bot.hear(welcome())
    assert bot.say(seated(resumed=True), asked(1)) == [ClientMessage(act=act(1, 2))]


def test_an_answer_to_what_the_new_stream_does_not_ask_is_not_sent(bot):
    bot.hear(asked(1))
    bot.reconnect()
    assert bot.answer(1) == []
    assert bot.session.resend("") == []


def test_a_decision_asked_again_on_a_new_stream_is_thought_about_once(bot):
    bot.hear(asked(1))
    bot.reconnect()
    assert bot.hear(asked(1)) == []
    assert bot.answer(1) == [Send(ClientMessage(act=act(1)))]


def test_what_was_closed_while_the_bot_was_away_is_not_thought_about_any_more(bot):
    """Of two closed decisions the server tells the last receipt alone; the next question shows that both are closed."""
    bot.hear(seated(), asked(1), asked(2, kind=REACTION))
    bot.reconnect()
    outputs = bot.hear(seated(resumed=True), asked(4, kind=REACTION))
    assert kinds(outputs) == ["Withdraw", "Ask"]
    assert outputs[0] == Withdraw(("t", 2))
    outputs = bot.hear(asked(3))
    assert kinds(outputs) == ["Withdraw", "Ask"]
    assert outputs[0] == Withdraw(("t", 1))
    assert bot.answer(1) == []
    assert len(bot.answer(3)) == len(bot.answer(4)) == 1


def test_a_decision_asked_again_on_a_new_stream_is_not_outdated_by_another_kind(bot):
    bot.hear(seated(), asked(1), asked(2, kind=REACTION))
    bot.reconnect()
    outputs = bot.hear(seated(resumed=True), asked(1), asked(2, kind=REACTION))
    assert outputs == []
    assert len(bot.answer(1)) == len(bot.answer(2)) == 1


def test_a_restart_of_the_server_is_said_and_told(bot):
    notice = ServerMessage()
    notice.notice.table_id, notice.notice.kind = "t", NoticeKind.NOTICE_KIND_RECOVERED
    outputs = bot.hear(notice)
    assert outputs[0] == Log("the server was restarted and goes on with table t")
    assert tells(outputs, "on_notice") == [(notice.notice,)]


def test_an_answer_whose_verdict_was_lost_is_sent_again_and_judged(bot):
    bot.hear(asked(1))
    bot.answer(1, 1)
    bot.reconnect()
    assert bot.say(asked(1)) == [ClientMessage(act=act(1, 1))]
    assert kinds(bot.hear(refused(1))) == ["Log", "Ask"], "the lost verdict is not waited for"


def test_the_resume_secret_is_kept_until_the_server_forgets_it():
    bot = Other()
    bot.reconnect(resume_secret="one")
    bot.reconnect()
    assert bot.session.secret == "one"
    bot.hear(asked(1), table_closed("old"))
    bot.session.leave("t")
    assert bot.session.forget() == [Withdraw(KEY)]
    assert bot.say(seated()) == [], "another session's table of the same name is not left"
    assert bot.session.secret == ""
    assert tells(bot.hear(table_closed("old")), "on_table_closed"), "nor is its end left out"


def test_a_table_that_the_server_does_not_know_is_dropped(bot):
    bot.hear(seated(), asked(1), events(1))
    bot.session.leave("t")
    bot.reconnect()
    outputs = bot.hear(message_refused("UNKNOWN_TABLE", "t"))
    assert Withdraw(KEY) in outputs
    assert bot.session.tables == ()
    assert list(bot.reconnect().cursors) == []
    assert bot.say(seated()) == []


# ------------------------------------------------------------------ leaving


def test_a_table_is_left_for_good(bot):
    bot.hear(seated())
    [send] = bot.session.leave("t")
    assert send.message.leave.table_id == "t"
    bot.reconnect()
    assert [message.leave.table_id for message in bot.say(seated(resumed=True))] == ["t"]
    bot.hear(table_closed())
    assert bot.say(seated()) == []


def test_leaving_while_disconnected_is_said_on_the_next_stream(bot):
    bot.hear(seated())
    bot.session.open_stream()
    assert bot.session.leave("t") == []
    bot.hear(welcome())
    assert [message.leave.table_id for message in bot.say(seated(resumed=True))] == ["t"]


def test_a_table_without_a_seat_cannot_be_left(bot):
    assert bot.session.leave("nowhere") == []


def test_a_leave_that_came_too_fast_is_said_again_after_the_time_given(bot):
    bot.hear(seated())
    bot.session.leave("t")
    assert bot.hear(message_refused("TOO_FAST", "t", retry_ms=250))[1] == SendLater(0.25, "t")
    [send] = bot.session.resend("t")
    assert send.message.leave.table_id == "t"


def test_nothing_is_said_again_before_the_welcome(bot):
    bot.hear(seated(), asked(1))
    bot.session.leave("t")
    bot.session.open_stream()
    assert bot.session.resend("t") == bot.session.resend("") == []


# ------------------------------------------------------------------ ends


def test_the_end_of_a_table_is_told_once_and_acknowledged_each_time(bot):
    bot.hear(seated(), asked(1))
    first, again = bot.hear(table_closed()), bot.hear(table_closed())
    assert kinds(first) == ["Withdraw", "Log", "Tell", "Send"]
    assert [output.message.table_closed_received.table_id for output in again] == ["t"]
    assert bot.session.tables == ()
    assert bot.answer(1) == []


def test_seat_result_and_own_faults_are_said_once(bot):
    over = table_closed()
    over.table_closed.result.places.extend([2, 1])
    over.table_closed.result.points.extend([0, 31])
    for seat in (0, 1):
        over.table_closed.result.faults.add(seat=seat, kind=1, evidence=f"seat {seat} slept")
    outputs = bot.hear(seated(), seated(), over, over)
    assert [(log.text, log.serious) for log in outputs if isinstance(log, Log)] == [
        ("seated at table t, seat 0", False),
        ("table t, fault TIMEOUT: seat 0 slept", True),
        ("table t is over: place 2 of 2, 0 points (all: 0 31)", False),
    ]


def test_closed_tables_are_remembered_for_a_while(bot):
    for number in range(KEPT_TABLES + 1):
        bot.hear(table_closed(f"t{number}"))
    assert tells(bot.hear(table_closed("t1")), "on_table_closed") == []
    assert len(tells(bot.hear(table_closed("t0")), "on_table_closed")) == 1


def test_a_heartbeat_is_answered_with_its_number(bot):
    assert [message.heartbeat_reply.number for message in bot.say(heartbeat(4), heartbeat(5))] == [4, 5]


def test_draining_holds_for_its_stream(bot):
    assert bot.hear(draining()) == [Drain(1.5)]
    assert bot.session.draining
    bot.reconnect()
    assert not bot.session.draining


def test_the_last_message_of_a_stream_may_say_why_it_ends(bot):
    [log] = bot.hear(message_refused("SESSION_REPLACED"))
    assert "SESSION_REPLACED" in log.text
    assert bot.session.farewell.protocol_reason == ProtocolReason.PROTOCOL_REASON_SESSION_REPLACED
    assert bot.session.farewell_text == "no, because"
    bot.hear(heartbeat(1))
    assert (bot.session.farewell, bot.session.farewell_text) == (None, ""), "it was not the last"


def test_a_stream_may_be_refused_before_its_welcome():
    session = Session(Hello(protocol_version=1))
    session.open_stream()
    assert kinds(session.receive(message_refused("UNAUTHENTICATED"))) == ["Log"]
    session.open_stream()
    assert session.farewell is None


def test_a_refusal_about_a_table_does_not_end_the_stream(bot):
    bot.hear(message_refused("UNKNOWN_TABLE", "nowhere"))
    assert bot.session.farewell is None


def test_notices_are_told(bot):
    message = ServerMessage()
    message.notice.table_id = "t"
    assert bot.hear(message) == [Tell("on_notice", (message.notice,))]
