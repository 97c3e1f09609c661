"""What the director needs of an arena that games are played in.

Here: the port. Not here: arenas, which satisfy it: one in this process, in a worker process, or on a running server.
May import the standard library, `lastcard.table.plan` and `notices`.

The port is coarse, so that an arena may be in another process: a game is one call, and nothing is asked in between.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

from lastcard.table.plan import RecordFiles, TablePlan, TableResult
from lastcard.tournament.notices import Notice
from lastcard.tournament.reading import Reading

Observer = Callable[[Notice], None]
"""Whoever looks on; it must return at once and raise nothing."""


class Played(NamedTuple):
    """A table that is closed: how it came out, its record and the receipts beside it; all of it is durable.

    `reading` is what the files say, where they have been read already.
    """

    result: TableResult
    files: RecordFiles
    reading: Reading | None = None


class ArenaPort(Protocol):
    """An arena that runs; all of it is called from one event loop, and nothing in it holds the loop up."""

    @property
    def address(self) -> str:
        """Where bots dial in: host and port."""

    async def failed(self) -> str:
        """Return as soon as no table will go on any more, for example because nothing can be stored: a sentence."""

    @property
    def run(self) -> int:
        """The number of the arena's present run, from 1: one in another process may die, and is started again then.

        Tables go on then from the arena's store, calls are answered by the new run, but the address is another, and
        earlier tokens are worth nothing: programs of bots are to be started anew, and have not failed.
        """

    async def gone(self, run: int) -> None:
        """Return as soon as a run of the arena is over, though the event is not."""

    async def lasts(self, run: int) -> bool:
        """Whether a run of the arena goes on; the arena itself is asked, so that no end is told late."""

    # ------------------------------------------------------------------ bots

    @property
    def registered(self) -> bool:
        """Whether remote bots are registered here and have tokens that are none of the event's business."""

    def revoke_earlier(self, keep: Collection[str] = ()) -> None:
        """Make the tokens of earlier runs of the event invalid but those to keep; seats stay those of their bots."""

    async def mint(self, bot_name: str) -> str:
        """A token by which one instance of a bot identifies itself; several of a name are several instances."""

    async def adopt(self, bot_name: str, token: str) -> None:
        """Take a token that an earlier run of the event handed out for one of a bot's again."""

    def revoke(self, token: str) -> None:
        """Make a token invalid: its stream ends, and its instance is given no seat any more."""

    async def connected(self, token: str) -> str:
        """Return as soon as the instance with a token is connected, with the version that it told, empty for none."""

    async def lost(self, token: str) -> None:
        """Return as soon as the instance with a token is not connected."""

    async def bot_connected(self, bot_name: str) -> str:
        """Return as soon as an instance of a bot is connected, whatever its token, with the version that it told."""

    async def bot_lost(self, bot_name: str) -> None:
        """Return as soon as no instance of a bot is connected."""

    def report_crash(self, token: str, evidence: str) -> None:
        """Note at the open tables of an instance that its process ended by itself.

        Its seats are another instance's from now on, if one is connected.
        """

    # ------------------------------------------------------------------ tables

    def is_known(self, table_id: str) -> bool:
        """Whether there is a table, open or closed and not forgotten, also from an earlier run of the arena."""

    async def play(self, plan: TablePlan, begun: Callable[[int], None]) -> Played:
        """Play at a table with the plan's id to the end; a table that is known goes on where it is.

        `begun` is called when the table is open, with the number of its last event in an earlier run, 0 for a new one.
        The table starts by itself when its bots are there or their time is over. When the call is cancelled the table
        stays as it is, and may be played on by another call.
        """

    def remove_seat(self, table_id: str, seat: int) -> None:
        """Remove a seat from its match, once `begun` has been called; nothing happens to one that has left it."""

    def forget_table(self, table_id: str) -> None:
        """Free the memory of a closed table; it is not known any more."""

    async def suspend(self) -> None:
        """Let nothing more happen at any table, so that no clock runs while bots are ended; the next run goes on."""
