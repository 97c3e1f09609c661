"""The status with which the server ended a call, which grpc.aio may hide behind one of its own.

Here: `Ends`. Not here: what a status means for a bot (`endings`). Imports grpc.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar

import grpc
import grpc.aio

_T = TypeVar("_T")

FOLLOWS_S = 5.0
"""How long the server's status is waited for behind one of grpc.aio's own. It comes at once: this bounds failures."""

LOOK_S = 0.002

_OF_A_WRITE = (grpc.StatusCode.INTERNAL, "Internal error from Core")
"""What grpc.aio makes of a write that meets the end of its call: it puts this in place of the server's status, which
was here before or comes right behind. A bot that was just answering would not learn that it had been replaced."""


class Status(NamedTuple):
    """How a call ended."""

    code: grpc.StatusCode
    text: str
    trailing: Any


class Ends:
    """Listens for how a call ends, from its beginning on."""

    def __init__(self, call: grpc.aio.Call) -> None:
        self._call = call
        self._first: Status | None = None
        call.add_done_callback(self._note)

    async def status(self) -> Status:
        """How the call ends, once it has."""
        await self._call.code()
        status = self._first or _status_of(self._call)
        until = asyncio.get_running_loop().time() + FOLLOWS_S
        while status[:2] == _OF_A_WRITE and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(LOOK_S)  # nobody is called for a second status
            status = _status_of(self._call)
        return status

    def _note(self, call: grpc.aio.Call) -> None:
        """Is called for the first status that the call is given."""
        self._first = _status_of(call)


def _status_of(call: grpc.aio.Call) -> Status:
    """The status of a call that has one."""
    return Status(_at_once(call.code()), _at_once(call.details()) or "", _at_once(call.trailing_metadata()))


def _at_once(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """What a coroutine returns that has nothing to wait for."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    finally:
        coroutine.close()
    raise RuntimeError("the status of a call that has ended is not known at once")
