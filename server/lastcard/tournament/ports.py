"""What the director needs of the arena that the games are played in.

Here: the port. Not here: the arena (`lastcard.app`), which satisfies it. May import the standard library,
`lastcard.table.plan` and `notices`.
"""

from collections.abc import Callable
from typing import Protocol

from lastcard.table.plan import RecordFiles, TablePlan, TableResult
from lastcard.tournament.notices import Notice

Observer = Callable[[Notice], None]
"""Whoever looks on; it must return at once and raise nothing."""


class Occasion(Protocol):
    """Something that may come about once, as an `asyncio.Event` does."""

    async def wait(self) -> object:
        """Returns as soon as it has come about."""


class ArenaPort(Protocol):
    """A running arena; all of it is called from its event loop."""

    @property
    def failed(self) -> Occasion:
        """That nothing can be stored any more, so that no table will go on."""

    @property
    def failure(self) -> str | None:
        """Why that is, and what to do; `None` as long as it is not."""

    @property
    def address(self) -> str:
        """Where bots dial in: host and port."""

    def revoke_earlier(self) -> None:
        """Make the tokens of earlier runs invalid; seats stay those of their bots."""

    def mint(self, bot_name: str) -> str:
        """A token by which one instance of a bot identifies itself."""

    async def connected(self, bot_name: str) -> None:
        """Returns as soon as an instance of the bot is connected."""

    def is_known(self, table_id: str) -> bool:
        """Whether there is a table, open or closed and not forgotten, also from an earlier run of the arena."""

    def open_table(self, plan: TablePlan) -> str:
        """Open a table and return its id; it starts by itself when its bots are there or their time is over."""

    async def result(self, table_id: str) -> TableResult:
        """The result of a table, when it is closed; all of it is durable by then."""

    def progress(self, table_id: str) -> tuple[int, int, tuple[int, ...]]:
        """Number of a table's last event, its round, and the points of the match so far by seat."""

    def record(self, table_id: str) -> RecordFiles:
        """The record of a closed table and the receipts beside it."""

    def remove_seat(self, table_id: str, seat: int) -> None:
        """Remove a seat from its match; nothing happens to one that has left it, or when the table is closed."""

    def report_crash(self, bot_name: str, evidence: str) -> None:
        """Note at every open table of a bot that its program ended by itself."""

    def forget_table(self, table_id: str) -> None:
        """Free the memory of a closed table."""

    def suspend(self) -> None:
        """Let nothing more happen at any table, so that no clock runs while bots are ended; the next run goes on."""
