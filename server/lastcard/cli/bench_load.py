"""Load for the service benchmark: many bots in one process, on raw HTTP/2 frames.

Here: `Load`, with a bot that answers by a random index and a bot that echoes. Not here: servers (`bench_server`),
figures (`bench_service`). A client on a gRPC library costs as much a message as the server under test, and on two cores
would be the limit; this one knows just enough HTTP/2 for one stream a connection and costs a tenth. Uses the standard
library only.

Source: RFC 9113 (frames), RFC 7541 (literal header fields), the gRPC over HTTP/2 specification (5-byte prefix).
"""

import random
import select
import socket
import time
from collections.abc import Callable
from struct import Struct

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RST, _SETTINGS, _PING, _GOAWAY, _WINDOW = 0, 1, 3, 4, 6, 7, 8
_ACK, _END_HEADERS = 1, 4
_FRAME = Struct(">BHBBI")
_PREFIX = Struct(">BI")
_U32 = Struct(">I")
_WIDE = (1 << 31) - 1 - 65_535
"""Widens the connection's window to its maximum, so that a short run never needs to widen it again."""

READ_BYTES = 1 << 18


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    size = len(payload)
    return _FRAME.pack(size >> 16, size & 0xFFFF, kind, flags, stream) + payload


def _literal(name_index: int, value: bytes) -> bytes:
    return bytes((name_index, len(value))) + value


def _named(name: bytes, value: bytes) -> bytes:
    return bytes((0, len(name))) + name + bytes((len(value),)) + value


def _opening(authority: str, path: str) -> bytes:
    """Everything that opens a connection and the call's stream."""
    headers = b"".join(
        (
            b"\x83\x86",  # :method POST, :scheme http, from the static table
            _literal(4, path.encode()),
            _literal(1, authority.encode()),
            _named(b"content-type", b"application/grpc"),
            _named(b"te", b"trailers"),
        )
    )
    initial_window = b"\x00\x04" + _U32.pack((1 << 31) - 1)
    return b"".join(
        (
            _PREFACE,
            _frame(_SETTINGS, 0, 0, initial_window),
            _frame(_WINDOW, 0, 0, _U32.pack(_WIDE)),
            _frame(_HEADERS, _END_HEADERS, 1, headers),
        )
    )


class Connection:
    """One connection with one call: messages out by `send`, messages in by `on_message`."""

    def __init__(self, address: str, path: str, on_message: Callable[["Connection", bytes], None]) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(_opening(address, path))
        self.closed = False
        self._on_message = on_message
        self._frames = b""
        self._messages = bytearray()
        self._window = 65_535
        self._stream_window = 65_535
        self._blocked: list[bytes] = []
        self._out: list[bytes] = []

    def close(self) -> None:
        """Closes the connection, whatever is under way."""
        self.socket.close()

    def send(self, message: bytes) -> None:
        """Sends one message with the next `flush`."""
        self._blocked.append(_PREFIX.pack(0, len(message)) + message)

    def flush(self) -> None:
        """Sends all that the server's windows allow."""
        while self._blocked and len(self._blocked[0]) <= min(self._window, self._stream_window):
            data = self._blocked.pop(0)
            self._window -= len(data)
            self._stream_window -= len(data)
            self._out.append(_frame(_DATA, 0, 1, data))
        if self._out:
            self.socket.sendall(b"".join(self._out))
            self._out.clear()

    def read(self) -> None:
        """Reads what is there and hands on whole messages."""
        got = self.socket.recv(READ_BYTES)
        if not got:
            self.closed = True
            return
        buffer = self._frames + got if self._frames else got
        at, end = 0, len(buffer)
        while end - at >= 9:
            high, low, kind, flags, stream = _FRAME.unpack_from(buffer, at)
            size = high << 16 | low
            if end - at - 9 < size:
                break
            if kind == _DATA:
                self._messages += buffer[at + 9 : at + 9 + size]
            else:
                self._control(kind, flags, stream, buffer[at + 9 : at + 9 + size])
            at += 9 + size
        self._frames = buffer[at:]
        self._hand_on()

    def _control(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == _SETTINGS and not flags & _ACK:
            for place in range(0, len(payload), 6):
                if payload[place : place + 2] == b"\x00\x04":
                    self._stream_window += _U32.unpack_from(payload, place + 2)[0] - 65_535
            self._out.append(_frame(_SETTINGS, _ACK, 0, b""))
        elif kind == _PING and not flags & _ACK:
            self._out.append(_frame(_PING, _ACK, 0, payload))
        elif kind == _WINDOW:
            more = _U32.unpack(payload)[0]
            if stream:
                self._stream_window += more
            else:
                self._window += more
        elif kind in (_RST, _GOAWAY):
            self.closed = True

    def _hand_on(self) -> None:
        messages = self._messages
        at, end = 0, len(messages)
        while end - at >= 5:
            size = _PREFIX.unpack_from(messages, at)[1]
            if end - at - 5 < size:
                break
            self._on_message(self, bytes(messages[at + 5 : at + 5 + size]))
            at += 5 + size
        if at:
            del messages[:at]


class Load:
    """Bots that play or echo until a time is over; what came of it is in the public fields."""

    def __init__(self, sample_every: int = 1) -> None:
        self.answered = 0
        """Answers that were accepted, or echoes that came back."""
        self.refused = 0
        self.ended = 0
        """Ends of tables, one for each of their seats."""
        self.latencies_s: list[float] = []
        self.cpu_s = 0.0
        self._sample_every = sample_every
        self._sent: dict[tuple[bytes, int], float] = {}
        self._asked = 0
        self._choose = random.Random(1).randrange

    def begin(self) -> None:
        """Forgets what came before the measurement."""
        self.answered = self.refused = self.ended = 0
        self.latencies_s.clear()
        self.cpu_s = 0.0

    def run(self, connections: list[Connection], seconds: float) -> float:
        """Moves the connections for a time, and returns how long it took."""
        poll = select.epoll()
        by_file = {connection.socket.fileno(): connection for connection in connections}
        for file in by_file:
            poll.register(file, select.EPOLLIN)
        started, cpu = time.perf_counter(), time.process_time()
        stop = started + seconds
        while (now := time.perf_counter()) < stop:
            for file, _ in poll.poll(min(0.1, stop - now)):
                connection = by_file[file]
                connection.read()
                if connection.closed:
                    raise ConnectionError("the server ended a stream during the measurement")
                connection.flush()
        self.cpu_s += time.process_time() - cpu
        poll.close()
        return time.perf_counter() - started

    # ------------------------------------------------------------------ echo

    def echo(self, connection: Connection, message: bytes) -> None:
        """Counts an echo and sends the next."""
        now = time.perf_counter()
        self.latencies_s.append(now - self._sent[b"", id(connection)])
        self.answered += 1
        self.send_echo(connection, message)

    def send_echo(self, connection: Connection, message: bytes) -> None:
        """Sends a message to be echoed."""
        self._sent[b"", id(connection)] = time.perf_counter()
        connection.send(message)

    # ------------------------------------------------------------------ play

    def play(self, connection: Connection, frame: bytes) -> None:
        """Answers every decision of a frame by a random index; all answers go in one frame."""
        answers = []
        at, end = 0, len(frame)
        while at < end:
            size, at = _varint(frame, at + 1)
            kind = frame[at]
            if kind == 0x1A:  # ServerMessage.decision
                answers.append(self._answer(frame, at + 1))
            elif kind == 0x22:  # ServerMessage.act_result
                self._judge(frame, at + 1)
            elif kind == 0x42:  # ServerMessage.table_closed
                self.ended += 1
                answers.append(_closed_received(frame, at + 1))
            at += size
        if any(answers):
            connection.send(b"".join(answers))

    def _answer(self, frame: bytes, at: int) -> bytes:
        """An answer by any index but the last, which draws, keeps or passes: so games end as those of people do.

        Open reactions, which have no time limit, are left alone as most bots do.
        """
        size, at = _varint(frame, at)
        end = at + size
        table_size = frame[at + 1]
        table_id = frame[at : at + 2 + table_size]
        decision_id, at = _varint(frame, at + 3 + table_size)
        legal, has_limit = 0, False
        while at < end:
            field = frame[at]
            value, at = _varint(frame, at + 1)
            if field & 7 == 2:
                at += value
                legal += field == 0x32  # Decision.legal_actions
                has_limit |= field == 0x3A  # Decision.time_left
        if not has_limit:
            return b""
        self._asked += 1
        if self._asked % self._sample_every == 0:
            self._sent[table_id, decision_id] = time.perf_counter()
        act = table_id + b"\x10" + _encoded(decision_id) + b"\x18" + bytes((self._choose(max(1, legal - 1)),))
        return b"\x0a" + bytes((len(act) + 2,)) + b"\x12" + bytes((len(act),)) + act

    def _judge(self, frame: bytes, at: int) -> None:
        _, at = _varint(frame, at)
        table_size = frame[at + 1]
        table_id = frame[at : at + 2 + table_size]
        decision_id, at = _varint(frame, at + 3 + table_size)
        if frame[at] == 0x18:  # ActResult.accepted
            self.answered += 1
        else:
            self.refused += 1
        sent = self._sent.pop((table_id, decision_id), None)
        if sent is not None:
            self.latencies_s.append(time.perf_counter() - sent)


def _closed_received(frame: bytes, at: int) -> bytes:
    _, at = _varint(frame, at)
    table_id = frame[at : at + 2 + frame[at + 1]]
    return b"\x0a" + bytes((len(table_id) + 2,)) + b"\x2a" + bytes((len(table_id),)) + table_id


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A varint and the place behind it."""
    value = data[at]
    if value < 128:
        return value, at + 1
    value &= 127
    shift = 7
    while True:
        at += 1
        byte = data[at]
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at + 1
        shift += 7


def _encoded(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def hello(name: str) -> bytes:
    """A frame with the `Hello` of a bot."""
    body = b"\x08\x01\x12" + bytes((len(name),)) + name.encode()
    return b"\x0a" + bytes((len(body) + 2,)) + b"\x0a" + bytes((len(body),)) + body
