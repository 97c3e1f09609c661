"""Practice: whoever connects is seated against builtins, again and again.

Here: `Practice`. Not here: seating (`host`). A bot that has a seat anywhere is left alone.
"""

from collections.abc import Collection

from lastcard.rules.ruleset import RulesetError, ruleset
from lastcard.table.host import Host
from lastcard.table.hosted import HostedTable
from lastcard.table.lobby import Peer
from lastcard.table.plan import PlanError, SeatPlan, TablePlan, check_plan
from lastcard.table.refusals import DomainError


class Practice:
    """Opens a table of one bot and builtins for every bot that has none.

    `rules` names a preset, `opponents` the builtins with commas between them.

    Raises:
        PlanError: there is no such preset or builtin, or they are too many for a table.
    """

    def __init__(self, host: Host, rules: str, opponents: str, builtins: Collection[str]) -> None:
        self._host = host
        self._opponents = tuple(SeatPlan(builtin=name.strip()) for name in opponents.split(","))
        try:
            self._rules = ruleset(rules)
        except RulesetError as error:
            raise PlanError(str(error).removesuffix("."), "rules") from error
        check_plan(self._plan("somebody", 0), builtins)
        self._opened = 0

    def begin(self) -> None:
        """Looks after all that come from now on."""
        self._host.attached_hook = self._seat
        self._host.closed_hook = self._seat_again

    def _plan(self, bot: str, place: int) -> TablePlan:
        seats = [*self._opponents]
        seats.insert(place % (len(seats) + 1), SeatPlan(bot=bot))
        return TablePlan(rules=self._rules, seats=tuple(seats))

    def _seat(self, peer: Peer) -> None:
        if peer.tables:
            return
        try:
            self._host.open_table(self._plan(peer.bot, self._opened))
        except DomainError:
            return  # the server is full; the bot is seated when it comes again
        self._opened += 1

    def _seat_again(self, table: HostedTable) -> None:
        for identity in table.seat_of:
            peer = self._host.lobby.peers.get(identity)
            if peer is not None:
                self._seat(peer)
