"""Who sits where, and who is there: occupants, connections, start-up limit and grace.

Here: `Presence`. Not here: what leaving does to the match (`match`), closing the table (`machine`). May import only
`lastcard.rules`, `seats`, `setup`, `timecontrol`.
"""

from lastcard.rules.reasons import Reason, Refused
from lastcard.table.seats import SeatState, SeatStatus
from lastcard.table.setup import TableSetup
from lastcard.table.timecontrol import NEVER


class Presence:
    """The seats of a table. `away[seat]` is shared with the docket, which starts clocks by it."""

    __slots__ = (
        "_awaited",
        "_awaited_until",
        "_away_since",
        "_changed_ms",
        "_opened_ms",
        "_setup",
        "_status",
        "away",
        "due_ms",
        "names",
        "running",
    )

    def __init__(self, setup: TableSetup, away: list[bool]) -> None:
        self._setup = setup
        self.away = away
        self.names = [seat.bot or seat.name or seat.builtin for seat in setup.seats]
        self._status = [_first_status(seat.bot, seat.builtin) for seat in setup.seats]
        self._away_since = [0] * len(setup.seats)
        self._awaited: set[int] = set()
        """Seats that the restarted server waits for without blame, until `_awaited_until`."""
        self._awaited_until = 0
        self._opened_ms = setup.opened_ms
        """From when the start-up limit counts."""
        self.running = False
        """Whether the match has begun; a seat that is given up before is open again."""
        self._changed_ms = setup.opened_ms
        """When somebody came or went for the last time."""
        self.due_ms = NEVER
        """When `overdue` or `idle` should be asked next."""
        self._reckon()

    # -------------------------------------------------------------- looking up

    def seats(self) -> tuple[SeatState, ...]:
        """The seats as the outside is told."""
        return tuple(
            SeatState(name, request.builtin, status)
            for name, request, status in zip(self.names, self._setup.seats, self._status, strict=True)
        )

    @property
    def awaiting(self) -> bool:
        """Whether somebody is awaited after a restart."""
        return bool(self._awaited)

    def complete(self) -> bool:
        """Whether nobody is waited for any more."""
        return not any(status in (SeatStatus.OPEN, SeatStatus.RESERVED) for status in self._status)

    def is_reopened_by_leaving(self, seat: int) -> bool:
        """Whether a seat becomes open again when its occupant leaves: nobody in particular was asked for it."""
        request = self._setup.seats[seat]
        return not self.running and not request.bot and not request.builtin

    def check_occupy(self, seat: int, name: str) -> None:
        """Checks that `name` may take a seat.

        Raises:
            Refused: `FORBIDDEN`; there is no such seat, it is taken, or it is kept for another.
        """
        players = len(self._status)
        if not 0 <= seat < players:
            raise Refused(Reason.FORBIDDEN, f"there is no seat {seat}; seats are 0 to {players - 1}", seat=seat)
        status, holder = self._status[seat], self.names[seat]
        if status == SeatStatus.RESERVED and name != holder:
            raise Refused(Reason.FORBIDDEN, f"seat {seat} is kept for {holder}, not for {name}", seat=seat, name=holder)
        if status not in (SeatStatus.OPEN, SeatStatus.RESERVED):
            what = f"is taken by {holder}" if status != SeatStatus.LEFT else "has left the match"
            free = [str(other) for other, at in enumerate(self._status) if at == SeatStatus.OPEN]
            hint = f"open seats: {', '.join(free)}" if free else "no seat is open"
            raise Refused(Reason.FORBIDDEN, f"seat {seat} {what}; {hint}", seat=seat)

    # ---------------------------------------------------------------- changing

    def occupy(self, seat: int, name: str, now_ms: int) -> None:
        """Seats `name`; raises as `check_occupy`."""
        self.check_occupy(seat, name)
        self.names[seat] = name
        self._set(seat, SeatStatus.PRESENT, now_ms)

    def connect(self, seat: int, now_ms: int) -> bool:
        """The occupant is there; true when it was away."""
        if self._status[seat] != SeatStatus.AWAY:
            return False
        self._set(seat, SeatStatus.PRESENT, now_ms)
        return True

    def disconnect(self, seat: int, now_ms: int) -> bool:
        """The occupant is gone; true when it was there. A builtin is always there."""
        if self._status[seat] != SeatStatus.PRESENT or self._setup.seats[seat].builtin:
            return False
        self._set(seat, SeatStatus.AWAY, now_ms)
        return True

    def reopen(self, seat: int, now_ms: int) -> None:
        """Its occupant has given up a seat before the match; anybody may take it."""
        self.names[seat] = ""
        self._set(seat, SeatStatus.OPEN, now_ms)

    def leave(self, seat: int, now_ms: int) -> None:
        """A seat has left the match for good."""
        self._set(seat, SeatStatus.LEFT, now_ms)

    def begin(self) -> None:
        """The match begins."""
        self.running = True
        self._reckon()

    def _set(self, seat: int, status: SeatStatus, now_ms: int) -> None:
        self._status[seat] = status
        self._awaited.discard(seat)
        self.away[seat] = status == SeatStatus.AWAY
        if self.away[seat]:
            self._away_since[seat] = now_ms
        self._changed_ms = now_ms
        self._reckon()

    # ---------------------------------------------------------------- recovery

    def recover(self, now_ms: int, pause_ms: int, grace_ms: int) -> int:
        """The server was down for `pause_ms`: nobody is there, and all who had come are awaited for `grace_ms`.

        Start-up limits and the idle time go on where they were, but no start-up limit is over within `grace_ms`.
        Returns the bit set of the awaited seats.
        """
        self._opened_ms = min(self._opened_ms + pause_ms, now_ms)
        self._changed_ms = min(self._changed_ms + pause_ms, now_ms)
        self._awaited_until = now_ms + grace_ms
        self._awaited = set()
        for seat, status in enumerate(self._status):
            if status in (SeatStatus.PRESENT, SeatStatus.AWAY) and not self._setup.seats[seat].builtin:
                self._awaited.add(seat)
                self._status[seat] = SeatStatus.AWAY
                self.away[seat] = False
        self._reckon()
        return sum(1 << seat for seat in self._awaited)

    def give_up_awaiting(self, now_ms: int) -> list[int]:
        """Those who are still awaited when that time is over are away from now on, with their whole grace to come."""
        if not self._awaited or now_ms < self._awaited_until:
            return []
        given_up = sorted(self._awaited)
        self._awaited.clear()
        for seat in given_up:
            self.away[seat] = True
            self._away_since[seat] = now_ms
        self._reckon()
        return given_up

    # -------------------------------------------------------------------- time

    def idle(self, now_ms: int) -> bool:
        """Whether nobody has come or gone for so long that the table need not wait for players any more."""
        return not self.running and now_ms - self._changed_ms >= self._setup.idle_ms

    def overdue(self, now_ms: int) -> tuple[list[int], bool]:
        """The seats whose start-up limit or grace is over, and whether nobody is left who could play on.

        A seat is removed for being away only when somebody is there to play on, or may still come: when all are away,
        nobody shall win by having been cut off last. They are all given up once the grace of each is over.
        """
        late = [seat for seat in range(len(self._status)) if seat not in self._awaited and self._due(seat) <= now_ms]
        if not late:
            return [], False
        others = [seat for seat, status in enumerate(self._status) if seat not in late and status != SeatStatus.LEFT]
        if any(self._status[seat] != SeatStatus.AWAY or seat in self._awaited for seat in others):
            return late, False
        if others:
            return [], False
        return late, True

    def next_reckoning(self, now_ms: int) -> None:
        """Finds the next time at which something is due, after what was due by now has been dealt with or put off."""
        self._reckon(now_ms)

    def _due(self, seat: int) -> int:
        status = self._status[seat]
        if status == SeatStatus.RESERVED:
            # Whoever was about to connect while the server was down waits before it tries again.
            return max(self._opened_ms + self._setup.clock.start_up_ms, self._awaited_until)
        if seat in self._awaited:
            return self._awaited_until
        if status == SeatStatus.AWAY:
            return self._away_since[seat] + self._setup.clock.grace_ms
        return NEVER

    def _reckon(self, after_ms: int = -NEVER) -> None:
        dues = [due for seat in range(len(self._status)) if (due := self._due(seat)) > after_ms]
        if not self.running:
            # Builtins alone are complete from the start: nobody's coming begins their match.
            dues.append(self._opened_ms if self.complete() else self._changed_ms + self._setup.idle_ms)
        self.due_ms = min(dues, default=NEVER)


def _first_status(bot: str, builtin: str) -> SeatStatus:
    if builtin:
        return SeatStatus.PRESENT
    return SeatStatus.RESERVED if bot else SeatStatus.OPEN
