"""A watched table as a stream of a call.

Here: `Watching`. Not here: who may watch (`table_service`), what there is to see (`table.hosted`).
"""

from typing import Any

from lastcard.services.watchers import Boxes, next_of, write_to
from lastcard.services.wire.frames import watch_message
from lastcard.table.desk import Desk
from lastcard.table.hosted import HostedTable
from lastcard.table.mail import Body, Delivery
from lastcard.v1 import table_service_pb2


class Watching:
    """All calls that watch tables."""

    def __init__(self, desk: Desk, most_bytes: int, most: int) -> None:
        self._desk = desk
        self._boxes: Boxes[Delivery] = Boxes("tables", most_bytes, most)

    def __len__(self) -> int:
        return len(self._boxes)

    async def watch(
        self, table: HostedTable, seat: int | None, context: Any, *, key: str, last_seen: int, delay_ms: int
    ) -> None:
        """Writes a table to a call until the table is over or the caller goes.

        With a delay everything is held back as long, the first snapshot too, so that nothing shows earlier. `key` is
        whom the call is counted for.

        Raises:
            DomainError: LIMIT_REACHED, READER_TOO_SLOW, DRAINING.
        """
        with self._boxes.box(key) as box:
            watcher = self._desk.watch(table, seat, last_seen, box)
            try:
                while True:
                    delivery = await next_of(box, delay_ms / 1000)
                    message = watch_message(delivery.kind, delivery.item)
                    if message is not None:
                        await write_to(box, context, table_service_pb2.WatchTableResponse.FromString(message))
                    if delivery.kind == Body.CLOSED:
                        return
            finally:
                self._desk.unwatch(table, watcher)

    def drain(self) -> None:
        """The server is shutting down: all calls end, and no more are taken."""
        self._boxes.drain()
