"""Records of closed tables, from memory or from the store.

Here: `Records`. Not here: how they are made (`table.match`) and kept (`store`).
"""

import json
from collections.abc import Awaitable, Callable
from typing import Protocol

from lastcard.table.host import Host
from lastcard.table.plan import RecordFiles
from lastcard.table.refusals import DomainError, TransportReason


class Stored(Protocol):
    """A closed table as the store has it."""

    @property
    def owner(self) -> str: ...  # noqa: D102 - as `store.file.StoredTable` says
    @property
    def plan(self) -> str: ...  # noqa: D102
    @property
    def result(self) -> str: ...  # noqa: D102
    @property
    def record(self) -> bytes: ...  # noqa: D102
    @property
    def receipts(self) -> bytes: ...  # noqa: D102


class Records:
    """The records of all tables of a server; `stored` gives the latest closed table of an id from the store."""

    def __init__(self, host: Host, stored: Callable[[str], Awaitable[Stored | None]]) -> None:
        self._host = host
        self._stored = stored

    async def find(self, table_id: str, identity: str) -> RecordFiles:
        """The record of a table for a caller.

        Raises:
            DomainError: NOT_FOUND, RECORD_CLOSED.
        """
        table = self._host.find(table_id)
        files = self._host.registry.record(table_id) if table is not None else None
        if table is not None and files is not None:
            owner, closed = table.owner, table.plan.closed
        elif table is not None and not self._host.registry.is_over(table_id):
            sentence = f"the match at table {table_id} is still on; its record is open when it is over"
            raise DomainError(TransportReason.RECORD_CLOSED, sentence, table=table_id)
        else:
            stored = await self._stored_table(table_id)
            files, owner, closed = _files(stored), stored.owner, json.loads(stored.plan)["closed"]
        if closed and not (owner and owner == identity):
            sentence = f"the record of table {table_id} is closed until its set is complete; only its creator gets it"
            raise DomainError(TransportReason.RECORD_CLOSED, sentence, table=table_id)
        return files

    async def files(self, table_id: str) -> RecordFiles:
        """The record of a table that is over, for the server itself.

        Raises:
            KeyError: there is no such table.
            DomainError: NOT_FOUND when the store has lost it.
        """
        files = self._host.registry.record(table_id)
        return _files(await self._stored_table(table_id)) if files is None else files

    async def _stored_table(self, table_id: str) -> Stored:
        stored = await self._stored(table_id)
        if stored is None:
            raise DomainError(TransportReason.NOT_FOUND, f"there is no table {table_id!r}", table=table_id)
        return stored


def _files(stored: Stored) -> RecordFiles:
    record_hash = bytes.fromhex(json.loads(stored.result)["record_hash"])
    return RecordFiles(record=stored.record, receipts=stored.receipts, record_hash=record_hash)
