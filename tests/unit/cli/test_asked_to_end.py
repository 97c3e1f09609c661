"""Being asked to end by a signal while there is something to put away."""

import asyncio
import signal

import pytest

from lastcard.cli.asked_to_end import unless_asked_to_end
from lastcard.cli.errors import CommandError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_work_that_is_asked_to_end_puts_away_what_it_has_although_it_is_asked_twice(number):
    put_away = False

    async def work():
        nonlocal put_away
        try:
            signal.raise_signal(number)
            await asyncio.Event().wait()
        finally:
            signal.raise_signal(number)
            for _ in range(5):
                await asyncio.sleep(0)
            put_away = True

    with pytest.raises(CommandError, match="broken off") as error:
        await unless_asked_to_end(work(), "broken off")
    assert error.value.status == 1
    assert put_away
    assert signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL)


async def test_a_signal_that_is_ignored_stays_so():
    async def work():
        signal.raise_signal(signal.SIGHUP)
        await asyncio.sleep(0)
        return "done"

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert await unless_asked_to_end(work(), "broken off") == "done"
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


async def test_work_that_is_cancelled_otherwise_is_cancelled():
    async def work():
        await asyncio.Event().wait()

    task = asyncio.ensure_future(unless_asked_to_end(work(), "broken off"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
