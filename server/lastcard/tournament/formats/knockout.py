"""The knock-out: at each table some advance and the others are out, until one table is left.

Here: the format. Not here: the numbers of tables and byes (`brackets`), how kin and old opponents are kept apart
(`seating`), seats and rotations (`schedule`). May import the standard library, `brackets`, `contract`, `designs` and
`seating`.

In each round a table plays `best_of` sets, and the `advance` bots with the best mean scores go on. Seeds are the order
of the file unless `seeds` names another; each round is drawn by them in a snake, so that the first seeds meet last.
Where the numbers do not fit, the first seeds have a bye in the first round.

Bots that are level where it matters (on the last place that advances, or on the first place of the final) play on:
their table plays further sets, one at a time, at most three. If they are still level, the better seed advances.

Whoever withdraws between two rounds is replaced by the best of those who were knocked out at its table, or else in the
round. Late entries are refused: a round that is over cannot be made up.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from lastcard.tournament.formats.brackets import round_of, sizes_that_fit
from lastcard.tournament.formats.contract import (
    Design,
    FormatError,
    Option,
    Placing,
    PlayedStage,
    Stage,
    meetings,
    named,
    placed,
)
from lastcard.tournament.formats.designs import KEEP_APART, check_divided, check_size
from lastcard.tournament.formats.seating import divided

MOST_FURTHER = 3
"""So many further sets a table plays at most."""

_APART = 1_000_000
"""As bad as so many pairs that meet again: two bots of one owner at one table."""


class Knockout:
    """`best_of` sets a table and round, of which `advance` bots go on."""

    name = "knockout"
    about = "at each table the best go on to the next round and the others are out, until one table is left"
    options = (
        Option("best_of", "number", "how many sets a table plays in a round", default=1),
        Option("advance", "number", "how many of a table go on; left out: half of them", most=9),
        Option(
            "seeds", "bots", "the bots in the order in which they are seeded, the others behind them as in the file"
        ),
        KEEP_APART,
    )
    sets_key = "best_of"
    by_score = False
    continuous = False

    def check(self, design: Design) -> None:
        """Check that the numbers come out at one full table, and that nobody enters late.

        Raises:
            FormatError: they do not, or somebody does.
        """
        late = [each.name for each in design.entrants if each.enters > 0]
        if late:
            raise FormatError(
                "bot", f"{named(late)} cannot enter a knock-out that has begun: the rounds that are over are lost to it"
            )
        size, bots = design.table_size, len(design.bots)
        check_size(design, design.bots)
        advance = _advance(design)
        if advance >= size:
            raise FormatError(
                "advance", f"must be less than table_size, so that somebody is out; valid is from 1 to {size - 1}"
            )
        if (bots - size) % (size - advance):
            fit = [number for number in range(1, size) if (bots - size) % (size - number) == 0]
            near = [number for number in sizes_that_fit(size, advance, bots + size) if abs(number - bots) < size]
            raise FormatError(
                "advance",
                f"{bots} bots at tables of {size} with {advance} advancing do not come down to one table of {size}; "
                f"valid for {bots} bots is to advance {' or '.join(map(str, fit))}, and with {advance} advancing there "
                f"can be {' or '.join(map(str, near))} bots",
            )
        check_divided(design, _Field(design, ()).first_round())

    def next_stage(self, design: Design, played: Sequence[PlayedStage]) -> Stage | None:
        """Further sets of tables that are level, else the next round."""
        field = _Field(design, played)
        if not played:
            return field.draw(1, design.playing(0))
        level = [table for table in field.tables if field.is_level(table)]
        if level:
            further = f", further set {field.stages} of tables that are level"
            return Stage(tuple(level), 1, (), f"round {field.round}{further}", field.round)
        survivors = field.survivors()
        return None if field.is_final or len(survivors) < 2 else field.draw(field.round + 1, survivors)

    def ranking(self, design: Design, played: Sequence[PlayedStage]) -> tuple[Placing, ...] | None:
        """By the round that was reached, then by the place at the table there.

        Who has been drawn for a round has reached it, whatever a later ruling makes of the one before.
        """
        keys: dict[str, tuple[float, ...]] = dict.fromkeys(design.bots, (0.0, 0.0))
        notes = dict.fromkeys(design.bots, "not drawn yet")
        for number in range(1, 1 + max((each.stage.round for each in played), default=0)):
            until = sum(1 for each in played if each.stage.round <= number)
            field = _Field(design, played[:until])
            drawn = played[until].stage if until < len(played) else None
            through = {*drawn.byes, *chain.from_iterable(drawn.compositions)} if drawn is not None else set[str]()
            decided = drawn is not None or not any(map(field.is_level, field.tables))
            for bot in field.byes:
                keys[bot], notes[bot] = (number, 0.0), f"bye in round {number}"
            for table in field.tables:
                for place, bot in enumerate(sorted(field.order(table), key=lambda each: each not in through)):
                    went_on = bot in through if drawn is not None else place < field.advance
                    out = decided and (field.is_final or not went_on)
                    keys[bot] = (number, -float(place) if out else 0.0)
                    notes[bot] = field.note(bot, place, out=out) if decided else field.undecided
        return placed(keys, notes)


class _Result(NamedTuple):
    """What orders a bot at its table: whether it is still there, its mean score (more is better), its seed."""

    there: bool
    mean: float
    seed: int


class _Field:
    """Where a knock-out stands after the stages `played`: the last round, its tables and what came of them."""

    def __init__(self, design: Design, played: Sequence[PlayedStage]) -> None:
        self._design = design
        self.advance = _advance(design)
        self._seeds = {bot: place for place, bot in enumerate(_seeded(design))}
        self._earlier = played
        last = played[-1].stage.round if played else 0
        stages = [each for each in played if each.stage.round == last]
        self.round = last
        self.stages = len(stages)
        self.tables = stages[0].stage.compositions if stages else ()
        self.byes = stages[0].stage.byes if stages else ()
        self.is_final = len(self.tables) == 1 and not self.byes
        sign = -1 if design.least_is_best else 1
        scores: dict[str, list[float]] = {}
        for stage in stages:
            for bot, values in stage.scores_at_tables().items():
                scores.setdefault(bot, []).extend(sign * value for value in values)
        self._means = {bot: round(sum(values) / len(values), 9) for bot, values in scores.items()}
        self._there = set(design.playing(len(played)))

    def first_round(self) -> tuple[str, ...]:
        """The bots that have a table in the first round."""
        bots = self._design.bots
        byes = len(bots) - round_of(len(bots), self._design.table_size, self.advance) * self._design.table_size
        return tuple(sorted(bots, key=self._seeds.__getitem__)[byes:])

    # ------------------------------------------------------------ what came of the last round

    def _result(self, bot: str) -> _Result:
        return _Result(bot in self._there, self._means.get(bot, float("-inf")), -self._seeds[bot])

    def order(self, table: Iterable[str]) -> list[str]:
        """The bots of a table, best first; those that have withdrawn last."""
        return sorted(table, key=self._result, reverse=True)

    def is_level(self, table: Sequence[str]) -> bool:
        """Whether a table has to play on: the last that goes on and the next are there and level, and sets are left."""
        if self.stages > MOST_FURTHER:
            return False
        order = self.order(table)
        last = 1 if self.is_final else self.advance
        one, other = self._result(order[last - 1]), self._result(order[last])
        return one.there and other.there and one.mean == other.mean

    @property
    def undecided(self) -> str:
        """How far everybody came as long as tables that are level play on."""
        return "in the final" if self.is_final else f"in round {self.round}"

    def note(self, bot: str, place: int, *, out: bool) -> str:
        """How far a bot came."""
        if self.is_final:
            return ("winner of the final" if place == 0 else "final") if out else "in the final"
        went = f"out in round {self.round}" if out else f"through round {self.round}"
        return went if bot in self._there else f"{went}, withdrawn"

    def survivors(self) -> list[str]:
        """Who is in the next round: those that advance, those with byes, and others for those that withdrew.

        Whoever has withdrawn is last at its table, so that the next of the table advances in its place. Where a table
        has too few left, or a bye falls vacant, the best of all that are out are taken.
        """
        through = list(self.byes)
        out: list[str] = []
        for table in self.tables:
            order = self.order(table)
            through += order[: self.advance]
            out += order[self.advance :]
        there = [bot for bot in through if bot in self._there]
        left = [bot for bot in self.order(out) if bot in self._there]
        return [*there, *left[: len(through) - len(there)]]

    # ------------------------------------------------------------ the next round

    def draw(self, number: int, bots: Sequence[str]) -> Stage:
        """The round with a number among these bots: byes for the first seeds, the others in a snake."""
        size = min(self._design.table_size, len(bots))
        count = round_of(len(bots), self._design.table_size, self.advance)
        had = [bot for stage in self._earlier for bot in stage.stage.byes]
        order = sorted(bots, key=self._seeds.__getitem__)
        free = len(bots) - count * size
        byes = tuple(sorted(sorted(order, key=had.count)[:free], key=self._seeds.__getitem__))
        seated = [bot for bot in order if bot not in byes]
        pots = [seated[at : at + count] for at in range(0, len(seated), count)]
        rows = [pot if row % 2 == 0 else pot[::-1] for row, pot in enumerate(pots)]
        place = {bot: at for at, bot in enumerate(seated)}
        pot_of = {bot: row for row, pot in enumerate(pots) for bot in pot}
        met = meetings(self._earlier)
        owners = self._design.owners if self._design.switched("keep_apart") else None

        def conflict(one: str, other: str) -> int:
            kin = owners is not None and owners[one] == owners[other]
            return met[frozenset((one, other))] + (_APART if kin else 0)

        def out_of_line(one: str, other: str) -> int:
            """How far two are from where the snake has them: each from another row, and at tables of two mirrored."""
            mirrored = (place[one] + place[other] - len(seated) + 1) ** 2 if size == 2 else 0
            return mirrored + (len(seated) ** 2 if pot_of[one] == pot_of[other] else 0)

        drawn, _ = divided(list(zip(*rows, strict=True)), conflict, out_of_line)
        tables = sorted(
            (tuple(sorted(table, key=place.__getitem__)) for table in drawn), key=lambda each: place[each[0]]
        )
        final = count == 1 and not byes
        return Stage(tuple(tables), self._design.deals, byes, "final" if final else f"round {number}", number)


def _advance(design: Design) -> int:
    return design.number("advance", max(1, design.table_size // 2))


def _seeded(design: Design) -> tuple[str, ...]:
    """The bots in the order of their seeds."""
    named_ones: Mapping[str, None] = dict.fromkeys(_names(design.options.get("seeds", ())))
    return (*(bot for bot in named_ones if bot in design.bots), *(b for b in design.bots if b not in named_ones))


def _names(value: object) -> tuple[str, ...]:
    assert isinstance(value, tuple)
    return value
