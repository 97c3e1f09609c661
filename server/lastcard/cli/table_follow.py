"""Following a table over as many streams as it takes.

Here: coming back after a lost connection, without a gap and without a repetition, and what it means when the table is
not there any more. Not here: what is shown of it (`table_watch`), single calls (`table_server`).
"""

import time
from collections.abc import Callable, Iterator

from lastcard.cli.table_server import ServerError, TableServer
from lastcard.v1.table_service_pb2 import WatchTableRequest, WatchTableResponse
from lastcard_bot.backoff import Backoff

GIVE_UP_S = 60.0
"""How long a server may be away; a restart takes a few seconds."""


class TableEnded(Exception):
    """The table is over, but its end can only be had from its record; the text is a sentence."""


class TableLost(Exception):
    """The table cannot be followed to its end; the text is a sentence."""


class Follower:
    """A table that is followed to its end; `last` is the number of the last event that came."""

    give_up_s = GIVE_UP_S

    def __init__(
        self,
        server: TableServer,
        table_id: str,
        *,
        tell: Callable[[str], None],
        own: bool = False,
        delay_ms: int = 0,
    ) -> None:
        """Follows from a snapshot; `tell` takes sentences about the connection."""
        self.last = 0
        self._server = server
        self._table_id = table_id
        self._tell = tell
        self._own = own
        self._delay_ms = delay_ms
        self._backoff = Backoff()
        self._lost_at: float | None = None

    def messages(self) -> Iterator[WatchTableResponse]:
        """Every message, the end of the table last.

        Raises:
            ServerError: the server refused.
            TableEnded: the end was missed.
            TableLost: the table is gone, or the server.
        """
        while True:
            try:
                for message in self._server.watch(self._request()):
                    self._note(message)
                    yield message
                    if message.HasField("closed"):
                        return
                self._wait("the server ended the stream", None)
            except ServerError as error:
                self._judge(error)

    def _request(self) -> WatchTableRequest:
        request = WatchTableRequest(table_id=self._table_id, own_view=self._own, last_sequence=self.last)
        if self._delay_ms:
            request.delay.FromMilliseconds(self._delay_ms)
        return request

    def _note(self, message: WatchTableResponse) -> None:
        if self._lost_at is not None:
            self._tell(f"connected again, going on after event {self.last}")
            self._lost_at = None
            self._backoff.reset()
        if message.HasField("snapshot"):
            self.last = message.snapshot.sequence
        elif message.HasField("events") and message.events.events:
            self.last = message.events.events[-1].sequence

    def _judge(self, error: ServerError) -> None:
        """Returns when another try makes sense."""
        if error.reason == "NOT_FOUND":
            raise missing(self._server, self._table_id) from error
        if error.reason == "CURSOR_BEYOND_END":
            self._tell(f"the server has forgotten the last events of table {self._table_id}; going on from its state")
            self.last = 0
        elif error.lost:
            self._wait(error.why, error)
        else:
            raise error

    def _wait(self, why: str, error: ServerError | None) -> None:
        now = time.monotonic()
        if self._lost_at is None:
            self._lost_at = now
            self._tell(f"connection to {self._server.address} lost after event {self.last} ({why}); trying again")
        if now - self._lost_at >= self.give_up_s:
            raise TableLost(
                f"{self._server.address} has been away for {now - self._lost_at:.0f} s; table {self._table_id} was "
                f"followed up to event {self.last}"
            ) from error
        time.sleep(self._backoff.next_s())


def missing(server: TableServer, table_id: str) -> Exception:
    """What it means that a server does not know a table: it is over and stored, or it never was, or it is gone."""
    try:
        server.record(table_id)
    except ServerError as error:
        if error.reason == "RECORD_CLOSED":
            return TableEnded(f"table {table_id} is over; {error}")
        if error.reason != "NOT_FOUND":
            return error
        return TableLost(
            f"there is no table {table_id!r} on {server.address} (any more); a server without --data forgets its "
            "tables when it ends, and `lastcard table list` shows those that there are"
        )
    return TableEnded(
        f"table {table_id} is over and can no longer be watched; `lastcard table record {table_id}` gets its record"
    )
