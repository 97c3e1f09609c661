import json

import pytest

from lastcard.practice.line import Carried
from lastcard.practice.timing import Carriage, timed
from lastcard.table.receipts_reader import Receipts, read_receipts

START = 1_000_000.0


def receipts(*items: dict) -> Receipts:
    header = {"format": 1, "bots": ["a", "b"], "limit_ms": 1, "bank_ms": 1}
    return read_receipts("\n".join(json.dumps(item) for item in ({"header": header}, *items)).encode())


def asked(number: int, kind: str = "TURN", seat: int = 1) -> dict:
    fields = {"seat": seat, "decision": number, "kind": kind, "sequence": 1, "legal": [], "limit_ms": 1}
    return {"asked": fields}


def judged(number: int, sent: int, received: int, seat: int = 1, credit: int = 0) -> dict:
    receipt = {
        "sent_ms": int(START) + sent,
        "received_ms": int(START) + received,
        "network_credit_ms": credit,
        "charged_ms": received - sent - credit,
        "timed_out": False,
    }
    fields = {"seat": seat, "decision": number, "accepted": True, "refused_catches": [], "refusals_left": 0}
    return {"judged": fields | {"receipt": receipt}}


def withdrawn(number: int, sent: int, charged: int, *, timed_out: bool) -> dict:
    receipt = {"sent_ms": int(START) + sent, "network_credit_ms": 0, "charged_ms": charged, "timed_out": timed_out}
    reason = "TURN_EXPIRED" if timed_out else "STALE_DECISION"
    return {"withdrawn": {"seat": 1, "decision": number, "reason": reason, "receipt": receipt}}


def carried(*times: tuple[float, float]) -> list[Carried]:
    return [Carried(START + said, START + arrived) for said, arrived in times]


def test_what_a_decision_took_is_told_apart_into_line_and_bot():
    log = Carriage(carried((100.4, 140), (300, 340)), carried((190, 230.2), (390, 430)))
    (one,) = timed(3, receipts(asked(5), judged(5, 100, 230, credit=80)), 1, log)
    assert (one.game, one.decision, one.kind, one.took_ms, one.credit_ms) == (3, 5, "TURN", 130, 80)
    assert one.bot_ms == pytest.approx(50)
    assert one.line_ms == pytest.approx(80)
    assert one.answered


def test_the_verdict_on_the_answer_before_is_not_taken_for_the_question():
    log = Carriage(carried((100.1, 140), (100.8, 440)), carried((450, 490)))
    (one,) = timed(1, receipts(asked(5), judged(5, 100, 490)), 1, log)
    assert one.bot_ms == pytest.approx(10)


def test_what_waited_behind_the_answer_is_not_taken_for_it():
    log = Carriage(carried((100, 140)), carried((150, 490.0), (470, 490.1)))
    (one,) = timed(1, receipts(asked(5), judged(5, 100, 490)), 1, log)
    assert one.bot_ms == pytest.approx(10)


def test_only_what_the_bot_answered_or_missed_counts():
    file = receipts(
        asked(1, seat=0),
        judged(1, 0, 1, seat=0),
        asked(2, "REACTION"),
        withdrawn(2, 10, 20_000, timed_out=True),
        asked(3),
        withdrawn(3, 30, 5, timed_out=False),
    )
    (one,) = timed(1, file, 1, Carriage([], []))
    assert (one.decision, one.kind, one.took_ms, one.answered, one.bot_ms) == (2, "REACTION", 20_000, False, None)


def test_a_line_that_carried_nothing_tells_nothing_of_the_bot():
    (one,) = timed(1, receipts(asked(5), judged(5, 100, 230)), 1, Carriage([], []))
    assert one.bot_ms is None
    assert one.line_ms is None
