"""A wire to a server that can be cut or go dead: a forwarder of bytes on a port of its own."""

import asyncio
from typing import Self


class CutWire:
    """Forwards connections to a server until they are cut; `address` is where a client dials."""

    def __init__(self, server: str) -> None:
        host, _, port = server.rpartition(":")
        self._server = (host, int(port))
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._dead = False
        self.address = ""
        self.connections = 0

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Breaks every connection, with whatever is on its way."""
        for writer in self._open:
            writer.transport.abort()

    def go_dead(self) -> None:
        """From now on nothing arrives at either end, and neither is told: a peer that vanished without closing."""
        self._dead = True

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        there, back = await asyncio.open_connection(*self._server)
        ends = {writer, back}
        self._open |= ends
        pumps = {asyncio.create_task(self._pump(reader, back)), asyncio.create_task(self._pump(there, writer))}
        self._tasks |= pumps
        await asyncio.wait(pumps)
        self._open -= ends
        for end in ends:
            end.transport.abort()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while chunk := await source.read(65_536):
                if self._dead:
                    continue
                sink.write(chunk)
                await sink.drain()
        except OSError:
            pass  # the wire was cut
        finally:
            sink.transport.abort()
