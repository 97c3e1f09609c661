"""A wire to a server: a forwarder of bytes on a port of its own that can be cut, go dead, or lead nowhere for a while.

Here: `Wire`, and `Link`, one of its connections. Not here: slow and lossy ones (`lastcard.practice.slow_link`). Imports
the standard library only.
"""

import asyncio
import socket
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK_BYTES = 65_536
"""Most that is carried at once."""


class Wire:
    """Forwards connections to a server until they are cut; `address` is where a client dials.

    The port is kept while nobody listens on it, so that no other program can be found there meanwhile. `link_of` makes
    a connection of its two ends, the client's and the server's.
    """

    def __init__(
        self, server: str, link_of: "Callable[[asyncio.StreamWriter, asyncio.StreamWriter], Link] | None" = None
    ) -> None:
        host, _, port = server.rpartition(":")
        self._server = (host, int(port))
        self._link_of = link_of or Link
        self._links: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._reserved: socket.socket | None = None
        self._listener: asyncio.Server | None = None
        self.address = ""
        self.connections = 0

    async def __aenter__(self) -> Self:
        self._reserved = _bound(0)
        self.address = f"127.0.0.1:{self._port}"
        await self.come_back()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.vanish()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._reserved is not None:
            self._reserved.close()

    @property
    def _port(self) -> int:
        assert self._reserved is not None
        port: int = self._reserved.getsockname()[1]
        return port

    def cut(self) -> None:
        """Breaks every connection, with whatever is on its way."""
        for link in self._links:
            link.cut()

    def go_dead(self) -> None:
        """On the connections of now nothing arrives at either end, and neither is told: a peer that vanished."""
        for link in self._links:
            link.dead = True

    async def vanish(self) -> None:
        """Breaks every connection and refuses new ones."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self.cut()

    async def come_back(self) -> None:
        """Takes connections again."""
        if self._listener is None:
            self._listener = await asyncio.start_server(self._connect, sock=_bound(self._port))

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            there, back = await asyncio.open_connection(*self._server)
        except OSError:
            writer.transport.abort()
            return
        link = self._link_of(writer, back)
        self._links.add(link)
        pumps = {asyncio.create_task(link.pump(reader, back)), asyncio.create_task(link.pump(there, writer))}
        self._tasks |= pumps
        if self._listener is None:
            link.cut()
        await asyncio.wait(pumps)
        self._tasks -= pumps
        self._links.discard(link)
        link.cut()


class Link:
    """One connection: both its ends, the client's and the server's."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.client = client
        self.server = server
        self.dead = False

    def cut(self) -> None:
        """Breaks it."""
        self.client.transport.abort()
        self.server.transport.abort()

    async def pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Carries what one end says to the other, until one of them is gone."""
        try:
            while chunk := await source.read(CHUNK_BYTES):
                if self.dead:
                    continue
                sink.write(chunk)
                await sink.drain()
        except OSError:
            pass  # the wire was cut
        finally:
            if not self.dead:
                sink.transport.abort()


def _bound(port: int) -> socket.socket:
    """A socket bound to a port of the loopback that others of ours may bind, too."""
    # The protocol is named, since asyncio switches Nagle's delays off only where it is.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind(("127.0.0.1", port))
    return bound
