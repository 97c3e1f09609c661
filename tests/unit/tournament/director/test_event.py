import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from arena_double import CLIENT, ArenaDouble
from lastcard.rules.record_reader import read_record
from lastcard.rules.shuffle import event_key
from lastcard.rules.verify import verify
from lastcard.tournament import notices
from lastcard.tournament.director import Director, EventBrokenOff, EventError, Report
from lastcard.tournament.file import load
from lastcard.tournament.ledger import Row, read_rows
from lastcard.tournament.notices import Notice
from lastcard.tournament.results import Results
from waiting import process_lives, until

HEAD = """\
[tournament]
name = "cup"
seed = 5
table_size = 2
deals = 3
options = { match_end = "single_round" }
[clock]
start_up = "20s"
"""
GREEDY = '[[bot]]\nname = "%s"\nbuiltin = "greedy"\n'
STAY = "link.recv(1)\n"


def program(name: str, source: str) -> str:
    """The table of a bot that is a Python program."""
    command = json.dumps([sys.executable, "-c", source])
    return f"[[bot]]\nname = {json.dumps(name)}\ncopies = 1\ncommand = {command}\n"


class Played:
    """A tournament that was played on the double: its report, its files and all that was told."""

    again = False
    """Whether it is to be stopped once more while records are verified."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.told: list[Notice] = []
        self.arena = ArenaDouble()
        self.director: Director
        self.report: Report

    @property
    def rows(self) -> list[Row]:
        return sorted(read_rows(self.directory / "ledger.jsonl")[0], key=lambda row: row.game)

    def told_of(self, kind: type) -> list[Notice]:
        return [notice for notice in self.told if isinstance(notice, kind)]


async def play(
    tmp_path: Path, text: str, *, out: str = "out", on: Callable[[Played, Notice], None] | None = None
) -> Played:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    file = load(path, ("greedy",))
    results = Results.create(tmp_path / out, file.text, file.name, file.seed)
    played = Played(results.directory)

    def observe(notice: Notice) -> None:
        played.told.append(notice)
        if on is not None:
            on(played, notice)

    async with played.arena as arena, asyncio.timeout(100):
        played.director = Director(file, results, (arena,), observe)
        played.report = await played.director.run()
    return played


async def test_a_tournament_of_builtins_is_played_recorded_revealed_and_verified(tmp_path: Path) -> None:
    played = await play(tmp_path, HEAD + GREEDY % "a" + GREEDY % "b" + GREEDY % "c")
    rows = played.rows
    assert [row.game for row in rows] == list(range(1, 3 * 3 * 2 + 1))
    assert played.report.complete
    assert (played.report.verified, played.report.problems, played.report.aside) == (18, (), ())
    assert {row.cause for row in rows} == {"single_round"}
    for row in rows:
        data = (played.directory / row.record).read_bytes()
        found = verify(data)
        assert (found.ok, found.revealed, found.record_hash) == (True, True, row.record_hash)
        assert read_record(data).header.bots == row.seats
    assert json.loads((played.directory / "standings.json").read_text())["games"] == 18
    assert (played.directory / "standings.csv").read_text().startswith("rank,bot,")
    assert (played.directory / "tournament.toml").read_text() == (tmp_path / "cup.toml").read_text()
    state = json.loads((played.directory / "event.json").read_text())
    assert (state["state"], state["event_key"]) == ("complete", event_key(5).hex())
    assert not (played.directory / "event.key").exists()
    assert len(played.arena.forgotten) == 18


async def test_games_of_a_set_share_their_deal_and_no_other_game_does(tmp_path: Path) -> None:
    played = await play(tmp_path, HEAD + GREEDY % "a" + GREEDY % "b")
    seeds: dict[int, set[tuple[bytes, ...] | None]] = {}
    for row in played.rows:
        seeds.setdefault(row.set, set()).add(read_record((played.directory / row.record).read_bytes()).seeds)
    assert all(len(each) == 1 for each in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds) == 3
    salts = {read_record((played.directory / row.record).read_bytes()).salt for row in played.rows}
    assert len(salts) == 6


async def test_the_same_seed_gives_the_same_ledger_whatever_the_concurrency(tmp_path: Path) -> None:
    bots = GREEDY % "a" + GREEDY % "b"
    ledgers = []
    for number in (1, 7):
        text = HEAD.replace("deals = 3", f"deals = 9\nconcurrency = {number}") + bots
        played = await play(tmp_path, text, out=f"out{number}")
        ledgers.append([replace(row, times={}) for row in played.rows])
    assert ledgers[0] == ledgers[1]


async def test_identical_deterministic_bots_come_out_exactly_equal(tmp_path: Path) -> None:
    text = HEAD.replace("table_size = 2", "table_size = 4") + "".join(GREEDY % name for name in "abcd")
    played = await play(tmp_path, text)
    ranking = played.report.standings.ranking
    assert [standing.rank for standing in ranking] == [1, 1, 1, 1]
    assert len({standing.points.mean for standing in ranking}) == 1


async def test_records_are_closed_until_their_set_is_complete(tmp_path: Path) -> None:
    found: list[tuple[bool, bool]] = []

    def look(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished):
            for row in played.rows:
                complete = sum(other.set == row.set for other in played.rows) == 2
                data = (played.directory / row.record).read_bytes()
                found.append((complete, verify(data).revealed))

    await play(tmp_path, HEAD.replace("deals = 3", "deals = 8\nconcurrency = 1") + GREEDY % "a" + GREEDY % "b", on=look)
    assert (False, False) in found
    assert set(found) == {(True, True), (False, False)}


async def test_programs_find_their_environment_and_play(tmp_path: Path) -> None:
    told = (
        "import os\n"
        "print(os.environ['LASTCARD_BOT'], os.environ['LEVEL'], os.getcwd())\n"
        "print('looks last in', os.environ['PATH'].split(os.pathsep)[-1])\n"
    )
    text = HEAD + GREEDY % "a" + program("b", told + CLIENT + STAY) + 'environment = { LEVEL = "3" }\ndirectory = "."\n'
    played = await play(tmp_path, text)
    assert played.report.complete
    assert not any(row.faults for row in played.rows)
    printed = (played.directory / "bots" / "b.log").read_text()
    assert f"b 3 {tmp_path}" in printed
    assert f"looks last in {Path(sys.executable).parent}\n" in printed
    assert played.told_of(notices.BotReady) == [notices.BotReady("b", 1)]


async def test_no_process_outlives_the_event(tmp_path: Path) -> None:
    stubborn = (
        "import signal, subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('pids', os.getpid(), child.pid)\ntime.sleep(60)\n"
    )
    played = await play(tmp_path, HEAD + GREEDY % "a" + program("b", CLIENT + stubborn))
    assert played.report.complete
    _, own, child = next(
        line for line in (played.directory / "bots" / "b.log").read_text().splitlines() if line.startswith("pids")
    ).split()
    await until(lambda: not process_lives(int(own)) and not process_lives(int(child)))


@pytest.mark.parametrize(
    ("start_up", "source", "why"),
    [
        ("20s", "print('no money'); sys.exit(4)", "ended with status 4 before it connected; it printed 'no money'"),
        ("20s", "os.kill(os.getpid(), 11)", "was ended by SIGSEGV before it connected"),
        ("300ms", "time.sleep(60)", "did not connect within 0.3 s"),
    ],
)
async def test_a_bot_that_does_not_start_is_set_aside_and_its_games_are_forfeited(
    tmp_path: Path, start_up: str, source: str, why: str
) -> None:
    text = HEAD.replace("20s", start_up) + GREEDY % "a" + program("b", f"import os, sys, time\n{source}") + GREEDY % "c"
    played = await play(tmp_path, text)
    assert played.report.complete
    assert [notice.why for notice in played.told_of(notices.BotFailed)] == [why] * 3  # type: ignore[attr-defined]
    assert played.report.aside == (("b", f"set aside after 3 failures in a row, the last: {why}"),)
    for row in played.rows:
        if "b" in row.seats:
            seat = row.seats.index("b")
            assert row.places[seat] == 2
            (fault,) = row.faults
            assert (fault.seat, fault.bot, fault.kind) == (seat, "b", "start_up")
            assert fault.evidence == f"forfeited: set aside after 3 failures in a row, the last: {why}"
        else:
            assert row.faults == ()
    assert played.report.standings.ranking[-1].bot == "b"
    incidents = (played.directory / "incidents.jsonl").read_text().splitlines()
    assert len(incidents) == 4
    assert json.loads(incidents[0])["what"] == why


async def test_a_bot_that_crashes_is_started_again_with_blame(tmp_path: Path) -> None:
    """It crashes twice in the first game, then stays."""
    die = tmp_path / "die"
    fall = f"""
while not os.path.exists({str(die)!r}):
    time.sleep(0.01)
print("I die", flush=True)
os.remove({str(die)!r})
os._exit(9)
"""

    deaths = []

    def hold(played: Played, notice: Notice) -> None:
        # Games end only after the bot has come to stay, so that each crash falls into one; each life has one at most.
        ready = len(played.told_of(notices.BotReady))
        played.arena.hold = ready < 3
        to_die = ready < 3 and ready not in deaths and bool(played.arena.tables)
        if to_die and isinstance(notice, notices.GameStarted | notices.BotReady):
            deaths.append(ready)
            die.touch()

    played = await play(tmp_path, HEAD + GREEDY % "a" + program("b", CLIENT + fall), on=hold)
    assert played.report.complete
    assert played.report.aside == ()
    why = "ended with status 9; it printed 'I die'"
    assert played.arena.crashes == [("b", why)] * 2
    assert played.told_of(notices.BotFailed) == [notices.BotFailed("b", why, 1), notices.BotFailed("b", why, 2)]
    recovered = [fault["bot"] for row in played.rows for fault in row.times["recovered"]]
    assert set(recovered) == {"b"}
    assert not any(row.faults for row in played.rows)
    told = json.loads((played.directory / "event.json").read_text())["bots"]["b"]
    assert (told["starts"], told["crashes"], told["failures"], told["disconnects"]) == (3, 2, 2, 0)


async def test_a49_a_match_in_which_a_bot_dies_is_recorded_as_its_loss_and_the_others_are_played(
    tmp_path: Path,
) -> None:
    """The bot dies in the middle of its first game, for good: whenever it is started again, it ends at once."""
    die, dead = tmp_path / "die", tmp_path / "dead"
    fall = f"""
while not os.path.exists({str(die)!r}):
    time.sleep(0.01)
open({str(dead)!r}, "w").close()
os._exit(9)
"""

    def hold(played: Played, notice: Notice) -> None:
        # Its game stands still behind its fifth event until the bot has been given up.
        gone = bool(played.told_of(notices.BotSetAside))
        played.arena.hold_behind = 1_000_000 if gone else 5
        if isinstance(notice, notices.GameStarted) and "b" in notice.game.seats:
            die.touch()

    ends = f"import os\nif os.path.exists({str(dead)!r}): os._exit(9)\n"
    played = await play(tmp_path, HEAD + GREEDY % "a" + program("b", ends + CLIENT + fall) + GREEDY % "c", on=hold)
    assert played.report.complete
    assert Counter(frozenset(row.seats) for row in played.rows) == dict.fromkeys(map(frozenset, ("ab", "ac", "bc")), 6)
    for row in played.rows:
        faults = {(fault.bot, fault.seat) for fault in row.faults}
        if "b" in row.seats:
            assert faults == {("b", row.seats.index("b"))}
            assert row.places[row.seats.index("b")] == 2
        else:
            assert faults == set()
    assert any(fault.kind == "crash" for row in played.rows for fault in row.faults)
    (b,) = (each for each in played.report.standings.ranking if each.bot == "b")
    assert (b.games, b.places) == (12, {2: 12})


async def test_a_first_stop_ends_after_the_running_games(tmp_path: Path) -> None:
    def stop(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.played == 3:
            played.director.stop()

    text = HEAD.replace("deals = 3", "deals = 20\nconcurrency = 2") + GREEDY % "a" + GREEDY % "b"
    played = await play(tmp_path, text, on=stop)
    assert not played.report.complete
    assert 3 <= len(played.rows) <= 3 + 2 * 2  # those that are on, and those that are over and being written down
    assert played.report.problems == ()
    assert played.report.verified == len(played.rows)
    assert json.loads((played.directory / "event.json").read_text())["state"] == "stopped"
    assert (played.directory / "event.key").exists()


async def test_a_second_run_plays_exactly_what_is_missing(tmp_path: Path) -> None:
    def stop(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.played == 5:
            played.director.stop()

    text = HEAD.replace("deals = 3", "deals = 9\nconcurrency = 2") + GREEDY % "a" + GREEDY % "b" + GREEDY % "c"
    stopped = await play(tmp_path, text, on=stop)
    before = stopped.rows
    file = load(tmp_path / "cup.toml", ("greedy",))
    async with ArenaDouble() as arena:
        report = await Director(file, Results(stopped.directory, event_key(5)), (arena,), lambda _: None).run()
        assert len(arena.tables) == 54 - len(before)
    assert (report.complete, report.verified, report.problems) == (True, 54, ())
    undisturbed = await play(tmp_path, text, out="undisturbed")
    assert stopped.rows == undisturbed.rows
    assert before == [row for row in undisturbed.rows if row.game in {each.game for each in before}]


async def test_a_reveal_that_was_torn_off_is_written_anew(tmp_path: Path) -> None:
    played = await play(tmp_path, HEAD + GREEDY % "a" + GREEDY % "b")
    record = played.directory / played.rows[0].record
    whole = record.read_bytes()
    results = Results(played.directory, event_key(5))
    for cut in (len(whole) - 1, len(whole) - 100, whole.rindex(b"\n", 0, -1) + 1):
        record.write_bytes(whole[:cut])
        results.reveal(played.rows)
        assert record.read_bytes() == whole
    results.reveal(played.rows)
    assert record.read_bytes() == whole


async def test_a_second_stop_ends_at_once_and_the_ledger_stays_valid(tmp_path: Path) -> None:
    def stop(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.played == 3:
            played.arena.hold = True
            asyncio.get_running_loop().call_later(0.05, played.director.stop)
            asyncio.get_running_loop().call_later(0.1, played.director.stop)

    text = HEAD.replace("deals = 3", "deals = 20\nconcurrency = 2") + GREEDY % "a" + GREEDY % "b"
    played = await play(tmp_path, text, on=stop)
    assert not played.report.complete
    assert 3 <= len(played.rows) <= 3 + 2 * 2
    assert played.told_of(notices.Stopping)[-1].at_once  # type: ignore[attr-defined]


async def test_verifying_is_stopped_at_once_and_done_by_the_next_run(tmp_path: Path) -> None:
    def stop(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.Verifying):
            played.director.stop()
            played.director.stop()

    text = HEAD + GREEDY % "a" + GREEDY % "b"
    with pytest.raises(
        EventBrokenOff, match=r"stopped while records were being verified; the 6 games in .* stand, and"
    ):
        await play(tmp_path, text, on=stop)
    assert json.loads((tmp_path / "out" / "event.json").read_text())["state"] == "running"
    file = load(tmp_path / "cup.toml", ("greedy",))
    async with ArenaDouble() as arena:
        report = await Director(file, Results(tmp_path / "out", event_key(5)), (arena,), lambda _: None).run()
    assert (report.complete, report.verified, arena.opened) == (True, 6, [])


async def test_the_records_of_a_stopped_event_are_verified_unless_it_is_stopped_again(tmp_path: Path) -> None:
    def stop(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.played == 1:
            played.director.stop()
            played.director.stop()
        if isinstance(notice, notices.Verifying) and played.again:
            played.director.stop()

    text = HEAD.replace("deals = 3", "deals = 20") + GREEDY % "a" + GREEDY % "b"
    Played.again = False
    assert (await play(tmp_path, text, on=stop)).report.verified > 0
    Played.again = True
    with pytest.raises(EventBrokenOff, match="stopped while records were being verified"):
        await play(tmp_path, text, out="again", on=stop)


async def test_a_stop_does_not_wait_for_a_bot_that_does_not_come(tmp_path: Path) -> None:
    def stop(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.Started):
            played.director.stop()

    text = HEAD + GREEDY % "a" + program("b", "import time; time.sleep(60)")
    played = await play(tmp_path, text, on=stop)
    assert (played.report.complete, played.rows) == (False, [])


async def test_a_table_that_the_arena_gives_up_is_nobody_s_loss_and_played_again(tmp_path: Path) -> None:
    def give_up(played: Played, _: Notice) -> None:
        played.arena.gives_up = {"game-00002", "game-00002.2"}

    played = await play(tmp_path, HEAD + GREEDY % "a" + GREEDY % "b", on=give_up)
    undisturbed = await play(tmp_path, HEAD + GREEDY % "a" + GREEDY % "b", out="undisturbed")
    assert "game-00002.3" in played.arena.tables
    assert played.rows == undisturbed.rows


async def test_an_arena_that_gives_a_game_up_for_good_ends_the_event(tmp_path: Path) -> None:
    def give_up(played: Played, _: Notice) -> None:
        played.arena.gives_up = {"game-00003", "game-00003.2", "game-00003.3"}

    text = HEAD.replace("deals = 3", "deals = 3\nconcurrency = 1") + GREEDY % "a" + GREEDY % "b"
    with pytest.raises(EventError, match=r"the arena gave game 3 up 3 times; .*arena\.log says why; the \d games? in "):
        await play(tmp_path, text, on=give_up)


async def test_an_arena_that_cannot_store_ends_the_event_with_its_bots(tmp_path: Path) -> None:
    def fail(played: Played, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.played == 2:
            played.arena.hold = True
            played.arena.failure.set_result("the arena cannot store games any more: the disk is full; make room")

    text = HEAD.replace("deals = 3", "deals = 9") + GREEDY % "a" + program("b", CLIENT + "print(os.getpid())\n" + STAY)
    with pytest.raises(EventBrokenOff, match=r"any more: the disk is full; make room; the \d games in .* stand"):
        await play(tmp_path, text, on=fail)
    pid = int((tmp_path / "out" / "bots" / "b.log").read_text().split()[-1])
    await until(lambda: not process_lives(pid))


async def test_a_full_disk_ends_the_event_with_a_valid_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Results.keep_records

    def keep(self: Results, games: Sequence[tuple[int, bytes, bytes]], **options: bool) -> list[str]:
        if len(read_rows(self.ledger)[0]) + len(games) > 2:
            raise OSError(28, "No space left on device")
        return append(self, games, **options)

    monkeypatch.setattr(Results, "keep_records", keep)
    with pytest.raises(EventError, match=r"No space left on device; make room; the \d games? in .*ledger\.jsonl stand"):
        await play(tmp_path, HEAD + GREEDY % "a" + program("b", CLIENT + STAY))
    assert len(read_rows(tmp_path / "out" / "ledger.jsonl")[0]) in (1, 2)
