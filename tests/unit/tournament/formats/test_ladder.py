from collections import Counter
from itertools import pairwise

from openskill.models import PlackettLuce

from lastcard.tournament.formats import FORMATS, Design, Entrant, PlayedStage, SetResult, Stage
from lastcard.tournament.formats.contract import meetings
from lastcard.tournament.formats.ladder import Ladder

LADDER = FORMATS["ladder"]


def design(bots: int, size: int = 2, rounds: int = 0) -> Design:
    options = {"rounds": rounds} if rounds else {}
    return Design(tuple(Entrant(f"b{at:02}") for at in range(bots)), size, 1, options)


def played(made: Design, rounds: int) -> list[PlayedStage]:
    stages: list[PlayedStage] = []
    for _ in range(rounds):
        stage = LADDER.next_stage(made, stages)
        assert stage is not None
        sets = [SetResult(table, tuple(1 - int(bot[1:]) / 100 for bot in table)) for table in stage.compositions]
        stages.append(PlayedStage(stage, tuple(sets)))
    return stages


def test_it_goes_on_without_end_and_matches_bots_near_in_rating() -> None:
    made = design(12)
    stages = played(made, 60)
    late = meetings(stages[40:])
    near = sum(count for pair, count in late.items() if abs(int(max(pair)[1:]) - int(min(pair)[1:])) <= 4)
    assert near == sum(late.values())
    assert len(late) > 12  # and yet not the same ones each time
    assert max(late.values()) <= 10


def test_nobody_meets_the_same_bot_in_two_rounds_running_where_others_are_near() -> None:
    stages = played(design(4), 40)
    assert all(not meetings([one]) & meetings([other]) for one, other in pairwise(stages))
    assert len(meetings(stages[20:])) == 6


def test_ratings_are_openskills_in_the_order_of_play() -> None:
    made = design(3, size=3, rounds=2)
    stage = Stage((("b00", "b01", "b02"),), 2)
    stages = [
        PlayedStage(stage, (SetResult(stage.compositions[0], (1.0, 0.0, 0.0)), SetResult(("b01", "b02"), (0.2, 0.8))))
    ]
    model = PlackettLuce()
    one, two, three = (model.rating() for _ in range(3))
    [one], [two], [three] = model.rate([[one], [two], [three]], ranks=[1, 2, 2])
    [two], [three] = model.rate([[two], [three]], ranks=[2, 1])
    ranking = LADDER.ranking(made, stages)
    assert ranking is not None
    expected = {"b00": one, "b01": two, "b02": three}
    assert [placing.bot for placing in ranking] == sorted(expected, key=lambda bot: -expected[bot].ordinal())
    for placing in ranking:
        rating = expected[placing.bot]
        assert placing.note == f"rating {rating.mu:.1f} ± {rating.sigma:.1f}"


def test_what_is_remembered_of_ratings_changes_nothing() -> None:
    made = design(6)
    stages = played(made, 8)
    other = [*stages[:5], stages[4], stages[6]]
    for history in (stages, stages[:3], other, stages[:7], [], stages):
        assert LADDER.ranking(made, history) == Ladder().ranking(made, history)
        assert LADDER.next_stage(made, history) == Ladder().next_stage(made, history)


def test_byes_go_round() -> None:
    made = design(7)
    stages = played(made, 21)
    assert set(Counter(bot for each in stages for bot in each.stage.byes).values()) == {3}


def test_a_newcomer_plays_at_once_and_finds_its_place() -> None:
    made = design(7)
    stages = played(made, 14)
    late = made._replace(entrants=(*made.entrants, Entrant("b00x", enters=14)))
    stage = LADDER.next_stage(late, stages)
    assert stage is not None
    assert not stage.byes
    assert "b00x" in {bot for table in stage.compositions for bot in table}


def test_it_waits_for_nobody_and_ends_when_too_few_are_left() -> None:
    made = design(3)
    left = made._replace(entrants=tuple(each._replace(leaves=1) for each in made.entrants[:2]) + made.entrants[2:])
    assert LADDER.next_stage(left, played(made, 1)) is None
