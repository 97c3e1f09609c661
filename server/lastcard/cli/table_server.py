"""The server whose tables a command asks for, and what a failed call means to the person who asked.

Here: `--server` and `--token`, the connection, calls, and failures as sentences. Not here: what is asked for
(`table_create`, `table_list`, `table_follow`, `table_record`). Blocking, so that Ctrl-C breaks off whatever waits.
"""

import argparse
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, cast

import grpc

from lastcard.cli.errors import CommandError
from lastcard.cli.show_game import plain
from lastcard.cli.status_details import Details, details_of
from lastcard.v1 import table_pb2, table_service_pb2
from lastcard.v1.table_service_pb2_grpc import TableServiceStub
from lastcard_bot.connection import CHANNEL_OPTIONS
from lastcard_bot.settings import SERVER, TOKEN, BotError, Settings

CALL_S = 15.0
"""How long a call may take; the server answers within milliseconds unless its disk does not keep up."""

_FIELDS = (
    "clock.limit",
    "clock.bank",
    "clock.reaction",
    "clock.start_up",
    "clock.grace",
    "clock.network_credit",
    "clock.network_credit_total",
    "round_pause",
    "delay",
)
"""Fields for which there is an option of the same name."""

Metadata = tuple[tuple[str, str], ...]


class ServerError(CommandError):
    """A call failed.

    `reason` is the server's own, empty when it gave none; `lost` tells that the same call may well succeed later, `why`
    in a few words what happened to the connection.
    """

    def __init__(self, sentence: str, details: Details, *, lost: bool = False, why: str = "") -> None:
        super().__init__(sentence)
        self.why = why or sentence
        self.reason = details.reason
        self.facts = details.facts
        self.lost = lost


def add_server_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--server` and `--token`."""
    group = parser.add_argument_group("server")
    group.add_argument("--server", metavar="HOST:PORT", help=f"the arena (default: {SERVER})")
    group.add_argument("--token", metavar="TOKEN", help=f"bearer token (default: {TOKEN}; none needed on loopback)")


class TableServer:
    """A connection to a server, closed at the end of a `with`; every method raises `ServerError`."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Connects where the options or the environment say.

        Raises:
            CommandError: no server is named, or address or token cannot be one.
        """
        address = args.server or os.environ.get(SERVER, "")
        if not address:
            raise CommandError(f"no server is named; give --server HOST:PORT or set {SERVER}, as in 127.0.0.1:7600")
        token = os.environ.get(TOKEN, "") if args.token is None else args.token
        try:
            Settings(server=address, token=token, name="table")
        except BotError as error:
            raise CommandError(str(error)) from None
        self.address = address
        self.named = bool(args.server) and args.server != os.environ.get(SERVER)
        """Whether further commands must name the server, too."""
        self._metadata: Metadata = (("authorization", f"Bearer {token}"),) if token else ()
        # A server that is gone is noticed within half a minute; the last of the three is a minute unless it is set.
        keepalive = {"keepalive_time_ms": 20_000, "keepalive_timeout_ms": 10_000, "http2.ping_timeout_ms": 10_000}
        options = (*CHANNEL_OPTIONS, *((f"grpc.{name}", value) for name, value in keepalive.items()))
        self._channel = grpc.insecure_channel(address, options=options)
        self._stub = cast(Any, TableServiceStub)(self._channel)  # its stubs are written for grpc.aio

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()

    def create(self, request: table_service_pb2.CreateTableRequest) -> table_pb2.Table:
        """Opens a table."""
        return cast(table_pb2.Table, self._call(self._stub.CreateTable, request).table)

    def get(self, table_id: str) -> table_pb2.Table:
        """Describes a table."""
        request = table_service_pb2.GetTableRequest(table_id=table_id)
        return cast(table_pb2.Table, self._call(self._stub.GetTable, request).table)

    def page(self, request: table_service_pb2.ListTablesRequest) -> table_service_pb2.ListTablesResponse:
        """A page of tables."""
        return cast(table_service_pb2.ListTablesResponse, self._call(self._stub.ListTables, request))

    def record(self, table_id: str) -> table_service_pb2.GetRecordResponse:
        """The record of a table that is over."""
        request = table_service_pb2.GetRecordRequest(table_id=table_id)
        return cast(table_service_pb2.GetRecordResponse, self._call(self._stub.GetRecord, request))

    def watch(self, request: table_service_pb2.WatchTableRequest) -> Iterator[table_service_pb2.WatchTableResponse]:
        """The messages of a watched table until the stream ends or nobody asks for more."""
        return cast(Iterator[table_service_pb2.WatchTableResponse], self._stream(self._stub.WatchTable, request))

    def _stream(self, method: Callable[..., Any], request: object) -> Iterator[Any]:
        with self._failures():
            call = method(request, metadata=self._metadata)
            try:
                yield from call
            finally:
                call.cancel()  # a call that is dropped without being cancelled stays in flight (grpc #43462)

    def _call(self, method: Callable[..., Any], request: object, within_s: float = CALL_S) -> Any:
        with self._failures(within_s):
            return method(request, metadata=self._metadata, timeout=within_s)

    @contextmanager
    def _failures(self, within_s: float = CALL_S) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            failed = cast(grpc.Call, error)
            details = details_of(failed.trailing_metadata())
            text = plain(failed.details() or "")
            with_token = bool(self._metadata)
            raise failure(
                self.address, failed.code(), text, details, with_token=with_token, within_s=within_s
            ) from None


def failure(
    address: str,
    code: grpc.StatusCode,
    text: str,
    details: Details,
    *,
    with_token: bool,
    within_s: float = CALL_S,
) -> ServerError:
    """What a failed call means: one sentence that says what was wrong and what would be valid."""
    if details.reason:
        sentence = _refusal(address, text, details, with_token=with_token)
        return ServerError(sentence, details, lost=details.reason in _PASSING)
    lost = code in _LOST
    why = text.rpartition(": ")[2].rstrip("]")
    if code == grpc.StatusCode.UNAVAILABLE:
        sentence = f"no server answers at {address} ({why}); start one with `lastcard serve`, or name one with --server"
    elif code == grpc.StatusCode.DEADLINE_EXCEEDED:
        sentence = f"the server at {address} did not answer within {within_s:g} s; try again, or name one with --server"
    elif code == grpc.StatusCode.UNIMPLEMENTED:
        sentence = f"the server at {address} does not know this call; it is no arena, or one of another version"
    elif code == grpc.StatusCode.INTERNAL and "incident" in text:
        sentence, lost = f"{address}: {text}", False
    else:
        sentence = f"the call to {address} failed ({code.name}: {why}); is there a Lastcard server?"
    return ServerError(sentence, details, lost=lost, why=why)


_LOST = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.ABORTED,
    }
)
"""Codes of a call that was cut off: the same call may well be answered later."""

_PASSING = frozenset({"DRAINING", "READER_TOO_SLOW"})
"""Reasons of a server that may well go on later."""


_LISTS = {"tournament": "lastcard tournament list", "bot": "lastcard bot list --server HOST:PORT"}
"""What lists the things of a kind."""


def _refusal(address: str, text: str, details: Details, *, with_token: bool) -> str:
    """The server's sentence, in the words of the command line."""
    if details.reason == "NOT_FOUND" and "table" in details.facts:
        table = plain(details.facts["table"])
        return f"there is no table {table!r} on {address}; `lastcard table list` shows those that there are"
    for fact, command in _LISTS.items():
        if details.reason == "NOT_FOUND" and set(details.facts) == {fact}:
            name = plain(details.facts[fact])
            return f"there is no {fact} {name!r} on {address}; `{command}` shows those that there are"
    if details.reason == "UNAUTHENTICATED":
        wrong = "does not know the token" if with_token else "wants a token"
        return f"{address} {wrong}; give a valid one with --token or in {TOKEN}"
    if details.reason == "FORBIDDEN":
        return f"{text}, with --token or in {TOKEN}"
    option = f"--{details.field_path.rpartition('.')[2].replace('_', '-')}: " if details.field_path in _FIELDS else ""
    retry = f"; try again in {details.retry_s:g} s" if details.retry_s else ""
    sentence = _SEAT_NAME.sub(r"the name at seat \1", text)
    if sentence[1:2].islower():
        sentence = sentence[0].lower() + sentence[1:]
    return f"{option}{sentence}{retry}"


_SEAT_NAME = re.compile(r"\bseats\[(\d+)\]\.bot_name\b")
