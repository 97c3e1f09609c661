"""The picture of a running tournament fits its terminal and keeps what matters most."""

import io

import pytest
from rich.console import Console

from lastcard.cli.tournament_live import Picture, whisker
from lastcard.cli.tournament_progress import Progress
from lastcard.tournament.statistics import Scoring, standings
from results_directories import rotated, set_rows

BOTS = ("ann", "ben", "cis")
NAMES = tuple(f"bot-number-{number}" for number in range(30))


def picture() -> Picture:
    progress = Progress(lambda: 100.0)
    progress.begin(3, 24)
    made = Picture(progress)
    made.phase = "playing"
    made.stage = "stage 2, semi-finals: 12 games"
    made.verdict = "not settled: ann before ben"
    orders = [BOTS, ("ben", "ann", "cis"), BOTS]
    made.standings = standings(rotated(orders), BOTS, Scoring())
    made.happened = (
        "game 3: ann: 2 × timeout",
        "ben ended with status 1, in a line longer than the terminal is wide",
    )
    return made


def drawn(made: Picture, width: int, height: int = 40) -> list[str]:
    screen = io.StringIO()
    Console(file=screen, width=width, height=height, color_system=None, highlight=False).print(made)
    return screen.getvalue().splitlines()


@pytest.mark.parametrize("width", [30, 44, 64, 80, 92, 120, 200])
def test_every_line_fits_and_ranks_names_and_scores_are_whole(width: int) -> None:
    lines = drawn(picture(), width)
    assert max(map(len, lines)) <= width
    table = [line.split() for line in lines if line.split()[1:2] and line.split()[1] in BOTS]
    assert [(line[0], line[1], line[2]) for line in table] == [
        ("1", "ann", "66.7%"),
        ("2", "ben", "33.3%"),
        ("3", "cis", "0.0%"),
    ]
    assert any("3/24 games" in line for line in lines)
    assert any(line.startswith("stage 2, semi-finals") for line in lines)
    assert "95 % interval" in "".join(lines) or width < 44
    assert any("●" in line for line in lines) == (width >= 92)


def test_an_event_that_may_end_before_takes_at_most_so_long() -> None:
    now = [100.0]
    made = picture()
    made.progress = Progress(lambda: now[0])
    made.progress.begin(0, 10)
    now[0] += 6
    made.progress.finish(2, 10)
    assert "0:06, at most 0:48 left" in drawn(made, 80)[0]
    made.verdict = ""
    assert "0:06, 0:48 left" in drawn(made, 80)[0]


def test_more_bots_than_lines_are_counted() -> None:
    made = picture()
    made.standings = standings(set_rows(1, NAMES[:3], NAMES[:3]), NAMES, Scoring())
    lines = drawn(made, 80, height=24)
    assert len(lines) <= 24
    shown = sum("bot-number" in line for line in lines)
    assert f"and {30 - shown} more bots" in "\n".join(lines)


def test_intervals_are_drawn_to_scale() -> None:
    first = standings(rotated([BOTS, BOTS, ("ben", "ann", "cis")]), BOTS, Scoring()).ranking[0]
    score = first.score._replace(interval=(0.5, 0.75), mean=0.625)
    assert whisker(first._replace(score=score), (0.0, 1.0), 17) == "        ├─●─┤    "
    assert whisker(first._replace(score=score._replace(interval=None)), (0.0, 1.0), 17) == ""
