"""Answers to calls with a `request_id`, so that the same call again gets the first answer again.

Here: `AnsweredRequests`. Not here: the calls (`table_service`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from google.protobuf.message import Message

from lastcard.table.refusals import DomainError, TransportReason

KEPT = 10_000
"""Answers kept; a retry comes within seconds, so the oldest may go."""

LONGEST_ID = 64

_Place = tuple[str, str, str]
"""Caller, kind of request, and its key."""

Answer = TypeVar("Answer", bound=Message)


class AnsweredRequests:
    """Answers by caller and key. Calls without a key are not remembered."""

    def __init__(self) -> None:
        self._answers: dict[_Place, tuple[bytes, asyncio.Task[Any]]] = {}

    async def once(self, identity: str, request: Any, do: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to a request: the first one again when its key is known, else that of `do`.

        Raises:
            DomainError: INVALID_ARGUMENT (the key is too long), REQUEST_ID_REUSED (it was used for another request).
        """
        key = request.request_id
        if len(key) > LONGEST_ID:
            sentence = f"request_id has {len(key)} characters; the most is {LONGEST_ID}"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="request_id")
        if not key:
            return await do()
        place = (identity, type(request).__name__, key)
        asked = request.SerializeToString(deterministic=True)
        known = self._answers.get(place)
        if known is None:
            # A task of its own: it is finished though its caller goes away, and a retry meanwhile waits for it.
            known = self._answers[place] = (asked, asyncio.ensure_future(_awaited(do)))
            known[1].add_done_callback(lambda task: self._forget_failed(place, task))
            if len(self._answers) > KEPT:
                del self._answers[next(iter(self._answers))]
        elif known[0] != asked:
            sentence = f"request_id {key!r} was used before for another request; choose a new one"
            raise DomainError(TransportReason.REQUEST_ID_REUSED, sentence, field="request_id", request_id=key)
        answer: Answer = await asyncio.shield(known[1])
        return answer

    def _forget_failed(self, place: _Place, task: "asyncio.Task[Any]") -> None:
        """What failed changed nothing, and may be tried again."""
        if task.cancelled() or task.exception() is not None:
            known = self._answers.get(place)
            if known is not None and known[1] is task:
                del self._answers[place]


async def _awaited(do: Callable[[], Awaitable[Answer]]) -> Answer:
    return await do()
