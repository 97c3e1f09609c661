"""A bot as several processes: who is started, what each finds, and what their failures come to."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from arena_double import CLIENT, ArenaDouble
from lastcard.tournament import notices
from lastcard.tournament.director import Director, Report
from lastcard.tournament.file import load
from lastcard.tournament.notices import Notice
from lastcard.tournament.results import Results
from waiting import process_lives, until

HEAD = """\
[tournament]
name = "cup"
seed = 5
table_size = 2
deals = 4
concurrency = 3
options = { match_end = "single_round" }
[clock]
start_up = "20s"
[[bot]]
name = "a"
builtin = "greedy"
"""
STAY = "link.recv(1)\n"


def program(source: str, extra: str = "") -> str:
    """The table of a bot that is a Python program."""
    return f'[[bot]]\nname = "b"\ncommand = {json.dumps([sys.executable, "-c", source])}\n{extra}\n'


class Played:
    """A tournament on the double: what was told, its report and its files."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.told: list[Notice] = []
        self.arena = ArenaDouble()
        self.director: Director
        self.report: Report

    def told_of(self, kind: type) -> list[Notice]:
        return [notice for notice in self.told if isinstance(notice, kind)]

    def counted(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.directory / "event.json").read_text())["bots"]["b"]
        return found

    def logs(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted((self.directory / "bots").iterdir())}


async def play(
    tmp_path: Path,
    text: str,
    *,
    on: Callable[[Played, Notice], None] = lambda *_: None,
    prepare: Callable[[ArenaDouble], None] = lambda _: None,
) -> Played:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    file = load(path, ("greedy",))
    results = Results.create(tmp_path / "out", file.text, file.name, file.seed)
    played = Played(results.directory)
    prepare(played.arena)

    def observe(notice: Notice) -> None:
        played.told.append(notice)
        on(played, notice)

    async with played.arena as arena:
        played.director = Director(file, results, (arena,), observe)
        played.report = await played.director.run()
    return played


async def test_there_are_as_many_copies_as_games_at_once_each_with_a_token_a_number_and_a_file(tmp_path: Path) -> None:
    told = "import os\nprint('I am', os.environ['LASTCARD_COPY'], os.environ['LASTCARD_TOKEN'], flush=True)\n"
    played = await play(tmp_path, HEAD + program(told + CLIENT + STAY))
    assert played.report.complete
    assert {notice.copy for notice in played.told_of(notices.BotReady)} == {1, 2, 3}  # type: ignore[attr-defined]
    logs = played.logs()
    assert list(logs) == ["b.log", "b@2.log", "b@3.log"]
    said = [next(line.split()[2:] for line in log.splitlines() if line.startswith("I am")) for log in logs.values()]
    assert [number for number, _ in said] == ["1", "2", "3"]
    assert len({token for _, token in said}) == 3
    assert played.counted()["starts"] == 3


async def test_the_file_may_say_how_many(tmp_path: Path) -> None:
    played = await play(tmp_path, HEAD + program(CLIENT + STAY, "copies = 2"))
    assert list(played.logs()) == ["b.log", "b@2.log"]


async def test_no_game_begins_before_each_copy_has_had_its_chance(tmp_path: Path) -> None:
    """The second copy does not start; the others need not wait for it any longer then."""
    absent = "import os, sys\nif os.environ['LASTCARD_COPY'] == '2':\n    sys.exit(4)\n"
    seen: list[list[str]] = []

    def look(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameStarted) and not seen:
            seen.append([type(each).__name__ for each in played.told if type(each).__name__.startswith("Bot")])

    played = await play(tmp_path, HEAD + program(absent + CLIENT + STAY), on=look)
    assert played.report.complete
    assert sorted(seen[0])[:3] == ["BotFailed", "BotReady", "BotReady"]


async def test_copies_that_fail_together_have_failed_once(tmp_path: Path) -> None:
    played = await play(tmp_path, HEAD + program("import sys; sys.exit(3)"))
    failed = [notice.in_a_row for notice in played.told_of(notices.BotFailed)]  # type: ignore[attr-defined]
    assert failed == [1, 2, 3]
    why = "ended with status 3 before it connected"
    assert played.report.aside == (("b", f"set aside after 3 failures in a row, the last: {why}"),)
    incidents = [json.loads(line)["what"] for line in (played.directory / "incidents.jsonl").read_text().splitlines()]
    assert incidents.count(why) > 3
    starts = played.counted()["starts"]
    assert isinstance(starts, int)
    assert starts >= 5  # of each copy one, and of some another for each further failure
    assert played.counted()["failures"] == 3


async def test_a_copy_that_dies_is_started_again_while_the_others_play_on(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    name = "os.environ['LASTCARD_COPY'] + '-' + str(os.getpid())"
    say = f"import os\nopen(os.path.join({str(pids)!r}, {name}), 'w').close()\n"

    def kill(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.played == 2:
            (victim,) = pids.glob("2-*")
            os.kill(int(victim.name[2:]), signal.SIGKILL)
        if isinstance(notice, notices.GameStarted):
            played.arena.hold = False

    played = await play(tmp_path, HEAD.replace("deals = 4", "deals = 30") + program(say + CLIENT + STAY), on=kill)
    assert played.report.complete
    assert played.report.aside == ()
    assert played.arena.crashes == [("b", "was ended by SIGKILL; it printed 'connected as b'")]
    assert (played.counted()["crashes"], played.counted()["failures"]) == (1, 1)


async def test_no_process_of_any_copy_outlives_the_event(tmp_path: Path) -> None:
    stubborn = (
        "import signal, subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('pids', os.getpid(), child.pid, flush=True)\ntime.sleep(60)\n"
    )
    played = await play(tmp_path, HEAD + program(CLIENT + stubborn, "copies = 2"))
    assert played.report.complete
    pids = [
        int(word)
        for log in played.logs().values()
        for line in log.splitlines()
        if line.startswith("pids")
        for word in line.split()[1:]
    ]
    assert len(pids) == 4
    for pid in pids:
        await until(lambda pid=pid: not process_lives(pid))  # type: ignore[misc]


async def test_a_bot_that_fails_its_probe_is_started_anew_and_set_aside_before_the_first_game(tmp_path: Path) -> None:
    def fail(arena: ArenaDouble) -> None:
        arena.fails_probe = lambda _, time: "no answer within 10 s" if time % 3 == 0 else ""

    played = await play(tmp_path, HEAD + program(CLIENT + STAY), prepare=fail)
    why = "failed the health probe: timeout: no answer within 10 s"
    assert [notice.why for notice in played.told_of(notices.BotFailed)] == [why] * 3  # type: ignore[attr-defined]
    assert played.report.aside == (("b", f"set aside after 3 failures in a row, the last: {why}"),)
    assert played.arena.probes == ["b"] * 9
    assert played.arena.crashes == []
    told = [type(notice).__name__ for notice in played.told]
    assert told.index("BotSetAside") < told.index("GameStarted")
    assert {fault.kind for row in played.director._books.rows for fault in row.faults} == {"start_up"}
    assert played.counted()["starts"] == 9


async def test_a_bot_that_passes_at_the_second_time_plays(tmp_path: Path) -> None:
    def fail(arena: ArenaDouble) -> None:
        arena.fails_probe = lambda _, time: "no answer within 10 s" if time == 1 else ""

    played = await play(tmp_path, HEAD + program(CLIENT + STAY, "copies = 1"), prepare=fail)
    assert (played.report.aside, played.arena.probes) == ((), ["b", "b"])
    assert played.counted()["starts"] == 2
    assert not any(row.faults for row in played.director._books.rows)


async def test_copies_are_started_anew_when_their_arena_was(tmp_path: Path) -> None:
    broken: list[bool] = []

    def break_down(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameStarted) and not broken:
            broken.append(True)
            played.arena.hold = True
            tasks.add(asyncio.ensure_future(played.arena.break_down()))
        if isinstance(notice, notices.BotReady) and notice.starts == 2:
            played.arena.hold = False

    tasks: set[object] = set()
    played = await play(tmp_path, HEAD + program(CLIENT + STAY, "copies = 2"), on=break_down)
    assert played.report.complete
    assert played.told_of(notices.BotFailed) == []
    assert (played.arena.crashes, played.counted()["starts"], played.counted()["failures"]) == ([], 4, 0)
