"""A connection that behaves like a bad line, and remembers when what was carried.

Here: `SlowLine`, `SlowLink`. Not here: the model (`line`), the listening (`lastcard.conform.wire`). May import those.
"""

import asyncio
import time

from lastcard.conform.wire import CHUNK_BYTES, Link
from lastcard.practice.line import Carried, Conditions, Direction


class SlowLine:
    """Makes slow connections, for `Wire(link_of=line.link)`; `to_bot` and `to_server` is what they carried."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._directions = 0
        self._origin_ms = (time.time_ns() - time.monotonic_ns()) / 1e6
        """With the monotonic clock it makes the times of a server's receipts, which follow no change of the clock."""
        self.to_bot: list[Carried] = []
        self.to_server: list[Carried] = []

    def link(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> "SlowLink":
        """A connection."""
        return SlowLink(self, client, server)

    def direction(self) -> Direction:
        """One way of a new connection."""
        self._directions += 1
        return Direction(self._conditions, self._directions)

    def now_ms(self) -> float:
        """The time."""
        return time.monotonic_ns() / 1e6 + self._origin_ms

    def forget(self) -> None:
        """Forgets what was carried so far."""
        self.to_bot.clear()
        self.to_server.clear()


class SlowLink(Link):
    """One connection over a bad line."""

    def __init__(self, line: SlowLine, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        super().__init__(client, server)
        self._line = line

    async def pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Carries what one end says to the other, each thing when it has arrived, until one of them is gone."""
        line, direction = self._line, self._line.direction()
        carried = line.to_bot if sink is self.client else line.to_server
        under_way: asyncio.Queue[tuple[bytes, Carried] | None] = asyncio.Queue()
        delivering = asyncio.create_task(self._deliver(under_way, sink, carried))
        try:
            while chunk := await source.read(CHUNK_BYTES):
                now = line.now_ms()
                under_way.put_nowait((chunk, Carried(now, direction.arrival_ms(now, len(chunk)))))
        except OSError:
            pass  # the wire was cut
        finally:
            under_way.put_nowait(None)
            await delivering
            sink.transport.abort()

    async def _deliver(
        self,
        under_way: "asyncio.Queue[tuple[bytes, Carried] | None]",
        sink: asyncio.StreamWriter,
        carried: list[Carried],
    ) -> None:
        while (item := await under_way.get()) is not None:
            chunk, times = item
            await asyncio.sleep(max(0.0, times.arrived_ms - self._line.now_ms()) / 1e3)
            if sink.is_closing():
                return
            carried.append(Carried(times.said_ms, self._line.now_ms()))
            sink.write(chunk)
