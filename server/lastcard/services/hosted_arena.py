"""The running server, as the director of one of its tournaments needs it.

Here: `HostedArena`. Not here: an arena that belongs to its event (`event_arena`), the director. The tables of an event
have ids that begin with its mark, so that those of several do not meet. Bots are registered and have tokens of their
own, so nothing is minted or revoked; and when the event ends, the server goes on.
"""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Protocol

from lastcard.services.event_arena import ArenaHere, EventArena
from lastcard.table.plan import RecordFiles, TablePlan
from lastcard.tournament.ports import Played


class Server(ArenaHere, Protocol):
    """What `lastcard.app.Arena` gives beyond what an event's own arena needs."""

    def open_tables(self) -> Collection[str]: ...  # noqa: D102 - all is described where it is done
    def cancel_table(self, table_id: str) -> None: ...  # noqa: D102
    async def files(self, table_id: str) -> RecordFiles: ...  # noqa: D102


class HostedArena(EventArena):
    """Satisfies `lastcard.tournament.ports.ArenaPort` for one event among others on a server."""

    def __init__(self, server: Server, mark: str) -> None:
        super().__init__(server)
        self._server = server
        self._mark = mark

    @property
    def registered(self) -> bool:
        """Bots have tokens of their own."""
        return True

    def revoke_earlier(self, keep: Collection[str] = ()) -> None:
        """Nothing: no token is the event's."""

    def table_id(self, table_id: str) -> str:
        """The id on the server of one of this event's tables."""
        return f"{self._mark}-{table_id}"

    def is_known(self, table_id: str) -> bool:
        """Whether there is a table, open or closed and not forgotten, also from an earlier run of the server."""
        return super().is_known(self.table_id(table_id))

    async def play(self, plan: TablePlan, begun: Callable[[int], None]) -> Played:
        """Play at a table to the end; one that is known goes on where it is.

        One that ended while its event stood still is known too; its record is in the store by then.
        """
        assert plan.table_id is not None
        table_id = self.table_id(plan.table_id)
        at = 0
        if self._server.is_known(table_id):
            at = self._server.progress(table_id)[0]
        else:
            self._server.open_table(replace(plan, table_id=table_id))
        begun(at)
        result = await self._server.result(table_id)
        return Played(result, await self._server.files(table_id))

    def remove_seat(self, table_id: str, seat: int) -> None:
        """Remove a seat from its match; nothing happens to one that has left it, or when the table is closed."""
        super().remove_seat(self.table_id(table_id), seat)

    def forget_table(self, table_id: str) -> None:
        """Free the memory of a closed table."""
        super().forget_table(self.table_id(table_id))

    async def suspend(self) -> None:
        """Nothing: the tables of others go on, and those of this event wait for nobody when it stands still."""
        await asyncio.sleep(0)


def cancel_tables(server: Server, marks: Collection[str]) -> None:
    """Close all open tables of events with these marks without a result."""
    for table_id in list(server.open_tables()):
        if table_id.partition("-")[0] in marks:
            server.cancel_table(table_id)
