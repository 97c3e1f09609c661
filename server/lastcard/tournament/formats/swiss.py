"""The Swiss system by tables: round by round, whoever stands alike sits together, and nobody meets again needlessly.

Here: the format. Not here: how a field is divided (`seating`), seats and rotations (`schedule`). May import the
standard library, `contract`, `designs` and `seating`.

A bot stands by the mean of its rounds: the mean score of its sets in a round, and for a bye the mean score of all bots
that played in that round, so that a bye neither lifts nor lowers anybody who plays as the field does. Rounds before a
bot entered, and rounds of which no set counts for it, are left out. Ties are broken by the mean standing of those it
met. Who has withdrawn is ranked as if it had forfeited the rounds that it misses, behind whoever is level with it:
otherwise a bot with a win in the first round would do best by leaving.

The bots of a round are divided so that as few pairs as possible meet again, and then so that tables hold neighbours in
the standings. Byes go to those who stand lowest among those who had the fewest; where another choice of them lets
fewer pairs meet again, it is taken.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

from lastcard.tournament.formats.contract import (
    Design,
    FormatError,
    Option,
    Placing,
    PlayedStage,
    Stage,
    meetings,
    placed,
)
from lastcard.tournament.formats.designs import KEEP_APART, check_divided, check_size
from lastcard.tournament.formats.seating import MOST_STEPS, PairCost, Price, Tables, divided

_APART = 1_000_000
"""As bad as so many pairs that meet again: two bots of one owner at one table."""

_MOST_CHOICES = 64
"""So many choices of byes are looked at, at most."""


class Swiss:
    """`rounds` rounds; all bots but the byes play in each, `deals` sets a table."""

    name = "swiss"
    about = "round by round bots that stand alike sit together, and no two meet again if it can be avoided"
    options = (
        Option("rounds", "number", "how many rounds are played", required=True, most=1_000),
        KEEP_APART,
    )
    sets_key = "deals"
    by_score = False
    continuous = False

    def check(self, design: Design) -> None:
        """Check that there are enough bots, and that nobody needs a second bye.

        Raises:
            FormatError: there are not, or somebody does.
        """
        check_size(design, design.bots)
        check_divided(design, design.bots)
        bots = [each for each in design.entrants if each.enters == 0 and each.leaves is None]
        byes = len(bots) % design.table_size
        if byes and len(bots) == len(design.entrants) and design.number("rounds") * byes > len(bots):
            raise FormatError(
                "rounds",
                f"{len(bots)} bots at tables of {design.table_size} leave {byes} without a table in each round, and "
                f"nobody has more than one bye; valid are at most {len(bots) // byes} rounds, or a number of bots that "
                f"fills the tables",
            )

    def next_stage(self, design: Design, played: Sequence[PlayedStage]) -> Stage | None:
        """The next round."""
        number = len(played)
        bots = design.playing(number)
        if number >= design.number("rounds") or len(bots) < design.table_size:
            return None
        standing = _Standing(design, played)
        order = sorted(bots, key=standing.keys, reverse=True)
        met = meetings(played)
        apart = design.switched("keep_apart")

        def conflict(one: str, other: str) -> int:
            return met[frozenset((one, other))] + (
                _APART if apart and design.owners[one] == design.owners[other] else 0
            )

        byes, tables = _round(order, design.table_size, Counter(_byes(played)), conflict)
        return Stage(tables, design.deals, byes, f"round {number + 1} of {design.number('rounds')}", number + 1)

    def ranking(self, design: Design, played: Sequence[PlayedStage]) -> tuple[Placing, ...] | None:
        """By the mean of the rounds, then by the mean standing of those that were met."""
        standing = _Standing(design, played)
        byes = Counter(_byes(played))
        notes = {}
        sign = -1 if design.least_is_best else 1
        for bot in design.bots:
            rounds, missed = len(standing.rounds[bot]), len(standing.missed[bot])
            notes[bot] = f"mean {sign * standing.places_by(bot)[0] + 0.0:.3f} of " if rounds else ""
            notes[bot] += f"{rounds} {'round' if rounds == 1 else 'rounds'}" + (", 1 bye" if byes[bot] == 1 else "")
            notes[bot] += f", {byes[bot]} byes" if byes[bot] > 1 else ""
            notes[bot] += f", withdrew, {missed} missed" if missed else ""
        return placed({bot: standing.places_by(bot) for bot in design.bots}, notes)


class _Standing:
    """How bots stand after some rounds; better is always more."""

    def __init__(self, design: Design, played: Sequence[PlayedStage]) -> None:
        sign = -1 if design.least_is_best else 1
        self.rounds: defaultdict[str, list[float]] = defaultdict(list)
        self.missed: defaultdict[str, list[float]] = defaultdict(list)
        self._met: defaultdict[str, list[str]] = defaultdict(list)
        for number, stage in enumerate(played):
            means = stage.means()
            forfeited = max(*means.values(), design.table_size) if design.least_is_best and means else 0.0
            for each in design.entrants:
                if means and each.leaves is not None and each.leaves <= number:
                    self.missed[each.name].append(min(sign * forfeited, *(sign * mean for mean in means.values())))
            everybody = sum(means.values()) / len(means) if means else None
            for bot, mean in means.items():
                self.rounds[bot].append(sign * mean)
            for bot in stage.stage.byes:
                if everybody is not None:
                    self.rounds[bot].append(sign * everybody)
            for table in stage.stage.compositions:
                for bot in table:
                    self._met[bot] += (other for other in table if other != bot)
        every = [mean for bot in self.rounds for mean in self.rounds[bot]]
        self._unknown = sum(every) / len(every) if every else 0.0

    def keys(self, bot: str) -> tuple[float, float]:
        """By what bots are ordered: the mean of the rounds, and that of those that it met."""
        met = self._met[bot]
        return self._mean(bot), sum(map(self._mean, met)) / len(met) if met else self._unknown

    def places_by(self, bot: str) -> tuple[float, bool, float]:
        """By what bots are ranked: as they stand, with the rounds that one that withdrew misses as forfeited."""
        mean, met = self.keys(bot)
        rounds, missed = self.rounds[bot], self.missed[bot]
        if not missed:
            return mean, True, met
        return round((sum(rounds) + sum(missed)) / (len(rounds) + len(missed)), 9), False, met

    def _mean(self, bot: str) -> float:
        """The mean of a bot's rounds; one without any stands in the middle."""
        rounds = self.rounds[bot]
        # Rounded, so that bots that did equally well on different cards do not differ by the order of additions.
        return round(sum(rounds) / len(rounds), 9) if rounds else self._unknown


def _byes(played: Sequence[PlayedStage]) -> Iterator[str]:
    return (bot for stage in played for bot in stage.stage.byes)


def _round(
    order: Sequence[str], size: int, had: Mapping[str, int], conflict: PairCost
) -> tuple[tuple[str, ...], Tables]:
    """Byes and tables for bots in the order of the standings, of which some `had` byes before.

    All choices of byes are looked at shortly first, and then, unless one was found without conflicts, closely.
    """
    choices = list(islice(_choices(order, len(order) % size, had), _MOST_CHOICES))
    best = choices[0], *_tables(order, choices[0], size, conflict, 0)
    for steps in (0, MOST_STEPS // len(choices)):
        for byes in choices:
            if best[-1].conflicts == 0:
                break
            made = byes, *_tables(order, byes, size, conflict, steps)
            best = min(best, made, key=lambda each: each[-1].conflicts)
    return best[:2]


def _tables(
    order: Sequence[str], byes: Sequence[str], size: int, conflict: PairCost, steps: int
) -> tuple[Tables, Price]:
    """The tables of all but the byes."""
    seated = [bot for bot in order if bot not in byes]
    place = {bot: number for number, bot in enumerate(seated)}

    def far(one: str, other: str) -> int:
        return (place[one] - place[other]) ** 2

    return divided([seated[at : at + size] for at in range(0, len(seated), size)], conflict, far, steps=steps)


def _choices(order: Sequence[str], count: int, had: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Choices of bots for byes, the fairest first: those who had fewest, and the lowest of them."""
    lowest = list(reversed(order))
    ranked = sorted(lowest, key=lambda bot: had.get(bot, 0))
    if not count:
        yield ()
        return
    most = had.get(ranked[count - 1], 0)
    sure = [bot for bot in ranked if had.get(bot, 0) < most]
    for rest in combinations([bot for bot in ranked if had.get(bot, 0) == most], count - len(sure)):
        yield (*sure, *rest)
