"""The sets of a ledger: which count, for whom, and which are played again.

Here: games and sets after all rulings, and `Sets`, which judges them one after the other. Not here: rulings on bots,
what is asked of a whole ledger (`judging`), what a fault costs in a game (`rulings`). May import the standard library,
`rows`, `rulings` and `scoring`.

A set counts as a whole or not at all. Where it does not, because of a fault or an annulment, it is void, or another set
on a fresh deal takes its place. The bot at fault gains nothing by that: to it the set stays as it was, its game lost,
and the other set does not count for it; so whatever the policy, no bot does better by a fault than by a loss.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from lastcard.tournament.rows import Row, RulingRow
from lastcard.tournament.rulings import FORFEITED, Fault, Outcome, Ruling, outcome
from lastcard.tournament.scoring import Score, Scoring, scores

MOST_REPLAYS = 2
"""So many sets are played in a row in place of one because of faults; after that a fault costs the game alone."""


class SetStatus(StrEnum):
    """What a set is worth: not all of its games are played, it counts, it does not, or another took its place."""

    OPEN = "open"
    COUNTED = "counted"
    VOID = "void"
    REPLACED = "replaced"


class JudgedGame(NamedTuple):
    """A game after all rulings; `counts` says by seat whether it is in the bot's mean scores."""

    row: Row
    outcome: Outcome
    annulled: bool
    counts: tuple[bool, ...]

    def scores(self, score: Score, *, charged: bool = True) -> tuple[Fraction, ...]:
        """What each seat gets for the game under a kind of score."""
        return scores(self.outcome, score, charged=charged)


class JudgedSet(NamedTuple):
    """A set after all rulings, its games by rotation.

    `by` is the set that took its place, `replaces` the one whose place it took. `counts_for` are the bots whose mean
    scores it is in: all of them, none, or, of a set that does not count as a whole, those at fault. `why` says why it
    does not. `compares` are the others of a set that counts for nobody since one of its bots is disqualified: they have
    all met it here, so that they can be compared with each other, though not with bots elsewhere.
    """

    number: int
    bots: frozenset[str]
    status: SetStatus
    games: tuple[JudgedGame, ...]
    by: int | None
    replaces: int | None
    counts_for: frozenset[str]
    why: str
    compares: frozenset[str] = frozenset()

    def means(self, score: Score, *, charged: bool = True) -> dict[str, Fraction]:
        """The mean score of each bot for which the set counts, by name."""
        return self._means(self.counts_for, score, charged=charged)

    def compared(self, score: Score) -> dict[str, Fraction]:
        """The mean score of each bot that the set only compares with others at its table, by name."""
        return self._means(self.compares, score)

    def _means(self, names: frozenset[str], score: Score, *, charged: bool = True) -> dict[str, Fraction]:
        values: defaultdict[str, list[Fraction]] = defaultdict(list)
        for game in self.games:
            for name, value in zip(game.row.seats, game.scores(score, charged=charged), strict=True):
                if name in names:
                    values[name].append(value)
        return {name: sum(values[name], Fraction()) / len(values[name]) for name in sorted(values)}


def complete_sets(rows: Iterable[Row], *, all_orders: bool = False) -> set[int]:
    """The numbers of the sets of which all games have been played, whether they count or not."""
    rotations: defaultdict[int, set[int]] = defaultdict(set)
    sizes: dict[int, int] = {}
    for row in rows:
        rotations[row.set].add(row.rotation)
        sizes[row.set] = len(row.seats)
    whole = Scoring(all_orders=all_orders)
    return {number for number, seen in rotations.items() if len(seen) == whole.games_of(sizes[number])}


class _Fate(NamedTuple):
    """What becomes of a set as a whole: whether it is void or to be played again, why, and to whom it stays."""

    void: bool
    again: bool
    stays_for: frozenset[str]
    why: str


_COUNTS = _Fate(void=False, again=False, stays_for=frozenset(), why="")


class Sets:
    """The sets of a ledger while they are judged, in the order of their numbers."""

    def __init__(self, played: Sequence[Row], annulled: Mapping[int, RulingRow], scoring: Scoring) -> None:
        self._annulled = annulled
        self._scoring = scoring
        self._rows: defaultdict[int, list[Row]] = defaultdict(list)
        for row in played:
            self._rows[row.set].append(row)
        self._complete = complete_sets(played, all_orders=scoring.all_orders)
        self._replaces = {number: rows[0].replaces or None for number, rows in self._rows.items()}
        self._by = {old: new for new, old in self._replaces.items() if old is not None}
        self._fates: dict[int, _Fate] = {}

    def judged(self) -> list[JudgedSet]:
        """All sets; a set's number is above that of the set whose place it takes."""
        return [self._judged(number) for number in sorted(self._rows)]

    def _judged(self, number: int) -> JudgedSet:
        rows = sorted(self._rows[number], key=lambda row: row.rotation)
        bots = frozenset(rows[0].seats)
        replaces, by = self._replaces[number], self._by.get(number)
        wanted = replaces is None or self._fates.get(replaces, _COUNTS).again
        fate = self._fates[number] = self._fate(number, rows) if wanted else _not_needed(replaces)
        counts_for = fate.stays_for if fate.void else bots
        for earlier in self._earlier(number):
            counts_for -= self._fates.get(earlier, _COUNTS).stays_for
        if number not in self._complete:
            status, counts_for = SetStatus.OPEN, frozenset()
        elif not fate.void:
            status = SetStatus.COUNTED
        else:
            status = SetStatus.REPLACED if fate.again and by in self._complete else SetStatus.VOID
        games = tuple(self._game(row, counts_for) for row in rows)
        taken = by if status is SetStatus.REPLACED else None
        return JudgedSet(number, bots, status, games, taken, replaces, counts_for, fate.why)

    def _earlier(self, number: int) -> Iterator[int]:
        """The sets whose place this one takes, the latest first."""
        at = self._replaces[number]
        while at is not None:
            yield at
            at = self._replaces.get(at)

    def _fate(self, number: int, rows: Sequence[Row]) -> _Fate:
        ruled = [self._annulled[row.game] for row in rows if row.game in self._annulled]
        if ruled:
            why = f"game {ruled[0].game} was annulled: {ruled[0].reason}"
            return _Fate(void=True, again=any(each.replay for each in ruled), stays_for=frozenset(), why=why)
        if number not in self._complete:
            return _COUNTS
        found = [(row, *each) for row in rows for each in self._spoiling(row)]
        if sum(1 for each in self._earlier(number) if self._fates.get(each, _COUNTS).stays_for) >= MOST_REPLAYS:
            found = [each for each in found if each[-1] is Ruling.VOID]
        if not found:
            return _COUNTS
        row, bot, kind, _ = found[0]
        return _Fate(
            void=True,
            again=any(ruling is Ruling.REPLAY for *_, ruling in found),
            stays_for=frozenset(bot for _, bot, _, _ in found),
            why=f"{kind} of {bot} in game {row.game}",
        )

    def _spoiling(self, row: Row) -> Iterator[tuple[str, str, Ruling]]:
        """The faults of a game for which its set does not count.

        A bot that plays no more in the event spoils nothing, or there would be no end of it.
        """
        for fault in row.faults:
            ruling = self._scoring.rulings[Fault(fault.kind)].ruling
            if ruling in (Ruling.REPLAY, Ruling.VOID) and not fault.evidence.startswith(FORFEITED):
                yield fault.bot, fault.kind, ruling

    def _game(self, row: Row, counts_for: frozenset[str]) -> JudgedGame:
        result = outcome(
            row.places,
            row.points,
            [(fault.seat, fault.kind) for fault in row.faults],
            fewest_points_win=self._scoring.fewest_points_win,
            loss_points=self._scoring.loss_points,
            rulings=self._scoring.rulings,
        )
        return JudgedGame(row, result, row.game in self._annulled, tuple(name in counts_for for name in row.seats))

    def owed(self, gone: Collection[str]) -> Iterator[int]:
        """The complete sets in whose place another is to be played, of which there is no game yet.

        Those of bots that are `gone` stay void: without one of its bots a set would be another.
        """
        for number in sorted(self._complete):
            bots = self._rows[number][0].seats
            if self._fates[number].again and number not in self._by and not any(bot in gone for bot in bots):
                yield number


def _not_needed(replaces: int | None) -> _Fate:
    why = f"set {replaces}, in whose place it was played, counts after all"
    return _Fate(void=True, again=False, stays_for=frozenset(), why=why)
