import asyncio

import pytest

from lastcard.services.patience import Patience
from waiting import until


async def wait(patience, seconds=20.0):
    async with patience.waiting():
        await asyncio.sleep(seconds)


async def test_a_call_that_says_something_is_waited_for():
    patience = Patience(seconds=5)
    await wait(patience, 0)
    assert len(patience) == 0


async def test_a_call_that_says_nothing_is_not_waited_for_for_ever():
    patience = Patience(seconds=0.01)
    with pytest.raises(TimeoutError):
        await wait(patience)
    assert len(patience) == 0


async def test_of_too_many_the_oldest_goes():
    patience = Patience(seconds=20, most=2)
    tasks = []
    for _ in range(4):
        tasks.append(asyncio.create_task(wait(patience)))
        await asyncio.sleep(0)
    done, waiting = await asyncio.wait(tasks, timeout=60, return_when=asyncio.FIRST_EXCEPTION)
    await until(lambda: all(task.done() for task in tasks[:2]))
    assert [task.done() for task in tasks] == [True, True, False, False]
    assert {type(task.exception()) for task in tasks[:2]} == {TimeoutError}
    assert len(patience) == 2
    for task in (*done, *waiting):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(patience) == 0


async def test_the_oldest_may_go_by_itself_in_the_moment_in_which_another_comes():
    patience = Patience(seconds=0, most=1)
    oldest = asyncio.create_task(wait(patience))
    await asyncio.sleep(0)  # it waits: its time runs out in the next round of the loop, before the other's first step
    another = asyncio.create_task(wait(patience))
    results = await asyncio.gather(oldest, another, return_exceptions=True)
    assert [type(result) for result in results] == [TimeoutError, TimeoutError]
    assert len(patience) == 0


async def test_a_caller_that_goes_is_not_waited_for():
    patience = Patience()
    task = asyncio.create_task(wait(patience))
    await asyncio.sleep(0)
    assert len(patience) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(patience) == 0
