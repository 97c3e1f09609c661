"""The ranking of a tournament and its means, as a pure function of its ledger.

Here: means with intervals, the ranking. Not here: further figures (`figures`), their files (`standings`), how an
interval is made (`intervals`), what the rows mean (`judging`), what a game counts (`scoring`). May import the standard
library, `intervals`, `judging`, `ledger`, `rulings` and `scoring`.

The unit is the set: within a set every bot plays every hand of the deal, so that games of one set depend on each other,
and sets do not. Means are exact fractions, so that bots that did equally well come out equal; intervals are floats.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from lastcard.tournament.formats.contract import Placing, SetResult
from lastcard.tournament.intervals import CONFIDENCE, Estimate, Sums, estimate
from lastcard.tournament.judging import Judged, JudgedGame, JudgedSet, SetStatus, complete_sets, judge
from lastcard.tournament.ledger import Row, RulingKind, RulingRow
from lastcard.tournament.rulings import DEFAULT_RULINGS, Fault, Ruling
from lastcard.tournament.scoring import SCORES, Score, Scoring, win_shares

__all__ = [
    "CONFIDENCE", "SCORES", "Estimate", "RunningStandings", "Score", "Scoring", "Standing", "Standings",
    "complete_sets", "estimate", "set_results", "standings", "standings_of", "win_shares",
]  # fmt: skip


class Standing(NamedTuple):
    """How one bot stands.

    `games` counts all its games, `sets` its complete sets, from which the means are; `places` how often it finished
    where, `faults` its faults by kind, `lost_by_ruling` its games lost by a ruling, the last three over all games.
    """

    rank: int
    bot: str
    games: int
    sets: int
    score: Estimate
    win_share: Estimate
    points: Estimate
    place: Estimate
    places: Mapping[int, int]
    faults: Mapping[str, int]
    lost_by_ruling: int


class Standings(NamedTuple):
    """The ranking, best first; equal mean scores share a rank. `games_in_open_sets` are in no mean.

    `sets` are those that count. `void_sets` count for nobody but bots at fault; `disqualified` are not in the ranking,
    each with the reason. `judged` is what they were computed from, for further figures (`figures`); running standings
    do without. `placings` is the order of a format that has one of its own, such as a knock-out.
    """

    scoring: Scoring
    games: int
    sets: int
    games_in_open_sets: int
    ranking: tuple[Standing, ...]
    void_sets: int = 0
    disqualified: tuple[tuple[str, str], ...] = ()
    judged: Judged | None = None
    placings: tuple[Placing, ...] | None = None


def standings(rows: Iterable[Row | RulingRow], bots: Sequence[str], scoring: Scoring) -> Standings:
    """The standings of `bots` after the games and rulings in `rows`, which may be in any order."""
    return standings_of(judge(rows, scoring), bots)


def standings_of(judged: Judged, bots: Sequence[str]) -> Standings:
    """The standings of `bots` after what was judged."""
    tally = _Tally(judged.scoring)
    for game in judged.games:
        tally.add_game(game)
    for each in judged.sets.values():
        tally.add_set(each)
    return tally.standings(bots, judged.disqualified)._replace(judged=judged)


_NOT_OF_RESULTS = (RulingKind.ENTER, RulingKind.WITHDRAW)
"""Rulings that say who plays on, and change nothing of what was played."""


_UNKNOWN: Mapping[str, Any] = MappingProxyType({"times": {}, "luck": (), "versions": ()})
"""What standings do not look at, and so do not keep."""


class RunningStandings:
    """The standings of an event while it is played: adding a row costs little, however many there are.

    They are those of `standings` over the same rows. Only where a row changes what was judged before (a ruling, or a
    fault for which a set is void or played again) all is judged anew, once for each time that they are asked for.
    """

    def __init__(self, bots: Sequence[str], scoring: Scoring, rows: Iterable[Row | RulingRow] = ()) -> None:
        self._bots = bots
        self._scoring = scoring
        self._rows: list[Row | RulingRow] = []
        self._open: defaultdict[int, list[Row]] = defaultdict(list)
        self._tally = _Tally(scoring)
        self._whole: Standings | None = None
        self._plain = True
        for row in rows:
            self.add(row)

    def add(self, row: Row | RulingRow) -> None:
        """Count a row that is new."""
        self._rows.append(row if isinstance(row, RulingRow) else replace(row, record="", record_hash="", **_UNKNOWN))
        self._whole = None
        if isinstance(row, RulingRow):
            self._plain = self._plain and row.kind in _NOT_OF_RESULTS
            return
        self._plain = self._plain and not row.replaces and not self._spoils_set(row)
        if not self._plain:
            return
        self._tally.add_game(judge([row], self._scoring).games[0])
        members = self._open[row.set]
        members.append(row)
        if len(members) == self._scoring.games_of(len(row.seats)):
            self._tally.add_set(judge(self._open.pop(row.set), self._scoring).sets[row.set])

    def _spoils_set(self, row: Row) -> bool:
        rulings = (self._scoring.rulings[Fault(fault.kind)].ruling for fault in row.faults)
        return any(ruling in (Ruling.VOID, Ruling.REPLAY) for ruling in rulings)

    def standings(self) -> Standings:
        """The standings after all rows that were added."""
        if self._whole is None:
            if self._plain:
                self._whole = self._tally.standings(self._bots, {})
            else:
                self._whole = standings(self._rows, self._bots, self._scoring)._replace(judged=None)
        return self._whole


def set_results(rows: Iterable[Row | RulingRow], scoring: Scoring) -> dict[int, SetResult]:
    """How each set came out that counts for anybody, by its number; bots are in the order of their names."""
    judged = judge(rows, scoring)
    return {number: result for number in judged.sets for result in judged.set_results([number])}


class _Counts:
    """What is counted for one bot."""

    __slots__ = ("faults", "games", "largest", "lost", "places", "sets", "sums")

    def __init__(self) -> None:
        self.games = self.lost = self.largest = self.sets = 0
        self.places: Counter[int] = Counter()
        self.faults: Counter[str] = Counter()
        self.sums: defaultdict[tuple[Score, bool], Sums] = defaultdict(Sums)


class _Tally:
    """Running counts and sums of games and sets, from which standings can be made at any time."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._bots: defaultdict[str, _Counts] = defaultdict(_Counts)
        self._games = self._games_in_closed_sets = 0
        self._sets: Counter[SetStatus] = Counter()
        self._figures: set[tuple[Score, bool]] = {
            (scoring.score, True), ("wins", False), ("points", True), ("places", False)
        }  # fmt: skip

    def add_game(self, game: JudgedGame) -> None:
        """Count a game, whether its set counts or not."""
        self._games += 1
        for seat, name in enumerate(game.row.seats):
            counts = self._bots[name]
            counts.games += 1
            counts.lost += game.outcome.lost[seat]
            counts.largest = max(counts.largest, len(game.row.seats))
            counts.places[game.outcome.places[seat]] += 1
        for fault in game.row.faults:
            self._bots[game.row.seats[fault.seat]].faults[fault.kind] += 1

    def add_set(self, made: JudgedSet) -> None:
        """Count a set for those for which it counts."""
        self._sets[made.status] += 1
        if made.status is not SetStatus.OPEN:
            self._games_in_closed_sets += len(made.games)
        for bot in made.counts_for:
            self._bots[bot].sets += 1
        if made.counts_for:
            for figure in self._figures:
                for bot, mean in made.means(figure[0], charged=figure[1]).items():
                    self._bots[bot].sums[figure].add(mean)

    def standings(self, bots: Sequence[str], disqualified: Mapping[str, str]) -> Standings:
        """The standings of `bots`."""
        return Standings(
            scoring=self._scoring,
            games=self._games,
            sets=self._sets[SetStatus.COUNTED],
            games_in_open_sets=self._games - self._games_in_closed_sets,
            ranking=_ranked([self._standing(bot) for bot in bots if bot not in disqualified], self._scoring),
            void_sets=self._sets[SetStatus.VOID] + self._sets[SetStatus.REPLACED],
            disqualified=tuple((bot, disqualified[bot]) for bot in bots if bot in disqualified),
        )

    def _standing(self, bot: str) -> Standing:
        counts = self._bots[bot]
        return Standing(
            rank=0,
            bot=bot,
            games=counts.games,
            sets=counts.sets,
            score=self._estimate(counts, self._scoring.score, charged=True),
            win_share=self._estimate(counts, "wins", charged=False),
            points=self._estimate(counts, "points", charged=True),
            place=self._estimate(counts, "places", charged=False),
            places=dict(sorted(counts.places.items())),
            faults=dict(sorted(counts.faults.items())),
            lost_by_ruling=counts.lost,
        )

    def _estimate(self, counts: _Counts, score: Score, *, charged: bool) -> Estimate:
        scoring = self._scoring if charged else self._scoring._replace(rulings=DEFAULT_RULINGS)
        return counts.sums[score, charged].estimate(*scoring.bounds(counts.largest, score))


def _ranked(unranked: Sequence[Standing], scoring: Scoring) -> tuple[Standing, ...]:
    def key(standing: Standing) -> tuple[bool, Fraction]:
        mean = standing.score.mean
        if mean is None:
            return True, Fraction()
        return False, mean if scoring.least_is_best else -mean

    keys = [key(standing) for standing in unranked]
    ranked = [
        standing._replace(rank=1 + sum(other < own for other in keys))
        for standing, own in zip(unranked, keys, strict=True)
    ]
    return tuple(sorted(ranked, key=lambda standing: standing.rank))
