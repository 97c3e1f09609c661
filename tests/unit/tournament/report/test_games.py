"""The list of games stays within its size, and says what it leaves out."""

import pytest

from html_pages import page_tree
from lastcard.tournament.judging import judge
from lastcard.tournament.report.games import games_of
from lastcard.tournament.report.links import Links
from lastcard.tournament.scoring import Scoring
from results_directories import rotated

BOTS = ("ann", "ben", "cis")
ROWS = rotated([BOTS] * 100)


@pytest.mark.slow
def test_ten_thousand_games_fit() -> None:
    rows = rotated([BOTS] * 3334)
    made = games_of(judge(rows, Scoring()), BOTS, Links({row.record for row in rows}))
    assert made.many == len(rows) == 10_002
    assert made.left_out == ""
    assert sum(len(block.lines) for block in made.blocks) < 3_000_000


def test_games_that_do_not_fit_are_left_to_the_ledger() -> None:
    made = games_of(judge(ROWS, Scoring()), BOTS, Links(()), most_bytes=30_000)
    size = sum(len(block.lines) for block in made.blocks)
    assert size <= 30_000
    assert 0 < made.many < 300
    assert f"shows the first {made.many} games; {300 - made.many} more games" in made.left_out


def test_every_game_has_its_line() -> None:
    made = games_of(judge(ROWS, Scoring()), BOTS, Links({row.record for row in ROWS}))
    assert [block.title for block in made.blocks] == ["Games 1 to 100", "Games 101 to 200", "Games 201 to 300"]
    lines = [line for block in made.blocks for line in page_tree(block.lines).all("tr")]
    assert [next(line.all("th")).text for line in lines] == [str(row.game) for row in ROWS]
    second = lines[1]
    assert second.attributes["data-b"] == "1 2 0"
    assert [cell.text for cell in second.all("td")] == ["1.1", "ben 40, cis 0, ann 80", "single round", "700 ms", ""]
    assert [bold.text for bold in second.all("b")] == ["ann 80"]
