"""What must be true of seats that go from one instance of a bot to another.

Here: `Handovers`, which watches every one, and `check_shared`. Not here: what the new one is told (`ledger`), blame
(`closing`). The times are reckoned here once more, from when streams were seen to end.
"""

from collections import Counter
from typing import TYPE_CHECKING, Any

from lastcard.table.host import Host
from lastcard.table.lobby import Lobby, Peer
from lastcard.table.seats import SeatStatus
from lastcard.table.sharing import KEPT_AFTER_START_MS, KEPT_MS, Sharing

if TYPE_CHECKING:
    from lastcard.app import Arena
    from lastcard.table.hosted import HostedTable

LATE_MS = 1_500
"""How much later than it is due something may be seen: the process may stand still meanwhile."""

hand_over, disconnect, note_end = Host.hand_over, Lobby.disconnect, Sharing.note_end


class Handovers:
    """Watches the handovers of all runs of a server, `now_ms` being the arena's time."""

    def __init__(self, reached: Counter[str]) -> None:
        self._reached = reached
        self._gone_ms: dict[str, int] = {}
        """By identity: when its stream ended in the present run."""
        self._given_up: set[str] = set()
        """Identities of which the host was told that they do not come back."""
        self._began_ms = 0
        self._recovery_grace_ms = 0

    def begin(self, arena: "Arena", recovery_grace_ms: int) -> None:
        """A server has started."""
        self._began_ms, self._recovery_grace_ms = arena._clock(), recovery_grace_ms
        self._gone_ms.clear()
        self._given_up.clear()

    def replaced(self) -> tuple[tuple[Any, str, Any], ...]:
        """What is replaced in the product, so that nothing goes by unseen."""
        watch = self

        def see_hand_over(host: Host, table: "HostedTable", seat: int, peer: Peer, *when: Any) -> None:
            watch._check(host, table, seat, peer, when[0])
            hand_over(host, table, seat, peer, *when)

        def see_disconnect(lobby: Lobby, identity: str, address: str) -> bool:
            is_gone = disconnect(lobby, identity, address)
            if is_gone:
                watch._gone_ms[identity] = watch.now_ms()
            return is_gone

        def see_end(sharing: Sharing, identity: str, now: int) -> None:
            watch._given_up.add(identity)
            note_end(sharing, identity, now)

        return (
            (Host, "hand_over", see_hand_over),
            (Lobby, "disconnect", see_disconnect),
            (Sharing, "note_end", see_end),
        )

    now_ms: Any = None
    """The arena's clock, set by the world."""

    def _check(self, host: Host, table: "HostedTable", seat: int, peer: Peer, now: int) -> None:
        identity, lobby = table.links[seat].identity, host.lobby
        assert identity not in lobby.peers, f"seat {seat} of {table.table_id} is taken from one who is there"
        assert peer.identity not in table.seat_of, f"{peer.bot} gets a second seat at {table.table_id}"
        assert lobby.peers[peer.identity] is peer
        assert peer.shared
        assert table.plan.seats[seat].bot == peer.bot, f"{peer.bot} gets a seat of another at {table.table_id}"
        assert table.result is None
        since = self._gone_ms.get(identity)
        if identity in self._given_up or not host.sharing.may_return(identity):
            self._reached["seat handed over at once"] += 1
        elif since is None:
            self._reached["seat handed over after a start"] += 1
            wait_ms = min(KEPT_AFTER_START_MS, self._recovery_grace_ms // 2)
            assert now - self._began_ms >= wait_ms, f"seat {seat} of {table.table_id} is taken too early after a start"
        else:
            self._reached["seat handed over"] += 1
            wait_ms = min(KEPT_MS, table.plan.clock.grace_ms // 2)
            assert now - since >= wait_ms, f"seat {seat} of {table.table_id} is taken too early"


def check_shared(arena: "Arena") -> None:
    """No seat waits for one who is gone while another instance could have it, unless it is kept for him for now."""
    lobby, now = arena.host.lobby, arena._clock()
    for table in arena.host.tables.values():
        if table.result is not None:
            continue
        for seat, link in enumerate(table.links):
            bot = table.plan.seats[seat].bot
            if bot is None or not link.identity or link.identity in lobby.peers:
                continue
            if table.machine.seats[seat].status == SeatStatus.LEFT:
                continue
            heir = lobby.least_busy(bot, table.number, shared=True)
            is_kept = link.kept_ms > now - LATE_MS and link.kept_ms
            assert heir is None or is_kept, f"seat {seat} of {table.table_id} waits, and {heir.identity} is there"
