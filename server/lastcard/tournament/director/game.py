"""One game between schedule and ledger: the plan of its table, and its row from the table's result.

Here: both translations. Not here: when games are played (`event`). May import the standard library, `lastcard.rules`,
`lastcard.table.plan` and what it needs, and the pure modules of `tournament`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lastcard.rules.events import MatchCause
from lastcard.rules.shuffle import deal_key, game_salt
from lastcard.table.effects import Blame, CloseCause, FaultKind
from lastcard.table.plan import SeatPlan, TablePlan, TableResult
from lastcard.table.timecontrol import TimeControl
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.ledger import Row, SeatFault
from lastcard.tournament.reading import Reading
from lastcard.tournament.rulings import FORFEITED, Fault
from lastcard.tournament.schedule import Game

_KINDS = {
    FaultKind.TIMEOUT: Fault.TIMEOUT,
    FaultKind.REFUSALS: Fault.REFUSALS,
    FaultKind.DISCONNECT: Fault.DISCONNECT,
    FaultKind.START_UP: Fault.START_UP,
    FaultKind.CRASH: Fault.CRASH,
    FaultKind.LEFT: Fault.LEFT,
}
_COSTS = (FaultKind.TIMEOUT, FaultKind.DISCONNECT)


def plan_of(game: Game, file: TournamentFile, event_key: bytes, attempt: int = 1) -> TablePlan:
    """What the game's table is opened with; each attempt has an id of its own."""
    builtins = {bot.name: bot.builtin for bot in file.bots}
    clock = file.clock
    return TablePlan(
        rules=file.rules,
        seats=tuple(_seat(name, builtins[name]) for name in game.seats),
        clock=TimeControl(
            limit_ms=clock.limit_ms,
            bank_ms=clock.bank_ms,
            reaction_ms=clock.reaction_ms,
            start_up_ms=clock.start_up_ms,
            grace_ms=clock.grace_ms,
            network_credit_ms=clock.network_credit_ms,
            network_credit_total_ms=clock.network_credit_total_ms,
        ),
        sealed=clock.sealed,
        draws=file.draws,
        disguise=file.disguise,
        round_pause_ms=file.round_pause_ms,
        deal_key=deal_key(event_key, str(game.deal)),
        salt=game_salt(event_key, str(game.game)),
        closed=True,
        table_id=table_id_of(game.game, attempt),
    )


def table_id_of(game: int, attempt: int) -> str:
    """The id of the table of an attempt, from 1, at a game."""
    return f"game-{game:05d}" if attempt == 1 else f"game-{game:05d}.{attempt}"


def game_of(table_id: str) -> int | None:
    """The game whose table of some attempt has this id; `None` when the table is no game's, as that of a probe."""
    kind, _, rest = table_id.partition("-")
    return int(rest.partition(".")[0]) if kind == "game" else None


def _seat(name: str, builtin: str | None) -> SeatPlan:
    return SeatPlan(bot=name) if builtin is None else SeatPlan(builtin=builtin, name=name)


class Forfeit(NamedTuple):
    """The seat of a bot that is set aside, removed behind event `sequence` of a game; 0 is before the first deal."""

    seat: int
    sequence: int
    why: str


def forfeits_of(game: Game, reading: Reading, aside: Callable[[str], str | None]) -> list[Forfeit]:
    """The forfeits of a game, by its record; `aside` says why a bot is set aside, if it is.

    Nothing else removes a seat as the organiser does, so that the record alone tells when it was. A game that ends
    before its first deal, because hardly anybody is left to play it, is forfeited by all that are set aside.
    """
    found = [Forfeit(seat, at, aside(game.seats[seat]) or "") for seat, at in reading.removed.items()]
    for seat, name in enumerate(game.seats):
        why = aside(name)
        if not reading.is_dealt and why is not None and seat not in reading.removed:
            found.append(Forfeit(seat, 0, why))
    return found


def row_of(
    game: Game,
    result: TableResult,
    record: str,
    *,
    reading: Reading,
    forfeits: Sequence[Forfeit],
    versions: Mapping[str, str],
) -> Row:
    """The game's row, with a fault for each forfeited seat; `versions` are those of the bots that have told any.

    A crash that cost the bot nothing, because it was back before its time was over, is no fault: it depends on the
    clock, as nothing in a row may, and so stands under `times`.
    """
    faults = [_forfeit_fault(game, forfeit) for forfeit in forfeits]
    forfeited = {forfeit.seat for forfeit in forfeits}
    recovered: list[dict[str, Any]] = []
    for place, blame in enumerate(result.faults):
        if blame.seat in forfeited and blame.kind is FaultKind.START_UP:
            continue
        fault = SeatFault(blame.seat, game.seats[blame.seat], _KINDS[blame.kind], blame.sequence, blame.evidence)
        cost = blame.seat in forfeited or _cost_something(blame, result.faults[place + 1 :])
        if blame.kind is FaultKind.CRASH and not cost:
            recovered.append(fault._asdict())
        else:
            faults.append(fault)
    seats = len(game.seats)
    return Row(
        **game._asdict(),
        points=result.points or (0,) * seats,
        places=result.places or (1,) * seats,
        cause=cause_text(result),
        faults=tuple(sorted(faults, key=lambda fault: (fault.sequence, fault.seat))),
        record=record,
        record_hash=result.record_hash.hex(),
        versions=tuple(versions.get(name, "") for name in game.seats),
        luck=reading.luck,
        times={
            "started_ms": result.started_ms or result.ended_ms,  # a match may be over before it began
            "ended_ms": result.ended_ms,
            "thinking_ms": list(result.thinking_ms),
            "decisions": result.decisions,
            "recovered": recovered,
            "thinking": reading.thinking,
        },
    )


def _forfeit_fault(game: Game, forfeit: Forfeit) -> SeatFault:
    kind = Fault.DISCONNECT if forfeit.sequence else Fault.START_UP
    return SeatFault(forfeit.seat, game.seats[forfeit.seat], kind, forfeit.sequence, f"{FORFEITED}{forfeit.why}")


def _cost_something(crash: Blame, later: Sequence[Blame]) -> bool:
    return any(blame.seat == crash.seat and blame.kind in _COSTS for blame in later)


def cause_text(result: TableResult) -> str:
    """Why the game ended, as it stands in the ledger."""
    if result.cause is CloseCause.FINISHED:
        return MatchCause(result.match_cause).name.lower()
    return result.cause.name.lower()
