"""The table machine: one match at one table as a pure value with one door, `handle(command, now_ms) -> effects`.

Here: `Table`, which seats players, starts the match, removes who stays away and closes the table. Not here: the course
of the match (`match`), connections (`presence`), questions and accounts (`decisions`). May import only `lastcard.rules`
and the pure modules of `table`.

The same commands at the same times give the same effects: time enters only as an argument, chance only by the seed of
`NextRound`. What is due happens at a `Tick` alone, so that an answer stamped in time counts whenever it is handled
(rules.md C81).
"""

from collections.abc import Sequence

from lastcard.rules.actions import LeaveCause
from lastcard.rules.state import Phase, State
from lastcard.table.commands import (
    Answer,
    CloseTable,
    Command,
    Connected,
    DecisionSent,
    Disconnected,
    LeaveSeat,
    NextRound,
    NoteFault,
    Occupy,
    Recovered,
    Tick,
)
from lastcard.table.decisions import Docket
from lastcard.table.effects import Ask, CloseCause, Closed, Effect, FaultKind, NoticeKind, Receipt
from lastcard.table.match import Match
from lastcard.table.presence import Presence
from lastcard.table.seats import SeatState, SeatStatus
from lastcard.table.setup import TableSetup
from lastcard.table.timecontrol import NEVER
from lastcard.table.verdicts import of_no_open_decision

_MATCH_OVER = Phase.MATCH_OVER
"""A member looked up in its enum costs a tenth of a microsecond, and this one is needed for every answer."""


class Table:
    """One table from its opening to its closing; read by everybody, changed by `handle` alone."""

    __slots__ = ("_docket", "_left", "_match", "_presence", "closed", "setup", "state")

    def __init__(self, setup: TableSetup) -> None:
        self.setup = setup
        self._docket = Docket(setup)
        self.state: State = self._docket.state
        self._match = Match(self._docket)
        self._presence = Presence(setup, self._docket.away)
        self._left = 0
        """How many of those who left the match presence knows of."""
        self.closed: Closed | None = None
        """How the table was closed; `None` while it is open."""

    # -------------------------------------------------------------- looking up

    @property
    def running(self) -> bool:
        """Whether the match has begun and is not over."""
        return self._presence.running and self.closed is None

    @property
    def seats(self) -> tuple[SeatState, ...]:
        """The seats, in order."""
        return self._presence.seats()

    @property
    def names(self) -> Sequence[str]:
        """The names of those at the seats, as they are at any time; empty for an open seat."""
        return self._presence.names

    @property
    def last_sequence(self) -> int:
        """Number of the last event, 0 before the first."""
        return self._docket.sequence

    @property
    def decision_count(self) -> int:
        """How many decisions have been asked."""
        return self._docket.decision_count

    def open_decisions(self, seat: int, now_ms: int | None = None) -> tuple[Ask, ...]:
        """The open decisions of a seat with what is left of limit and bank at `now_ms`, or at the last command."""
        now = self._docket.now_ms if now_ms is None else now_ms
        return tuple(self._docket.as_asked(decision, now) for decision in self._match.open_decisions(seat))

    def last_receipt(self, seat: int) -> Receipt | None:
        """The account of the last closed decision of a seat."""
        return self._docket.receipts[seat]

    def check_occupy(self, seat: int, name: str) -> None:
        """Checks that `name` may take a seat now; raises `Refused` as `handle` does for `Occupy`."""
        self._presence.check_occupy(seat, name)

    def next_deadline_ms(self) -> int | None:
        """When a `Tick` is due; `None` while nothing runs."""
        if self.closed is not None:
            return None
        due = min(self._match.due_ms(), self._presence.due_ms)
        return due if due < NEVER else None

    # ---------------------------------------------------------------- handling

    def handle(self, command: Command, now_ms: int) -> list[Effect]:
        """Does what a command says and returns what the shell is to do, in the order in which it counts.

        Commands that come too late (a decision sent that is closed, a seed that is not wanted any more) do nothing.

        Raises:
            Refused: `FORBIDDEN` for an `Occupy` that is not possible; nothing is changed.
        """
        docket = self._docket
        out: list[Effect] = []
        docket.out = out
        docket.now_ms = now_ms
        if self.closed is not None:
            if isinstance(command, Answer):
                out.append(of_no_open_decision(docket, command, over=True))
            return out
        # The two commands of every move come first.
        if isinstance(command, Answer):
            self._match.answer(command)
        elif isinstance(command, DecisionSent):
            self._match.sent(command.seat, command.decision_id)
            return out
        else:
            self._do(command)
        state = self.state
        if len(state.left_order) != self._left:
            self._note_leavers()
        if state.phase == _MATCH_OVER and self.closed is None:
            self._close(CloseCause.FINISHED, state.match_cause, state.places)
        return out

    def _do(self, command: Command) -> None:
        match command:
            case Tick():
                self._tick()
            case Occupy():
                self._occupy(command)
            case Connected():
                self._connected(command.seat)
            case Disconnected():
                self._disconnected(command.seat)
            case LeaveSeat():
                self._leave_seat(command)
            case NextRound():
                self._match.next_round(command.seed)
            case CloseTable():
                self._close(CloseCause.CANCELLED, 0, ())
            case NoteFault():
                self._docket.blame(command.seat, command.kind, command.evidence)
            case Recovered():
                self._recover(command)

    def _note_leavers(self) -> None:
        for seat in self.state.left_order[self._left :]:
            self._presence.leave(seat, self._docket.now_ms)
        self._left = len(self.state.left_order)

    def _occupy(self, command: Occupy) -> None:
        self._presence.occupy(command.seat, command.name, self._docket.now_ms)
        self._docket.announce(NoticeKind.SEAT_TAKEN, command.seat)
        self._begin_if_complete()

    def _begin_if_complete(self) -> None:
        if not self._presence.running and self._presence.complete() and self.state.phase != Phase.MATCH_OVER:
            self._presence.begin()
            self._match.begin()

    def _connected(self, seat: int) -> None:
        self._docket.awaited &= ~(1 << seat)
        if self._presence.connect(seat, self._docket.now_ms):
            self._docket.announce(NoticeKind.SEAT_BACK, seat)
            # Those whose removal waited for somebody to play on with need not be waited for any more.
            self._remove_overdue()
        for ask in self.open_decisions(seat):
            self._docket.out.append(ask)

    def _disconnected(self, seat: int) -> None:
        if self._presence.disconnect(seat, self._docket.now_ms):
            self._docket.announce(NoticeKind.SEAT_AWAY, seat)
            self._match.gone(seat)

    def _recover(self, command: Recovered) -> None:
        now = self._docket.now_ms
        pause_ms = now - command.since_ms
        self._docket.awaited = self._presence.recover(now, pause_ms, command.grace_ms)
        self._match.recover(pause_ms)

    def _end_recovery(self) -> None:
        """Those who are not back by now are away like anybody else whose connection was lost."""
        for seat in self._presence.give_up_awaiting(self._docket.now_ms):
            self._docket.awaited &= ~(1 << seat)
            self._match.gone(seat)
        if not self._presence.awaiting:
            self._docket.awaited = 0

    def _leave_seat(self, command: LeaveSeat) -> None:
        seat = command.seat
        status = self._presence.seats()[seat].status
        if status in (SeatStatus.OPEN, SeatStatus.LEFT):
            return
        if self._presence.is_reopened_by_leaving(seat):
            self._presence.reopen(seat, self._docket.now_ms)
            return
        if command.cause == LeaveCause.LEFT:
            self._docket.blame(seat, FaultKind.LEFT, f"{self._presence.names[seat]} left the match of its own will")
        self._remove(seat, command.cause)

    def _remove(self, seat: int, cause: LeaveCause) -> None:
        """Takes a seat out of the match, before or after its beginning."""
        self._match.leave(seat, cause)
        self._note_leavers()
        self._begin_if_complete()

    def _close(self, cause: CloseCause, match_cause: int, places: tuple[int, ...]) -> None:
        self._match.withdraw_all()
        self.closed = Closed(cause, match_cause, tuple(self.state.totals), places, self.state.round)
        self._docket.out.append(self.closed)

    # -------------------------------------------------------------------- time

    def _tick(self) -> None:
        now = self._docket.now_ms
        self._begin_if_complete()
        if self._docket.awaited:
            self._end_recovery()
        if self._match.due_ms() <= now:
            self._match.expire()
        if self._presence.due_ms <= now and self.state.phase != Phase.MATCH_OVER:
            self._note_leavers()
            self._remove_overdue()
            if self.closed is None and self._presence.idle(now):
                self._abandon()
            self._presence.next_reckoning(now)

    def _remove_overdue(self) -> None:
        """Removes who did not start or come back in time; when nobody could play on, the table is given up."""
        late, nobody_left = self._presence.overdue(self._docket.now_ms)
        for seat in late:
            self._blame_absence(seat)
        if nobody_left:
            self._abandon()
            return
        for seat in late:
            if self.state.phase == Phase.MATCH_OVER:
                return
            if self._presence.is_reopened_by_leaving(seat):
                self._presence.reopen(seat, self._docket.now_ms)
            elif self._presence.seats()[seat].status == SeatStatus.RESERVED:
                self._remove(seat, LeaveCause.START_UP)
            else:
                self._remove(seat, LeaveCause.DISCONNECTED)

    def _blame_absence(self, seat: int) -> None:
        clock, name = self.setup.clock, self._presence.names[seat]
        if self._presence.seats()[seat].status == SeatStatus.RESERVED:
            self._docket.blame(seat, FaultKind.START_UP, f"{name} did not connect within {clock.start_up_ms} ms")
        elif not self._presence.is_reopened_by_leaving(seat):
            self._docket.blame(
                seat, FaultKind.DISCONNECT, f"{name} lost its connection and was not back within {clock.grace_ms} ms"
            )

    def _abandon(self) -> None:
        """Closes a table at which nobody is left: who had not left shares the first place, leavers come below."""
        state = self.state
        gone = state.left_order
        places = [1] * state.players
        for below, seat in enumerate(reversed(gone)):
            places[seat] = state.players - len(gone) + 1 + below
        self._close(CloseCause.ABANDONED, 0, tuple(places))
