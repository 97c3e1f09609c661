import pytest

from lastcard.cli.tournament_progress import Progress, clock_text


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_is_known_before_the_first_game() -> None:
    made = Progress(Clock())
    assert (made.share, made.games_a_second, made.left_s) == (0.0, None, None)
    made.begin(0, 40)
    assert (made.share, made.games_a_second, made.left_s) == (0.0, None, None)


def test_the_time_left_is_that_of_the_games_left_at_the_latest_speed() -> None:
    clock = Clock()
    made = Progress(clock)
    clock.now += 30  # bots start
    made.begin(10, 40)
    for played in range(11, 21):
        clock.now += 2
        made.finish(played, 40)
    assert made.share == 0.5
    assert made.games_a_second == pytest.approx(0.5)
    assert made.left_s == pytest.approx(40)
    assert made.elapsed_s == pytest.approx(50)
    clock.now += 20  # nothing ends: it will take longer than was thought
    assert made.left_s == pytest.approx(80)


def test_old_speeds_are_forgotten() -> None:
    clock = Clock()
    made = Progress(clock)
    made.begin(0, 10_000)
    for played in range(1, 1001):
        clock.now += 10
        made.finish(played, 10_000)
    for played in range(1001, 1202):
        clock.now += 0.1
        made.finish(played, 10_000)
    assert made.games_a_second == pytest.approx(10)


def test_more_games_than_were_planned_are_no_error() -> None:
    clock = Clock()
    made = Progress(clock)
    made.begin(0, 1)
    clock.now += 1
    made.finish(2, 1)
    assert (made.share, made.left_s) == (1.0, 0)


@pytest.mark.parametrize(("span", "text"), [(7.4, "0:07"), (750, "12:30"), (11_045, "3:04:05"), (59.6, "1:00")])
def test_spans_stand_as_on_a_clock(span: float, text: str) -> None:
    assert clock_text(span) == text
