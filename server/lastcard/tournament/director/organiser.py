"""What an organiser does to an event that nobody plays at the moment: rulings, and bots that enter.

Here: writing them down, and what follows: figures, and an event that is no longer complete. Not here: what may be ruled
(`rule_book`), what the rows mean (`judging`), which games are played then (`course`). May import the standard library
and the pure modules of `tournament`.

Whoever calls has claimed the directory. The row comes first, and everything else follows from it: when the power fails
behind it, `--resume`, `lastcard tournament report` or the next ruling does what is missing.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lastcard.rules.shuffle import KEY_BYTES
from lastcard.tournament import durable
from lastcard.tournament.course import GivenOut, Plan
from lastcard.tournament.entries import BotEntry
from lastcard.tournament.event_state import COMPLETE
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.formats import FormatError
from lastcard.tournament.judging import in_force
from lastcard.tournament.ledger import NAME as LEDGER
from lastcard.tournament.ledger import Ledger, RulingKind, RulingRow, open_ledger, read_entries
from lastcard.tournament.outlook import can_enter, given_out, is_complete, plan_of
from lastcard.tournament.report.played import read_played
from lastcard.tournament.report.written import Figures, figures_of, write_figures
from lastcard.tournament.results import FILE, Results, open_key
from lastcard.tournament.resumption import bots_of, resume
from lastcard.tournament.rule_book import RulingError, Wish, ruling_row

LATE = "it was entered in the tournament file"
"""The reason in the row of a bot that enters."""


class Ruled(NamedTuple):
    """A ruling that was written down, the figures after it, and whether the event has games to play."""

    row: RulingRow
    figures: Figures
    unfinished: bool


def rule(directory: Path, builtins: Sequence[str], wish: Wish, at: str) -> Ruled:
    """Write a ruling down in the ledger of a results directory, and everything that follows from it.

    One that the same request has written down already is not written again.

    Raises:
        PlayedError: the directory is none, or something in it is damaged.
        ResultsError: the event is complete, and its key is damaged.
        RulingError: it cannot be ruled.
        OSError: something could not be written.
    """
    played = read_played(directory, builtins)
    file = played.file
    if played.state.state == COMPLETE:
        open_key(directory, played.state)  # which is needed where there are games to play afterwards
    ledger, _ = open_ledger(directory / LEDGER)
    plan = _plan(file)
    row = next((row for row in ledger.rulings if wish.request and row.request == wish.request), None)
    if row is None:
        row = _write_down(ledger, given_out(plan, ledger), file, wish, at)
    return Ruled(row, *_follow(directory, builtins, plan, ledger))


def follow_up(directory: Path, builtins: Sequence[str]) -> bool:
    """Write what follows from rulings that are in the ledger, when that may have been broken off.

    Whether the event has games to play.

    Raises:
        PlayedError: the directory is none, or something in it is damaged.
        OSError: something could not be written.
    """
    plan = _plan(read_played(directory, builtins).file)
    return _follow(directory, builtins, plan, open_ledger(directory / LEDGER)[0])[1]


def _write_down(ledger: Ledger, known: GivenOut, file: TournamentFile, wish: Wish, at: str) -> RulingRow:
    names = [bot.name for bot in file.bots]
    stage = known.stage + 1 if known.games else 0
    row = ruling_row(wish, ledger.entries, names, stage=stage, after=known.games, at=at)
    ledger.rule(row)
    return row


def _follow(directory: Path, builtins: Sequence[str], plan: Plan, ledger: Ledger) -> tuple[Figures, bool]:
    """Write what follows from the ledger; the figures, and whether the event has games to play."""
    unfinished = not is_complete(plan, ledger)
    played = read_played(directory, builtins)
    if unfinished and played.state.state == COMPLETE:
        Results.reopen(directory, played.state)
        played = read_played(directory, builtins)
    made = figures_of(played, plan.scoring)
    write_figures(directory, made)
    return made, unfinished


def take_up(directory: Path, file: TournamentFile, entering: Sequence[str], at: str) -> Results:
    """The results of an event to go on with, with bots that enter it; one that is complete may have games to play.

    Raises:
        ResultsError: there is no such event, or something that it needs is missing or damaged.
        RulingError: the format admits nobody any more.
        LedgerError: the ledger cannot be read.
        OSError: something could not be written.
    """
    results = resume(directory, file, entering)
    _enter(results, file, entering, at)
    if results.begun is not None and results.begun.state == COMPLETE:
        entries = read_entries(results.ledger)
        if not is_complete(_plan(file), Ledger(results.ledger, entries.rows, entries.rulings)):
            Results.reopen(directory, results.begun)
            return resume(directory, file)
    return results


def _enter(results: Results, file: TournamentFile, names: Sequence[str], at: str) -> None:
    """Write down who enters, and keep the file that has them."""
    path = results.directory / FILE
    before = bots_of(path.read_bytes().decode())
    if before == [bot.name for bot in file.bots]:
        return
    ledger, _ = open_ledger(results.ledger)
    entered = {row.bot for row in in_force(ledger.rulings) if row.kind is RulingKind.ENTER}
    new = [name for name in dict.fromkeys(names) if name not in entered]
    # Who has no row yet would be in the event from its first stage on.
    there = [bot for bot in file.bots if bot.name in before or bot.name in entered]
    known = given_out(_plan(file, there), ledger)
    for name in new:
        _check_entering(file, there, ledger, name, known.stage + 1)
    for name in new:
        _write_down(ledger, known, file, Wish(RulingKind.ENTER, name, LATE), at)
    durable.replace(path, file.text.encode())


def _check_entering(file: TournamentFile, there: Sequence[BotEntry], ledger: Ledger, name: str, stage: int) -> None:
    """Check that a bot can enter beside those who are there, with a stage that it would play in."""
    plan = _plan(file, [bot for bot in file.bots if bot in there or bot.name == name])
    entrants = tuple(each._replace(enters=stage) if each.name == name else each for each in plan.design.entrants)
    try:
        plan.style.check(plan.design._replace(entrants=entrants))
    except FormatError as error:
        raise RulingError(f"{name} cannot enter any more: {error}") from error
    if not can_enter(plan, ledger, name):
        raise RulingError(f"{name} cannot enter any more: no stage follows in which it would play")


def _plan(file: TournamentFile, bots: Sequence[BotEntry] | None = None) -> Plan:
    """The plan of an event, of these bots if they are given; its key only scatters games, and is of no matter here."""
    own = file if bots is None else replace(file, bots=tuple(bots))
    return plan_of(own, bytes(KEY_BYTES), own.scoring)
