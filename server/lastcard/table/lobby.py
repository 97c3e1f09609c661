"""Who is connected, who serves which seats, and which seats wait for whom.

Here: `Lobby`, `Peer`. Not here: tables (`host`, `hosted`), streams (`sessions`). May import only `mail`. Tables are
named by their numbers.
"""

import asyncio
from collections import deque
from collections.abc import Iterator

from lastcard.table.mail import Attach


class Peer:
    """An identity with an open stream."""

    __slots__ = (
        "address", "bot", "cursors", "decisions_only", "identity", "max_tables", "shared", "tables", "version",
    )  # fmt: skip

    def __init__(self, mail: Attach) -> None:
        self.identity = mail.identity
        self.bot = mail.bot
        self.shared = mail.shared
        self.address = mail.address
        self.decisions_only = mail.decisions_only
        self.max_tables = mail.max_tables
        self.cursors = dict(mail.cursors)
        self.version = mail.version
        self.tables = 0
        """Open tables at which it has a seat."""

    def has_room(self) -> bool:
        """Whether it takes another table."""
        return self.max_tables == 0 or self.tables < self.max_tables


class Lobby:
    """Connected peers by identity, seats by identity, and the seats kept for bots that are not seated yet."""

    def __init__(self) -> None:
        self.peers: dict[str, Peer] = {}
        self._by_bot: dict[str, dict[str, Peer]] = {}
        self._bots: dict[str, str] = {}
        """The bot of every identity with a seat at an open table."""
        self._seats: dict[str, dict[int, int]] = {}
        self._open: dict[str, set[int]] = {}
        self._kept: dict[str, deque[tuple[int, int]]] = {}
        self._expected: dict[str, asyncio.Future[None]] = {}
        """By bot, and by identity."""
        self._leaving: dict[str, asyncio.Future[None]] = {}
        """The same for those who go."""
        self.silent: set[str] = set()
        """Identities that have lost a seat and not answered anything since: others are asked first."""
        self.void: set[str] = set()
        """Identities that are given no seat any more, though their streams have not ended yet."""

    def connect(self, mail: Attach) -> Peer:
        """Takes note of a stream; it takes the place of an earlier one of the same identity."""
        peer = Peer(mail)
        peer.tables = len(self._open.get(mail.identity, ()))
        self.peers[mail.identity] = peer
        self._by_bot.setdefault(mail.bot, {})[mail.identity] = peer
        _come_about(self._expected, f"bot {mail.bot}")
        _come_about(self._expected, mail.identity)
        return peer

    def disconnect(self, identity: str, address: str) -> bool:
        """Takes note of a stream's end; false when another stream has long taken its place (A36)."""
        peer = self.peers.get(identity)
        if peer is None or peer.address != address:
            return False
        del self.peers[identity]
        of_bot = self._by_bot[peer.bot]
        del of_bot[identity]
        if not of_bot:
            del self._by_bot[peer.bot]
            _come_about(self._leaving, f"bot {peer.bot}")
        self.silent.discard(identity)
        self.void.discard(identity)
        _come_about(self._leaving, identity)
        return True

    def is_connected(self, bot: str) -> bool:
        """Whether some instance of a bot is connected."""
        return bot in self._by_bot

    def instances(self, bot: str) -> list[Peer]:
        """The connected instances of a bot."""
        return list(self._by_bot.get(bot, {}).values())

    def plays(self, identity: str) -> bool:
        """Whether an identity is connected or has a seat at an open table."""
        return identity in self.peers or identity in self._open

    def version_of(self, bot: str) -> str:
        """The version that the latest connected instance of a bot told; empty when there is none."""
        versions = [peer.version for peer in self._by_bot.get(bot, {}).values()]
        return versions[-1] if versions else ""

    async def connected(self, bot: str) -> None:
        """Waits until some instance of a bot is connected."""
        if not self.is_connected(bot):
            await _occasion(self._expected, f"bot {bot}")

    async def lost(self, bot: str) -> None:
        """Waits until no instance of a bot is connected."""
        if self.is_connected(bot):
            await _occasion(self._leaving, f"bot {bot}")

    async def instance_connected(self, identity: str) -> None:
        """Waits until one instance is connected."""
        if identity not in self.peers:
            await _occasion(self._expected, identity)

    async def instance_lost(self, identity: str) -> None:
        """Waits until one instance is not connected."""
        if identity in self.peers:
            await _occasion(self._leaving, identity)

    def connected_count(self, bot: str) -> int:
        """How many instances of a bot are connected."""
        return len(self._by_bot.get(bot, ()))

    def open_count(self, bot: str) -> int:
        """How many seats at open tables the instances of a bot have, connected or not."""
        return sum(len(tables) for identity, tables in self._open.items() if self._bots.get(identity) == bot)

    def least_busy(self, bot: str, table: int, *, shared: bool = False) -> Peer | None:
        """The connected instance of a bot that should take a seat at a table: of those that can, the least busy.

        One that was removed from a table and has not answered since comes last: it would have the fewest tables.
        """
        # A stream tells tables apart by their ids alone, so an instance has one seat at a table.
        able = [
            peer
            for peer in self._by_bot.get(bot, {}).values()
            if self._can_take(peer) and table not in self._seats.get(peer.identity, {}) and (peer.shared or not shared)
        ]
        return min(able, key=lambda peer: (peer.identity in self.silent, peer.tables), default=None)

    def _can_take(self, peer: Peer) -> bool:
        return peer.has_room() and peer.identity not in self.void

    def orphans(self, bot: str) -> list[str]:
        """Identities of a bot that have seats at open tables and no stream."""
        return [identity for identity in self._open if self._bots.get(identity) == bot and identity not in self.peers]

    def seats_of(self, identity: str) -> list[tuple[int, int]]:
        """Table and seat of all seats that an identity serves, oldest first, those of closed tables included."""
        return list(self._seats.get(identity, {}).items())

    def bind(self, identity: str, bot: str, table: int, seat: int) -> None:
        """An identity serves a seat from now on."""
        self._seats.setdefault(identity, {})[table] = seat
        self._open.setdefault(identity, set()).add(table)
        self._bots[identity] = bot
        peer = self.peers.get(identity)
        if peer is not None:
            peer.tables = len(self._open[identity])

    def close(self, identity: str, table: int) -> None:
        """The table is over; the identity may still ask for its end."""
        open_tables = self._open.get(identity)
        if open_tables is None:
            return
        open_tables.discard(table)
        if not open_tables:
            del self._open[identity]
            del self._bots[identity]
        peer = self.peers.get(identity)
        if peer is not None:
            peer.tables = len(open_tables)

    def unbind(self, identity: str, table: int) -> None:
        """The identity has nothing to do with the table any more."""
        self.close(identity, table)
        seats = self._seats.get(identity)
        if seats is not None:
            seats.pop(table, None)
            if not seats:
                del self._seats[identity]

    def keep(self, bot: str, table: int, seat: int) -> None:
        """A seat waits for a bot."""
        self._kept.setdefault(bot, deque()).append((table, seat))

    def keep_no_longer(self, bot: str, table: int, seat: int) -> None:
        """A seat does not wait for a bot any more; nothing happens when it does not."""
        kept = self._kept.get(bot)
        if kept is not None and (table, seat) in kept:
            kept.remove((table, seat))
            if not kept:
                del self._kept[bot]

    def take_kept(self, bot: str) -> Iterator[tuple[Peer, int, int]]:
        """The seats kept for a bot that its connected instances can take now, each with the least busy instance."""
        kept = self._kept.get(bot, deque())
        for _ in range(len(kept)):
            if not any(map(self._can_take, self._by_bot.get(bot, {}).values())):
                break
            table, seat = kept.popleft()
            peer = self.least_busy(bot, table)
            if peer is not None:
                yield peer, table, seat
            else:
                kept.append((table, seat))
        if not kept:
            self._kept.pop(bot, None)


async def _occasion(occasions: dict[str, asyncio.Future[None]], name: str) -> None:
    """Waits for what may come about, together with all others who wait for it."""
    occasion = occasions.get(name)
    if occasion is None:
        occasion = occasions[name] = asyncio.get_running_loop().create_future()
    await asyncio.shield(occasion)


def _come_about(occasions: dict[str, asyncio.Future[None]], name: str) -> None:
    occasion = occasions.pop(name, None)
    if occasion is not None and not occasion.done():
        occasion.set_result(None)
