import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from lastcard.cli.tournament_ranking import figures_text, ranking_text
from lastcard.cli.tournament_view import LiveView, PlainView
from lastcard.cli.tournament_words import faults_of, sentence_of, shown_event
from lastcard.tournament import notices
from lastcard.tournament.director import Report
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.file import TournamentFile, load
from lastcard.tournament.ledger import Row, RulingKind, RulingRow, SeatFault
from lastcard.tournament.notices import Notice
from lastcard.tournament.results import Results
from lastcard.tournament.rulings import Fault, Policy, Ruling
from lastcard.tournament.schedule import Game
from lastcard.tournament.statistics import standings
from lastcard.tournament.verifying import Problem

FILE = """\
[tournament]
name = "cup"
seed = 1
table_size = 2
deals = 2
score = "{score}"
[[bot]]
name = "ann"
builtin = "greedy"
[[bot]]
name = "ben"
builtin = "greedy"
"""


def row(game: int, set_: int, rotation: int, seats: tuple[str, str], *faults: SeatFault) -> Row:
    """A game that the first seat wins."""
    return Row(
        game, set_, set_, rotation, seats, (40, 0), (1, 2), "target", faults, f"records/{game:05}.jsonl", "0" * 64
    )


CRASH = SeatFault(0, "ann", "crash", 5, "ended with status 1")
TIMEOUT = SeatFault(0, "ann", "timeout", 6, "nothing came")
ABSENT = SeatFault(1, "ben", "start_up", 0, "forfeited: set aside")
GONE = SeatFault(1, "ben", "disconnect", 12, "forfeited: withdrawn: it is ill")
ROWS = [
    row(1, 1, 0, ("ann", "ben")),
    row(2, 1, 1, ("ben", "ann")),
    row(3, 2, 0, ("ann", "ben"), TIMEOUT, TIMEOUT, CRASH, ABSENT, GONE),
]


CUT_OFF = "a last line of the ledger that was not written to its end (57 bytes) is cut off"


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results.create(tmp_path / "out", "", "cup", 1)


def file(tmp_path: Path, score: str = "wins") -> TournamentFile:
    path = tmp_path / "cup.toml"
    path.write_text(FILE.format(score=score))
    return load(path, ("greedy",))


def report(made: TournamentFile, *, complete: bool = True, problems: tuple[Problem, ...] = ()) -> Report:
    table = standings(ROWS, ("ann", "ben"), scoring_of(made))
    return Report(complete, table, 3 - len(problems), problems, (("ben", "set aside after 3 failures in a row"),))


def test_the_ranking_says_all_that_an_organiser_asks(tmp_path: Path, results: Results) -> None:
    made = file(tmp_path)
    text = ranking_text(made, results, report(made))
    assert "cup: 3 games, 1 complete set" in text
    assert "50.0%" in text
    assert "crash, 2 × timeout" in text
    assert "No interval for ann, ben: an interval needs at least 2 complete sets, not 1." in text
    assert "In sets that are not complete: 1 game, which count for no mean." in text
    assert "ben was set aside after 3 failures in a row." in text
    assert "All 3 records verify" in text
    assert str(results.directory) in text
    assert "Stopped" not in text


def test_what_is_not_well_is_said(tmp_path: Path, results: Results) -> None:
    made = file(tmp_path, "points")
    problem = Problem("records/00001.jsonl", "line 3: the hash is wrong")
    text = ranking_text(made, results, report(made, complete=False, problems=(problem,)))
    command = f"lastcard tournament run {made.path} --out {results.directory} --resume"
    assert f"Stopped before all games were played. To go on: {command}\n" in text
    assert "records/00001.jsonl line 3: the hash is wrong" in text
    assert "1 of 3 records do not verify." in text
    assert "points a game" in text
    assert "20.00" in text


def test_forfeited_games_are_not_told_again_and_again() -> None:
    assert faults_of(ROWS[2]) == ["game 3: ann: 2 × timeout, crash"]


@pytest.mark.parametrize(
    ("notice", "sentence"),
    [
        (notices.Started("127.0.0.1:9", 12, 2), "arena on 127.0.0.1:9, 10 games to play"),
        (notices.BotReady("ann", 1), "ann is connected"),
        (notices.BotReady("ann", 2), "ann is connected (start 2)"),
        (notices.BotReady("ann", 2, 3), "ann is connected (copy 3, start 2)"),
        (
            notices.RemoteAwaited("ann", "h:1", "t", "f", 90_000),
            "waiting up to 90 s for the remote bot ann: LASTCARD_SERVER=h:1 LASTCARD_TOKEN=t LASTCARD_BOT=ann (in f)",
        ),
        (notices.BotFailed("ann", "ended with status 1", 1), "ann ended with status 1"),
        (notices.BotFailed("ann", "ended with status 1", 2), "ann ended with status 1 (failure 2 in a row)"),
        (notices.BotSetAside("ann", "set aside"), "ann is set aside; its games from now on are forfeited"),
        (notices.GameStarted(Game(1, 1, 1, 0, ("ann", "ben"))), None),
        (notices.GameFinished(ROWS[0], 1, 4), None),
        (notices.Stopping(2, at_once=False), "stopping after 2 running games; Ctrl-C again stops now"),
        (notices.Stopping(2, at_once=True), "stopping now; --resume goes on where this stops"),
        (notices.Resumed((), 0), "resumed: 0 games finished before"),
        (notices.Resumed(tuple(ROWS[:1]), 0), "resumed: 1 game finished before"),
        (notices.Resumed((), 57), f"resumed: 0 games finished before; {CUT_OFF}"),
        (notices.Complete(3), "the event is complete: all 3 games were played before"),
        (notices.GameStarted(Game(7, 1, 1, 0, ("ann", "ben")), 17), "game 7 goes on behind event 17"),
        (notices.Verifying(4), "verifying 4 records"),
        (notices.StageStarted(2, "", 12), "stage 2: 12 games"),
        (notices.StageStarted(2, "semi-finals", 1), "stage 2, semi-finals: 1 game"),
        (notices.Looked(settled=False, sentence="not settled: ann before ben"), "not settled: ann before ben"),
        (notices.WorkerDied("server 2 died"), "server 2 died"),
    ],
)
def test_notices_in_words(notice: Notice, sentence: str | None) -> None:
    assert sentence_of(notice) == sentence


COURSE: tuple[Notice, ...] = (
    notices.Started("127.0.0.1:9", 4, 0),
    notices.BotFailed("ann", "ended with status 1", 1),
    *(notices.GameFinished(each, each.game, 4) for each in ROWS),
    notices.Verifying(3),
)


def test_the_live_view_shows_progress_ranking_and_incidents(tmp_path: Path, results: Results) -> None:
    screen = io.StringIO()
    view = LiveView(Console(file=screen, force_terminal=True, width=100, color_system=None))
    view.open(shown_event(file(tmp_path), results.directory))
    with view:
        for notice in COURSE:
            view.show(notice)
    shown = screen.getvalue()
    assert "3/4" in shown
    assert "ann ended with status 1" in shown
    assert "game 3: ann: 2 × timeout, crash" in shown
    assert "rank" in shown


def test_the_live_view_goes_on_from_the_games_that_are_there(tmp_path: Path, results: Results) -> None:
    screen = io.StringIO()
    view = LiveView(Console(file=screen, force_terminal=True, width=160, color_system=None))
    view.open(shown_event(file(tmp_path), results.directory))
    with view:
        for notice in (
            notices.Resumed(tuple(ROWS[:2]), 57),
            notices.Started("127.0.0.1:9", 4, 2),
            notices.GameStarted(Game(3, 2, 2, 0, ("ann", "ben")), 17),
            notices.GameFinished(ROWS[2], 3, 4),
            notices.Verifying(3),
        ):
            view.show(notice)
    shown = screen.getvalue()
    assert "that was not written to its end (57 bytes) is cut off" in shown
    assert "game 3 goes on behind event 17" in shown
    assert "3/4" in shown
    assert "50.0%" in shown  # the two games before are a set
    assert "1 game in sets that are not complete" in shown  # and this one is not yet


def test_what_bots_print_and_paths_hold_is_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = file(tmp_path)
    results = Results.create(tmp_path / "[/red]", "", "cup", 1)
    aside = (("ben", "set aside, the last: it printed '[/bold] :smile:'"),)
    text = ranking_text(made, results, report(made)._replace(aside=aside))
    assert "it printed '[/bold] :smile:'" in text
    assert "[/red]" in text
    LiveView().open(shown_event(made, results.directory))
    assert "[/red]" in "".join(capsys.readouterr().out.split())


def test_a_narrow_terminal_keeps_figures_and_names_whole(
    tmp_path: Path, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "64")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    made = file(tmp_path)
    text = ranking_text(made, results, report(made))
    assert "95 % interval" in text
    assert "…" not in text


def test_without_a_game_no_record_is_said_to_verify(tmp_path: Path, results: Results) -> None:
    made = file(tmp_path)
    text = ranking_text(made, results, report(made, complete=False)._replace(verified=0))
    assert "No game was played to its end, so there is no record to verify." in text


@pytest.mark.parametrize("error", [BrokenPipeError(), OSError(28, "No space left on device")], ids=["gone", "full"])
def test_the_plain_view_goes_on_without_readers(
    tmp_path: Path, results: Results, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    class Gone(io.StringIO):
        def flush(self) -> None:
            raise error

    monkeypatch.setattr("sys.stdout", Gone())
    view = PlainView()
    view.open(shown_event(file(tmp_path), results.directory))
    for notice in COURSE:
        view.show(notice)


def test_the_plain_view_prints_lines(tmp_path: Path, results: Results, capsys: pytest.CaptureFixture[str]) -> None:
    view = PlainView()
    view.open(shown_event(file(tmp_path), results.directory))
    for notice in (*COURSE, notices.GameFinished(ROWS[0], 4, 4)):
        view.show(notice)
    lines = capsys.readouterr().out.splitlines()
    assert "seed 1 makes the event reproducible: whoever knows it can compute the deals" in lines
    assert "game 3: ann: 2 × timeout, crash" in lines
    assert any(line.startswith("4 of 4 games, ") for line in lines)


def test_the_live_view_shows_standings_that_it_is_told(tmp_path: Path, results: Results) -> None:
    screen = io.StringIO()
    view = LiveView(Console(file=screen, force_terminal=True, width=120, color_system=None))
    made = file(tmp_path)
    view.open(shown_event(made, results.directory))
    told = standings(ROWS, ("ann", "ben"), scoring_of(made))
    with view:
        for notice in (
            notices.StageStarted(2, "semi-finals", 4),
            notices.Ranked(told),
            notices.Looked(settled=False, sentence="not settled: ann before ben"),
            notices.Verifying(3),
        ):
            view.show(notice)
    shown = screen.getvalue()
    for text in ("stage 2, semi-finals: 4 games", "50.0%", "not settled: ann before ben"):
        assert text in shown


def test_the_plain_view_tells_how_long_it_may_still_take(
    tmp_path: Path, results: Results, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lastcard.cli.tournament_view._PLAIN_S", 0)
    view = PlainView()
    view.open(shown_event(file(tmp_path), results.directory))
    for notice in COURSE:
        view.show(notice)
    told = capsys.readouterr().out
    assert re.search(r"^1 of 4 games, \d+:\d\d, about \d+:\d\d left$", told, re.MULTILINE)
    assert "verifying 3 records" in told


def test_the_plain_view_repeats_neither_stages_nor_that_nothing_is_settled(
    tmp_path: Path, results: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    view = PlainView()
    view.open(shown_event(file(tmp_path), results.directory))
    capsys.readouterr()
    for notice in (
        notices.StageStarted(1, "", 18),
        notices.Looked(settled=False, sentence="not settled: ann before ben"),
        notices.StageStarted(1, "", 18),
        notices.GameFinished(ROWS[0], 1, 4),
        notices.GameFinished(ROWS[1], 4, 4),
        notices.StageStarted(2, "", 2),
        notices.Looked(settled=True, sentence="settled: ann, ben"),
    ):
        view.show(notice)
    told = capsys.readouterr().out.splitlines()
    assert told == [
        "stage 1: 18 games",
        told[1],  # the progress
        "not settled: ann before ben",
        "stage 2: 2 games",
        "settled: ann, ben",
    ]
    assert told[1].startswith("4 of 4 games, ")


def test_what_the_organiser_ruled_is_said_below_the_ranking(tmp_path: Path) -> None:
    rulings = [
        RulingRow(1, RulingKind.ANNUL, "power cut", 0, 3, game=1),
        RulingRow(2, RulingKind.DISQUALIFY, "two names", 0, 3, bot="ben"),
    ]
    told = figures_text("cup", standings([*ROWS, *rulings], ("ann", "ben"), scoring_of(file(tmp_path))))
    assert "1 set void, or replaced by another on a fresh deal." in told
    assert "ben is disqualified and not ranked: two names." in told
    assert [line.split()[:2] for line in told.splitlines()[1:3]] == [["rank", "bot"], ["–", "ann"]]


def test_a_score_that_penalties_are_taken_off_is_called_so(tmp_path: Path) -> None:
    scoring = scoring_of(file(tmp_path))
    assert "after penalties" not in figures_text("cup", standings(ROWS, ("ann", "ben"), scoring))
    fined = scoring._replace(rulings={**scoring.rulings, Fault.TIMEOUT: Policy(Ruling.PENALTY, 20)})
    told = figures_text("cup", standings(ROWS, ("ann", "ben"), fined))
    assert "wins after penalties" in told
    assert "after penalties" not in figures_text("cup", standings(ROWS, ("ann", "ben"), fined._replace(score="points")))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("", "tables of 2, 2 deals in every rotation, rules"),
        ('seats = "all"', "tables of 2, 2 deals in every order of the seats, rules"),
        ("duplicates = false", "tables of 2, 2 sets of every rotation, each game on a deal of its own, rules"),
    ],
)
def test_what_is_played_is_said_before(tmp_path: Path, more: str, told: str) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(FILE.format(score="wins").replace("deals = 2", f"deals = 2\n{more}"))
    assert told in shown_event(load(path, ("greedy",)), tmp_path).opening[0]


def test_a_bot_that_wins_more_when_a_deal_comes_again_is_named(tmp_path: Path) -> None:
    scoring = scoring_of(file(tmp_path))
    learns = [each for number in range(1, 41) for each in (second_game(number), first_game(number))]
    told = figures_text("cup", standings(learns, ("ann", "ben"), scoring))
    assert "ann won 80.0% more in the later games of its sets than in the first" in told
    assert "ben won" not in told
    assert "later games" not in figures_text("cup", standings(ROWS, ("ann", "ben"), scoring))


def first_game(set_: int) -> Row:
    """A game that ben wins but for one of ten."""
    seats = ("ann", "ben") if set_ % 10 == 0 else ("ben", "ann")
    return row(2 * set_ - 1, set_, 0, seats)


def second_game(set_: int) -> Row:
    """A game that ann wins but for one of ten."""
    seats = ("ben", "ann") if set_ % 10 == 5 else ("ann", "ben")
    return row(2 * set_, set_, 1, seats)
