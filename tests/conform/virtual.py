"""Running a coroutine in virtual time: nothing sleeps, and waiting costs nothing.

Here: `in_virtual_time`. Not here: the loop itself, which is the simulation's.
"""

import asyncio  # noqa: TC003
from collections.abc import Coroutine
from typing import Any, TypeVar

from simulation.stack.loop import VirtualLoop

T = TypeVar("T")
MOST_STEPS = 2_000_000


def in_virtual_time(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing outside of this process; a deadlock is an error."""
    loop = VirtualLoop()
    with loop.inside(1):
        task: asyncio.Task[T] = loop.create_task(coroutine)
    loop.run(task.done, MOST_STEPS)
    if not task.done():
        raise TimeoutError(f"everything waits for something that never comes: {task}")
    left = [other for other in loop.tasks(0) + loop.tasks(1) if not other.done()]
    loop.bury()
    assert not left, f"left running: {left}"
    return task.result()
