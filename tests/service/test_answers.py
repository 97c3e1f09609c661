"""Answers of every kind at decisions of every kind, over the wire: repeated, back to back, wrong, late, after the end.

Cases A35, A38, A42, A43, A45, A46, A47.
"""

import shutil
from collections import Counter, deque
from random import Random

import grpc
import pytest

from lastcard.rules.actions import Action, Kind
from lastcard.rules.apply import apply
from lastcard.rules.cards import TEXT
from lastcard.rules.reasons import Refused
from lastcard.table.effects import FaultKind
from lastcard.table.seats import SeatStatus
from lastcard.v1 import reason_pb2, table_pb2
from lastcard.v1 import table_service_pb2 as tp
from service_client import EVERYTHING, BotStream, bearer, connection, plan, refused, tables_stub
from waiting import until

ALL_KINDS = {"TURN", "DRAWN_CARD", "PENALTY", "COLOR", "REACTION"}
OFTEN = 3
"""How often each kind of decision is to come up."""

STALE = {8, 10, 11}
"""STALE_DECISION, ROUND_OVER, MATCH_OVER: a decision that is closed."""


def kind_of(decision):
    return table_pb2.DecisionKind.Name(decision.kind).removeprefix("DECISION_KIND_")


def act_on(decision, **fields):
    return {"act": {"table_id": decision.table_id, "decision_id": decision.decision_id, **fields}}


class Asked:
    """A stream's decisions, none of which is lost while verdicts on another are waited for."""

    def __init__(self, stream):
        self.stream = stream
        self._waiting = deque()

    async def next(self):
        """The next decision or end of a table."""
        if self._waiting:
            return self._waiting.popleft()
        return await self.stream.expect("decision", "table_closed")

    async def verdicts(self, decision, count):
        """So many verdicts on a decision."""
        found = []
        while len(found) < count:
            message = await self.stream.expect("decision", "table_closed", "act_result")
            if not message.HasField("act_result"):
                self._waiting.append(message)
            elif message.act_result.decision_id == decision.decision_id:
                found.append(message.act_result)
        return found


async def until_all_kinds(arena, stream, do, *, sealed, most=60):
    """Plays matches and calls `do` for each decision, which answers it; until every kind has come up often enough."""
    done, asked = Counter(), Asked(stream)
    for number in range(most):
        seats = ("me", "+random", "+greedy")[: 2 + number % 2]
        table_id = arena.open_table(plan(*seats, options=EVERYTHING, sealed=sealed, rules="official"))
        while True:
            message = await asked.next()
            if message.HasField("table_closed"):
                if message.table_closed.table_id == table_id:
                    break
            else:
                done[kind_of(message.decision)] += 1
                await do(arena.host.tables[table_id], message.decision, asked)
        assert not arena.host.tables[table_id].faults
        if set(done) == ALL_KINDS and min(done.values()) >= OFTEN:
            return
    raise AssertionError(f"not all kinds came up: {done}")


@pytest.mark.parametrize("frames", ["one frame", "several"])
@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
async def test_a42_a43_repeated_and_back_to_back_answers_take_effect_once(arena, bot, sealed, frames):
    """The answer, the same again, another one, and the first again: one effect, one verdict, no refusal counted."""
    stream = bot()
    await stream.hello("me")
    rng, tried = Random(7), Counter()

    async def answer(table, decision, asked):  # noqa: ARG001 - one shape for all
        count = len(decision.legal_actions)
        first = rng.randrange(count)
        if tried[kind_of(decision)] == OFTEN:
            # Answers to what is closed are counted, as a flood is.
            await stream.act(decision, first)
            await asked.verdicts(decision, 1)
            return
        tried[kind_of(decision)] += 1
        acts = [act_on(decision, choice=first), act_on(decision, choice=first)]
        acts.append(act_on(decision, choice=(first + 1) % count, call_uno=True))
        acts.append(act_on(decision, choice=first))
        if frames == "several":
            for act in acts:
                await stream.send(act)
        else:
            await stream.send(*acts)
        verdicts = await asked.verdicts(decision, len(acts))
        if not verdicts[0].accepted:
            # Somebody else was first: then all of them are told so.
            assert {verdict.reason for verdict in verdicts} <= STALE
            return
        assert verdicts[1] == verdicts[3] == verdicts[0]
        assert (verdicts[2].accepted, verdicts[2].reason in STALE) == (False, True)

    await until_all_kinds(arena, stream, answer, sealed=sealed)
    numbers = Counter((events.table_id, event.sequence) for events in tables_events(stream) for event in events.events)
    assert set(numbers.values()) == {1}


def tables_events(stream):
    return [message.table_events for message in stream.heard if message.HasField("table_events")]


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
async def test_a45_a47_each_wrong_answer_has_the_reason_of_the_rules_and_changes_nothing(arena, bot, sealed):
    """Random nonsense at every kind of decision, judged by the rules on a copy; then a right answer is accepted."""
    stream = bot()
    await stream.hello("me")
    rng = Random(11)
    reasons = Counter()

    async def answer(table, decision, asked):
        for _ in range(2):
            wrong = nonsense(rng)
            expected = reason_of_rules(table.machine.state.clone(), decision, wrong)
            before = (table.feed.last, bytes(table.machine.state.hands[decision.view.seat]))
            if expected is None:
                continue
            fields = {"kind": wrong.kind, "card": wrong.card, "color": wrong.color}
            if wrong.target >= 0:
                fields["target"] = wrong.target
            await stream.act(decision, None, action=fields)
            verdict = (await asked.verdicts(decision, 1))[0]
            if verdict.reason in STALE:
                return
            reasons[verdict.reason] += 1
            assert not verdict.accepted
            assert verdict.message
            assert verdict.reason == expected or is_reaction(decision), verdict
            assert bytes(table.machine.state.hands[decision.view.seat]) == before[1]
        await stream.act(decision, rng.randrange(len(decision.legal_actions)))
        verdict = (await asked.verdicts(decision, 1))[0]
        assert verdict.accepted or verdict.reason in STALE

    await until_all_kinds(arena, stream, answer, sealed=sealed)
    assert {2, 3, 4, 6} <= set(reasons)


def nonsense(rng):
    face = rng.choice(sorted(TEXT))
    return rng.choice(
        [
            Action(Kind.PLAY, face, rng.randrange(5), rng.choice((-1, 0, 9))),
            Action(Kind.PLAY, rng.choice((13, 14)), 0),
            Action(Kind.DRAW),
            Action(Kind.KEEP),
            Action(Kind.ACCEPT),
            Action(Kind.CHALLENGE),
            Action(Kind.CHOOSE_COLOR, 0, 0),
        ]
    )


def is_reaction(decision):
    return kind_of(decision) == "REACTION"


def reason_of_rules(state, decision, action):
    """Why the rules refuse an action of a decision's seat on a copy; `None` when they do not."""
    seat = decision.view.seat
    if is_reaction(decision):
        return 6  # ACTION_NOT_AVAILABLE: none of these can be done out of turn
    try:
        apply(state, seat, action)
    except Refused as refusal:
        return int(refusal.reason)
    return None


# ---------------------------------------------------------------- after the end


def late_messages(table_id, number):
    """Every kind of answer to a decision that is over."""
    base = {"table_id": table_id, "decision_id": number}
    return [
        {"act": {**base, "choice": 0}},
        {"act": {**base, "choice": 99}},
        {"act": {**base, "choice": 0, "call_uno": True, "catch_seats": [0, 1]}},
        {"act": {**base, "action": {"kind": 2}}},
        {"act": {**base, "action": {"kind": 1, "card": 17}}},
        {"act": {**base, "action": {"kind": 9, "target": 1}}},
        {"act": {"table_id": table_id, "action": {"kind": 8}}},
        {"act": {"table_id": table_id, "action": {"kind": 10}}},
    ]


@pytest.mark.parametrize("number", [0, 1, 2, 77])
@pytest.mark.parametrize("end", ["round", "match", "cancelled"])
async def test_a35_whatever_comes_after_the_end_is_told_so_at_once(arena, bot, end, number):
    stream = bot()
    secret = (await stream.hello("me")).resume_secret
    hand = 2 if end == "round" else 7  # with two cards the other seat may end the round before this one has a turn
    options = {"match_end": "rounds", "match_rounds": 2, "hand_size": hand, "max_turns_per_round": 20}
    table_id = arena.open_table(plan("me", "+greedy", options=options, round_pause_ms=600_000))
    table = arena.host.tables[table_id]
    if end == "round":
        answered = 0
        while table.machine.state.round_scores == []:
            message = await stream.expect("decision", "table_events")
            if message.HasField("decision"):
                await stream.act(message.decision)
                answered += 1
        while sum(message.HasField("act_result") for message in stream.heard) < answered:
            await stream.next()  # else these would be taken for verdicts on what comes
    else:
        await stream.decision()
        if end == "match":
            arena.remove_seat(table_id, 1)
        else:
            arena.cancel_table(table_id)
        await stream.expect("table_closed")
    before = table.feed.last
    reason = 10 if end == "round" else 11
    tables = tables_stub(stream.channel)
    for message in late_messages(table_id, number):
        await stream.send(message)
        verdict = await stream.result(message["act"].get("decision_id", 0))
        if not verdict.accepted or verdict.decision_id != 1:
            assert (verdict.accepted, verdict.reason) == (False, reason), verdict
        assert verdict.accepted or verdict.message
        call = tp.SubmitActionRequest(act=table_pb2.Act(**message["act"]))
        answer = await tables.SubmitAction(call, metadata=bearer(secret))
        assert (answer.result.accepted, answer.result.reason) == (verdict.accepted, verdict.reason)
    assert table.feed.last == before
    if end != "round":
        await stream.send({"leave": {"table_id": table_id}}, {"table_closed_received": {"table_id": table_id}})
        await tables.LeaveTable(tp.LeaveTableRequest(table_id=table_id), metadata=bearer(secret))
        code, why, _ = await refused(tables.JoinTable(tp.JoinTableRequest(table_id=table_id, name="late")))
        assert (code, why) == (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_OVER")
        assert (await tables.GetTable(tp.GetTableRequest(table_id=table_id))).table.HasField("result")


# ---------------------------------------------------------------- resent


KINDS_OF_ANSWER = {
    "by index": {"choice": 0},
    "by action": {"action": {}},
    "with a call": {"choice": 0, "call_uno": True},
    "with a catch": {"choice": 0, "catch_seats": [1]},
    "refused": {"choice": 99},
}


@pytest.mark.parametrize("restart", [False, True], ids=["same server", "restarted"])
@pytest.mark.parametrize("arrived", [True, False], ids=["had arrived", "was lost"])
@pytest.mark.parametrize("form", KINDS_OF_ANSWER)
async def test_a38_an_answer_resent_after_a_resume_takes_effect_once(start_arena, tmp_path, form, arrived, restart):
    arena = await start_arena(data=tmp_path / "data")
    fields = dict(KINDS_OF_ANSWER[form])
    streams = []
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        streams.append(stream)
        secret = (await stream.hello("me")).resume_secret
        table_id = arena.open_table(plan("me", "other", "+greedy", deal_key=bytes(32), salt=bytes(32)))
        other = BotStream(channel)
        streams.append(other)
        await other.hello("other")
        decision = await stream.decision()
        if "action" in fields:
            fields["action"] = decision.legal_actions[0]
        first = None
        if arrived:
            await stream.send(act_on(decision, **fields))
            first = await stream.result(decision.decision_id)
        before = hands(arena, table_id)
        for one in streams:
            one.cancel()
        if restart:
            shutil.copytree(tmp_path / "data", tmp_path / "copy")
            arena = await start_arena(data=tmp_path / "copy")
            assert hands(arena, table_id) == before
    async with connection(arena.address) as channel:
        again = BotStream(channel, secret)
        await again.hello(cursors=[{"table_id": table_id, "last_sequence": decision.sequence}])
        await again.expect("seated")
        verdicts = []
        for _ in range(2):
            await again.send(act_on(decision, **fields))
            verdicts.append(await again.result(decision.decision_id))
        if form == "refused":
            # Judged each time while the decision is open: each counts, and the third is a timeout.
            assert [verdict.refusals_left for verdict in verdicts] == ([1, 0] if arrived else [2, 1])
        else:
            assert verdicts[0] == verdicts[1] == (first or verdicts[0])
            assert verdicts[0].accepted
            played = [event for event in again.events(table_id) if event.HasField("card_played")]
            assert len([event for event in played if event.card_played.seat == 0]) <= 1
        sequences = [event.sequence for event in again.events(table_id)]
        assert sequences == list(range(decision.sequence + 1, decision.sequence + 1 + len(sequences)))
        again.cancel()


@pytest.mark.parametrize("what", ["answer", "leave"])
@pytest.mark.parametrize("restart", [False, True], ids=["same server", "restarted"])
async def test_a38_what_is_said_together_with_hello_reaches_the_table(start_arena, tmp_path, what, restart):
    """A bot that sends again at once does not know yet that it has its seat, and the stream does not either."""
    arena = await start_arena(data=tmp_path / "data")
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        secret = (await stream.hello("me")).resume_secret
        table_id = arena.open_table(plan("me", "+greedy", "+greedy"))
        decision = await stream.decision()
        stream.cancel()
    if restart:
        shutil.copytree(tmp_path / "data", tmp_path / "copy")
        arena = await start_arena(data=tmp_path / "copy")
    early = [act_on(decision, choice=0)] * 2 if what == "answer" else [{"leave": {"table_id": table_id}}]
    async with connection(arena.address) as channel:
        again = BotStream(channel, secret)
        await again.send({"hello": {"protocol_version": 1}})
        await again.send(*early, {"act": {"table_id": "nowhere", "decision_id": 9, "choice": 0}})
        for message in early:
            if "act" in message:
                assert (await again.result(decision.decision_id)).accepted
        if what == "leave":
            await until(lambda: arena.host.tables[table_id].machine.seats[0].status == SeatStatus.LEFT)
            assert [fault.kind for fault in arena.host.tables[table_id].faults] == [FaultKind.LEFT]
        refusals = [
            m.act_result for m in again.heard if m.HasField("act_result") and m.act_result.table_id == "nowhere"
        ]
        refusal = refusals[0] if refusals else await again.result(9)
        assert refusal.protocol_reason == reason_pb2.PROTOCOL_REASON_UNKNOWN_TABLE
        again.cancel()


def hands(arena, table_id):
    return [bytes(hand) for hand in arena.host.tables[table_id].machine.state.hands]


# ---------------------------------------------------------------- strangers


@pytest.mark.parametrize("who", ["nobody", "a guest", "a bot of another table", "an unknown token"])
async def test_a46_strangers_and_spectators_can_do_nothing_by_any_call(arena, bot, who):
    owner, stranger = bot(), bot()
    await owner.hello("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    decision = await owner.decision()
    secret = (await stranger.hello("stranger")).resume_secret if who != "nobody" else ""
    if who == "a bot of another table":
        arena.open_table(plan("stranger", "+greedy"))
        await stranger.decision()
    token = "guessed" if who == "an unknown token" else secret
    metadata = bearer(token) if token else None
    tables = tables_stub(owner.channel)
    watching = tables.WatchTable(tp.WatchTableRequest(table_id=table_id))
    await watching.read()
    before = (arena.progress(table_id), hands(arena, table_id))
    refusal = (grpc.StatusCode.PERMISSION_DENIED, "FORBIDDEN")
    if who == "an unknown token":
        refusal = (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
    for message in late_messages(table_id, decision.decision_id):
        call = tables.SubmitAction(tp.SubmitActionRequest(act=table_pb2.Act(**message["act"])), metadata=metadata)
        code, reason, sentence = await refused(call)
        assert (code, reason) == refusal
        assert sentence
    code, reason, _ = await refused(tables.LeaveTable(tp.LeaveTableRequest(table_id=table_id), metadata=metadata))
    assert (code, reason) == refusal
    own = tables.WatchTable(tp.WatchTableRequest(table_id=table_id, own_view=True), metadata=metadata)
    code, reason, _ = await refused(own.read())
    assert (code, reason) == refusal
    if who == "an unknown token":
        metadata = None
    answer = await tables.GetTable(tp.GetTableRequest(table_id=table_id), metadata=metadata)
    assert (list(answer.decisions), list(answer.view.hand), answer.view.HasField("seat")) == ([], [], False)
    if who not in ("nobody", "an unknown token"):
        for message in (*late_messages(table_id, decision.decision_id), {"leave": {"table_id": table_id}}):
            await stranger.send(message)
            told = await stranger.expect("act_result", "message_refused")
            verdict = getattr(told, told.WhichOneof("message"))
            assert 4 in (getattr(verdict, "protocol_reason", 0), verdict.reason)
    assert (arena.progress(table_id), hands(arena, table_id)) == before
    await owner.act(decision)
    assert (await owner.result(decision.decision_id)).accepted
    watching.cancel()
    await until(lambda: arena.progress(table_id)[0] > before[0][0])
