from random import Random

from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import RoundStarted, SeatLeft
from lastcard.rules.ruleset import ruleset
from lastcard.rules.state import new_match
from lastcard.tournament.luck import luck_of
from lastcard.tournament.reading import luck_in, reading_of, thinking_in
from lastcard.tournament.thinking import histogram
from random_games import play_match
from record_games import play_game

RULES = ruleset("official", {"match_end": "single_round"})

HEADER = '{"header":{"format":1,"bots":["a","b"],"limit_ms":2000,"bank_ms":0}}'


def judged(seat: int, decision: int, receipt: str) -> str:
    return (
        f'{{"judged":{{"seat":{seat},"decision":{decision},"accepted":true,"refused_catches":[],"refusals_left":3'
        f"{receipt}}}}}"
    )


def receipt(sent: int, received: int | None, charged: int, *, timed_out: bool = False) -> str:
    came = "" if received is None else f'"received_ms":{received},'
    return (
        f',"receipt":{{"sent_ms":{sent},{came}"network_credit_ms":0,"charged_ms":{charged},'
        f'"timed_out":{str(timed_out).lower()}}}'
    )


def test_thinking_times_are_from_sending_to_the_answer_or_to_the_deadline() -> None:
    lines = [
        HEADER,
        judged(0, 1, receipt(1000, 1012, 12)),
        judged(0, 1, ""),
        judged(1, 2, receipt(2000, 2003, 3)),
        '{"withdrawn":{"seat":1,"decision":3,"reason":"TURN_EXPIRED"'
        + receipt(3000, None, 25, timed_out=True) + "}}",
        '{"withdrawn":{"seat":1,"decision":4,"reason":"STALE_DECISION"' + receipt(3000, None, 9) + "}}",
    ]  # fmt: skip
    made = thinking_in("\n".join([*lines, ""]).encode(), 2)
    assert made == histogram([(0, 12), (1, 3), (1, 25)], 2)
    assert made[1] == {"max_ms": 25, "buckets": [[3, 1], [25, 1]]}


def test_what_cannot_be_measured_is_unknown() -> None:
    assert thinking_in(b"rubbish\n", 2) == []
    state = new_match(RULES, 2)
    events = [event for _, each in play_match(state, bytes(32), "pile", Random(1), 1) for event in each]
    assert luck_in(events, RULES, 2) == luck_of(events, RULES, 2)
    small = ruleset("official", {"deck": "custom", "deck_counts": "0=1,1=1,W=1", "hand_size": 1})
    assert luck_in(events, small, 2) == ()


def test_the_files_of_a_game_say_who_left_when_and_what_was_measured() -> None:
    game = play_game(3, players=2)
    left = [event for event in game.events if not isinstance(event, SeatLeft)]
    at = next(number for number, event in enumerate(left) if isinstance(event, RoundStarted)) + 1
    for place, cause, removed in ((at, LeaveCause.REMOVED, {1: at}), (0, LeaveCause.REMOVED, {1: 0}), (at, 1, {})):
        game.events = [*left[:place], SeatLeft(1, cause, 0, 0, ()), *left[place:]]
        receipts = "\n".join([HEADER, judged(1, 1, receipt(0, 7, 7)), ""]).encode()
        made = reading_of(game.record(revealed=False), receipts, game.rules, 2)
        assert (made.is_dealt, made.left, made.removed) == (True, {1: int(cause)}, removed)
        assert made.rounds == sum(isinstance(event, RoundStarted) for event in left)
        assert made.luck == luck_in(game.events, game.rules, 2)
        assert made.thinking == [{"max_ms": 0, "buckets": []}, {"max_ms": 7, "buckets": [[7, 1]]}]
