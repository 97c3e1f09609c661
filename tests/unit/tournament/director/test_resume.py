"""Events that are gone on with: what an earlier director left is taken up, on a double of the arena."""

import asyncio
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from arena_double import CLIENT, ArenaDouble
from lastcard.rules.verify import verify
from lastcard.tournament import notices
from lastcard.tournament.director import Director, EventError, Report, look_again
from lastcard.tournament.director.books import Books, Finished
from lastcard.tournament.director.guard_program import MARK
from lastcard.tournament.director.tables import Tables
from lastcard.tournament.file import TournamentFile, load
from lastcard.tournament.ledger import Row, read_rows
from lastcard.tournament.notices import Notice
from lastcard.tournament.results import Results
from lastcard.tournament.resumption import resume
from waiting import process_lives, until

HEAD = """\
[tournament]
name = "cup"
seed = 5
table_size = 2
deals = 4
concurrency = 2
options = { match_end = "single_round" }
[clock]
start_up = "20s"
"""
GREEDY = '[[bot]]\nname = "%s"\nbuiltin = "greedy"\n'
TWO = HEAD + GREEDY % "a" + GREEDY % "b"
STAY = "link.recv(1)\n"
HELD_BEHIND = 25


class KilledError(BaseException):
    """The director's process ends here."""


def program(name: str, source: str) -> str:
    """The table of a bot that is a Python program."""
    command = json.dumps([sys.executable, "-c", source])
    return f"[[bot]]\nname = {json.dumps(name)}\ncopies = 1\ncommand = {command}\n"


class Event:
    """An event that is begun, killed and gone on with; `told` is what the present director told."""

    def __init__(self, tmp_path: Path, text: str, out: str = "out") -> None:
        path = tmp_path / f"{out}.toml"
        path.write_text(text)
        self.file: TournamentFile = load(path, ("greedy",))
        self.directory = tmp_path / out
        self.arena: ArenaDouble | None = None
        self.director: Director
        self.told: list[Notice] = []

    @property
    def rows(self) -> list[Row]:
        rows = sorted(read_rows(self.directory / "ledger.jsonl")[0], key=lambda row: row.game)
        return [replace(row, times={}) for row in rows]

    def told_of(self, kind: type) -> list[Notice]:
        return [notice for notice in self.told if isinstance(notice, kind)]

    async def run(
        self,
        *,
        on: Callable[[Notice], None] = lambda _: None,
        prepare: Callable[[ArenaDouble], None] = lambda _: None,
    ) -> Report:
        """Begin the event, or go on with it."""
        file = self.file
        if self.directory.exists():
            results = resume(self.directory, file)
        else:
            results = Results.create(self.directory, file.text, file.name, file.seed)
        self.told = []
        self.arena = ArenaDouble(self.arena)
        prepare(self.arena)

        def observe(notice: Notice) -> None:
            self.told.append(notice)
            on(notice)

        async with self.arena as arena, asyncio.timeout(100):
            self.director = Director(file, results, (arena,), observe)
            return await self.director.run()

    async def run_until(self, condition: Callable[["Event"], bool], hold: int = 1_000_000) -> None:
        """Run until something is so, and die then; tables wait behind event `hold`."""

        def prepare(arena: ArenaDouble) -> None:
            arena.hold_behind = hold

        self.told = []
        run = asyncio.create_task(self.run(prepare=prepare))
        await until(lambda: bool(self.told) and condition(self))
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    async def run_to(self, kind: type, number: int) -> None:
        """Run until something has been told so often, and die then."""

        def die(_: Notice) -> None:
            if len(self.told_of(kind)) == number:
                raise KilledError

        with pytest.raises(KilledError):
            await self.run(on=die)


async def undisturbed(tmp_path: Path, text: str) -> list[Row]:
    made = Event(tmp_path, text, "undisturbed")
    report = await made.run()
    assert (report.complete, report.problems) == (True, ())
    return made.rows


def held(made: Event, games: int) -> bool:
    assert made.arena is not None
    return sum(table.last >= HELD_BEHIND for table in made.arena.tables.values()) == games


async def test_running_games_go_on_at_the_very_event(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)
    await made.run_until(lambda made: held(made, 2), HELD_BEHIND)
    assert made.arena is not None
    at = {table_id: table.last for table_id, table in made.arena.tables.items()}
    assert made.rows == []

    def hold(arena: ArenaDouble) -> None:
        arena.hold = True

    def go_on(_: Notice) -> None:
        assert made.arena is not None
        made.arena.hold = len(made.told_of(notices.GameStarted)) < 2

    report = await made.run(on=go_on, prepare=hold)
    assert (report.complete, report.problems, report.torn) == (True, (), 0)
    assert made.told[0] == notices.Resumed((), 0)
    gone_on = [notice for notice in made.told_of(notices.GameStarted) if notice.at]  # type: ignore[attr-defined]
    assert [notice.at for notice in gone_on] == list(at.values())  # type: ignore[attr-defined]
    assert made.arena.opened == [f"game-{game:05}" for game in range(3, 9)]
    assert made.rows == await undisturbed(tmp_path, TWO)


async def test_a_closed_table_without_its_row_gets_it_from_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KilledError

    made = Event(tmp_path, TWO)
    with monkeypatch.context() as patched:
        patched.setattr(Books, "write", die)
        with pytest.raises(KilledError):
            await made.run()
    assert made.rows == []
    assert made.arena is not None
    over = [table_id for table_id, table in made.arena.tables.items() if table.result is not None]
    assert over
    report = await made.run()
    assert (report.complete, report.problems) == (True, ())
    assert not set(over) & set(made.arena.opened)
    assert made.rows == await undisturbed(tmp_path, TWO)


async def test_tables_of_games_that_have_their_rows_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KilledError

    made = Event(tmp_path, TWO.replace("concurrency = 2", "concurrency = 1"))
    with monkeypatch.context() as patched:
        patched.setattr(Tables, "forget", die)
        with pytest.raises(KilledError):
            await made.run()
    (row,) = made.rows
    await made.run()
    assert made.arena is not None
    assert f"game-{row.game:05}" in made.arena.forgotten
    assert f"game-{row.game:05}" not in made.arena.opened


async def test_what_a_set_reveals_is_revealed_before_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KilledError

    text = TWO.replace("concurrency = 2", "concurrency = 1")
    made = Event(tmp_path, text)
    with monkeypatch.context() as patched:
        patched.setattr(Results, "reveal_kept", die)
        with pytest.raises(KilledError):
            await made.run()
    rows = made.rows
    complete = [row for row in rows if row.set == rows[-1].set]
    assert len(complete) == 2

    def revealed(notice: Notice) -> None:
        if isinstance(notice, notices.Started):
            assert all(verify((made.directory / row.record).read_bytes()).revealed for row in complete)

    await made.run(on=revealed)
    assert made.told_of(notices.Started)


async def test_tokens_of_an_earlier_run_are_worth_nothing(tmp_path: Path) -> None:
    text = HEAD + GREEDY % "a" + program("b", CLIENT + "print(os.environ['LASTCARD_TOKEN'], flush=True)\n" + STAY)
    made = Event(tmp_path, text)
    log = made.directory / "bots" / "b.log"
    await made.run_until(lambda made: held(made, 2) and log.read_text().count("token") == 1, HELD_BEHIND)
    assert made.arena is not None
    (old,) = made.arena.tokens
    await made.run_until(lambda made: held(made, 2) and log.read_text().count("token") == 2, HELD_BEHIND)
    (new,) = made.arena.tokens
    assert [line for line in log.read_text().splitlines() if line.startswith("token")] == [old, new]
    assert new != old
    assert (await made.run()).complete


async def test_failures_in_a_row_are_counted_over_runs_and_set_a_bot_aside_for_good(tmp_path: Path) -> None:
    text = HEAD + GREEDY % "a" + program("b", "import sys; sys.exit(3)")
    made = Event(tmp_path, text)
    await made.run_to(notices.BotFailed, 1)
    await made.run_to(notices.BotFailed, 1)
    assert made.told_of(notices.BotFailed)[0].in_a_row == 2  # type: ignore[attr-defined]
    await made.run_to(notices.GameFinished, 1)
    (aside,) = made.told_of(notices.BotSetAside)
    report = await made.run()
    assert report.complete
    assert made.told_of(notices.BotFailed) == []
    assert report.aside == (
        ("b", "set aside after 3 failures in a row, the last: ended with status 3 before it connected"),
    )
    assert aside == notices.BotSetAside("b", report.aside[0][1])
    assert made.rows == await undisturbed(tmp_path, text)
    assert {fault.kind for row in made.rows for fault in row.faults} == {"start_up"}


async def test_a_bot_set_aside_in_mid_game_is_out_of_it_once_and_at_the_same_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The director dies when the failure is written down but the seat not removed, when it is being, and afterwards."""
    go = tmp_path / "go"
    fails = CLIENT + f"while not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\nos._exit(7)\n"
    text = HEAD.replace("concurrency = 2", "concurrency = 1") + GREEDY % "a" + program("b", fails)

    def die(*_: object) -> None:
        raise KilledError

    def die_of_the_third(notice: Notice) -> None:
        if isinstance(notice, notices.GameStarted):
            go.touch()
        if isinstance(notice, notices.BotFailed) and notice.in_a_row == 3:
            die()

    def hold(arena: ArenaDouble) -> None:
        arena.hold_behind = HELD_BEHIND

    made = Event(tmp_path, text)
    with pytest.raises(KilledError):
        await made.run(on=die_of_the_third, prepare=hold)
    assert made.arena is not None
    (table,) = made.arena.tables.values()
    assert (table.removed, table.heard) == ([], [])
    at = table.last
    remove = ArenaDouble.remove_seat
    with monkeypatch.context() as patched:
        patched.setattr(ArenaDouble, "remove_seat", die)
        with pytest.raises(KilledError):
            await made.run(prepare=hold)
        patched.setattr(ArenaDouble, "remove_seat", lambda arena, *what: (remove(arena, *what), release(arena)))
        patched.setattr(Books, "write", die)
        with pytest.raises(KilledError):
            await made.run(prepare=hold)
    (table,) = made.arena.tables.values()
    assert table.result is not None
    report = await made.run()
    assert report.complete
    first = made.rows[0]
    (fault,) = [fault for fault in first.faults if fault.kind != "crash"]
    assert (fault.bot, fault.kind, fault.sequence) == ("b", "disconnect", at)
    assert fault.evidence.startswith("forfeited: set aside after 3 failures in a row, the last: ended with status 7")
    assert first.places[first.seats.index("b")] == 2


def release(arena: ArenaDouble) -> None:
    arena.hold_behind = 1_000_000


async def test_a_stop_at_once_leaves_running_games_to_be_gone_on_with(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)

    def hold(arena: ArenaDouble) -> None:
        arena.hold_behind = HELD_BEHIND

    run = asyncio.create_task(made.run(prepare=hold))
    await until(lambda: bool(made.told) and held(made, 2))
    made.director.stop()
    made.director.stop()
    report = await run
    assert (report.complete, made.rows) == (False, [])
    assert made.arena is not None
    assert made.arena.suspended
    assert [table.cancelled for table in made.arena.tables.values()] == [False, False]
    assert json.loads((made.directory / "event.json").read_text())["state"] == "stopped"
    report = await made.run()
    assert report.complete
    assert made.arena.opened[0] == "game-00003"
    assert made.rows == await undisturbed(tmp_path, TWO)


async def test_a_first_stop_waits_for_games_that_an_earlier_run_began(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)
    await made.run_until(lambda made: held(made, 2), HELD_BEHIND)

    def stop(notice: Notice) -> None:
        if isinstance(notice, notices.Resumed):
            made.director.stop()

    report = await made.run(on=stop)
    assert not report.complete
    assert [row.game for row in made.rows] == [1, 2]


async def test_attempts_that_the_arena_gave_up_are_not_begun_again(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)

    def give_up(arena: ArenaDouble) -> None:
        arena.gives_up = {"game-00001", "game-00001.2"}

    def die(_: Notice) -> None:
        assert made.arena is not None
        if "game-00001.3" in made.arena.tables:
            raise KilledError

    with pytest.raises(KilledError):
        await made.run(on=die, prepare=give_up)
    report = await made.run()
    assert report.complete
    assert made.arena is not None
    assert not {table for table in made.arena.opened if table.startswith("game-00001")}
    assert {"game-00001", "game-00001.2", "game-00001.3"} <= set(made.arena.forgotten)
    assert made.rows == await undisturbed(tmp_path, TWO)


async def test_when_a_director_has_ended_nobody_writes_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever goes on with the event at once would write to the same files."""
    made = Event(tmp_path, TWO)
    begun, go, written = threading.Event(), threading.Event(), threading.Event()
    write = Books.write

    def slowly(books: Books, games: Sequence[Finished]) -> list[tuple[Row, Mapping[int, int]]]:
        begun.set()
        assert go.wait(60)
        rows = write(books, games)
        written.set()
        return rows

    monkeypatch.setattr(Books, "write", slowly)
    run = asyncio.create_task(made.run())
    await until(begun.is_set)
    run.cancel()
    asyncio.get_running_loop().call_later(0.2, go.set)
    with pytest.raises(asyncio.CancelledError):
        await run
    assert written.is_set()


async def test_processes_that_an_earlier_run_left_are_ended(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)
    await made.run_until(lambda made: held(made, 2), HELD_BEHIND)
    mark = json.loads((made.directory / "event.json").read_text())["mark"]
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    left, other = [
        await asyncio.create_subprocess_exec(*sleep, env={**os.environ, MARK: value}, start_new_session=True)
        for value in (f"{mark}.0123", "another.0123")
    ]
    try:
        await made.run()
        assert not process_lives(left.pid)
        assert process_lives(other.pid)
    finally:
        other.kill()
        await asyncio.gather(left.wait(), other.wait())


async def test_nothing_is_started_when_all_games_have_their_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> None:
        raise KilledError

    text = HEAD + GREEDY % "a" + program("b", CLIENT + STAY)
    made = Event(tmp_path, text)
    with monkeypatch.context() as patched:
        patched.setattr(Books, "settle", die)
        with pytest.raises(KilledError):
            await made.run()
    report = await made.run()
    assert (report.complete, report.verified) == (True, 8)
    assert [type(notice) for notice in made.told] == [notices.Resumed, notices.Verifying]


async def test_a_torn_row_is_cut_off_said_and_written_again(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)
    await made.run_to(notices.GameFinished, 2)
    ledger = made.directory / "ledger.jsonl"
    whole = ledger.read_bytes()
    rows = read_rows(ledger)[0]
    ledger.write_bytes(whole[:-20])
    torn = len(whole[:-20]) - (whole[:-20].rfind(b"\n") + 1)
    report = await made.run()
    assert made.told[0] == notices.Resumed(tuple(replace(row, luck=(), times={}) for row in rows[:-1]), torn)
    assert (report.complete, report.problems, report.torn) == (True, (), torn)
    assert made.rows == await undisturbed(tmp_path, TWO)


async def test_a_ledger_of_another_event_is_refused(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)
    await made.run_to(notices.GameFinished, 2)
    ledger = made.directory / "ledger.jsonl"
    ledger.write_text(ledger.read_text().replace('"seats": ["a", "b"]', '"seats": ["x", "y"]'))
    with pytest.raises(
        EventError, match=r"game \d is of a, b on deal \d in this event, but of x, y on deal \d in .*led"
    ):
        await made.run()


async def test_a_complete_event_is_looked_at_and_not_played(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)
    first = await made.run()
    before = {path: path.read_bytes() for path in made.directory.rglob("*") if path.is_file()}
    told: list[Notice] = []
    again = look_again(made.file, resume(made.directory, made.file), told.append)
    assert again == first
    assert told == [notices.Complete(8), notices.Verifying(8)]
    assert {path: path.read_bytes() for path in made.directory.rglob("*") if path.is_file()} == before


async def test_a_complete_event_whose_ledger_lost_rows_is_not_called_complete(tmp_path: Path) -> None:
    made = Event(tmp_path, TWO)
    await made.run()
    ledger = made.directory / "ledger.jsonl"
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(
        EventError, match=r"has 7 rows, but 8 games were played when the event was complete; put it back"
    ):
        look_again(made.file, resume(made.directory, made.file), lambda _: None)


async def test_what_bots_printed_may_be_cleared_away(tmp_path: Path) -> None:
    text = TWO + program("c", CLIENT + STAY)
    made = Event(tmp_path, text)
    await made.run_to(notices.GameFinished, 2)
    shutil.rmtree(made.directory / "bots")
    assert (await made.run()).complete
    assert (made.directory / "bots" / "c.log").exists()


@pytest.mark.parametrize("part", ["bots", "records"])
async def test_an_event_without_finished_games_needs_no_directory_for_what_there_is_not(
    tmp_path: Path, part: str
) -> None:
    made = Event(tmp_path, TWO)
    Results.create(made.directory, made.file.text, made.file.name, made.file.seed)
    (made.directory / part).rmdir()
    report = await made.run()
    assert (report.complete, report.problems) == (True, ())
