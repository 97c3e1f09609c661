from random import Random

from lastcard.rules.ruleset import ruleset
from lastcard.rules.state import new_match
from lastcard.tournament.director.measures import luck_in, measured, thinking_in
from lastcard.tournament.luck import luck_of
from lastcard.tournament.rows import row_of_line
from lastcard.tournament.thinking import histogram
from ledger_rows import played_row
from random_games import play_match

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


def test_a_row_holds_what_was_measured() -> None:
    state = new_match(RULES, 2)
    events = [event for _, each in play_match(state, bytes(32), "per_seat", Random(1), 1) for event in each]
    receipts = "\n".join([HEADER, judged(1, 1, receipt(0, 7, 7)), ""]).encode()
    row = measured(played_row(1, 1, 0, {"a": 1, "b": 2}), events, receipts, RULES)
    assert row.luck == luck_of(events, RULES, 2)
    assert row.times["thinking"] == [{"max_ms": 0, "buckets": []}, {"max_ms": 7, "buckets": [[7, 1]]}]
    assert row_of_line(row.to_json()) == row
