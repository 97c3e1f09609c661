import asyncio
from hashlib import sha256

import pytest

from lastcard.services.requests import AnsweredRequests
from lastcard.table.journal import Requested
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1 import table_service_pb2 as tp
from waiting import until

REQUEST = tp.JoinTableRequest(request_id="r", table_id="t")


def answers(noted=None):
    """Answers of a server whose disk takes no time."""

    async def durable():
        await asyncio.sleep(0)

    return AnsweredRequests((noted if noted is not None else []).append, durable)


class Work:
    """Something that takes until `done`, and is done once or fails once."""

    def __init__(self):
        self.begun = 0
        self.done = asyncio.Event()
        self.error = None

    async def __call__(self):
        self.begun += 1
        await self.done.wait()
        if self.error is not None:
            raise self.error
        return tp.JoinTableResponse(seat=self.begun)


async def test_a_retry_before_the_first_answer_waits_for_it():
    answered, work = answers(), Work()
    calls = [asyncio.create_task(answered.once("me", REQUEST, work)) for _ in range(3)]
    await asyncio.sleep(0)
    work.done.set()
    assert [answer.seat for answer in await asyncio.gather(*calls)] == [1, 1, 1]
    assert work.begun == 1


async def test_of_what_is_done_the_answer_is_kept_and_not_the_task():
    answered, work = answers(), Work()
    work.done.set()
    await answered.once("me", REQUEST, work)
    await asyncio.sleep(0)
    (known,) = answered._known.values()
    assert not isinstance(known.answer, asyncio.Task)
    assert (await answered.once("me", REQUEST, work)).seat == 1


async def test_what_a_caller_began_is_finished_though_it_goes_away():
    answered, work = answers(), Work()
    call = asyncio.create_task(answered.once("me", REQUEST, work))
    await until(lambda: work.begun)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    work.done.set()
    assert (await answered.once("me", REQUEST, work)).seat == 1


async def test_what_failed_may_be_tried_again():
    answered, work = answers(), Work()
    work.done.set()
    work.error = DomainError(TransportReason.NOT_FOUND, "there is no table 't'")
    with pytest.raises(DomainError):
        await answered.once("me", REQUEST, work)
    work.error = None
    assert (await answered.once("me", REQUEST, work)).seat == 2


async def test_a_key_in_use_for_another_request_is_refused():
    answered, work = answers(), Work()
    call = asyncio.create_task(answered.once("me", REQUEST, work))
    await asyncio.sleep(0)
    with pytest.raises(DomainError) as error:
        await answered.once("me", tp.JoinTableRequest(request_id="r", table_id="u"), work)
    assert error.value.reason is TransportReason.REQUEST_ID_REUSED
    work.done.set()
    await call


class Change:
    """Something that is changed at once, each time otherwise."""

    def __init__(self):
        self.begun = 0

    def __call__(self):
        self.begun += 1
        return tp.JoinTableResponse(seat=self.begun, resume_secret="secret")


def without_secret(response):
    return tp.JoinTableResponse(seat=response.seat)


async def changed(answered, change, request=REQUEST):
    again = tp.JoinTableResponse.FromString
    return await answered.change("me", request, change, stored=without_secret, again=again)


async def test_a_change_is_noted_with_what_may_be_stored_of_its_answer():
    noted, change = [], Change()
    answered = answers(noted)
    assert (await changed(answered, change)).resume_secret == "secret"
    assert [(entry.asked, entry.answer) for entry in noted] == [
        (sha256(REQUEST.SerializeToString()).digest(), tp.JoinTableResponse(seat=1).SerializeToString())
    ]
    assert (await changed(answered, change)).resume_secret == "secret"
    assert (change.begun, len(noted)) == (1, 1)


async def test_the_note_is_made_before_anything_else_can_be():
    """Only then are the change and its answer one commit."""
    noted = []

    async def never():
        await asyncio.get_running_loop().create_future()

    call = asyncio.create_task(changed(AnsweredRequests(noted.append, never), Change()))
    await until(lambda: noted)
    assert not call.done()
    call.cancel()


async def test_a_change_of_an_earlier_run_is_answered_and_not_made_again():
    noted, change = [], Change()
    await changed(answers(noted), change)
    later_noted = []
    later = answers(later_noted)
    later.restore(noted[0])
    assert await changed(later, change) == tp.JoinTableResponse(seat=1)
    assert (change.begun, later_noted) == (1, [])
    with pytest.raises(DomainError) as error:
        await changed(later, change, tp.JoinTableRequest(request_id="r", table_id="u"))
    assert error.value.reason is TransportReason.REQUEST_ID_REUSED


class Again:
    """How an answer of an earlier run is given again: each time otherwise, and the first times not at all."""

    def __init__(self, failures=0):
        self.begun = 0
        self.failures = failures

    def __call__(self, stored):
        self.begun += 1
        if self.begun <= self.failures:
            raise DomainError(TransportReason.DRAINING, "not now")
        return tp.JoinTableResponse(seat=int(stored.decode()), resume_secret=f"new {self.begun}")


def numbered(response):
    """What is stored of an answer: by it the next run knows what the last repetition was told."""
    return tp.JoinTableResponse(resume_secret=response.resume_secret)


def restored(noted):
    later = answers(noted)
    later.restore(Requested('["me", "JoinTableRequest", "r"]', sha256(REQUEST.SerializeToString()).digest(), b"7"))
    return later


async def test_an_answer_of_an_earlier_run_is_given_again_once_and_noted_if_it_is_another():
    noted, change, again = [], Change(), Again()
    answered = restored(noted)
    calls = [answered.change("me", REQUEST, change, stored=numbered, again=again) for _ in range(3)]
    assert [answer.resume_secret for answer in await asyncio.gather(*calls)] == ["new 1"] * 3
    assert (await answered.change("me", REQUEST, change, stored=numbered, again=again)).resume_secret == "new 1"
    assert (again.begun, change.begun) == (1, 0)
    assert [tp.JoinTableResponse.FromString(entry.answer).resume_secret for entry in noted] == ["new 1"]


async def test_what_could_not_be_given_again_is_not_begun_anew():
    noted, change, again = [], Change(), Again(failures=1)
    answered = restored(noted)
    with pytest.raises(DomainError):
        await answered.change("me", REQUEST, change, stored=numbered, again=again)
    assert (await answered.change("me", REQUEST, change, stored=numbered, again=again)).resume_secret == "new 2"
    assert change.begun == 0


async def test_a_change_that_failed_is_not_noted():
    noted = []

    def fail():
        raise DomainError(TransportReason.NOT_FOUND, "there is no table 't'")

    with pytest.raises(DomainError):
        await changed(answers(noted), fail)
    assert noted == []


async def test_a_call_without_a_key_is_not_noted():
    noted, change = [], Change()
    answered = answers(noted)
    for _ in range(2):
        await changed(answered, change, tp.JoinTableRequest(table_id="t"))
    assert (change.begun, noted) == (2, [])
