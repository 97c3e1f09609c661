import asyncio

import pytest

from lastcard.services.watching import Watching
from lastcard.table.mail import Body, Delivery
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1 import table_service_pb2
from lastcard.v1.play_service_pb2 import PlayResponse
from waiting import until

MOST = 10_000


def delivery(size=1_000):
    """Events of about so many bytes, as an item of a play stream's frame."""
    frame = PlayResponse()
    events = frame.messages.add().table_events
    events.table_id = "t" * size
    return Delivery(("here",), Body.EVENTS, "t", frame.SerializeToString())


class Desk:
    """Remembers who watches."""

    def __init__(self):
        self.boxes = []

    def watch(self, _table, _seat, _last_seen, box):
        self.boxes.append(box)
        return box

    def unwatch(self, _table, box):
        self.boxes.remove(box)


class Call:
    """A call whose caller reads as long as `reads` is set."""

    def __init__(self):
        self.reads = asyncio.Event()
        self.reads.set()
        self.written = []

    async def write(self, message):
        await self.reads.wait()
        assert isinstance(message, table_service_pb2.WatchTableResponse)
        self.written.append(message)


@pytest.fixture
async def watched():
    desk, call = Desk(), Call()
    watching = Watching(desk, MOST, 5)
    task = asyncio.create_task(watching.watch(None, None, call, key="me", last_seen=0, delay_ms=0))
    await asyncio.sleep(0)
    yield watching, desk.boxes[0], call, task
    assert desk.boxes == []
    assert len(watching) == 0
    assert not watching._boxes._by_key


async def refusal(task):
    done, _ = await asyncio.wait({task}, timeout=5)  # which cancels nothing when it is over
    assert done
    error = task.exception()
    assert isinstance(error, DomainError)
    return error.reason


async def test_who_reads_is_told_everything(watched):
    _, box, call, task = watched
    for told in range(1, 31):
        box.take(delivery())
        await until(lambda told=told: len(call.written) == told)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_write_that_never_ends_is_broken_off_when_too_much_waits(watched):
    _, box, call, task = watched
    call.reads.clear()
    for _ in range(12):
        box.take(delivery())
        await asyncio.sleep(0)
    assert await refusal(task) is TransportReason.READER_TOO_SLOW
    assert call.written == []


async def test_a_write_that_never_ends_does_not_hold_up_a_drain(watched):
    watching, box, call, task = watched
    call.reads.clear()
    box.take(delivery())
    await asyncio.sleep(0.01)
    watching.drain()
    assert await refusal(task) is TransportReason.DRAINING


async def test_a_caller_who_goes_in_the_middle_of_a_write_is_gone(watched):
    _, box, call, task = watched
    call.reads.clear()
    box.take(delivery())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_write_that_fails_means_that_the_caller_has_gone(watched):
    """Grpc raises of its own accord when a peer has vanished: no fault of ours."""
    _, box, call, task = watched

    async def fails(_message):
        raise OSError("Failed to execute a batch")

    call.write = fails
    box.take(delivery())
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_nobody_may_watch_while_the_server_drains(watched):
    watching, _, call, task = watched
    watching.drain()
    assert await refusal(task) is TransportReason.DRAINING
    again = asyncio.create_task(watching.watch(None, None, call, key="me", last_seen=0, delay_ms=0))
    assert await refusal(again) is TransportReason.DRAINING
