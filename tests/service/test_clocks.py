"""Clocks over the wire: a real server on a real port whose time goes on when the test says so, and not otherwise.

Cases A32 and A34, rules.md C76 to C81.
"""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from functools import partial

import pytest

from lastcard.table.outbox import SENT_WITHIN_MS
from lastcard.table.round_trips import ROUND_TRIPS
from lastcard.table.session import Session
from lastcard.table.timecontrol import SETTLE_MS, TimeControl
from lastcard.v1 import play_service_pb2 as pb
from lastcard.v1 import table_pb2
from raw_peer import RawPeer
from service_client import EVERYTHING, BotStream, connection, plan
from waiting import until

LIMIT, BANK, REACTION = 1_000, 3_000, 700
CLOCK = TimeControl(limit_ms=LIMIT, bank_ms=BANK, reaction_ms=REACTION, start_up_ms=5_000, grace_ms=20_000)
NO_BANK = TimeControl(limit_ms=LIMIT, bank_ms=0, reaction_ms=REACTION)
TURN_EXPIRED = 9

ALL_KINDS = {"TURN", "DRAWN_CARD", "PENALTY", "COLOR", "REACTION"}


@pytest.fixture
def read_then_handled(monkeypatch):
    """What happens between the reading of a frame and its handling: calls what a test puts into the list."""
    between = []
    hear = Session.hear

    def slowly(self, messages):
        if between:
            between.pop()()
        hear(self, messages)

    monkeypatch.setattr(Session, "hear", slowly)
    return between


def kind_of(decision) -> str:
    return table_pb2.DecisionKind.Name(decision.kind).removeprefix("DECISION_KIND_")


def left_ms(decision) -> int:
    return decision.time_left.ToMilliseconds() + decision.bank_left.ToMilliseconds()


class Seats:
    """A table whose seats are all the test's own, and the decisions that are open at it."""

    def __init__(self, arena, table_id, streams):
        self.table = arena.host.tables[table_id]
        self._streams = streams

    async def open(self):
        """All open decisions with a clock, each with its stream, when every stream has been told of its own."""
        machine = self.table.machine
        await until(lambda: self.table.result is not None or any(machine.open_decisions(seat) for seat in range(3)))
        found = []
        for seat, stream in enumerate(self._streams):
            for ask in machine.open_decisions(seat):
                decision = await self._told(stream, ask.decision_id)
                found.append((seat, stream, decision))
        # Their clocks run as soon as the frames have been written, which the table hears of.
        await until(lambda: all(decision.sent_ms >= 0 for decision in open_of(machine)))
        return found

    async def _told(self, stream, decision_id):
        for message in reversed(stream.heard):
            if message.HasField("decision") and message.decision.decision_id == decision_id:
                return message.decision
        return (await stream.expect("decision", where=lambda decision: decision.decision_id == decision_id)).decision


def open_of(machine):
    return [decision for seat in range(3) for decision in machine._match.open_decisions(seat)]


def strikes(table) -> int:
    return sum(fault.kind.name == "TIMEOUT" for fault in table.faults)


@pytest.fixture
async def seats(timed):
    """Three bots at a table with every kind of decision."""
    arena, _, _ = timed
    async with connection(arena.address) as channel:
        streams = [BotStream(channel) for _ in range(3)]
        for seat, stream in enumerate(streams):
            await stream.hello(f"bot-{seat}")
        plan_ = plan(
            *(f"bot-{seat}" for seat in range(3)),
            options={**EVERYTHING, "match_rounds": 1_000},
            clock=NO_BANK,
            sealed=True,
            deal_key=bytes(32),
            salt=bytes(32),
        )
        yield Seats(arena, arena.open_table(plan_), streams)
        for stream in streams:
            stream.cancel()


async def test_a34_of_answer_and_timeout_exactly_one_takes_effect_at_every_kind_of_decision(
    timed, seats, read_then_handled
):
    """Read by the deadline: the answer, though the timer is due and sees it first. Read later: never the answer."""
    _, time, pass_time = timed
    table, tried = seats.table, Counter()
    ways = ("in-time", "in-time-timer-due", "late", "timer-first")
    for _ in range(4_000):
        opened = await seats.open()
        kinds = {kind_of(decision) for _, _, decision in opened}
        assert len(kinds) == 1
        (kind,) = kinds
        way = min(ways, key=lambda way, kind=kind: tried[kind, way])
        if tried[kind, way] >= 2:
            way = "quick"
        tried[kind, way] += 1
        tried[kind] += 1
        limit = REACTION if kind == "REACTION" else LIMIT
        before, events = strikes(table), table.feed.last
        assert {left_ms(decision) for _, _, decision in opened} == {limit}
        if way == "quick":
            accepted = await answer_all(opened)
            assert all(verdict.accepted for verdict in accepted)
            continue
        (deadline,) = {decision.deadline_ms for decision in open_of(table.machine)}
        pass_time(deadline - time.ms + (1 if way == "late" else 0), timer=False)
        if way == "in-time":
            verdicts = await answer_all(opened)
        elif way == "in-time-timer-due":
            # Stamped in time; then the timer looks before the settling time is over, or is late itself.
            late = tried[kind, way] % 2
            verdicts = []
            for _, stream, decision in opened:
                read_then_handled.append(partial(pass_time, SETTLE_MS - 1 + 6 * late, timer=not late))
                await stream.act(decision)
                verdicts.append(await stream.result(decision.decision_id))
                assert not read_then_handled
                pass_time(1 - SETTLE_MS - 6 * late, timer=False)
        elif way == "late":
            verdicts = await answer_all(opened)
            assert table.feed.last == events
            pass_time(SETTLE_MS)
        else:
            pass_time(SETTLE_MS)
            pass_time(-SETTLE_MS, timer=False)
            verdicts = await answer_all(opened)  # stamped in time, but what the timer did stands
            pass_time(SETTLE_MS, timer=False)
        in_time = way.startswith("in-time")
        assert [verdict.accepted for verdict in verdicts] == [in_time] * len(opened), (way, kind, verdicts)
        if in_time:
            assert {verdict.receipt.charged.ToMilliseconds() for verdict in verdicts} == {limit}
            pass_time(SETTLE_MS + 1)
        else:
            assert {verdict.reason for verdict in verdicts} <= {TURN_EXPIRED, 8, 10}
            assert any(verdict.reason == TURN_EXPIRED for verdict in verdicts)
            for _, stream, decision in opened:
                closed = await closed_of(stream, decision)
                assert (closed.reason, closed.receipt.timed_out) == (TURN_EXPIRED, True)
                assert closed.receipt.charged.ToMilliseconds() == limit
        # A missed reaction is a pass; everything else is a strike, once.
        assert strikes(table) - before == (0 if in_time or kind == "REACTION" else 1)
        if all(tried[kind, way] for kind in ALL_KINDS for way in ways):
            break
    assert {kind for kind in tried if isinstance(kind, str)} == ALL_KINDS
    assert all(tried[kind, way] for kind in ALL_KINDS for way in ways), tried


async def answer_all(opened):
    verdicts = []
    for _, stream, decision in opened:
        await stream.act(decision)
        verdicts.append(await stream.result(decision.decision_id))
    return verdicts


async def closed_of(stream, decision):
    for message in stream.heard:
        if message.HasField("decision_closed") and message.decision_closed.decision_id == decision.decision_id:
            return message.decision_closed
    where = lambda closed: closed.decision_id == decision.decision_id  # noqa: E731
    return (await stream.expect("decision_closed", where=where)).decision_closed


# ------------------------------------------------------------------ banks, strikes, limits


@pytest.fixture
async def two(timed):
    """Two bots at a table with banks; `turn` waits for the open decision."""
    arena, _, _ = timed
    async with connection(arena.address) as channel:
        streams = [BotStream(channel), BotStream(channel)]
        secrets = [(await stream.hello(f"bot-{seat}")).resume_secret for seat, stream in enumerate(streams)]

        def start(**options):
            clock = options.pop("clock", CLOCK)
            table_id = arena.open_table(
                plan("bot-0", "bot-1", clock=clock, options=options, deal_key=bytes(32), salt=bytes(32))
            )
            return Pair(arena, table_id, streams, secrets, channel)

        yield start
        for stream in streams:
            stream.cancel()


class Pair(Seats):
    """A table of two without reactions."""

    def __init__(self, arena, table_id, streams, secrets, channel):
        super().__init__(arena, table_id, streams)
        self.streams, self.secrets, self.channel = streams, secrets, channel

    async def turn(self):
        """The seat on turn, its stream, and its decision, whose clock runs."""
        seat = await self.seat_on_turn()
        number = self.table.machine._match.turn.id
        return seat, self.streams[seat], await self._told(self.streams[seat], number)

    async def seat_on_turn(self):
        match = self.table.machine._match
        await until(lambda: match.turn is not None and match.turn.sent_ms >= 0)
        return match.turn.seat

    async def turn_of(self, seat):
        """Answers for the other until a seat is asked."""
        while True:
            asked, stream, decision = await self.turn()
            if asked == seat:
                return stream, decision
            await stream.act(decision)
            await stream.result(decision.decision_id)


async def test_the_bank_runs_down_and_is_told(timed, two):
    _, _, pass_time = timed
    pair = two()
    banks = []
    for over in (0, 400, 0, 1_100):
        stream, decision = await pair.turn_of(0)
        assert decision.bank_left.ToMilliseconds() == BANK - sum(banks)
        assert left_ms(decision) == LIMIT + BANK - sum(banks)
        if banks:
            previous = decision.previous_receipt
            assert previous.charged.ToMilliseconds() == LIMIT + banks[-1]
            assert previous.bank_left.ToMilliseconds() == BANK - sum(banks)
        pass_time(LIMIT + over)
        await stream.act(decision)
        receipt = (await stream.result(decision.decision_id)).receipt
        banks.append(over)
        assert receipt.charged.ToMilliseconds() == LIMIT + over
        assert receipt.bank_left.ToMilliseconds() == BANK - sum(banks)
        assert receipt.network_credit.ToMilliseconds() == 0
        assert receipt.received_at.ToMilliseconds() - receipt.sent_at.ToMilliseconds() == LIMIT + over
    assert pair.table.faults == []


async def test_a_bank_that_is_used_up_leaves_the_limit(timed, two):
    _, _, pass_time = timed
    pair = two(max_timeouts=0)
    stream, decision = await pair.turn_of(0)
    pass_time(LIMIT + BANK + SETTLE_MS)
    assert (await closed_of(stream, decision)).receipt.bank_left.ToMilliseconds() == 0
    assert [fault.seat for fault in pair.table.faults] == [0]
    stream, decision = await pair.turn_of(0)
    assert (left_ms(decision), decision.bank_left.ToMilliseconds()) == (LIMIT, 0)
    pass_time(LIMIT)
    await stream.act(decision)
    assert (await stream.result(decision.decision_id)).accepted


async def test_a_seat_that_has_struck_out_is_removed_after_the_default_action(timed, two):
    _, _, pass_time = timed
    pair = two(max_timeouts=2)
    for _ in range(2):
        await pair.turn_of(1)
        pass_time(LIMIT + BANK + SETTLE_MS)
    closed = (await pair.streams[1].expect("table_closed")).table_closed
    assert list(closed.result.places) == [1, 2]
    await pair.streams[0].expect("table_closed")
    events = [event.WhichOneof("event") for event in pair.streams[0].events(pair.table.table_id)]
    assert events.count("timed_out") == 2
    last = len(events) - 1 - events[::-1].index("timed_out")
    assert "seat_left" in events[last:]
    assert [(fault.seat, fault.kind.name) for fault in pair.table.faults] == [(1, "TIMEOUT")] * 2


async def test_who_does_not_come_within_the_start_up_limit_is_removed(timed, two):
    arena, _, pass_time = timed
    two()
    table_id = arena.open_table(plan("bot-0", "nobody", "bot-1", clock=CLOCK))
    table = arena.host.tables[table_id]
    pass_time(CLOCK.start_up_ms - 1)
    assert not table.faults
    pass_time(1)
    assert [(fault.seat, fault.kind.name) for fault in table.faults] == [(1, "START_UP")]
    await until(lambda: table.machine.running)


async def test_the_clock_runs_while_a_bot_is_away_and_its_grace_has_an_end(timed, two):
    _, _, pass_time = timed
    pair = two(max_timeouts=0)
    await pair.turn_of(1)
    pair.streams[1].cancel()
    await until(lambda: pair.table.machine.seats[1].status.name == "AWAY")
    pass_time(LIMIT + BANK + SETTLE_MS)
    assert [(fault.seat, fault.kind.name) for fault in pair.table.faults] == [(1, "TIMEOUT")]
    passed = LIMIT + BANK + SETTLE_MS
    while passed < CLOCK.grace_ms - 1:
        step = min(LIMIT, CLOCK.grace_ms - 1 - passed)
        passed += step
        pass_time(step)
        if await pair.seat_on_turn() == 0:
            _, stream, decision = await pair.turn()
            await stream.act(decision)
            await stream.result(decision.decision_id)
    assert pair.table.result is None
    pass_time(1)
    closed = (await pair.streams[0].expect("table_closed")).table_closed
    assert list(closed.result.places) == [1, 2]
    assert pair.table.faults[-1].kind.name == "DISCONNECT"


async def test_who_comes_back_has_the_time_that_is_left(timed, two):
    _, _, pass_time = timed
    pair = two()
    stream, decision = await pair.turn_of(1)
    pass_time(LIMIT + 500)
    stream.cancel()
    await until(lambda: pair.table.machine.seats[1].status.name == "AWAY")
    pass_time(300)
    again = BotStream(pair.channel, pair.secrets[1])
    await again.hello("bot-1")
    asked = await again.decision()
    assert (asked.decision_id, left_ms(asked)) == (decision.decision_id, BANK - 800)
    await again.act(asked)
    receipt = (await again.result(asked.decision_id)).receipt
    assert receipt.charged.ToMilliseconds() == LIMIT + 800
    again.cancel()


async def test_a_bot_that_thinks_for_a_minute_and_answers_no_heartbeat_is_not_dead(timed, two):
    arena, _, pass_time = timed
    pair = two(clock=TimeControl(limit_ms=90_000, bank_ms=0))
    stream, decision = await pair.turn_of(0)
    for _ in range(60):
        pass_time(1_000)
        for session in arena.sessions._by_identity.values():
            session.beat()
    assert [seat.status.name for seat in pair.table.machine.seats] == ["PRESENT", "PRESENT"]
    await stream.act(decision)
    receipt = (await stream.result(decision.decision_id)).receipt
    assert receipt.charged.ToMilliseconds() == 60_000
    assert pair.table.faults == []


# ------------------------------------------------------------------ network credit


async def test_the_network_is_credited_from_heartbeats_and_told(timed, two):
    arena, time, pass_time = timed
    pair = two(clock=TimeControl(limit_ms=LIMIT, bank_ms=BANK, network_credit_ms=40, network_credit_total_ms=60))
    stream = pair.streams[0]
    (session,) = [one for one in arena.sessions._by_identity.values() if one.bot == "bot-0"]
    for trip in (90, 30, 500, 70)[:ROUND_TRIPS]:
        session.beat()
        beat = (await stream.expect("heartbeat", where=lambda beat: beat.number == session.trips.beats)).heartbeat
        time.ms += trip
        await stream.send({"heartbeat_reply": {"number": beat.number}})
        await until(lambda: session.trips._sent_ms is None)
    credited = []
    for _ in range(3):
        stream, decision = await pair.turn_of(0)
        pass_time(LIMIT + 100)
        await stream.act(decision)
        receipt = (await stream.result(decision.decision_id)).receipt
        credited.append((receipt.network_credit.ToMilliseconds(), receipt.charged.ToMilliseconds()))
    assert credited == [(30, LIMIT + 70), (30, LIMIT + 70), (0, LIMIT + 100)]
    stream, decision = await pair.turn_of(0)
    assert decision.bank_left.ToMilliseconds() == BANK - 240
    assert decision.previous_receipt == receipt
    seated = [message.seated for message in stream.heard if message.HasField("seated")][-1]
    assert (seated.clock.network_credit.ToMilliseconds(), seated.clock.network_credit_total.ToMilliseconds()) == (
        40,
        60,
    )


# ------------------------------------------------------------------ what deadlines cost


async def test_the_deadlines_of_thousands_of_tables_cost_next_to_nothing(timed):
    """Not by a time but by what is done: for a move one comparison, for a tick what is due and nothing of the rest."""
    arena, _, pass_time = timed
    tables = [
        arena.host.tables[arena.open_table(plan("nobody", "nothing", clock=TimeControl(start_up_ms=60_000 + number)))]
        for number in range(3_000)
    ]
    looked_at = Counter()
    deadlines = arena.host.pump._deadlines
    looks = type(tables[0]).next_ms

    class Counted(type(tables[0])):
        __slots__ = ()

        def next_ms(self):
            looked_at[self.table_id] += 1
            return looks(self)

    for table in tables:
        table.__class__ = Counted
    assert len(deadlines._heap) == 3_000
    for _ in range(100):
        pass_time(100)
    assert not looked_at
    pass_time(60_000 - 10_000)
    assert set(looked_at) == {tables[0].table_id}
    pass_time(9)
    assert set(looked_at) == {table.table_id for table in tables[:10]}
    assert len(arena.host.pump._deadlines._heap) <= 3_000
    await asyncio.sleep(0)


async def test_who_reads_nothing_and_comes_again_and_again_gains_no_time(timed):
    """Each stream is replaced before its decision has waited for so long that its clock starts by itself."""
    arena, time, pass_time = timed
    token = arena.mint("me")
    hello = pb.PlayRequest(messages=[{"hello": {"protocol_version": 1}}]).SerializeToString()

    def writing():
        return [session for session in arena.sessions._by_identity.values() if session._writing]

    async with AsyncExitStack() as peers:
        peer = await peers.enter_async_context(RawPeer(arena.address))
        await peer.say_hello_unread(token, hello)
        await until(writing)
        # What it is told from now on waits for the write of the welcome, which does not end.
        table = arena.host.tables[arena.open_table(plan("me", "+random", clock=NO_BANK))]
        (session,) = writing()
        await until(lambda: session._outbox._waiting)
        pass_time(SENT_WITHIN_MS - 1)
        for _ in range(2):
            peer = await peers.enter_async_context(RawPeer(arena.address))
            addresses = {table.links[0].address}
            await peer.say_hello_unread(token, hello)
            await until(lambda: table.links[0].address not in addresses and writing())  # noqa: B023
            pass_time(SENT_WITHIN_MS - 1)
        (ask,) = table.machine.open_decisions(0, time.now())
        assert ask.limit_ms == LIMIT - 2 * (SENT_WITHIN_MS - 1)
        pass_time(ask.limit_ms + SETTLE_MS)
        assert [blame.seat for blame in table.faults] == [0]
