from itertools import combinations

import pytest

from lastcard.tournament.formats import FORMATS, Design, Entrant, FormatError, PlayedStage, Stage
from lastcard.tournament.formats.contract import OptionValue, meetings

GAUNTLET = FORMATS["gauntlet"]


def design(bots: int, size: int, **options: OptionValue) -> Design:
    entrants = tuple(Entrant(f"b{at:02}") for at in range(bots))
    return Design(entrants, size, 2, {"challenger": "b01", **options})


def test_the_challenger_sits_at_every_table_and_the_field_takes_turns() -> None:
    stage = GAUNTLET.next_stage(design(5, 3), [])
    field = ("b00", "b02", "b03", "b04")
    assert stage == Stage(tuple(("b01", *pair) for pair in combinations(field, 2)), 2)


@pytest.mark.parametrize(("bots", "size"), [(40, 5), (24, 10)])
def test_of_a_large_field_a_balanced_part_plays(bots: int, size: int) -> None:
    stage = GAUNTLET.next_stage(design(bots, size), [])
    assert stage is not None
    met = meetings([PlayedStage(stage, ())])
    field = [count for pair, count in met.items() if "b01" not in pair]
    assert max(field) - min(field) <= 2
    assert len({count for pair, count in met.items() if "b01" in pair}) == 1
    assert len(stage.compositions) < 400


def test_tables_of_two_are_all_played_however_often_bots_are_to_meet() -> None:
    stage = GAUNTLET.next_stage(design(4, 2, meetings=3), [])
    assert stage == Stage((("b01", "b00"), ("b01", "b02"), ("b01", "b03")), 2)


def test_without_its_challenger_it_is_over() -> None:
    made = design(4, 2)
    stage = GAUNTLET.next_stage(made, [])
    assert stage is not None
    entrants = (
        *(each._replace(leaves=1) if each.name == "b01" else each for each in made.entrants),
        Entrant("b9", "", 1),
    )
    assert GAUNTLET.next_stage(made._replace(entrants=entrants), [PlayedStage(stage, ())]) is None


def test_kin_of_the_challenger_is_refused() -> None:
    made = design(4, 2, keep_apart=True)
    entrants = tuple(each._replace(owner="ann") if each.name in {"b01", "b03"} else each for each in made.entrants)
    with pytest.raises(FormatError, match="the challenger 'b01' and 'b03' have one owner"):
        GAUNTLET.check(made._replace(entrants=entrants))
