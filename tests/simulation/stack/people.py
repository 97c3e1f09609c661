"""People at open seats, who join, look, answer and leave by single calls, and perhaps watch.

Here: `Person`. Not here: bots (`bot_client`), who only looks on (`spectators`). A person's client tries every call
again under the same key until it is answered, which must take effect once.
"""

from random import Random
from typing import TYPE_CHECKING

import grpc

from lastcard.table.effects import FaultKind
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.table_pb2 import Act, Decision, TableState
from lastcard.v1.table_service_pb2 import (
    GetTableRequest,
    GetTableResponse,
    JoinTableRequest,
    JoinTableResponse,
    LeaveTableRequest,
    LeaveTableResponse,
    SubmitActionRequest,
    SubmitActionResponse,
    WatchTableRequest,
    WatchTableResponse,
)
from simulation.stack.calls import Caller
from simulation.stack.ledger import Reader
from simulation.stack.network import GOOD, Link, Status

if TYPE_CHECKING:
    from simulation.stack.world import World

POLL_S = 2.0


class Person:
    """Somebody who plays at one table; a calm one does nothing that it may be blamed for."""

    def __init__(self, world: "World", table_id: str, number: int, random: Random, *, calm: bool) -> None:
        self.name = f"person{number}"
        self.table_id = table_id
        self.is_done = False
        self.seat: int | None = None
        self._world = world
        self._loop = world.loop
        self._random = random
        self._caller = Caller(world, random, GOOD)
        self._calm = calm
        self._watches = random.random() < 0.5
        self._keys = 0
        self._answering: set[int] = set()
        self._cursor = 0
        self._polling: object = None
        self._watch: Link | None = None

    def __repr__(self) -> str:
        return self.name

    @property
    def token(self) -> str:
        """The secret that it was given."""
        return self._caller.token

    def _key(self) -> str:
        self._keys += 1
        return f"{self.name}-{self._keys}"

    # ------------------------------------------------------------------ joining and leaving

    def join(self) -> None:
        """Joins; until it has a seat or is refused."""
        request = JoinTableRequest(table_id=self.table_id, name=self.name, request_id=self._key())
        self._try_join(request)

    def _try_join(self, request: JoinTableRequest) -> None:
        self._caller.once("JoinTable", request, JoinTableResponse, lambda a, s: self._joined(request, a, s))

    def _joined(self, request: JoinTableRequest, answer: JoinTableResponse | None, status: Status) -> None:
        if self.is_done:
            return
        if answer is not None:
            self.seat = answer.seat
            self._caller.token = answer.resume_secret
            self._world.person_sits(self)
            self._poll()
            if self._watches:
                self._begin_watch()
            return
        reason = status.cause.protocol_reason if status.cause is not None else 0
        if reason == ProtocolReason.PROTOCOL_REASON_SEAT_TAKEN or _is_over(status):
            self.go_home("no seat")
            return
        self._loop.call_later(0.5 + self._random.random(), self._try_join, request)

    def _leave(self) -> None:
        self._world.sin(self.name, FaultKind.LEFT, FaultKind.TIMEOUT, FaultKind.DISCONNECT)
        self._world.reached["person leaves"] += 1
        request = LeaveTableRequest(table_id=self.table_id, request_id=self._key())
        self._try_leave(request)

    def _try_leave(self, request: LeaveTableRequest) -> None:
        self._caller.once("LeaveTable", request, LeaveTableResponse, lambda a, s: self._left(request, a, s))

    def _left(self, request: LeaveTableRequest, answer: LeaveTableResponse | None, status: Status) -> None:
        if self.is_done:
            return
        if answer is not None or (status.cause is not None and status.cause.reason):
            self.go_home("left")
        else:
            self._loop.call_later(0.5, self._try_leave, request)

    def go_home(self, why: str) -> None:
        """Is not there any more."""
        self._world.trace("%s goes home: %s", self, why)
        self.is_done = True
        if self._watch is not None:
            self._watch.cancel()

    # ------------------------------------------------------------------ looking

    def _poll(self) -> None:
        if self.is_done:
            return
        self._caller.once("GetTable", GetTableRequest(table_id=self.table_id), GetTableResponse, self._seen)

    def _seen(self, answer: GetTableResponse | None, status: Status) -> None:
        if self.is_done:
            return
        if answer is not None:
            self._look(answer)
        wait_s = POLL_S * self._random.uniform(0.5, 1.0)
        if not self._calm and self._random.random() < 0.03:
            # Long enough to be taken for gone.
            self._world.sin(self.name, FaultKind.TIMEOUT, FaultKind.DISCONNECT)
            self._world.reached["person dozes"] += 1
            wait_s = self._random.random() * 60
        if not self.is_done:
            self._loop.call_later(wait_s, self._poll)

    def _look(self, answer: GetTableResponse) -> None:
        ledger, table = self._world.ledger, answer.table
        assert self.seat is not None
        if answer.HasField("view"):
            if answer.view.HasField("seat"):
                assert answer.view.seat == self.seat
                ledger.hear_view(self.table_id, self.seat, table.last_sequence, answer.view)
            elif table.state != TableState.TABLE_STATE_CLOSED:
                # The seat was given up before the match began: only then it is nobody's.
                self.go_home("not seated any more")
                return
        if table.state == TableState.TABLE_STATE_CLOSED:
            ledger.hear_result_of(self.table_id, table.result)
            self.go_home("the table is over")
            return
        for decision in answer.decisions:
            ledger.hear_decision(decision, self.seat)
            self._think(decision)
        if not self._calm and self._random.random() < 0.01:
            self._leave()

    def _begin_watch(self) -> None:
        if self.is_done:
            return
        request = WatchTableRequest(table_id=self.table_id, own_view=True, last_sequence=self._cursor)
        reader = Reader({})
        assert self.seat is not None
        reader.seats[self.table_id] = self.seat
        reader.last[self.table_id] = self._cursor or None
        self._watch = self._caller.stream(
            "WatchTable", request, WatchTableResponse, lambda message: self._watched(reader, message), self._watch_ended
        )

    def _watched(self, reader: Reader, message: WatchTableResponse) -> None:
        if self.is_done:
            return
        assert self.seat is not None
        self._cursor = self._world.ledger.hear_watched(reader, self.table_id, self.seat, message)
        if message.WhichOneof("message") == "decision":
            self._think(message.decision)

    def _watch_ended(self, status: Status) -> None:
        self._watch = None
        if status.code == grpc.StatusCode.RESOURCE_EXHAUSTED:
            self._cursor = 0  # what it has missed is more than it may be behind: a snapshot will do
        if not self.is_done:
            self._loop.call_later(0.2 + self._random.random(), self._begin_watch)

    # ------------------------------------------------------------------ answering

    def _think(self, decision: Decision) -> None:
        if decision.decision_id in self._answering:
            return
        self._answering.add(decision.decision_id)
        if not self._calm and self._random.random() < 0.1:
            self._world.sin(self.name, FaultKind.TIMEOUT)
            return
        act = Act(
            table_id=self.table_id,
            decision_id=decision.decision_id,
            choice=self._random.randrange(len(decision.legal_actions)),
            call_uno=True,
        )
        request = SubmitActionRequest(act=act, request_id=self._key() if self._random.random() < 0.7 else "")
        self._loop.call_later(self._random.random(), self._submit, request)

    def _submit(self, request: SubmitActionRequest) -> None:
        if self.is_done:
            return
        self._caller.once("SubmitAction", request, SubmitActionResponse, lambda a, s: self._judged(request, a, s))
        if self._random.random() < 0.1:
            # An impatient client, or a network that repeats.
            self._world.reached["call repeated"] += 1
            self._caller.once("SubmitAction", request, SubmitActionResponse, lambda a, _: self._note(request, a))

    def _judged(self, request: SubmitActionRequest, answer: SubmitActionResponse | None, status: Status) -> None:
        if self.is_done:
            return
        if answer is not None:
            self._note(request, answer)
        elif status.cause is None or status.cause.reason != Reason.REASON_FORBIDDEN:
            self._world.reached["call tried again"] += 1
            self._loop.call_later(0.2 + self._random.random(), self._submit, request)

    def _note(self, request: SubmitActionRequest, answer: SubmitActionResponse | None) -> None:
        if answer is None:
            return
        ledger = self._world.ledger
        ledger.hear_result(answer.result)
        if request.request_id:
            ledger.hear_answer(request.request_id, answer)


def _is_over(status: Status) -> bool:
    return status.cause is not None and status.cause.reason == Reason.REASON_MATCH_OVER
