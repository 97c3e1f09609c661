"""What the rows of a ledger mean: each game's outcome, and which sets count for whom.

Here: `judge`, from rows and rulings to `Judged`, which statistics, formats and reports read instead of the ledger. Not
here: single sets (`judged_sets`), what a game counts (`scoring`), figures (`statistics`). May import the standard
library, `formats.contract`, `judged_sets`, `rows`, `rulings` and `scoring`.

A disqualified bot has no results. The others' sets with it stand where all of them have played such sets equally often,
as in a whole round robin; otherwise they count for nobody, since some have had a harder time than others.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from lastcard.tournament.formats.contract import SetResult
from lastcard.tournament.judged_sets import MOST_REPLAYS, JudgedGame, JudgedSet, Sets, SetStatus, complete_sets
from lastcard.tournament.rows import Row, RulingKind, RulingRow
from lastcard.tournament.rulings import FORFEITED
from lastcard.tournament.scoring import Scoring

__all__ = [
    "MOST_REPLAYS", "Judged", "JudgedGame", "JudgedSet", "SetStatus", "complete_sets", "in_force", "judge",
]  # fmt: skip


class Judged(NamedTuple):
    """A ledger after all rulings: games and sets in the order of their numbers.

    `rulings` are those that were not taken back; `disqualified` gives reasons by bot, the next two the rulings by bot.
    `owed` are the sets that are to be played again on a fresh deal.
    """

    scoring: Scoring
    games: tuple[JudgedGame, ...]
    sets: Mapping[int, JudgedSet]
    rulings: tuple[RulingRow, ...]
    disqualified: Mapping[str, str]
    withdrawn: Mapping[str, RulingRow]
    entered: Mapping[str, RulingRow]
    owed: tuple[int, ...]

    def set_results(self, numbers: Iterable[int]) -> list[SetResult]:
        """How these sets came out, with those that were played in their place; what counts for nobody is left out.

        A result holds the bots for which it counts, in the order of their names: each bot is in one result for each of
        the sets, at most.
        """
        return _results(map(self.means_of, numbers))

    def table_results(self, numbers: Iterable[int]) -> list[SetResult]:
        """How those of these sets came out that compare bots at one table only, as one of them is disqualified."""
        return _results(
            {name: mean for each in self._line(number) for name, mean in each.compared(self.scoring.score).items()}
            for number in numbers
        )

    def is_complete(self, number: int) -> bool:
        """Whether all games of a set have been played, whatever it counts."""
        return number in self.sets and self.sets[number].status is not SetStatus.OPEN

    def means_of(self, number: int) -> dict[str, Fraction]:
        """The mean score in a set of each bot for which it, or one that was played in its place, counts, by name."""
        return {name: mean for each in self._line(number) for name, mean in each.means(self.scoring.score).items()}

    def _line(self, number: int) -> Iterator[JudgedSet]:
        """A set, if it is there, and those that were played in its place, one in place of the other."""
        at: int | None = number
        while at is not None and at in self.sets:
            yield self.sets[at]
            at = self.sets[at].by


def judge(rows: Iterable[Row | RulingRow], scoring: Scoring) -> Judged:
    """What the rows, in any order, mean.

    Whoever decides what is drawn next gives the rows of what was known when the last games were given out: then what is
    drawn never changes by a later ruling (`RulingRow.after`).
    """
    entries = list(rows)
    played = sorted((row for row in entries if isinstance(row, Row)), key=lambda row: row.game)
    rulings = in_force(row for row in entries if isinstance(row, RulingRow))
    annulled = {row.game: row for row in rulings if row.kind == RulingKind.ANNUL and row.game is not None}
    disqualified = {row.bot: row.reason for row in rulings if row.kind == RulingKind.DISQUALIFY and row.bot}
    withdrawn = {row.bot: row for row in rulings if row.kind == RulingKind.WITHDRAW and row.bot}
    judging = Sets(played, annulled, scoring)
    sets = judging.judged()
    spoilt = {number: bot for bot in disqualified for number in _uneven(sets, bot, disqualified.keys())}
    sets = [_voided(each, spoilt[each.number], disqualified.keys()) if each.number in spoilt else each for each in sets]
    games = sorted((game for each in sets for game in each.games), key=lambda game: game.row.game)
    return Judged(
        scoring=scoring,
        games=tuple(games),
        sets={each.number: each for each in sets},
        rulings=rulings,
        disqualified=disqualified,
        withdrawn=withdrawn,
        entered={row.bot: row for row in rulings if row.kind == RulingKind.ENTER and row.bot},
        owed=tuple(judging.owed(disqualified.keys() | withdrawn.keys())),
    )


def _results(means: Iterable[Mapping[str, Fraction]]) -> list[SetResult]:
    """The results of sets that have any, each with its bots in the order of their names."""
    ordered = [sorted(each.items()) for each in means if each]
    return [SetResult(tuple(n for n, _ in each), tuple(float(mean) for _, mean in each)) for each in ordered]


def in_force(rows: Iterable[RulingRow]) -> tuple[RulingRow, ...]:
    """The rulings that were not taken back, by number."""
    rulings = sorted(rows, key=lambda row: row.number)
    taken_back = {row.ruling for row in rulings if row.kind == RulingKind.TAKE_BACK}
    return tuple(row for row in rulings if row.kind != RulingKind.TAKE_BACK and row.number not in taken_back)


def _uneven(sets: Iterable[JudgedSet], bot: str, disqualified: Collection[str]) -> Iterator[int]:
    """The sets of a disqualified bot that would favour some of the others: not all have played such sets equally often.

    Sets that it played and sets of which it forfeited games are looked at apart, because against an empty seat a game
    is easier won.
    """
    counted = [each for each in sets if each.status is SetStatus.COUNTED]
    others = {name for each in counted for name in each.counts_for}.difference(disqualified)
    by_kind: dict[bool, list[JudgedSet]] = {True: [], False: []}
    for each in counted:
        if bot in each.bots:
            by_kind[any(_forfeits(game.row, bot) for game in each.games)].append(each)
    for found in by_kind.values():
        met = Counter(name for each in found for name in each.counts_for)
        if len({met[name] for name in others}) > 1:
            yield from (each.number for each in found)


def _forfeits(row: Row, bot: str) -> bool:
    return any(fault.bot == bot and fault.evidence.startswith(FORFEITED) for fault in row.faults)


def _voided(each: JudgedSet, bot: str, disqualified: Collection[str]) -> JudgedSet:
    games = tuple(game._replace(counts=(False,) * len(game.counts)) for game in each.games)
    why = f"{bot} is disqualified, and not all others have played such sets equally often"
    compares = each.counts_for.difference(disqualified)
    return each._replace(status=SetStatus.VOID, counts_for=frozenset(), games=games, why=why, compares=compares)
