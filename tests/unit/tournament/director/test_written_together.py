"""Games that are written together: what follows from them is done once, whoever comes to it."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena_double import ArenaDouble, Table
from lastcard.rules.verify import verify
from lastcard.tournament.director.books import Books, Finished
from lastcard.tournament.director.game import plan_of
from lastcard.tournament.file import TournamentFile, load
from lastcard.tournament.ledger import MOST_AT_ONCE
from lastcard.tournament.results import Results
from lastcard.tournament.resumption import resume
from lastcard.tournament.schedule import Game

TEXT = """\
[tournament]
name = "cup"
seed = 5
table_size = 2
deals = 40
options = { match_end = "single_round" }
[[bot]]
name = "a"
builtin = "greedy"
[[bot]]
name = "b"
command = ["python3", "-c", ""]
"""
GAMES = 6
"""Three sets; b is removed from the first four games."""


@pytest.fixture
def cup(tmp_path: Path) -> TournamentFile:
    path = tmp_path / "cup.toml"
    path.write_text(TEXT)
    return load(path, ("greedy",))


def begun(tmp_path: Path, file: TournamentFile, name: str) -> Results:
    return Results.create(tmp_path / name, file.text, file.name, file.seed)


async def played(file: TournamentFile, key: bytes, games: int = GAMES) -> list[Finished]:
    """Games that follow each other, all of which are over."""
    made = []
    async with ArenaDouble() as arena:
        arena.times_out = late
        for number in range(1, games + 1):
            seats = ("a", "b") if number % 2 else ("b", "a")
            game = Game(number, (number + 1) // 2, (number + 1) // 2, (number + 1) % 2, seats)
            result, files, _ = await arena.play(plan_of(game, file, key), lambda _: None)
            made.append(Finished(game, replace(result, started_ms=number * 10, ended_ms=number * 10 + 5), files))
    return made


def late(table: Table, step: int) -> str:
    number = int((table.plan.table_id or "").removeprefix("game-"))
    return "b" if step == 12 and number <= 4 else ""


async def test_what_follows_from_games_that_were_written_together_is_done_by_the_next_run(
    tmp_path: Path, cup: TournamentFile
) -> None:
    whole = begun(tmp_path, cup, "whole")
    games = await played(cup, whole.key)
    books = Books(cup, whole)
    for game in games:
        ((row, left),) = books.write([game])
        books.judge(row, left, ())
    assert books.conduct.aside("b") is not None
    disturbed = begun(tmp_path, cup, "disturbed")
    first = Books(cup, disturbed)
    written = first.write(games)
    first.judge(*written[0], ())  # and then the process is killed
    again = Books(cup, resume(disturbed.directory, cup))
    failures = again.begin()
    assert [failure.in_a_row for failure in failures] == [2, 3]
    assert again.conduct.as_dict() == books.conduct.as_dict()
    assert again.counted == books.counted == GAMES
    assert Books(cup, resume(disturbed.directory, cup)).begin() == []
    ledgers = [(directory.directory / "ledger.jsonl").read_bytes() for directory in (whole, disturbed)]
    assert ledgers[0] == ledgers[1]


async def test_reveals_that_are_missing_behind_the_last_rows_are_made_by_the_next_run(
    tmp_path: Path, cup: TournamentFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = begun(tmp_path, cup, "out")
    games = await played(cup, results.key, MOST_AT_ONCE - 1)
    with monkeypatch.context() as patched:
        patched.setattr(Results, "reveal_kept", lambda *_: None)
        Books(cup, results).write(games)
    Books(cup, resume(results.directory, cup)).begin()
    for row in Books(cup, resume(results.directory, cup)).rows:
        found = verify((results.directory / row.record).read_bytes())
        assert (found.ok, found.revealed) == (True, row.game < MOST_AT_ONCE - 1)  # the last set is not complete
