"""What is written down of an event, so that it can be gone on with wherever it ends: rows, records, conduct, standings.

Here: `Books`, in which every step may be the last before the power fails and is done again, to the same bytes, by the
next director. Not here: playing (`event`), what a row says (`game`), files (`results`, `ledger`). May import the
standard library, `lastcard.rules`, `lastcard.table`'s values and the pure modules of `tournament`.

The order in which it is safe: the record, then the row, from which on the game counts, then what follows from a row
(reveals, the bots' conduct). Games that end together are written together, since waiting for the disk takes as long for
all as for one. What follows is done before the next rows are written, so that after a crash only the last rows can lack
it, which are no more than `MOST_AT_ONCE`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from lastcard.rules.actions import LeaveCause
from lastcard.rules.record_reader import RecordError
from lastcard.table.plan import RecordFiles, TableResult
from lastcard.tournament.conduct import Conduct, Failure
from lastcard.tournament.course import GivenOut
from lastcard.tournament.director.game import forfeits_of, row_of
from lastcard.tournament.director.verifier import verify_all
from lastcard.tournament.event_state import COMPLETE, RUNNING, STOPPED
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.judging import Judged, complete_sets, judge
from lastcard.tournament.ledger import Row, RulingBy, RulingKind, RulingRow, open_ledger, read_entries
from lastcard.tournament.outlook import with_placings
from lastcard.tournament.packing import unpacked
from lastcard.tournament.reading import Reading, reading_of
from lastcard.tournament.report.played import Played, present_in
from lastcard.tournament.report.written import figures_of, write_figures
from lastcard.tournament.results import Results
from lastcard.tournament.rulings import Fault
from lastcard.tournament.schedule import Game
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.statistics import Standings, standings
from lastcard.tournament.verifying import Expected, Problem

_REMOVED = {
    LeaveCause.TIMEOUTS: "was removed after too many timeouts",
    LeaveCause.DISCONNECTED: "was removed because it did not come back",
    LeaveCause.START_UP: "was removed because it did not turn up",
    LeaveCause.LEFT: "left the match",
}


class Finished(NamedTuple):
    """A game that is over, and what comes of it; `reading` where its files have been read already."""

    game: Game
    result: TableResult
    files: RecordFiles
    reading: Reading | None = None


class ForeignRowError(Exception):
    """A row of the ledger is of no game of this event."""


class Books:
    """The results directory of one event, while one director writes in it.

    Raises:
        LedgerError: a line of the ledger cannot be read.
    """

    def __init__(self, file: TournamentFile, results: Results) -> None:
        self.scoring = scoring_of(file)
        self._file = file
        self._results = results
        self._programs = {bot.name for bot in file.bots if bot.is_program}
        self._ledger, self.torn = open_ledger(results.ledger)
        begun = results.begun
        self.conduct = begun.conduct if begun is not None else Conduct()
        self._judged = min(begun.games, len(self.rows)) if begun is not None else 0
        self._ruled_by = -1
        self._sets: dict[int, list[Row]] = {}  # of sets that are not complete
        self._closed: dict[int, tuple[int, int]] = {}  # by game of these sets: size of its record, number of rounds
        for row in self._ledger.rows:
            self._sets.setdefault(row.set, []).append(row)
        for number in self._complete(self._ledger.rows):
            del self._sets[number]

    @property
    def rows(self) -> Sequence[Row]:
        """All games' rows, in the order in which they were written."""
        return self._ledger.rows

    @property
    def counted(self) -> int:
        """Of how many rows all that follows from them is done."""
        return self._judged

    @property
    def rulings(self) -> Sequence[RulingRow]:
        """All rulings, in the order in which they were made."""
        return self._ledger.rulings

    def __contains__(self, game: int) -> bool:
        """Whether the game with this number has its row."""
        return game in self._ledger

    def row(self, game: int) -> Row:
        """The row of a game that has one."""
        return self._ledger.row(game)

    @property
    def left_out(self) -> Collection[str]:
        """The bots that have withdrawn or were disqualified."""
        ruled = self._ruled()
        return ruled.withdrawn.keys() | ruled.disqualified.keys()

    def withdraw(self, bot: str, reason: str, given_out: GivenOut) -> None:
        """Write down that a bot plays no more in the stages that are decided from now on."""
        number, at = len(self.rulings) + 1, datetime.now(UTC).isoformat(timespec="milliseconds")
        kind, stage = RulingKind.WITHDRAW, given_out.stage + 1 if given_out.games else 0
        self._ledger.rule(RulingRow(number, kind, reason, stage, given_out.games, at, bot=bot, by=RulingBy.EVENT))

    @property
    def entries(self) -> Sequence[Row | RulingRow]:
        """All rows of games and rulings."""
        return self._ledger.entries

    def has(self, game: Game) -> bool:
        """Whether a game has its row.

        Raises:
            ForeignRowError: the row is of another game.
        """
        if game.game not in self._ledger:
            return False
        row = self._ledger.row(game.game)
        if (row.set, row.deal, row.rotation, row.seats, row.replaces) != game[1:]:
            raise ForeignRowError(
                f"game {game.game} is of {', '.join(game.seats)} on deal {game.deal} in this event, but of "
                f"{', '.join(row.seats)} on deal {row.deal} in {self._ledger.path}, which is another event's ledger; "
                f"put back the right one"
            )
        return True

    def stand(self, sentence: str) -> str:
        """A sentence on why the event was broken off, followed by what stands and how it goes on."""
        games = len(self.rows)
        many = "game" if games == 1 else "games"
        return f"{sentence}; the {games} {many} in {self._ledger.path} stand, and --resume goes on with the event"

    def begin(self) -> list[Failure]:
        """Do what follows from the last rows, if an earlier director did not come to it; their bots' failures, if any.

        Rows that have been judged without a change of the bots' conduct since may be judged again: nothing changes.
        """
        failures: list[Failure] = []
        self._results.mend()
        latest = self._ledger.latest
        sets = {row.set for row in latest}
        members = [row for row in self.rows if row.set in sets]
        done = self._complete(members)
        self._results.reveal(row for row in members if row.set in done)
        again = latest[max(0, len(latest) - (len(self.rows) - self._judged)) :]
        self._judged = len(self.rows) - len(again)
        for row in again:
            failures += self._judge_again(row)
        self._write_state(RUNNING)
        return failures

    def _judge_again(self, row: Row) -> list[Failure]:
        left: Mapping[int, int]
        try:
            record = unpacked((self._results.directory / row.record).read_bytes())
            left = reading_of(record, b"", self._file.rules, len(row.seats)).left
        except (OSError, RecordError, ValueError):
            left = {}  # the record is gone or damaged, which is said when it is verified
        recovered = [fault for fault in row.times.get("recovered", ()) if isinstance(fault, dict)]
        crashed = {fault.seat for fault in row.faults if fault.kind == Fault.CRASH}
        return self.judge(row, left, crashed | {fault.get("seat", -1) for fault in recovered})

    # ------------------------------------------------------------------ games

    def write(self, games: Sequence[Finished]) -> list[tuple[Row, Mapping[int, int]]]:
        """Write records and rows of games, and reveal those whose set is complete; in a thread, one call at a time.

        There are at most `MOST_AT_ONCE`. Returns the rows, and why seats left by the records.
        """
        readings = [self._reading(finished) for finished in games]
        kept = [(game.game, files.record, files.receipts) for game, _, files, _ in games]
        records = self._results.keep_records(kept, compressed=self._file.records == "gzip")
        versions = self._versions()
        rows = [
            row_of(
                game,
                result,
                record,
                reading=reading,
                forfeits=forfeits_of(game, reading, self.aside),
                versions=versions,
            )
            for (game, result, _, _), (record, _), reading in zip(games, records, readings, strict=True)
        ]
        self._ledger.append(*rows)
        for row, (_, size), reading in zip(rows, records, readings, strict=True):
            self._sets.setdefault(row.set, []).append(row)
            self._closed[row.game] = (size, reading.rounds)
        self._reveal(dict.fromkeys(row.set for row in rows))
        return [(row, reading.left) for row, reading in zip(rows, readings, strict=True)]

    def _reading(self, finished: Finished) -> Reading:
        if finished.reading is not None:
            return finished.reading
        game, _, files, _ = finished
        return reading_of(files.record, files.receipts, self._file.rules, len(game.seats))

    def _reveal(self, sets: Iterable[int]) -> None:
        """Reveal the games of those sets that are complete."""
        done = [number for number in sets if self._complete(self._sets[number])]
        rows = [row for number in done for row in self._sets.pop(number)]
        closed = [(row, *self._closed.pop(row.game)) for row in rows if row.game in self._closed]
        if closed:
            self._results.reveal_kept(closed)
        now = {row.game for row, _, _ in closed}
        self._results.reveal(row for row in rows if row.game not in now)

    def judge(self, row: Row, left: Mapping[int, int], crashed: Collection[int]) -> list[Failure]:
        """Count a game for each bot that played it to its end, and against those that were removed; their failures.

        A crash has been counted when it happened. Rows are judged in their order, all before further ones are written.
        """
        failures: list[Failure] = []
        changed = False
        for seat, name in enumerate(row.seats):
            if name not in self._programs:
                continue
            if seat not in left:
                changed |= self.conduct.finish(name)
            elif left[seat] in _REMOVED and seat not in crashed and self.conduct.aside(name) is None:
                failure = self.conduct.fail_game(
                    name,
                    f"{_REMOVED[LeaveCause(left[seat])]} (game {row.game})",
                    self._began_ms(row, left[seat]),
                    _ended_ms(row),
                )
                failures += [failure] if failure is not None else []
        self._judged += 1
        if changed or failures:
            self._write_state(RUNNING)
        return failures

    def _began_ms(self, row: Row, cause: int) -> int:
        """From when a bot could have failed in a game; one that did not turn up was waited for before the match."""
        started_ms = int(row.times.get("started_ms") or _ended_ms(row))
        return started_ms - (self._file.clock.start_up_ms if cause == LeaveCause.START_UP else 0)

    def fail(self, bot: str, why: str, troubles: int) -> Failure | None:
        """Count a failure of a bot's program, as `Conduct.fail_program`; it is on disk when this returns."""
        failure = self.conduct.fail_program(bot, why, troubles)
        if failure is not None:
            self._write_state(RUNNING)
        return failure

    def note_version(self, bot: str, version: str) -> None:
        """Note which version a bot told, before it plays; it is on disk when this returns."""
        if version != self._results.versions.get(bot, ""):
            self._results.versions[bot] = version
            self._write_state(RUNNING)

    def aside(self, bot: str) -> str | None:
        """Why a bot plays no more: it was disqualified, set aside or withdrawn; `None` while it does.

        Games that were given out before are played without it, as those of a bot that was set aside.
        """
        ruled = self._ruled()
        if bot in ruled.disqualified:
            return f"disqualified: {ruled.disqualified[bot]}"
        aside = self.conduct.aside(bot)
        return f"withdrawn: {ruled.withdrawn[bot].reason}" if aside is None and bot in ruled.withdrawn else aside

    def _ruled(self) -> Judged:
        """What rulings say of bots; they are few, and new ones are rare."""
        if self._ruled_by != len(self.rulings):
            self._ruled_by, self._judged_rulings = len(self.rulings), judge(self.rulings, self.scoring)
        return self._judged_rulings

    def _complete(self, rows: Sequence[Row]) -> set[int]:
        return complete_sets(rows, all_orders=self.scoring.all_orders)

    def _versions(self) -> dict[str, str]:
        """The versions of the bots, of builtins that of the server."""
        ours = server_version()
        return self._results.versions | {bot.name: ours for bot in self._file.bots if bot.builtin is not None}

    # ------------------------------------------------------------------ the end

    def settle(
        self, *, complete: bool, given_up: Callable[[], bool] = lambda: False
    ) -> tuple[Standings, tuple[Problem, ...]]:
        """Verify and write down what is known at the end; may run in a thread.

        Raises:
            GivenUpError: `given_up` said so while records were verified.
        """
        made, problems = self.look(given_up)
        state = COMPLETE if complete else STOPPED
        self.write_figures(state)
        self._write_state(state)
        if complete and not problems:
            self._results.close()
        return made, problems

    def look(self, given_up: Callable[[], bool] = lambda: False) -> tuple[Standings, tuple[Problem, ...]]:
        """The standings, and what is wrong with the records."""
        rows = sorted(self.rows, key=lambda row: row.game)
        plain = standings(self._ledger.entries, [bot.name for bot in self._file.bots], self.scoring)
        made = with_placings(plain, self._file, self._ledger.entries)
        done = self._complete(rows)
        records = [Expected(row.record, row.record_hash, row.set in done) for row in rows]
        return made, tuple(verify_all(self._results.directory, records, given_up))

    def write_figures(self, state: str) -> None:
        """Write ranking and page, as they are from when the event is in this state."""
        directory = self._results.directory
        entries = read_entries(self._ledger.path)
        event = self._results.state(state, self._file.name, games=self._judged, conduct=self.conduct)
        write_figures(directory, figures_of(Played(self._file, event, entries, present_in(directory)), self.scoring))

    def _write_state(self, state: str) -> None:
        self._results.write_state(state, self._file.name, games=self._judged, conduct=self.conduct)


def scoring_of(file: TournamentFile) -> Scoring:
    """How the games of a tournament are scored."""
    return file.scoring


@lru_cache(maxsize=1)
def server_version() -> str:
    """The version of this distribution, whose builtins play."""
    try:
        return version("lastcard")
    except PackageNotFoundError:
        return ""


def _ended_ms(row: Row) -> int:
    return int(row.times.get("ended_ms") or 0)
