import json

import pytest

from lastcard.practice.limits import unseen_share
from lastcard.practice.line import Conditions
from lastcard.practice.report import Clock, as_json, lost, text
from lastcard.practice.timing import Timed

LINE = Conditions(80, 40, 0.02)


def decisions(*took: int, kind: str = "TURN", credit: int = 0) -> list[Timed]:
    return [Timed(1, at, kind, ms, 2.0, credit, answered=True) for at, ms in enumerate(took, 1)]


def report(asked: list[Timed], clock: Clock | None = None) -> str:
    return "\n".join(text(asked, 1, LINE, clock or Clock()))


def test_the_line_is_told_and_who_took_the_time():
    said = report(decisions(100, 110, 120))
    assert "3 decisions in 1 game over a line with a round trip of 80 ms, up to 40 ms more by chance, 2 % of" in said
    assert "a decision, there and back        110 ms    118 ms    120 ms    120 ms" in said
    assert "  of it the bot                     2 ms" in said
    assert "game 1, decision 3, TURN                120 ms, the bot 2 ms of it" in said


def test_the_limit_that_is_asked_about_is_marked_with_what_it_loses():
    said = report(decisions(100, 700, 900), Clock(limit_ms=600, bank_ms=300))
    (row,) = [line for line in said.splitlines() if "asked about" in line]
    assert row.split() == ["600ms", "2", "(66.7", "%)", "2", "1", "0.3", "s", "<-", "asked", "about"]


def test_safe_limits_are_said_with_how_sure_they_are():
    said = report(decisions(*range(1, 101)))
    assert "a limit of 90 ms would have been enough for 90 % of them, without a bank" in said
    assert "a limit of 99 ms would have been enough for 99 % of them" in said
    assert "99.9 %" not in said, "a hundred decisions say nothing about one in a thousand"
    assert "a limit of 100 ms would have been enough for all 100; it is 95 % sure that fewer than 2.95 % of" in said
    assert unseen_share(100) == pytest.approx(0.0295, abs=1e-4)
    assert "these are few" in said
    assert "these are few" not in report(decisions(*range(1, 301)))


def test_a_bot_that_never_answered_has_no_safe_limit():
    hung = [Timed(1, 1, "TURN", 60_000, None, 0, answered=False)]
    said = report(hung)
    assert "no limit would have been enough for all: some were never answered" in said
    assert "60000 ms, never answered" in said
    assert lost(hung, Clock()) == 1


def test_an_answer_whose_share_is_not_known_is_still_one():
    said = report([Timed(1, 1, "TURN", 620, None, 0, answered=True)])
    assert "620 ms, the bot's part is not known" in said
    assert "never answered" not in said


def test_what_network_credit_gives():
    assert "the bot answered no four heartbeats in a row" in report(decisions(100))
    assert "would change nothing at a limit of 2s" in report(decisions(100, credit=80))
    said = report(decisions(2_500, 2_500, credit=80))
    assert "would have taken at most 0.8 s of the bank in a game instead of 1.0 s, and 0 decisions instead of 0" in said
    assert "Up to 80 ms of a decision were known" in said


def test_reactions_are_told_apart():
    asked = [*decisions(100), *decisions(501, 499, kind="REACTION")]
    assert "of 2 reactions 1 would have been missed within 500ms" in report(asked)
    assert "no reactions were asked" in report(decisions(100))
    assert lost(asked, Clock()) == 1


def test_json_has_every_decision_and_figure():
    said = json.loads(json.dumps(as_json(decisions(100, 700), 1, LINE, Clock(limit_ms=600, bank_ms=0))))
    assert (said["lost"], said["line"]["loss"], said["clock"]["limit_ms"]) == (1, 0.02, 600)
    assert {"limit_ms": 600, "over": 1, "lost": 1, "bank_used_ms": 0} in said["limits"]
    assert [decision["took_ms"] for decision in said["decisions"]] == [100, 700]
    assert said["safe_limits_ms"]["1"] == 700
