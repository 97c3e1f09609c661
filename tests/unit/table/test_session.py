import asyncio

import pytest

from lastcard.table.backlog import BURST_FACTOR, RESUME_BYTES, STALLED_LOOKS
from lastcard.table.flood import BURST
from lastcard.table.greeting import Greeting, Limits
from lastcard.table.mail import STANDING, Acted, Body, Delivery, Left, Sent
from lastcard.table.outbox import FRAME_BYTES
from lastcard.table.refusals import TransportReason
from lastcard.table.round_trips import ROUND_TRIPS
from lastcard.table.said import Ending, HeartbeatReply, Refusal
from lastcard.table.session import FREE_ACTS, Session

CLOSED = b"closed"


class Encoder:
    def late_decision(self, item, time_left_ms):
        return item + b"~%d" % time_left_ms

    def heartbeat(self, number):
        return b"<beat %d>" % number

    def refused(self, reason, _sentence, _table_id, _retry_after_ms=None):
        return b"<refused %d>" % reason

    def act_refused(self, _table_id, decision_id, reason, _sentence):
        return b"<act %d refused %d>" % (decision_id, reason)


class Stream:
    """A session with a pipe that can be held up, a clock that stands, and a bus that remembers."""

    def __init__(self, outbox_bytes=10_000, **wishes):
        fields = {"max_tables": 0, "max_open_decisions": 0, "decisions_only": False, "cursors": ()}
        self.now = 1_000
        self.frames = []
        self.mail = []
        self.lazy = []
        self.blocked = []
        self.busy = False
        self.heard = 0
        self.open = asyncio.Event()
        self.open.set()
        self.session = Session(
            greeting=Greeting("me", "bot", False, "", **(fields | wishes)),
            address="here",
            number=1,
            hub=self,
            bus=self,
            clock=lambda: self.now,
            encoder=Encoder(),
            limits=Limits(outbox_bytes=outbox_bytes),
            write=self.write,
        )
        self.writer = asyncio.create_task(self.session.write_all())

    async def write(self, frame):
        await self.open.wait()
        self.frames.append(frame)

    def to_hosts(self, batch):
        self.mail += batch

    def flush_soon(self, session):
        self.lazy.append(session)

    def watch_blocked(self, session):
        self.blocked.append(session)

    async def settle(self):
        for _ in range(5):
            await asyncio.sleep(0)

    def seat(self, table="t"):
        self.session.take(Delivery(("here",), Body.SEATED, table, b"<seated>"))

    def attach(self):
        self.session.take(Delivery(("here",), Body.ATTACHED, "", b""))

    def ask(self, number, table="t", limit_ms=2_000):
        self.session.take(Delivery(("here",), Body.DECISION, table, b"<ask %d>" % number, number, limit_ms))

    def judge(self, number, table="t", closes=True):
        self.session.take(Delivery(("here",), Body.ACT_RESULT, table, b"<judged %d>" % number, number, 0, closes))

    def act(self, number, table="t"):
        return Acted(table, "me", "here", number, 0, None, False, (), self.now, 0)


@pytest.fixture
async def streams():
    made = []

    def make(**wishes):
        made.append(Stream(**wishes))
        return made[-1]

    yield make
    for stream in made:
        stream.writer.cancel()


async def test_events_wait_and_a_decision_takes_them_along(streams):
    stream = streams()
    stream.seat()
    await stream.settle()
    stream.frames.clear()
    stream.session.take(Delivery(("here",), Body.EVENTS, "t", b"<event>"))
    await stream.settle()
    assert stream.frames == []
    assert stream.lazy == [stream.session]
    stream.ask(1)
    await stream.settle()
    assert stream.frames == [b"<event><ask 1>"]


async def test_events_alone_leave_with_the_tick(streams):
    stream = streams()
    stream.session.take(Delivery(("here",), Body.EVENTS, "t", b"<event>"))
    await stream.settle()
    stream.session.wake_if_waiting()
    await stream.settle()
    assert stream.frames == [b"<event>"]


async def test_a_result_leaves_at_once_unless_the_server_is_busy(streams):
    stream = streams()
    stream.seat()
    for number, busy in ((1, False), (2, True)):
        stream.ask(number)
        await stream.settle()
        stream.frames.clear()
        stream.busy = busy
        stream.judge(number)
        await stream.settle()
        assert stream.frames == ([] if busy else [b"<judged 1>"])
    assert stream.lazy == [stream.session]


async def test_a_refusal_leaves_at_once_however_busy_the_server_is(streams):
    stream = streams()
    stream.seat()
    stream.ask(1)
    await stream.settle()
    stream.frames.clear()
    stream.busy = True
    stream.judge(1, closes=False)
    await stream.settle()
    assert stream.frames == [b"<judged 1>"]


async def test_the_clock_starts_with_the_frame(streams):
    stream = streams()
    stream.seat()
    stream.now = 1_234
    stream.ask(1)
    assert stream.mail == []
    await stream.settle()
    assert stream.mail == [Sent("t", "me", 1, 1_234)]


async def test_decisions_behind_a_full_frame_are_watched_while_it_is_written(streams):
    stream = streams(outbox_bytes=2 * FRAME_BYTES)
    await stream.settle()
    stream.open.clear()
    stream.seat()
    stream.session.take(Delivery(("here",), Body.SNAPSHOT, "t", bytes(FRAME_BYTES)))
    stream.ask(1)
    await stream.settle()
    assert stream.mail == []
    assert stream.blocked == [stream.session]


async def test_the_clock_of_a_bot_that_does_not_read_starts_after_its_allowance(streams):
    stream = streams()
    stream.seat()
    await stream.settle()
    stream.open.clear()
    stream.session.send(b"<more>")
    await stream.settle()
    stream.ask(1)
    await stream.settle()
    assert stream.blocked == [stream.session]
    assert stream.session.look()
    assert stream.mail == []
    stream.now += 100
    assert not stream.session.look()
    assert stream.mail == [Sent("t", "me", 1, 1_100)]
    stream.now += 400
    stream.open.set()
    await stream.settle()
    assert stream.frames[-1] == b"<ask 1>~1600"
    assert stream.mail == [Sent("t", "me", 1, 1_100)]


async def test_decisions_beyond_the_wish_are_held_back_with_their_clocks(streams):
    stream = streams(max_open_decisions=1)
    stream.seat("t")
    stream.seat("u")
    stream.ask(1, "t")
    stream.ask(1, "u")
    stream.ask(2, "u")
    await stream.settle()
    assert [sent.table_id for sent in stream.mail] == ["t"]
    stream.judge(1, "t")
    await stream.settle()
    assert stream.mail[1:] == [Sent("u", "me", 1, 1_000)]
    assert b"<ask 2>" not in b"".join(stream.frames)


async def test_a_held_decision_that_is_withdrawn_was_never_there(streams):
    stream = streams(max_open_decisions=1)
    stream.seat()
    stream.ask(1)
    stream.ask(2)
    stream.session.take(Delivery(("here",), Body.DECISION_CLOSED, "t", b"<closed 2>", 2, 0, True))
    stream.judge(1)
    await stream.settle()
    assert b"<ask 2>" not in b"".join(stream.frames)
    assert b"<closed 2>" not in b"".join(stream.frames)


async def test_a_held_decision_that_is_answered_is_not_asked_any_more(streams):
    """An answer that names no decision fits one that the bot has not been sent; asked later, it would stay open."""
    stream = streams(max_open_decisions=1)
    stream.seat()
    stream.seat("u")
    stream.ask(1)
    stream.ask(2, "u")
    stream.judge(2, "u")
    stream.ask(3, "u")
    await stream.settle()
    assert b"<ask 2>" not in b"".join(stream.frames)
    stream.judge(1)
    await stream.settle()
    assert b"".join(stream.frames).endswith(b"<judged 1><ask 3>")
    stream.judge(3, "u")
    stream.ask(4)
    await stream.settle()
    assert b"".join(stream.frames).endswith(b"<ask 4>")


async def test_a_standing_reaction_neither_counts_nor_waits(streams):
    stream = streams(max_open_decisions=1)
    stream.seat()
    stream.ask(1, limit_ms=STANDING)
    stream.ask(2)
    stream.ask(3, limit_ms=STANDING)
    await stream.settle()
    assert b"".join(stream.frames).endswith(b"<ask 1><ask 2><ask 3>")


async def test_a_decision_asked_again_after_a_refusal_stays_one(streams):
    stream = streams(max_open_decisions=1)
    stream.seat()
    stream.ask(1)
    stream.judge(1, closes=False)
    stream.ask(1)
    stream.judge(1)
    stream.ask(2)
    await stream.settle()
    assert b"<ask 2>" in b"".join(stream.frames)


async def test_an_end_of_a_table_closes_its_decisions(streams):
    stream = streams(max_open_decisions=1)
    stream.seat("t")
    stream.seat("u")
    stream.ask(1, "t")
    stream.ask(2, "t")
    stream.ask(9, "u")
    stream.session.take(Delivery(("here",), Body.CLOSED, "t", CLOSED))
    await stream.settle()
    assert b"".join(stream.frames) == b"<seated><seated><ask 1>" + CLOSED + b"<ask 9>"
    assert stream.mail == [Sent("t", "me", 1, 1_000), Sent("u", "me", 9, 1_000)]


async def test_an_answer_goes_to_its_table(streams):
    stream = streams()
    stream.seat()
    stream.ask(1)
    stream.session.hear([stream.act(1)])
    assert stream.mail == [stream.act(1)]


async def test_an_answer_for_another_table_is_refused_here(streams):
    stream = streams()
    stream.seat()
    stream.attach()
    stream.session.hear([stream.act(1, "other")])
    await stream.settle()
    assert stream.frames[-1].endswith(b"<act 1 refused %d>" % TransportReason.UNKNOWN_TABLE)
    assert stream.mail == []


async def test_what_is_said_before_the_seats_are_told_waits_for_them(streams):
    stream = streams()
    early = [stream.act(1), stream.act(2, "other"), Left("t", "me", "here")]
    stream.session.hear(early)
    await stream.settle()
    assert (stream.frames, stream.mail) == ([], [])
    stream.seat()
    stream.attach()
    await stream.settle()
    assert stream.frames == [b"<seated><act 2 refused %d>" % TransportReason.UNKNOWN_TABLE]
    assert stream.mail == [early[0], early[2]]


async def test_an_answer_to_a_table_that_is_over_still_reaches_it(streams):
    """A35: an answer in flight at the end gets its MATCH_OVER from the table."""
    stream = streams()
    stream.seat()
    stream.session.take(Delivery(("here",), Body.CLOSED, "t", CLOSED))
    stream.session.hear([stream.act(1)])
    assert stream.mail == [stream.act(1)]


async def test_a_flood_is_refused_and_then_cut(streams):
    stream = streams()
    stream.seat()
    stream.session.hear([stream.act(77)] * (BURST + 1))
    assert len(stream.mail) == BURST
    await stream.settle()
    assert stream.frames[-1].endswith(b"<act 77 refused %d>" % TransportReason.TOO_FAST)
    for _ in range(30):
        stream.session.hear([stream.act(77)] * 100)
        await stream.settle()
    assert stream.session.ended.result().reason is TransportReason.TOO_FAST


async def test_honest_answers_are_never_limited(streams):
    stream = streams()
    stream.seat()
    for number in range(1, 3 * BURST):
        stream.ask(number)
        stream.session.hear([stream.act(number)])
        stream.judge(number)
        await stream.settle()
    assert len([one for one in stream.mail if isinstance(one, Acted)]) == 3 * BURST - 1
    assert not stream.session.ended.done()


async def test_the_same_decision_is_not_free_for_ever(streams):
    stream = streams()
    stream.seat()
    stream.ask(1)
    stream.session.hear([stream.act(1)] * (BURST + FREE_ACTS + 1))
    assert len(stream.mail) == BURST + FREE_ACTS


def fill(stream, items=11):
    """More than a stream of ten thousand bytes keeps for a reader that has stopped."""
    for _ in range(items):
        stream.session.take(Delivery(("here",), Body.EVENTS, "t", bytes(1_000)))


async def test_a_reader_that_does_not_keep_up_is_cut_with_a_reason(streams):
    """A44: only the slow reader is concerned, and it is told what to do."""
    stream = streams()
    stream.open.clear()
    fill(stream)
    await stream.settle()
    fill(stream)
    assert stream.blocked[-1] is stream.session
    for _ in range(STALLED_LOOKS - 1):
        assert stream.session.look()
    assert not stream.session.ended.done()
    stream.session.look()
    ending = stream.session.ended.result()
    assert ending.reason is TransportReason.READER_TOO_SLOW
    assert "resume" in ending.sentence
    fill(stream)
    assert stream.session._outbox.bytes == 11_000


async def test_a_reader_that_is_behind_but_reads_is_not_cut(streams):
    """However slow: a write that ends between two looks shows that it reads."""
    stream = streams()
    stream.open.clear()
    fill(stream)
    await stream.settle()
    for _ in range(3):
        fill(stream)
        for _ in range(STALLED_LOOKS - 1):
            stream.session.look()
        stream.open.set()
        await asyncio.sleep(0)
        stream.open.clear()
        await stream.settle()
    assert not stream.session.ended.done()


async def test_a_process_that_was_held_up_does_not_blame_its_readers(streams):
    """An hour that passes between two looks is one look, and nothing that a reader did."""
    stream = streams()
    stream.open.clear()
    fill(stream)
    await stream.settle()
    stream.now += 3_600_000
    fill(stream)
    assert stream.session.look()
    assert not stream.session.ended.done()


async def test_a_reader_that_is_not_behind_need_not_be_looked_at(streams):
    stream = streams()
    stream.open.clear()
    fill(stream, 2)
    stream.session.wake()
    await stream.settle()
    fill(stream, 10)
    for _ in range(2 * STALLED_LOOKS):
        assert not stream.session.look()
    assert not stream.session.ended.done()


async def test_a_stream_that_was_idle_is_not_slow_for_a_burst(streams):
    stream = streams()
    for _ in range(5):
        fill(stream)
    assert not stream.session.ended.done()
    await stream.settle()
    assert sum(map(len, stream.frames)) == 55_000
    assert not stream.session.look()


async def test_a_decision_that_others_saw_before_tells_its_true_time_left(streams):
    stream = streams(max_open_decisions=1)
    stream.seat()
    stream.ask(1)
    stream.session.take(Delivery(("here",), Body.DECISION, "t", b"<ask 2>", 2, 2_000, False, stream.now))
    stream.now += 300
    stream.judge(1)
    await stream.settle()
    assert b"<ask 2>~1700" in b"".join(stream.frames)
    assert [sent.decision_id for sent in stream.mail] == [1]


async def test_an_ending_within_a_frame_ends_after_what_came_before(streams):
    stream = streams()
    stream.seat()
    stream.ask(1)
    stream.session.hear([stream.act(1), Ending(TransportReason.HELLO_REQUIRED, "x"), stream.act(1)])
    assert stream.mail == [stream.act(1)]
    assert stream.session.ended.result().reason is TransportReason.HELLO_REQUIRED


@pytest.mark.parametrize("tables", [0, 2])
async def test_a_burst_is_no_slowness_but_has_its_bound(streams, tables):
    """A resume brings what was missed at all tables, so those with many may be further behind."""
    stream = streams()
    for number in range(tables):
        stream.seat(str(number))
    await stream.settle()
    stream.session.take(Delivery(("here",), Body.EVENTS, "t", bytes(BURST_FACTOR * 10_000 + tables * RESUME_BYTES)))
    assert not stream.session.ended.done()
    stream.session.take(Delivery(("here",), Body.EVENTS, "t", b"x"))
    assert stream.session.ended.result().reason is TransportReason.READER_TOO_SLOW


async def test_a_friendly_end_writes_what_is_left(streams):
    stream = streams()
    stream.session.take(Delivery(("here",), Body.EVENTS, "t", b"<last>"))
    stream.session.end_with(TransportReason.DRAINING, "bye")
    stream.session.say_farewell()
    await asyncio.wait_for(stream.writer, 60)
    assert stream.frames == [b"<last>"]


async def test_a_replaced_stream_is_told_nothing_but_that(streams):
    stream = streams()
    stream.session.take(Delivery(("here",), Body.EVENTS, "t", b"<last>"))
    stream.session.end_with(TransportReason.SESSION_REPLACED, "bye")
    stream.session.say_farewell()
    await asyncio.wait_for(stream.writer, 60)
    assert stream.frames == [b"<refused %d>" % TransportReason.SESSION_REPLACED]


async def test_the_shortest_of_the_last_round_trips_is_credited(streams):
    stream = streams()
    credited = []
    for trip_ms in (30, 12, 50, 40, 70, 45):
        stream.session.beat()
        number = stream.session.trips.beats
        stream.now += trip_ms
        stream.session.hear([HeartbeatReply(number)])
        credited.append(stream.session.trips.shortest_ms)
    assert credited == [0, 0, 0, 12, 12, 40]


async def test_a_heartbeat_answered_twice_or_that_never_came_is_no_round_trip(streams):
    stream = streams()
    for _ in range(2 * ROUND_TRIPS):
        stream.session.beat()
        stream.now += 500
        stream.session.hear(
            [HeartbeatReply(stream.session.trips.beats - 1), HeartbeatReply(stream.session.trips.beats + 1)]
        )
    assert stream.session.trips.shortest_ms == 0
    stream.session.hear([HeartbeatReply(stream.session.trips.beats)] * ROUND_TRIPS)
    assert stream.session.trips.shortest_ms == 0


async def test_nonsense_is_refused_with_its_reason(streams):
    stream = streams()
    stream.session.hear([Refusal(TransportReason.INVALID_ARGUMENT, "x", "", 0)])
    stream.session.hear([Refusal(TransportReason.INVALID_ARGUMENT, "x", "t", 5)])
    await stream.settle()
    reason = TransportReason.INVALID_ARGUMENT
    assert b"".join(stream.frames) == b"<refused %d><act 5 refused %d>" % (reason, reason)
