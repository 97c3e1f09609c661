"""What each section makes of its figures: shades, words and marks."""

from fractions import Fraction

import pytest

from html_pages import page_tree
from lastcard.tournament.balance import Balance, Spread
from lastcard.tournament.crosstable import crosstable
from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import RulingKind, RulingRow
from lastcard.tournament.ratings import rating_course
from lastcard.tournament.report.evenness import evenness_of
from lastcard.tournament.report.form import course_of
from lastcard.tournament.report.meetings import MOST_BOTS, meetings_of
from lastcard.tournament.report.memory import memory_of
from lastcard.tournament.report.pace import pace_of
from lastcard.tournament.report.verdicts import verdicts_of
from lastcard.tournament.rule_book import sentence_of
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.statistics import Estimate
from lastcard.tournament.thinking import Thinking
from results_directories import rotated, set_rows

BOTS = ("ann", "ben", "cis")
ORDERS = [("ann", "ben", "cis"), ("ben", "ann", "cis"), ("ann", "ben", "cis"), ("ann", "cis", "ben")] * 5


def test_a_meeting_tells_who_is_ahead_and_whether_that_is_settled() -> None:
    judged = judge(rotated(ORDERS), Scoring())
    table = crosstable(judged, BOTS)
    made = meetings_of(table, BOTS)
    assert made.bots == BOTS
    assert made.left_out == ""
    (own, against_ben, against_cis) = made.lines[0].cells
    assert (own.kind, own.share) == ("self", "")
    assert (against_ben.share, against_ben.side, against_ben.kind, against_ben.shade) == (
        "75",
        "ahead",
        "settled",
        "0.50",
    )
    assert against_cis.share == "100"
    low, high = table["ann", "ben"].ahead.interval or (0, 0)
    assert against_ben.interval == f"{100 * low:.0f}–{100 * high:.0f}"
    assert against_ben.told.startswith("ann finished ahead of ben in 75.0% of 60 games")
    assert (made.lines[1].cells[0].share, made.lines[1].cells[0].side) == ("25", "behind")
    assert made.together.endswith("each bot is told apart from the next in the ranking.")


def test_bots_that_are_about_equal_are_not_told_apart() -> None:
    orders = [("ann", "ben"), ("ann", "ben"), ("ben", "ann")] * 8
    made = meetings_of(crosstable(judge(rotated(orders), Scoring()), ("ann", "ben")), ("ann", "ben"))
    cell = made.lines[0].cells[1]
    assert (cell.share, cell.side, cell.kind) == ("67", "ahead", "open")
    assert made.together.endswith("does not tell apart: ann and ben.")


def test_bots_that_have_not_met_have_a_cell_that_says_so() -> None:
    rows = [*set_rows(1, ("ann", "ben"), ("ann", "ben")), *set_rows(2, ("ann", "cis"), ("cis", "ann"))]
    made = meetings_of(crosstable(judge(rows, Scoring()), BOTS), BOTS)
    cell = made.lines[1].cells[2]
    assert (cell.kind, cell.share) == ("none", "–")
    assert cell.told == "ben and cis have not met in a set that counts"
    assert made.together == (
        "Neighbours in the ranking that the table of who beats whom does not tell apart: ann and ben, ben and cis."
    )
    one_set = made.lines[0].cells[1]
    assert (one_set.kind, one_set.share, one_set.interval) == ("open", "100", "")


def test_a_table_of_too_many_bots_is_cut() -> None:
    many = [f"bot{number}" for number in range(MOST_BOTS + 2)]
    made = meetings_of({}, many)
    assert len(made.lines) == len(made.bots) == MOST_BOTS
    assert made.together == ""
    assert made.left_out.startswith(f"The table shows the first {MOST_BOTS} bots of the ranking; 2 more bots")


def test_ratings_are_drawn_over_all_sets_and_told_in_figures() -> None:
    moments = rating_course(judge(rotated(ORDERS), Scoring()), BOTS)
    made = course_of(moments, BOTS)
    assert [each.bot for each in made.panels] == list(BOTS)
    last = {rating.bot: rating.rating for rating in moments[-1].ratings.ratings}
    for bot, cells in made.table:
        assert len(cells) == len(made.columns) == len(moments)
        assert cells[-1] == f"{last[bot]:.0f}"
    assert made.end == "20 sets"
    lines = [path.attributes["d"] for path in page_tree(made.panels[0].chart).all("path")]
    assert len(lines) == 2  # its interval and its line
    assert lines[1].count("L") == sum(cell != "–" for cell in made.table[0][1]) - 1


def test_bots_without_a_rating_are_told_why() -> None:
    always = rating_course(judge(rotated([BOTS] * 4), Scoring()), BOTS)
    made = course_of(always, BOTS)
    assert made.panels == ()
    assert made.notes
    assert course_of([], BOTS).panels == ()


def test_thinking_times_are_marked_against_the_limit() -> None:
    times = {"ann": Thinking(1200, 4.0, 80.0, 900.0, 2500), "ben": None}
    made = pace_of(times, ("ann", "ben"), 2000)
    assert made.known
    assert made.lines[0].cells == ("1,200", "4 ms", "80 ms", "900 ms", "2.5 s")
    assert made.lines[1].cells == ("–",) * 5
    drawn = page_tree(made.lines[0].track)
    rings = [each for each in drawn.all("circle") if each.attributes["class"] == "ring"]
    references = [each for each in drawn.all("line") if each.attributes.get("class") == "reference"]
    assert float(references[0].attributes["x1"][:-1]) < float(rings[0].attributes["cx"][:-1]) < 100
    assert not pace_of({"ann": None}, ("ann",), 2000).known


@pytest.mark.parametrize("number", [1, 2])
def test_rulings_stand_with_their_reasons(number: int) -> None:
    rulings = [
        RulingRow(1, RulingKind.ANNUL, "power cut", 0, 12, "2026-11-30", game=4),
        RulingRow(2, RulingKind.DISQUALIFY, "two names", 0, 12, bot="cis"),
        RulingRow(3, RulingKind.TAKE_BACK, "it was another", 0, 12, ruling=number),
    ]
    made = verdicts_of(rulings, judge([*rotated(ORDERS), *rulings], Scoring()))
    assert [line.what for line in made.rulings] == [
        "game 4 is annulled",
        "cis is disqualified",
        f"ruling {number} is taken back",
    ]
    assert [line.in_force for line in made.rulings] == [number != 1, number != 2, True]
    assert [(line.kinds, line.ruling) for line in made.policy] == [
        ("timeout, refusals", "stands"), ("disconnect, start-up, crash, left", "loss"),
    ]  # fmt: skip
    assert [line.number for line in made.sets] == ([] if number == 1 else [2])
    if number == 2:
        assert (made.sets[0].what, made.sets[0].why) == ("void", "game 4 was annulled: power cut")


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("", "cis withdraws"),
        ("bot", "cis withdraws"),
        ("organiser", "cis is withdrawn by the organiser"),
        ("event", "cis is withdrawn by the event"),
    ],
)
def test_a_withdrawal_says_whose_it_is(by: str, words: str) -> None:
    rulings = [RulingRow(1, RulingKind.WITHDRAW, "so", 1, 12, bot="cis", by=by)]
    made = verdicts_of(rulings, judge([*rotated(ORDERS), *rulings], Scoring()))
    assert [line.what for line in made.rulings] == [words]
    assert sentence_of(rulings[0]) == f"cis {'withdraws' if by == 'bot' else 'is withdrawn'} from stage 2 on: so"


def test_a_bot_that_gains_when_a_deal_comes_again_is_named() -> None:
    gains = {
        "ann": Estimate(Fraction(1, 4), (0.1, 0.4), ""),
        "ben": Estimate(Fraction(-1, 10), (-0.3, 0.1), ""),
        "cis": Estimate(None, None, "no complete set"),
    }
    made = memory_of(gains, BOTS)
    assert [(line.gain, line.interval, line.above) for line in made.lines] == [
        ("+25.0%", "+10.0% to +40.0%", True), ("-10.0%", "-30.0% to +10.0%", False), ("–", "–", False),
    ]  # fmt: skip
    assert made.sentence == "When a deal comes again: ann won more in the later games of its sets than in the first"
    assert "no bot wins more, beyond chance," in memory_of(gains, ("ben", "cis")).sentence


def test_a_balance_says_what_is_even_and_who_never_met() -> None:
    apart = tuple((f"bot{number}", "x") for number in range(8))
    made = evenness_of(Balance(9, 3, 12, 48, Spread(4, 4), Spread(1, 2), Spread(4, 4), Spread(0, 3), apart))
    assert [(line.least, line.most, line.even) for line in made.lines] == [
        ("4", "4", True), ("1", "2", False), ("4", "4", True), ("0", "3", False),
    ]  # fmt: skip
    assert made.apart.endswith("bot5 and x and 2 more pairs.")
