"""What must be true of every format, whatever it is: one battery over all that are registered."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import pytest

from lastcard.tournament.formats import FORMATS, Design, Entrant, Format, FormatError, PlayedStage, SetResult, Stage
from lastcard.tournament.formats.contract import OptionValue

Scores = Callable[[str, int, int], float]
"""How a bot does in a set: by its name, the number of the stage and that of the set in it."""

IN_ROUNDS = {"swiss", "ladder", "knockout"}
"""Formats in which a bot sits at one table of a stage."""

MOST_STAGES = 40
"""What ends has ended by then."""


class Case(NamedTuple):
    """A design of a format that can be played."""

    style: Format
    design: Design

    @property
    def fresh(self) -> Format:
        """The format as a restarted process has it."""
        return type(self.style)()


def options_of(style: Format, bots: Sequence[str], size: int) -> dict[str, OptionValue]:
    own = {
        "rounds": len(bots) // (len(bots) % size) if len(bots) % size else 4,
        "challenger": bots[0],
        "best_of": 2,
        "advance": size - 1 if style.name == "knockout" else 1,
        "keep_apart": False,
    }
    own["rounds"] = min(own["rounds"], 4)
    return {option.name: own[option.name] for option in style.options if option.name in own}


def names(count: int) -> list[str]:
    return [f"b{number:02}" for number in range(count)]


def case(name: str, bots: int, size: int, *, least_is_best: bool = False) -> Case:
    entrants = tuple(Entrant(bot) for bot in names(bots))
    options = options_of(FORMATS[name], names(bots), size)
    made = Case(FORMATS[name], Design(entrants, size, 2, options, least_is_best))
    made.style.check(made.design)
    return made


def strength(bot: str, stage: int, number: int) -> float:
    """Scores that differ from set to set, and in which some bots are level now and then."""
    return (int(bot[1:]) * 7 + stage * 3 + number * 5) % 11 / 10


def level(*_: object) -> float:
    return 0.5


def results(stage: Stage, number: int, scores: Scores) -> PlayedStage:
    sets = (table for _ in range(stage.deals) for table in stage.compositions)
    made = (SetResult(table, tuple(scores(bot, number, at) for bot in table)) for at, table in enumerate(sets))
    return PlayedStage(stage, tuple(made))


def played(made: Case, scores: Scores = strength, design: Callable[[int], Design] | None = None) -> list[PlayedStage]:
    """The whole tournament; `design` is what is known of it before each stage."""
    stages: list[PlayedStage] = []
    while len(stages) < MOST_STAGES:
        stage = made.style.next_stage(design(len(stages)) if design else made.design, stages)
        if stage is None:
            return stages
        stages.append(results(stage, len(stages), scores))
    raise AssertionError(f"{made.style.name} does not end")


def sizes() -> Iterator[tuple[int, int]]:
    for size in range(2, 11):
        yield size, size
        yield 2 * size + size % 3, size


EVERY = pytest.mark.parametrize("name", FORMATS)
SIZES = pytest.mark.parametrize(("bots", "size"), sorted(sizes()))
SOME_SIZES = pytest.mark.parametrize(("bots", "size"), [(2, 2), (5, 2), (7, 3), (8, 4), (10, 5)])


def in_stage(stage: Stage) -> list[str]:
    return [bot for table in stage.compositions for bot in table]


@EVERY
@SIZES
def test_everybody_plays_nobody_meets_itself_no_table_twice_and_it_ends(name: str, bots: int, size: int) -> None:
    made = case(name, bots, size)
    stages = played(made)
    assert {bot for each in stages for bot in in_stage(each.stage)} == set(made.design.bots)
    for each in stages:
        assert each.stage.deals > 0
        assert each.stage.compositions
        for table in each.stage.compositions:
            assert len(set(table)) == len(table) == size
            assert set(table) <= set(made.design.bots)
        tables = [frozenset(table) for table in each.stage.compositions]
        assert len(set(tables)) == len(tables)
        if made.style.name in IN_ROUNDS:
            busy = Counter([*in_stage(each.stage), *each.stage.byes])
            assert max(busy.values()) == 1


@EVERY
@SOME_SIZES
@pytest.mark.parametrize("scores", [strength, level])
def test_a_restart_at_any_point_gives_the_same_stages(name: str, bots: int, size: int, scores: Scores) -> None:
    made = case(name, bots, size)
    stages = played(made, scores)
    for number in range(len(stages) + 1):
        prefix = [results(each.stage, at, scores) for at, each in enumerate(stages[:number])]
        expected = stages[number].stage if number < len(stages) else None
        assert made.fresh.next_stage(made.design, prefix) == expected
        assert made.fresh.ranking(made.design, prefix) == made.style.ranking(made.design, stages[:number])


@EVERY
@SOME_SIZES
@pytest.mark.parametrize("leaves", [1, 2])
@pytest.mark.parametrize("leaver", [0, 1, -1])
def test_who_withdraws_plays_no_more_and_the_others_play_on(
    name: str, bots: int, size: int, leaves: int, leaver: int
) -> None:
    made = case(name, bots, size)
    gone = made.design.bots[leaver]
    undisturbed = played(made)

    def known(stage: int) -> Design:
        if stage < leaves:
            return made.design
        entrants = tuple(each._replace(leaves=leaves) if each.name == gone else each for each in made.design.entrants)
        return made.design._replace(entrants=entrants)

    stages = played(made, design=known)
    assert stages[:leaves] == undisturbed[:leaves]
    for each in stages[leaves:]:
        assert gone not in in_stage(each.stage)
        assert gone not in each.stage.byes
        assert all(len(set(table)) == len(table) > 1 for table in each.stage.compositions)
    ranking = made.style.ranking(known(len(stages)), stages)
    assert ranking is None or {placing.bot for placing in ranking} == set(made.design.bots)
    if made.style.name in {"swiss", "ladder"} and bots > size:
        assert len(stages) == len(undisturbed)


@EVERY
@SOME_SIZES
@pytest.mark.parametrize("enters", [1, 2])
def test_who_enters_late_plays_from_then_on_or_is_refused(name: str, bots: int, size: int, enters: int) -> None:
    made = case(name, bots, size)
    late = made.design._replace(entrants=(*made.design.entrants, Entrant("b90", enters=enters)))
    if made.style.name == "knockout":
        with pytest.raises(FormatError, match="'b90' cannot enter a knock-out that has begun"):
            made.style.check(late)
        return
    made.style.check(late)
    undisturbed = played(made)
    stages = played(made, design=lambda stage: late if stage >= enters else made.design)
    assert stages[:enters] == undisturbed[:enters]
    assert all("b90" not in (*in_stage(each.stage), *each.stage.byes) for each in stages[:enters])
    if len(undisturbed) >= enters:
        assert all("b90" in (*in_stage(each.stage), *each.stage.byes) for each in stages[enters:])
        assert any("b90" in in_stage(each.stage) for each in stages[enters:]) or len(stages) == enters
    if made.style.by_score and enters == 1:
        assert len(stages) == 2


@EVERY
@pytest.mark.parametrize(("bots", "size"), [(4, 2), (6, 2), (6, 3), (9, 3), (8, 4), (12, 4), (10, 5)])
def test_bots_of_one_owner_are_kept_apart(name: str, bots: int, size: int) -> None:
    made = case(name, bots, size)
    owned = dict(zip(made.design.bots[1:], ("ann", "ann", "ben", "", "ben", "", "", "", "cora"), strict=False))
    entrants = tuple(each._replace(owner=owned.get(each.name, "")) for each in made.design.entrants)
    if (
        made.style.name == "knockout"
    ):  # whoever advances meets whoever else does: only the first round can be drawn apart
        made = Case(made.style, made.design._replace(options={**made.design.options, "advance": size - 1}))
    apart = made.design._replace(entrants=entrants, options={**made.design.options, "keep_apart": True})
    kin = [pair for pair in combinations(owned, 2) if owned[pair[0]] == owned[pair[1]] != ""]
    made.style.check(apart)
    stages = played(Case(made.style, apart))
    for each in stages[:1] if made.style.name == "knockout" else stages:
        for table in each.stage.compositions:
            assert not any(set(pair) <= set(table) for pair in kin)
    assert {bot for each in stages for bot in in_stage(each.stage)} == set(apart.bots)


@EVERY
def test_kin_that_cannot_be_kept_apart_is_refused(name: str) -> None:
    made = case(name, 4, 4)
    entrants = tuple(each._replace(owner="ann") for each in made.design.entrants)
    apart = made.design._replace(entrants=entrants, options={**made.design.options, "keep_apart": True})
    with pytest.raises(FormatError, match=r"cannot be kept apart at|have one owner") as caught:
        made.style.check(apart)
    assert caught.value.key == "keep_apart"


@EVERY
def test_three_bots_at_tables_of_four_are_refused(name: str) -> None:
    style = FORMATS[name]
    entrants = tuple(Entrant(bot) for bot in names(3))
    with pytest.raises(FormatError, match=r"^3 bots are not enough for tables of 4; valid is at most") as caught:
        style.check(Design(entrants, 4, 1, options_of(style, names(3), 4)))
    assert caught.value.key == "table_size"


@EVERY
@pytest.mark.parametrize("least_is_best", [False, True])
def test_a_ranking_of_its_own_places_every_bot_best_first(name: str, least_is_best: bool) -> None:
    made = case(name, 8, 4, least_is_best=least_is_best)
    by_name: Scores = lambda bot, *_: int(bot[1:]) / 10  # noqa: E731
    ranking = made.style.ranking(made.design, played(made, by_name))
    if ranking is None:
        return
    assert sorted(placing.bot for placing in ranking) == list(made.design.bots)
    places = [placing.place for placing in ranking]
    assert places == sorted(places)
    assert places[0] == 1
    best = made.design.bots[0] if least_is_best else made.design.bots[-1]
    assert ranking[0].bot == best


@EVERY
def test_sets_that_count_for_nobody_or_only_for_some_do_not_stop_it(name: str) -> None:
    made = case(name, 8, 4)

    def scarce(stages: list[PlayedStage]) -> list[PlayedStage]:
        """What is left of results when the first set is void and the second counts for one bot alone."""
        return [
            each._replace(sets=(SetResult(each.sets[1].composition[:1], each.sets[1].scores[:1]), *each.sets[2:]))
            if len(each.sets) > 1
            else each._replace(sets=())
            for each in stages
        ]

    stages: list[PlayedStage] = []
    while len(stages) < MOST_STAGES and (stage := made.style.next_stage(made.design, scarce(stages))) is not None:
        stages.append(results(stage, len(stages), strength))
    assert 0 < len(stages) < MOST_STAGES
    ranking = made.style.ranking(made.design, scarce(stages))
    assert ranking is None or len(ranking) == 8
