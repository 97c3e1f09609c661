"""What a format is: a pure function from what was played to what is played next.

Here: the contract and the values that pass it. Not here: the formats (one module each), the games of a stage
(`schedule`), what follows from rulings (`course`). May import the standard library only.

A format gives its tournament stage by stage. A stage is decided from complete stages alone, so that it depends neither
on which game ended first nor on how far an interrupted run had come: the same design and the same results give the same
next stage. Who has entered or left since, and what a later ruling made of an earlier result, changes later stages only:
a format takes the stages that were played as they stand in `played`, and never works them out again. A format that does
not look at results gives one stage, and further ones only for bots that enter late.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

OptionValue = int | bool | str | tuple[str, ...]
"""What an option of a format may be: a number, a switch, a bot's name, or names of bots."""


class FormatError(ValueError):
    """A tournament cannot be played as designed; `key` is what to change, and the text a sentence on what is valid."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


class Option(NamedTuple):
    """A key of the tournament file that a format has for itself.

    A `number` is whole and from `least` to `most`; a `switch` true or false; a `bot` the name of one, `bots` a list of
    different ones. What is left out is `default`; when that is `None`, the option is missing in the design.
    """

    name: str
    kind: Literal["number", "switch", "bot", "bots"]
    meaning: str
    default: OptionValue | None = None
    least: int = 1
    most: int = 1_000_000
    required: bool = False


class Entrant(NamedTuple):
    """A bot of the tournament, which plays in the stages from number `enters` on and before number `leaves`.

    Stages are numbered from 0. Bots of one `owner` (empty: none is named) may have to be kept apart.
    """

    name: str
    owner: str = ""
    enters: int = 0
    leaves: int | None = None

    def plays_in(self, stage: int) -> bool:
        """Whether the bot takes part in the stage with this number."""
        return self.enters <= stage and (self.leaves is None or stage < self.leaves)


class Design(NamedTuple):
    """What the organiser fixed: bots in the order of the file, seats a table, sets for each table of a stage.

    `options` are the format's own keys by name, `least_is_best` says that a smaller score is the better one.
    """

    entrants: tuple[Entrant, ...]
    table_size: int
    deals: int
    options: Mapping[str, OptionValue] = MappingProxyType({})
    least_is_best: bool = False

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of all bots that take part at any time."""
        return tuple(entrant.name for entrant in self.entrants)

    @property
    def owners(self) -> Mapping[str, str]:
        """The owner of each bot; one without is its own owner."""
        return {each.name: f"owner {each.owner}" if each.owner else f"bot {each.name}" for each in self.entrants}

    def playing(self, stage: int) -> tuple[str, ...]:
        """The names of the bots that take part in the stage with this number, in the order of the file."""
        return tuple(entrant.name for entrant in self.entrants if entrant.plays_in(stage))

    def number(self, option: str, default: int = 0) -> int:
        """The value of an option that is a number."""
        value = self.options.get(option, default)
        assert isinstance(value, int)
        return value

    def switched(self, option: str) -> bool:
        """Whether an option that is a switch is on."""
        return self.options.get(option) is True


class Stage(NamedTuple):
    """What can be played without waiting for a result: each composition of bots plays `deals` sets.

    `byes` are bots that take part and have no table in it, `title` is what the stage is called. `round` is the round
    that it belongs to, from 1: a round may have several stages, when tables that are level play on.
    """

    compositions: tuple[tuple[str, ...], ...]
    deals: int
    byes: tuple[str, ...] = ()
    title: str = ""
    round: int = 1


class SetResult(NamedTuple):
    """How a set came out: the mean score in it of each bot for which it counts, in the order of `composition`."""

    composition: tuple[str, ...]
    scores: tuple[float, ...]


class PlayedStage(NamedTuple):
    """A stage and the sets that count for it, in their order: void ones are missing, replayed ones are there once.

    `compared` are sets that count for no mean since one of their bots is disqualified: its opponents can be compared
    with each other, but not with those who never met it.
    """

    stage: Stage
    sets: tuple[SetResult, ...]
    compared: tuple[SetResult, ...] = ()

    def means(self) -> dict[str, float]:
        """The mean score over the stage of each bot that has one."""
        return {bot: sum(scores) / len(scores) for bot, scores in self.scores().items()}

    def scores(self) -> dict[str, list[float]]:
        """The scores of each bot in its sets."""
        return _scores(self.sets)

    def scores_at_tables(self) -> dict[str, list[float]]:
        """The scores of each bot in all sets that compare it with the others at its table."""
        return _scores((*self.sets, *self.compared))


def _scores(sets: Iterable[SetResult]) -> dict[str, list[float]]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for result in sets:
        for bot, score in zip(result.composition, result.scores, strict=True):
            found[bot].append(score)
    return found


class Placing(NamedTuple):
    """Where a bot stands by the format's own order, from place 1 (equal ones are shared), and why, in a few words."""

    bot: str
    place: int
    note: str = ""


class Format(Protocol):
    """A way to decide who plays whom."""

    @property
    def name(self) -> str:
        """The name in the tournament file."""

    @property
    def about(self) -> str:
        """What it does, in one sentence."""

    @property
    def options(self) -> tuple[Option, ...]:
        """Its own keys in the tournament file."""

    @property
    def sets_key(self) -> str:
        """The key that says how many sets a table plays in a stage: `deals`, or one of the options."""

    @property
    def by_score(self) -> bool:
        """Whether the ranking is by mean score, at tables that all play equally often."""

    @property
    def continuous(self) -> bool:
        """Whether it can go on until it is stopped."""

    def check(self, design: Design) -> None:
        """Check that the design can be played, also with bots that have entered since the first stage.

        Raises:
            FormatError: it cannot.
        """

    def next_stage(self, design: Design, played: Sequence[PlayedStage]) -> Stage | None:
        """The stage after the complete stages `played`, or `None` when all is played."""

    def ranking(self, design: Design, played: Sequence[PlayedStage]) -> tuple[Placing, ...] | None:
        """The format's own order, best first; `None` when the order by mean score is the format's."""


def meetings(played: Iterable[PlayedStage]) -> Counter[frozenset[str]]:
    """In how many stages each pair of bots sat at one table."""
    tables = (table for stage in played for table in stage.stage.compositions)
    return Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))


def placed(keys: Mapping[str, tuple[float, ...]], notes: Mapping[str, str]) -> tuple[Placing, ...]:
    """Bots with their places by `keys`, of which a larger one is better; equal keys share a place."""
    order = sorted(keys, key=lambda bot: keys[bot], reverse=True)
    return tuple(
        Placing(bot, 1 + sum(other > keys[bot] for other in keys.values()), notes.get(bot, "")) for bot in order
    )


def without(bots: Container[str], ranking: Iterable[Placing]) -> tuple[Placing, ...]:
    """A ranking from which these bots are struck out, the others moving up."""
    left = [placing for placing in ranking if placing.bot not in bots]
    return tuple(placing._replace(place=1 + sum(other.place < placing.place for other in left)) for placing in left)


def named(names: Iterable[str], limit: int = 5) -> str:
    """Names in a sentence; of many only the first ones."""
    listed = [repr(name) for name in names]
    more = len(listed) - limit
    return ", ".join(listed[:limit]) + (f" and {more} more" if more > 0 else "")
