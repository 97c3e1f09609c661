"""The ladder: round by round bots play those near them in rating, as long as anybody likes; they may come and go.

Here: the format. Not here: how a field is divided (`seating`), seats and rotations (`schedule`). May import the
standard library, `contract`, `designs` and `seating`, and openskill.

A rating is a mean and an uncertainty, moved after each set by its order of scores (Plackett–Luce, Weng and Lin 2011).
It is a function of the stages that were played, in their order. Tables are neighbours in rating, but whoever met in the
last rounds is pulled apart a little, so that not the same bots meet for ever. A bot that enters begins with the rating
that everybody began with. When the tables do not take all, those who have played most rounds have a bye.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from lastcard.tournament.formats.contract import Design, Option, Placing, PlayedStage, Stage, placed
from lastcard.tournament.formats.designs import KEEP_APART, check_divided, check_size
from lastcard.tournament.formats.seating import divided

_RECENT = (8, 4, 2)
"""What it costs to meet again whom one met one, two or three rounds ago; n places in the order cost n²."""

_CAUTION = 3
"""The order is by the mean less so many times the uncertainty, as is usual: a rating that is almost sure."""


class Rating(NamedTuple):
    """What is known of a bot's strength."""

    mean: float
    uncertainty: float

    @property
    def sure(self) -> float:
        """The rating that the bot almost surely has at least."""
        return self.mean - _CAUTION * self.uncertainty


class Ladder:
    """`rounds` rounds, or without end; all bots but the byes play in each, `deals` sets a table."""

    name = "ladder"
    about = "round by round bots near in rating sit together, for so many rounds or until it is stopped"
    options = (
        Option("rounds", "number", "how many rounds are played; left out: until it is stopped"),
        KEEP_APART,
    )
    sets_key = "deals"
    by_score = False
    continuous = True

    def __init__(self) -> None:
        self._ratings = _Ratings()

    def check(self, design: Design) -> None:
        """Check that there are enough bots, and tables to keep owners apart.

        Raises:
            FormatError: there are not.
        """
        check_size(design, design.bots)
        check_divided(design, design.bots)

    def next_stage(self, design: Design, played: Sequence[PlayedStage]) -> Stage | None:
        """The next round."""
        number = len(played)
        bots = design.playing(number)
        size = design.table_size
        rounds = design.number("rounds")
        if (rounds and number >= rounds) or len(bots) < size:
            return None
        ratings = self._ratings.after(played, sign=-1 if design.least_is_best else 1)
        order = sorted(bots, key=lambda bot: ratings.get(bot, _BEGINNING).mean, reverse=True)
        seen = Counter(bot for stage in played for table in stage.stage.compositions for bot in table)
        lowest = order[::-1]
        byes = sorted(lowest, key=lambda bot: seen[bot], reverse=True)[: len(bots) % size]
        seated = [bot for bot in order if bot not in byes]
        place = {bot: at for at, bot in enumerate(seated)}
        recent: Counter[frozenset[str]] = Counter()
        for cost, stage in zip(_RECENT, reversed(played), strict=False):
            for table in stage.stage.compositions:
                recent.update({frozenset(pair): cost for pair in combinations(table, 2)})
        owners = design.owners if design.switched("keep_apart") else None

        def kin(one: str, other: str) -> int:
            return int(owners is not None and owners[one] == owners[other])

        def far(one: str, other: str) -> int:
            return (place[one] - place[other]) ** 2 + recent[frozenset((one, other))]

        tables, _ = divided([seated[at : at + size] for at in range(0, len(seated), size)], kin, far)
        title = f"round {number + 1}" + (f" of {rounds}" if rounds else "")
        return Stage(tables, design.deals, tuple(byes), title, number + 1)

    def ranking(self, design: Design, played: Sequence[PlayedStage]) -> tuple[Placing, ...] | None:
        """By the rating that is almost sure."""
        ratings = self._ratings.after(played, sign=-1 if design.least_is_best else 1)
        found = {bot: ratings.get(bot, _BEGINNING) for bot in design.bots}
        return placed(
            {bot: (round(rating.sure, 9),) for bot, rating in found.items()},
            {bot: f"rating {rating.mean:.1f} ± {rating.uncertainty:.1f}" for bot, rating in found.items()},
        )


_BEGINNING = Rating(25.0, 25.0 / 3)
"""Where everybody begins: the library's default, a mean that is three uncertainties above 0."""


class _Ratings:
    """Ratings by the stages that were played; those that were asked for last are remembered."""

    def __init__(self) -> None:
        self._known: tuple[tuple[PlayedStage, ...], int, dict[str, Rating]] = ((), 1, {})

    def after(self, played: Sequence[PlayedStage], sign: int) -> dict[str, Rating]:
        """The rating of each bot that has one after some stages; `sign` is −1 where a smaller score is the better."""
        stages, known_sign, ratings = self._known
        if known_sign != sign or tuple(played[: len(stages)]) != stages:
            stages, ratings = (), {}
        for stage in played[len(stages) :]:
            ratings = _moved(ratings, stage, sign)
        self._known = (tuple(played), sign, ratings)
        return ratings


def _moved(before: Mapping[str, Rating], stage: PlayedStage, sign: int) -> dict[str, Rating]:
    """The ratings after one more stage."""
    from openskill.models import PlackettLuce  # noqa: PLC0415 (few need it)

    ratings = dict(before)
    model = PlackettLuce(mu=_BEGINNING.mean, sigma=_BEGINNING.uncertainty)
    for result in stage.sets:
        if len(result.composition) < 2:
            continue
        own = [ratings.get(bot, _BEGINNING) for bot in result.composition]
        teams = [[model.create_rating([rating.mean, rating.uncertainty])] for rating in own]
        after = model.rate(teams, scores=[sign * score for score in result.scores])
        for bot, (rating,) in zip(result.composition, after, strict=True):
            ratings[bot] = Rating(rating.mu, rating.sigma)
    return ratings
