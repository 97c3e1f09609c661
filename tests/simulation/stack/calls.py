"""Calls of people's clients and spectators on the simulated network.

Here: `Caller`, which makes single calls and streams. Not here: what they are for (`people`, `spectators`).
"""

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from google.protobuf.message import Message

from simulation.stack.network import Link, Quality, Status

if TYPE_CHECKING:
    from simulation.stack.world import World

SERVICE = "/lastcard.v1.TableService/"

Answer = TypeVar("Answer", bound=Message)


class _Call:
    """One call under way: what came of it goes to `frame` message by message, and to `ended`."""

    def __init__(self, world: "World", frame: Callable[[bytes], None], ended: Callable[[Status], None]) -> None:
        self._world = world
        self._frame = frame
        self._ended = ended

    def on_frame(self, link: Link, frame: bytes) -> None:
        self._frame(frame)

    def on_end(self, link: Link, status: Status) -> None:
        self._world.trace("%s (%s) ends: %s %s", link, link.method, status.code.name, status.text)
        self._ended(status)


class Caller:
    """Makes calls as one client; `token` is who it is."""

    def __init__(self, world: "World", random: Random, quality: Quality) -> None:
        self.token = ""
        self._world = world
        self._random = random
        self._quality = quality

    def once(
        self, method: str, request: Message, answer: type[Answer], then: Callable[[Answer | None, Status], None]
    ) -> Link:
        """Makes a single call; `then` is told its answer, or `None`, and how it ended."""
        came: list[Answer] = []

        def ended(status: Status) -> None:
            assert status.code != grpc.StatusCode.INTERNAL, f"{method} failed: {status}"
            whole = came[0] if came and status.code == grpc.StatusCode.OK else None
            assert status.code != grpc.StatusCode.OK or whole is not None, f"{method} ended well without an answer"
            then(whole, status)

        return self._begin(method, request, lambda frame: came.append(answer.FromString(frame)), ended)

    def stream(
        self,
        method: str,
        request: Message,
        answer: type[Answer],
        each: Callable[[Answer], None],
        ended: Callable[[Status], None],
    ) -> Link:
        """Makes a call that is answered by many messages."""
        return self._begin(method, request, lambda frame: each(answer.FromString(frame)), ended)

    def _begin(
        self, method: str, request: Message, frame: Callable[[bytes], None], ended: Callable[[Status], None]
    ) -> Link:
        client: Any = _Call(self._world, frame, ended)
        link = self._world.network.call(client, SERVICE + method, self.token, self._quality, self._random)
        self._world.trace("%s calls %s", link, method)
        link.send(request.SerializeToString(), [])
        link.half_close()
        return link
