from collections.abc import Sequence

import pytest

from lastcard.tournament.formats import FORMATS, Design, Entrant, FormatError, PlayedStage, SetResult, Stage
from lastcard.tournament.formats.brackets import round_of, sizes_that_fit
from lastcard.tournament.formats.contract import OptionValue
from lastcard.tournament.formats.knockout import MOST_FURTHER

KNOCKOUT = FORMATS["knockout"]


def design(bots: int, size: int = 2, best_of: int = 1, **options: OptionValue) -> Design:
    entrants = tuple(Entrant(f"b{at:02}") for at in range(bots))
    return Design(entrants, size, best_of, {"best_of": best_of, **options})


def score(bot: str) -> float:
    """The lower number is the better bot."""
    return 1 - int(bot[1:]) / 100


def result(stage: Stage, level: Sequence[str] = (), upsets: Sequence[str] = ()) -> PlayedStage:
    def of(bot: str) -> float:
        return 0.5 if bot in level else 2.0 if bot in upsets else score(bot)

    tables = [table for _ in range(stage.deals) for table in stage.compositions]
    return PlayedStage(stage, tuple(SetResult(table, tuple(map(of, table))) for table in tables))


def played(made: Design) -> list[PlayedStage]:
    stages: list[PlayedStage] = []
    while (stage := KNOCKOUT.next_stage(made, stages)) is not None:
        stages.append(result(stage))
    return stages


def tables(stages: Sequence[PlayedStage]) -> list[tuple[tuple[str, ...], ...]]:
    return [each.stage.compositions for each in stages]


def test_eight_bots_meet_as_seeded_and_the_first_two_in_the_final() -> None:
    stages = played(design(8))
    assert tables(stages) == [
        (("b00", "b07"), ("b01", "b06"), ("b02", "b05"), ("b03", "b04")),
        (("b00", "b03"), ("b01", "b02")),
        (("b00", "b01"),),
    ]
    assert [each.stage.title for each in stages] == ["round 1", "round 2", "final"]
    ranking = KNOCKOUT.ranking(design(8), stages)
    assert ranking is not None
    assert [(placing.bot, placing.place) for placing in ranking] == [
        ("b00", 1), ("b01", 2), ("b02", 3), ("b03", 3), ("b04", 5), ("b05", 5), ("b06", 5), ("b07", 5)
    ]  # fmt: skip
    assert [placing.note for placing in ranking[:3]] == ["winner of the final", "final", "out in round 2"]


def test_of_tables_of_four_two_go_on() -> None:
    stages = played(design(16, 4, best_of=3))
    assert tables(stages) == [
        (
            ("b00", "b07", "b08", "b15"),
            ("b01", "b06", "b09", "b14"),
            ("b02", "b05", "b10", "b13"),
            ("b03", "b04", "b11", "b12"),
        ),
        (("b00", "b03", "b05", "b06"), ("b01", "b02", "b04", "b07")),  # whoever met is exchanged within its row
        (("b00", "b01", "b02", "b03"),),
    ]
    assert all(each.stage.deals == 3 for each in stages)


@pytest.mark.parametrize(
    ("bots", "size", "advance", "rounds"),
    [
        (2, 2, 1, [1]),
        (5, 2, 1, [1, 2, 1]),
        (6, 2, 1, [2, 2, 1]),
        (7, 2, 1, [3, 2, 1]),
        (10, 4, 2, [1, 2, 1]),
        (12, 4, 2, [2, 2, 1]),
        (9, 3, 1, [3, 1]),
        (27, 3, 1, [9, 3, 1]),
        (5, 3, 1, [1, 1]),
        (13, 4, 1, [3, 1]),
        (5, 4, 3, [1, 1]),
        (100, 10, 5, [4, 8, 4, 2, 1]),
    ],
)
def test_numbers_come_down_to_one_full_table_with_byes_in_the_first_round(
    bots: int, size: int, advance: int, rounds: list[int]
) -> None:
    made = design(bots, size, advance=advance)
    KNOCKOUT.check(made)
    stages = played(made)
    assert [len(each.stage.compositions) for each in stages] == rounds
    assert all(not each.stage.byes for each in stages[1:])
    byes = stages[0].stage.byes
    assert byes == made.bots[: bots - rounds[0] * size]
    assert all(len(table) == size for each in stages for table in each.stage.compositions)
    assert round_of(bots, size, advance) == rounds[0]


@pytest.mark.parametrize("size", range(2, 11))
def test_the_sizes_that_fit_are_those_that_are_not_refused(size: int) -> None:
    for advance in range(1, size):
        fit = set(sizes_that_fit(size, advance, 30))
        for bots in range(size, 31):
            made = design(bots, size, advance=advance)
            if bots in fit:
                KNOCKOUT.check(made)
            else:
                with pytest.raises(FormatError, match="do not come down to one table"):
                    KNOCKOUT.check(made)


def test_what_is_impossible_says_what_would_be_possible() -> None:
    with pytest.raises(FormatError) as caught:
        KNOCKOUT.check(design(11, 4, advance=2))
    assert caught.value.key == "advance"
    assert str(caught.value) == (
        "11 bots at tables of 4 with 2 advancing do not come down to one table of 4; valid for 11 bots is to advance "
        "3, and with 2 advancing there can be 8 or 10 or 12 or 14 bots"
    )
    with pytest.raises(
        FormatError, match="must be less than table_size, so that somebody is out; valid is from 1 to 3"
    ):
        KNOCKOUT.check(design(8, 4, advance=4))


def test_seeds_can_be_given() -> None:
    stages = played(design(4, seeds=("b03", "b01")))
    assert tables(stages)[0] == (("b03", "b02"), ("b01", "b00"))


def test_who_is_level_plays_on_and_then_the_better_seed_goes_on() -> None:
    made = design(4, best_of=2)
    stages: list[PlayedStage] = []
    for further in range(MOST_FURTHER + 1):
        stage = KNOCKOUT.next_stage(made, stages)
        assert stage is not None
        if further:
            assert (stage.compositions, stage.deals, stage.round) == ((("b01", "b02"),), 1, 1)
            assert stage.title == f"round 1, further set {further} of tables that are level"
        stages.append(result(stage, level=("b01", "b02")))
    final = KNOCKOUT.next_stage(made, stages)
    assert final is not None
    assert final.compositions == (("b00", "b01"),)


def test_nobody_is_through_as_long_as_a_table_is_level() -> None:
    made = design(8)
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    ranking = KNOCKOUT.ranking(made, [result(first, level=("b00", "b07"))])
    assert ranking is not None
    assert {(placing.place, placing.note) for placing in ranking} == {(1, "in round 1")}
    decided = KNOCKOUT.ranking(made, [result(first)])
    assert decided is not None
    assert [placing.note for placing in decided] == ["through round 1"] * 4 + ["out in round 1"] * 4


def test_a_further_set_can_decide() -> None:
    made = design(4)
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    stages = [result(first, level=("b01", "b02"))]
    further = KNOCKOUT.next_stage(made, stages)
    assert further is not None
    stages.append(result(further, upsets=("b02",)))
    final = KNOCKOUT.next_stage(made, stages)
    assert final is not None
    assert final.compositions == (("b00", "b02"),)


def test_level_places_that_do_not_matter_are_left_level() -> None:
    made = design(8, 4, advance=2)
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    stages = [result(first, level=("b00", "b03"))]  # of (0, 3, 4, 7): both are out, behind 4 and 7
    second = KNOCKOUT.next_stage(made, stages)
    assert second is not None
    assert (second.title, second.compositions) == ("final", (("b01", "b02", "b04", "b07"),))
    assert KNOCKOUT.next_stage(made, [*stages, result(second, level=("b04", "b07"))]) is None
    behind = result(second, level=("b02", "b04", "b07"))  # b01 has won, the others are level
    assert KNOCKOUT.next_stage(made, [*stages, behind]) is None
    further = KNOCKOUT.next_stage(made, [*stages, result(second, upsets=("b02", "b04"))])
    assert further is not None
    assert further.compositions == second.compositions


def test_the_first_place_of_the_final_is_played_out() -> None:
    made = design(2)
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    further = KNOCKOUT.next_stage(made, [result(first, level=("b00", "b01"))])
    assert further is not None
    assert further.compositions == (("b00", "b01"),)
    ranking = KNOCKOUT.ranking(made, [result(first, level=("b00", "b01"))])
    assert ranking is not None
    assert [placing.note for placing in ranking] == ["in the final", "in the final"]


def gone(made: Design, bot: str, stage: int) -> Design:
    entrants = tuple(each._replace(leaves=stage) if each.name == bot else each for each in made.entrants)
    return made._replace(entrants=entrants)


def test_whoever_withdraws_is_replaced_by_the_best_of_its_table() -> None:
    made = design(8, 4, advance=2)
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    assert first.compositions == (("b00", "b03", "b04", "b07"), ("b01", "b02", "b05", "b06"))
    for leaver, replacement in (("b00", "b04"), ("b01", "b05")):
        final = KNOCKOUT.next_stage(gone(made, leaver, 1), [result(first)])
        assert final is not None
        assert set(final.compositions[0]) == {"b00", "b01", "b02", "b03"} - {leaver} | {replacement}


def test_a_vacant_bye_goes_to_the_best_who_was_knocked_out() -> None:
    made = design(5)
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    assert (first.compositions, first.byes) == ((("b03", "b04"),), ("b00", "b01", "b02"))
    second = KNOCKOUT.next_stage(gone(made, "b01", 1), [result(first)])
    assert second is not None
    assert {bot for table in second.compositions for bot in table} == {"b00", "b02", "b03", "b04"}
    # They have just met: the draw keeps them apart.
    assert {"b03", "b04"} not in [set(table) for table in second.compositions]


def test_when_nobody_is_left_to_replace_them_fewer_play_the_final() -> None:
    made = design(4, 3, advance=2)
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    out = gone(gone(made, "b03", 1), "b02", 1)
    final = KNOCKOUT.next_stage(out, [result(first)])
    assert final is not None
    assert (final.title, final.compositions) == ("final", (("b00", "b01"),))
    assert KNOCKOUT.next_stage(gone(out, "b01", 1), [result(first)]) is None


def test_each_table_keeps_one_of_each_row_of_the_snake() -> None:
    made = design(16, 4, keep_apart=True)
    kin = ("b08", "b15", "b06", "b09")  # in two pairs at one table each, as the snake has them
    made = made._replace(
        entrants=tuple(each._replace(owner="ann" if each.name in kin else "") for each in made.entrants)
    )
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    assert [[int(bot[1:]) // 4 for bot in table] for table in first.compositions] == [[0, 1, 2, 3]] * 4
    assert all(len(set(table) & set(kin)) == 1 for table in first.compositions)


def test_kin_meets_as_late_as_the_draw_allows() -> None:
    made = design(8, keep_apart=True)
    owned = {"b00": "ann", "b07": "ann", "b01": "ben", "b06": "ben"}
    made = made._replace(entrants=tuple(each._replace(owner=owned.get(each.name, "")) for each in made.entrants))
    KNOCKOUT.check(made)
    first = KNOCKOUT.next_stage(made, [])
    assert first is not None
    pots = [{int(bot[1:]) < 4 for bot in table} for table in first.compositions]
    assert pots == [{True, False}] * 4  # still one of the better half at each table
    assert not [table for table in first.compositions if len({owned.get(bot, bot) for bot in table}) < 2]
