"""A peer on a bare socket, which keeps to HTTP/2 as far as a test wants."""

import asyncio
from struct import pack
from typing import Self

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PLAY = "/lastcard.v1.PlayService/Play"

DATA, HEADERS, RST, SETTINGS, CONTINUATION = 0, 1, 3, 4, 9
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE = 4
"""A setting."""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """One frame of HTTP/2."""
    return pack(">I", len(payload))[1:] + bytes((kind, flags)) + pack(">I", stream) + payload


def field(name: bytes, value: bytes) -> bytes:
    """A header field, literal and not indexed."""
    return b"\x00" + _length(len(name)) + name + _length(len(value)) + value


def _length(size: int) -> bytes:
    if size < 127:
        return bytes((size,))
    out, rest = bytearray((127,)), size - 127
    while rest > 127:
        out.append(rest & 127 | 128)
        rest >>= 7
    return bytes((*out, rest))


def call_headers(path: str = PLAY, token: str = "") -> bytes:
    """The header fields that open a call."""
    fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "test"}
    fields |= {"content-type": "application/grpc", "te": "trailers"}
    if token:
        fields["authorization"] = f"Bearer {token}"
    return b"".join(field(name.encode(), value.encode()) for name, value in fields.items())


def message(body: bytes) -> bytes:
    """A gRPC message as it lies in DATA frames."""
    return b"\x00" + pack(">I", len(body)) + body


class RawPeer:
    """A connection to a server; what comes from there is read and kept, unless told otherwise."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.came = b""

    async def __aenter__(self) -> Self:
        host, _, port = self._address.rpartition(":")
        self._reader, self._writer = await asyncio.open_connection(host, int(port))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.transport.abort()

    async def send(self, data: bytes) -> None:
        """Sends bytes, as far as the server still takes them."""
        try:
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError:
            pass  # it has closed the connection, which is what most tests wait for

    async def begin(self) -> None:
        """Begins HTTP/2 as every client does."""
        await self.send(PREFACE + frame(SETTINGS, 0, 0))

    async def say_hello_unread(self, token: str, hello: bytes) -> None:
        """Opens a stream on which the server can write nothing: this peer takes no byte of it."""
        nothing = frame(SETTINGS, 0, 0, pack(">HI", INITIAL_WINDOW_SIZE, 0))
        opened = frame(HEADERS, END_HEADERS, 1, call_headers(PLAY, token))
        await self.send(PREFACE + nothing + opened + frame(DATA, 0, 1, message(hello)))

    async def look(self, bound_s: float = 0.05) -> bytes:
        """Everything that the server has sent so far."""
        await self.closed(bound_s)
        return self.came

    async def closed(self, bound_s: float = 60) -> bool:
        """Reads until the server closes the connection; false when it does not within the bound."""
        try:
            async with asyncio.timeout(bound_s):
                while chunk := await self._reader.read(65_536):
                    self.came += chunk
        except ConnectionError:
            return True
        except TimeoutError:
            return False
        return True

    async def until_it_says(self, word: bytes, bound_s: float = 60) -> None:
        """Reads until the server has sent a word."""
        async with asyncio.timeout(bound_s):
            while word not in self.came:
                chunk = await self._reader.read(65_536)
                assert chunk, "the server closed the connection"
                self.came += chunk
