"""Answers to calls with a `request_id`, so that the same call again gets the first answer again.

Here: `AnsweredRequests`. Not here: the calls (`table_service`), how answers are kept (`store`). What a call changes and
its answer are stored together, so that a retry is known after a restart of the server too.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from lastcard.table.journal import Entry, Requested
from lastcard.table.refusals import DomainError, TransportReason

KEPT = 10_000
"""Answers kept; a retry comes within seconds, so the oldest may go."""

LONGEST_ID = 64

Place = tuple[str, str, str]
"""Caller, kind of request, and its key."""

Answer = TypeVar("Answer", bound=Message)


class _Known(NamedTuple):
    """A request that was made, and the answer to come; `bytes` are the answer of an earlier run of the server."""

    asked: bytes
    answer: "asyncio.Future[Any] | bytes"


class AnsweredRequests:
    """Answers by caller and key. Calls without a key are not remembered.

    `note` takes what is to be stored together with what the call changed, and `durable` returns when it is.
    """

    def __init__(self, note: Callable[[Entry], None], durable: Callable[[], Awaitable[None]]) -> None:
        self._note = note
        self._durable = durable
        self._known: dict[Place, _Known] = {}

    def restore(self, requested: Requested) -> None:
        """Takes in an answer of an earlier run; the oldest first."""
        caller, kind, key = json.loads(requested.place)
        self._keep((caller, kind, key), _Known(requested.asked, requested.answer))

    async def change(
        self,
        identity: str,
        request: Any,
        do: Callable[[], Answer],
        *,
        stored: Callable[[Answer], Answer] = lambda answer: answer,
        again: Callable[[bytes], Answer],
    ) -> Answer:
        """The answer to a request that changes something by `do`; returns when both are stored.

        `stored` gives what may be kept of the answer on disk, `again` the answer of an earlier run from that; it may
        change something too, and does so once, since its answer is then kept like a first one.

        Raises:
            DomainError: INVALID_ARGUMENT (the key is too long), REQUEST_ID_REUSED (it was used for another request).
        """

        async def changed(earlier: bytes | None) -> Answer:
            answer = do() if earlier is None else again(earlier)  # no wait before the note: they are one commit
            if request.request_id and (kept := stored(answer).SerializeToString()) != earlier:
                place = json.dumps(_place(identity, request))
                self._note(Requested(place, _asked(request), kept))
            await self._durable()
            return answer

        return await self._once(identity, request, changed)

    async def change_slowly(
        self, identity: str, request: Any, do: Callable[[], Awaitable[Answer]], *, again: Callable[[bytes], Answer]
    ) -> Answer:
        """As `change`, for what takes its time and is kept elsewhere: the answer is stored when it is done.

        When the process dies between the two, the same request is done again; it must bear that, know itself again by
        what `mark_of` gives, or refuse it.
        """

        async def changed(earlier: bytes | None) -> Answer:
            if earlier is not None:
                return again(earlier)
            answer = await do()
            if request.request_id:
                place = json.dumps(_place(identity, request))
                self._note(Requested(place, _asked(request), answer.SerializeToString()))
            await self._durable()
            return answer

        return await self._once(identity, request, changed)

    async def once(self, identity: str, request: Any, do: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to a request that a table recognises by itself, and that need not be stored.

        Raises:
            DomainError: as `change`.
        """

        async def done(_: bytes | None) -> Answer:
            return await do()

        return await self._once(identity, request, done)

    async def _once(
        self, identity: str, request: Any, do: Callable[[bytes | None], Coroutine[Any, Any, Answer]]
    ) -> Answer:
        """The answer by `do`, which is given the stored answer of an earlier run if there is one."""
        key = request.request_id
        if len(key) > LONGEST_ID:
            sentence = f"request_id has {len(key)} characters; the most is {LONGEST_ID}"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="request_id")
        if not key:
            return await do(None)
        place, asked = _place(identity, request), _asked(request)
        known = self._known.get(place)
        if known is not None and known.asked != asked:
            sentence = f"request_id {key!r} was used before for another request; choose a new one"
            raise DomainError(TransportReason.REQUEST_ID_REUSED, sentence, field="request_id", request_id=key)
        earlier = None if known is None else known.answer
        if earlier is None or isinstance(earlier, bytes):
            # A task of its own: it is finished though its caller goes away, and a retry meanwhile waits for it.
            task = asyncio.ensure_future(do(earlier))
            self._keep(place, _Known(asked, task))
            task.add_done_callback(lambda task: self._note_end(place, task, known))
            return await asyncio.shield(task)
        answer: Answer = await asyncio.shield(earlier)
        return answer

    def _keep(self, place: Place, known: _Known) -> None:
        self._known[place] = known
        if len(self._known) > KEPT:
            del self._known[next(iter(self._known))]

    def _note_end(self, place: Place, task: "asyncio.Task[Any]", before: _Known | None) -> None:
        """Keeps the answer without the task; what failed changed nothing and may be tried again.

        What was known `before` is known again after a failure.
        """
        failed = task.cancelled() or task.exception() is not None
        known = self._known.get(place)
        if known is None or known.answer is not task:
            return
        if not failed:
            answer = task.get_loop().create_future()
            answer.set_result(task.result())
            self._known[place] = known._replace(answer=answer)
            return
        del self._known[place]
        if before is not None:
            self._keep(place, before)


def _place(identity: str, request: Any) -> Place:
    return identity, type(request).__name__, request.request_id


def mark_of(identity: str, request: Any) -> str:
    """What marks a call with a key, and the same call again, in what it writes; empty for one without a key."""
    if not request.request_id:
        return ""
    return sha256(json.dumps(_place(identity, request)).encode() + _asked(request)).hexdigest()[:32]


def _asked(request: Any) -> bytes:
    """What was asked, as a hash: a request may be as large as the transport lets it, and many are remembered."""
    return sha256(request.SerializeToString(deterministic=True)).digest()
