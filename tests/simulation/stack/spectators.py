"""Those who look on, some with a seat's own view, over streams that break and resume.

Here: `Spectator`. Not here: people who play (`people`).
"""

from random import Random
from typing import TYPE_CHECKING

import grpc

from lastcard.v1.reason_pb2 import ProtocolReason
from lastcard.v1.table_service_pb2 import WatchTableRequest, WatchTableResponse
from simulation.stack.calls import Caller
from simulation.stack.ledger import Reader
from simulation.stack.network import KEEPALIVE_S, LOST, Link, Quality, Status

if TYPE_CHECKING:
    from simulation.stack.world import World


HOPELESS = (ProtocolReason.PROTOCOL_REASON_NOT_FOUND, ProtocolReason.PROTOCOL_REASON_UNAUTHENTICATED)
MOST_REFUSALS = 60


class Spectator:
    """Watches one table to its end; `token` is that of a seat's owner, who sees more."""

    def __init__(  # noqa: PLR0917 - all are named where one is made
        self, world: "World", table_id: str, seat: int, random: Random, quality: Quality, token: str
    ) -> None:
        self.table_id = table_id
        self.is_done = False
        self._world = world
        self._random = random
        self._caller = Caller(world, random, quality)
        self._caller.token = token
        self._seat = seat
        self._own = bool(token)
        self._cursor = 0
        self._refused = 0
        self._delay_s = random.choice((0.0, 0.0, 0.5)) if not token else 0.0
        self._link: Link | None = None

    def watch(self) -> None:
        """Watches from where it stands."""
        if self.is_done:
            return
        request = WatchTableRequest(table_id=self.table_id, own_view=self._own, last_sequence=self._cursor)
        request.delay.FromMilliseconds(int(self._delay_s * 1_000))
        reader = Reader({})
        reader.last[self.table_id] = self._cursor or None
        link = self._caller.stream(
            "WatchTable", request, WatchTableResponse, lambda message: self._hear(reader, message), self._ended
        )
        self._link = link
        if self._random.random() < 0.5:
            self._world.loop.call_later(self._random.random() * 10, self._disturb, link)

    def _hear(self, reader: Reader, message: WatchTableResponse) -> None:
        self._world.reached["watched"] += 1
        self._cursor = self._world.ledger.hear_watched(reader, self.table_id, self._seat, message)
        if message.WhichOneof("message") == "closed":
            self.is_done = True

    def _ended(self, status: Status) -> None:
        self._link = None
        if status.code == grpc.StatusCode.RESOURCE_EXHAUSTED:
            self._cursor = 0  # what it has missed is more than it may be behind: a snapshot will do
            self._refused += 1
            self.is_done = self.is_done or self._refused > MOST_REFUSALS
        if status.cause is not None and (status.cause.reason or status.cause.protocol_reason in HOPELESS):
            # Not its table, or no table: perhaps not yet, or not any more.
            self._refused += 1
            self.is_done = self.is_done or self._refused > MOST_REFUSALS
        if not self.is_done:
            self._world.reached["watch resumed"] += 1
            self._world.loop.call_later(self._random.random() * 2, self.watch)

    def _disturb(self, link: Link) -> None:
        """The line breaks, or it stops reading, or it just goes and comes back."""
        if link.is_over or self.is_done:
            return
        way = self._random.randrange(3)
        if way == 0:
            link.cut(self._random.random() * KEEPALIVE_S, self._random.random() * 5)
        elif way == 1:
            link.read_on(False)
            self._world.loop.call_later(self._random.random() * 10, link.read_on, True)
        else:
            link.cancel()
            self._ended(LOST)

    def go_home(self) -> None:
        """Is not there any more."""
        self.is_done = True
        if self._link is not None:
            self._link.cancel()
