from collections import Counter
from itertools import combinations

import pytest

from lastcard.tournament.formats import FORMATS, Design, Entrant, FormatError, PlayedStage, SetResult, Stage
from lastcard.tournament.formats.contract import meetings

SWISS = FORMATS["swiss"]


def design(bots: int, size: int, rounds: int, *, least_is_best: bool = False) -> Design:
    return Design(tuple(Entrant(f"b{at:02}") for at in range(bots)), size, 1, {"rounds": rounds}, least_is_best)


def played(made: Design) -> list[PlayedStage]:
    """All rounds, in which the bot with the lower number does better."""
    stages: list[PlayedStage] = []
    while (stage := SWISS.next_stage(made, stages)) is not None:
        sets = [SetResult(table, tuple(1 - int(bot[1:]) / 100 for bot in table)) for table in stage.compositions]
        stages.append(PlayedStage(stage, tuple(sets)))
    return stages


def with_scores(stage: Stage, scores: dict[str, float]) -> PlayedStage:
    sets = [SetResult(table, tuple(scores.get(bot, 0.0) for bot in table)) for table in stage.compositions]
    return PlayedStage(stage, tuple(sets))


@pytest.mark.parametrize(
    ("bots", "size", "rounds"),
    [
        (8, 2, 7),
        (16, 2, 15),
        (9, 3, 4),
        (12, 3, 4),
        (16, 4, 2),
        (20, 4, 2),
        (25, 5, 3),
        (7, 2, 7),
        (17, 4, 2),
        (10, 3, 4),
    ],
)
def test_nobody_meets_again_as_long_as_that_can_be_avoided(bots: int, size: int, rounds: int) -> None:
    stages = played(design(bots, size, rounds))
    assert len(stages) == rounds
    assert max(meetings(stages).values()) == 1


def test_when_all_have_met_as_few_as_possible_meet_again() -> None:
    stages = played(design(4, 2, 5))
    assert sorted(meetings(stages).values()) == [1, 1, 2, 2, 2, 2]


def test_later_rounds_seat_those_together_who_stand_alike() -> None:
    made = design(16, 4, 2)
    first = SWISS.next_stage(made, [])
    assert first is not None
    winners = {table[0]: 1.0 for table in first.compositions} | {table[1]: 0.5 for table in first.compositions}
    stage = SWISS.next_stage(made, [with_scores(first, winners)])
    assert stage is not None
    groups = [{winners.get(bot, 0.0) for bot in table} for table in stage.compositions]
    assert groups == [{1.0}, {0.5}, {0.0}, {0.0}]


def test_byes_go_to_the_lowest_and_nobody_has_two() -> None:
    made = design(7, 2, 7)
    stages = played(made)
    byes = [bot for each in stages for bot in each.stage.byes]
    assert Counter(byes) == dict.fromkeys(made.bots, 1)
    assert byes[:2] == ["b06", "b05"]
    assert meetings(stages) == {frozenset(pair): 1 for pair in combinations(made.bots, 2)}


def test_more_rounds_than_let_everybody_have_one_bye_at_most_are_refused() -> None:
    SWISS.check(design(7, 4, 2))
    with pytest.raises(FormatError, match="7 bots at tables of 4 leave 3 without a table in each round") as caught:
        SWISS.check(design(7, 4, 3))
    assert caught.value.key == "rounds"
    assert "valid are at most 2 rounds" in str(caught.value)
    SWISS.check(design(8, 4, 3))


def test_a_bye_counts_like_a_round_with_the_mean_of_all_who_played() -> None:
    made = design(3, 2, 2)
    first = SWISS.next_stage(made, [])
    assert first == Stage((("b00", "b01"),), 1, ("b02",), "round 1 of 2", 1)
    ranking = SWISS.ranking(made, [with_scores(first, {"b00": 1.0})])
    assert ranking is not None
    assert [(placing.bot, placing.place, placing.note) for placing in ranking] == [
        ("b00", 1, "mean 1.000 of 1 round"),
        ("b02", 2, "mean 0.500 of 1 round, 1 bye"),
        ("b01", 3, "mean 0.000 of 1 round"),
    ]
    level = SWISS.ranking(made, [with_scores(first, {"b00": 0.5, "b01": 0.5})])
    assert level is not None
    assert {placing.place for placing in level} == {1}


def test_who_enters_late_is_ranked_by_the_rounds_it_was_in() -> None:
    made = design(4, 2, 3)
    first = SWISS.next_stage(made, [])
    assert first is not None
    late = made._replace(entrants=(*made.entrants, Entrant("b90", enters=1)))
    stages = [with_scores(first, {"b00": 0.6, "b01": 0.4, "b02": 0.6, "b03": 0.4})]
    second = SWISS.next_stage(late, stages)
    assert second is not None
    assert "b90" in {*second.byes, *(bot for table in second.compositions for bot in table)}
    stages.append(with_scores(second, {"b90": 1.0}))
    ranking = SWISS.ranking(late, stages)
    assert ranking is not None
    assert (ranking[0].bot, ranking[0].note) == ("b90", "mean 1.000 of 1 round")


def test_where_less_is_better_the_least_come_first() -> None:
    made = design(8, 2, 2, least_is_best=True)
    first = SWISS.next_stage(made, [])
    assert first is not None
    places = {bot: 1.0 + int(bot[1:]) % 2 for bot in made.bots}
    stage = SWISS.next_stage(made, [with_scores(first, places)])
    assert stage is not None
    assert set(stage.compositions[0]) <= {"b00", "b02", "b04", "b06"}


def test_equal_means_are_parted_by_the_standing_of_those_that_were_met() -> None:
    made = design(4, 2, 2)
    table = (("b00", "b01"), ("b02", "b03"))
    first = with_scores(Stage(table, 1), {"b00": 1.0, "b02": 1.0})
    second = with_scores(Stage((("b00", "b02"), ("b01", "b03")), 1, round=2), {"b02": 1.0, "b01": 1.0})
    ranking = SWISS.ranking(made, [first, second])
    assert ranking is not None
    # b00 and b01 have a win each; b00 met the best bot and b01, and b01 met b00 and the worst
    assert [(placing.bot, placing.place) for placing in ranking] == [("b02", 1), ("b00", 2), ("b01", 3), ("b03", 4)]


def test_a48_five_entrants_in_five_rounds_have_one_bye_each() -> None:
    made = design(5, 2, 5)
    stages = played(made)
    assert [len(each.stage.byes) for each in stages] == [1] * 5
    assert Counter(bot for each in stages for bot in each.stage.byes) == dict.fromkeys(made.bots, 1)


def leaving(made: Design, bot: str, stage: int) -> Design:
    return made._replace(
        entrants=tuple(each._replace(leaves=stage) if each.name == bot else each for each in made.entrants)
    )


def points(stages: list[PlayedStage], bot: str) -> float:
    return sum(score for each in stages for score in each.scores().get(bot, ()))


@pytest.mark.parametrize("wins", [0, 1, 2])
@pytest.mark.parametrize("leaver", ["b00", "b03", "b05"])
def test_a50_who_withdraws_finishes_below_all_who_finished_with_as_many_points(leaver: str, wins: int) -> None:
    """It wins or loses its two rounds and leaves; of the others the one with the lower number wins."""
    made = design(6, 2, 5)
    stages: list[PlayedStage] = []
    for number in range(5):
        stage = SWISS.next_stage(made if number < 2 else leaving(made, leaver, 2), stages)
        assert stage is not None
        scores = {}
        for table in stage.compositions:
            best = min(table, key=lambda bot: (bot == leaver) != (number < wins) if leaver in table else bot)
            scores[best] = 1.0
        stages.append(with_scores(stage, scores))
    assert points(stages, leaver) == wins
    ranking = SWISS.ranking(leaving(made, leaver, 2), stages)
    assert ranking is not None
    place = {placing.bot: placing.place for placing in ranking}
    for bot in made.bots:
        if bot != leaver and points(stages, bot) >= wins:
            assert place[bot] < place[leaver], ranking
    assert {placing.bot: placing.note for placing in ranking}[leaver] == (
        f"mean {wins / 5:.3f} of 2 rounds, withdrew, 3 missed"
    )


def test_a50_rounds_that_are_missed_count_as_last_places_where_less_is_better() -> None:
    made = leaving(design(4, 2, 3, least_is_best=True), "b00", 1)
    level = dict.fromkeys(made.bots, 1.5)
    stages = [
        with_scores(Stage((("b00", "b01"), ("b02", "b03")), 1), {"b00": 1.0, "b01": 2.0, "b02": 2.0, "b03": 1.0}),
        with_scores(Stage((("b01", "b02"),), 1, round=2), level),
        with_scores(Stage((("b01", "b03"),), 1, round=3), level),
    ]
    ranking = SWISS.ranking(made, stages)
    assert ranking is not None
    # b00 has 1, 2 and 2, and b01 2, 1.5 and 1.5: level, and b01 has finished
    assert [(placing.bot, placing.place) for placing in ranking] == [("b03", 1), ("b01", 2), ("b00", 3), ("b02", 4)]
    assert ranking[2].note == "mean 1.667 of 1 round, withdrew, 2 missed"


def test_who_withdraws_when_all_is_played_has_missed_nothing() -> None:
    made = design(4, 2, 2)
    stages = played(made)
    assert SWISS.ranking(leaving(made, "b00", 2), stages) == SWISS.ranking(made, stages)
