"""Waiting for threads and for one of several occasions, so that nothing is left behind.

Here: both. May import the standard library only.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Call what writes in a thread, and wait for its end even when cancelled, so that nobody writes beside it."""
    work = asyncio.create_task(asyncio.to_thread(function, *arguments, **options))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with suppress(asyncio.CancelledError):  # whoever is impatient waits as well
                await asyncio.wait((work,))
        raise


async def first_of(*events: asyncio.Event) -> None:
    """Wait until one of these events is set."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
