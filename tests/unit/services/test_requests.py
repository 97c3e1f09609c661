import asyncio

import pytest

from lastcard.services.requests import AnsweredRequests
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1 import table_service_pb2 as tp
from waiting import until

REQUEST = tp.JoinTableRequest(request_id="r", table_id="t")


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
    answered, work = AnsweredRequests(), Work()
    calls = [asyncio.create_task(answered.once("me", REQUEST, work)) for _ in range(3)]
    await asyncio.sleep(0)
    work.done.set()
    assert [answer.seat for answer in await asyncio.gather(*calls)] == [1, 1, 1]
    assert work.begun == 1


async def test_what_a_caller_began_is_finished_though_it_goes_away():
    answered, work = AnsweredRequests(), Work()
    call = asyncio.create_task(answered.once("me", REQUEST, work))
    await until(lambda: work.begun)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    work.done.set()
    assert (await answered.once("me", REQUEST, work)).seat == 1


async def test_what_failed_may_be_tried_again():
    answered, work = AnsweredRequests(), Work()
    work.done.set()
    work.error = DomainError(TransportReason.NOT_FOUND, "there is no table 't'")
    with pytest.raises(DomainError):
        await answered.once("me", REQUEST, work)
    work.error = None
    assert (await answered.once("me", REQUEST, work)).seat == 2


async def test_a_key_in_use_for_another_request_is_refused():
    answered, work = AnsweredRequests(), Work()
    call = asyncio.create_task(answered.once("me", REQUEST, work))
    await asyncio.sleep(0)
    with pytest.raises(DomainError) as error:
        await answered.once("me", tp.JoinTableRequest(request_id="r", table_id="u"), work)
    assert error.value.reason is TransportReason.REQUEST_ID_REUSED
    work.done.set()
    await call
