"""An arena in this process, as the director of an event needs it.

Here: `EventArena`. Not here: the arena (`app`), the director (`lastcard.tournament`). May import asyncio, the plain
values of `lastcard.table`, and `lastcard.tournament.ports`, which it satisfies.
"""

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol

from lastcard.table.plan import RecordFiles, TablePlan, TableResult
from lastcard.tournament.ports import Played


class ArenaHere(Protocol):
    """What `lastcard.app.Arena` gives; nothing of it waits for anything but what its name says."""

    failed: asyncio.Event
    failure: str | None
    address: str

    def revoke_earlier(self, keep: Collection[str] = ()) -> None: ...  # noqa: D102 - all is described where it is done
    def mint(self, bot_name: str) -> str: ...  # noqa: D102
    async def durable(self) -> None: ...  # noqa: D102
    def adopt(self, bot_name: str, token: str) -> None: ...  # noqa: D102
    def revoke(self, token: str) -> None: ...  # noqa: D102
    async def connected(self, bot_name: str) -> str: ...  # noqa: D102
    async def lost(self, bot_name: str) -> None: ...  # noqa: D102
    async def instance_connected(self, token: str) -> str: ...  # noqa: D102
    async def instance_lost(self, token: str) -> None: ...  # noqa: D102
    def report_crash(self, token: str, evidence: str) -> None: ...  # noqa: D102
    def is_known(self, table_id: str) -> bool: ...  # noqa: D102
    def open_table(self, plan: TablePlan) -> str: ...  # noqa: D102
    def open_tables(self) -> Collection[str]: ...  # noqa: D102
    async def result(self, table_id: str) -> TableResult: ...  # noqa: D102
    def progress(self, table_id: str) -> tuple[int, int, tuple[int, ...]]: ...  # noqa: D102
    def record(self, table_id: str) -> RecordFiles: ...  # noqa: D102
    def remove_seat(self, table_id: str, seat: int) -> None: ...  # noqa: D102
    def forget_table(self, table_id: str) -> None: ...  # noqa: D102
    def suspend(self) -> None: ...  # noqa: D102


class EventArena:
    """Satisfies `lastcard.tournament.ports.ArenaPort` by an arena that belongs to the event alone."""

    def __init__(self, arena: ArenaHere) -> None:
        self._arena = arena

    @property
    def address(self) -> str:
        """Where bots dial in: host and port."""
        return self._arena.address

    async def failed(self) -> str:
        """Return as soon as nothing can be stored any more: a sentence on why, and what to do."""
        await self._arena.failed.wait()
        return f"the arena cannot store games any more: {self._arena.failure}"

    @property
    def run(self) -> int:
        """Its only run: it lives as long as its director."""
        return 1

    async def gone(self, run: int) -> None:  # noqa: ARG002 - there is one
        """Return never."""
        await asyncio.get_running_loop().create_future()

    async def lasts(self, run: int) -> bool:  # noqa: ARG002 - there is one
        """It does, as long as anybody can ask."""
        return True

    # ------------------------------------------------------------------ bots

    @property
    def registered(self) -> bool:
        """All tokens are the event's own."""
        return False

    def revoke_earlier(self, keep: Collection[str] = ()) -> None:
        """Make the tokens of earlier runs invalid but those to keep; seats stay those of their bots."""
        self._arena.revoke_earlier(keep)

    async def mint(self, bot_name: str) -> str:
        """A token by which one instance of a bot identifies itself."""
        token = self._arena.mint(bot_name)
        await self._arena.durable()  # or it would be worth nothing if the process died now
        return token

    async def adopt(self, bot_name: str, token: str) -> None:
        """Take a token that an earlier run handed out for one of a bot's again."""
        self._arena.adopt(bot_name, token)

    def revoke(self, token: str) -> None:
        """Make a token invalid: its stream ends, and its instance is given no seat any more."""
        self._arena.revoke(token)

    async def connected(self, token: str) -> str:
        """Return as soon as the instance with a token is connected, with the version that it told."""
        return await self._arena.instance_connected(token)

    async def lost(self, token: str) -> None:
        """Return as soon as the instance with a token is not connected."""
        await self._arena.instance_lost(token)

    async def bot_connected(self, bot_name: str) -> str:
        """Return as soon as an instance of a bot is connected, with the version that it told."""
        return await self._arena.connected(bot_name)

    async def bot_lost(self, bot_name: str) -> None:
        """Return as soon as no instance of a bot is connected."""
        await self._arena.lost(bot_name)

    def report_crash(self, token: str, evidence: str) -> None:
        """Note at the open tables of an instance that its process ended by itself."""
        self._arena.report_crash(token, evidence)

    # ------------------------------------------------------------------ tables

    def is_known(self, table_id: str) -> bool:
        """Whether there is a table, open or closed and not forgotten, also from an earlier run of the arena."""
        return self._arena.is_known(table_id)

    async def play(self, plan: TablePlan, begun: Callable[[int], None]) -> Played:
        """Play at a table with the plan's id to the end; a table that is known goes on where it is."""
        table_id = plan.table_id
        assert table_id is not None
        at = 0
        if self._arena.is_known(table_id):
            at = self._arena.progress(table_id)[0]
        else:
            self._arena.open_table(plan)
        begun(at)
        result = await self._arena.result(table_id)
        return Played(result, self._arena.record(table_id))

    def remove_seat(self, table_id: str, seat: int) -> None:
        """Remove a seat from its match; nothing happens to one that has left it, or when no such table is open."""
        if table_id in self._arena.open_tables():
            self._arena.remove_seat(table_id, seat)

    def forget_table(self, table_id: str) -> None:
        """Free the memory of a closed table."""
        self._arena.forget_table(table_id)

    async def suspend(self) -> None:
        """Let nothing more happen at any table; the next run goes on."""
        self._arena.suspend()
