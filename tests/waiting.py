"""Waiting in tests: for a condition, with a bound, and never for a time."""

import asyncio
from collections.abc import Callable
from pathlib import Path


async def until(condition: Callable[[], bool], bound_s: float = 60) -> None:
    """Return as soon as `condition` holds; `TimeoutError` when it does not within the bound."""
    async with asyncio.timeout(bound_s):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in another process
            await asyncio.sleep(0.005)


async def ended(task: asyncio.Task[None], bound_s: float = 60) -> None:
    """Wait for a task's end and raise what it ended with; `TimeoutError` when it does not within the bound."""
    await asyncio.wait_for(task, bound_s)


def process_lives(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False
