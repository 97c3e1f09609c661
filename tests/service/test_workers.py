"""Worker processes with real arenas: they play, die, are started again with what they knew, end with the director."""

import asyncio
import os
import resource
import signal
import sys

import pytest

from lastcard.app import ArenaError
from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import SeatLeft
from lastcard.rules.record_reader import read_record
from lastcard.rules.verify import verify
from lastcard.services.settings import Settings
from lastcard.workers import arena as worker_arena
from lastcard.workers.arena import MOST_BEATS, MOST_DEATHS, WorkerArena
from service_client import plan as any_plan
from waiting import process_lives, until

pytestmark = pytest.mark.slow


def plan(*seats, **fields):
    """A plan of a game of an event, whose chance is given."""
    return any_plan(*seats, deal_key=bytes(32), salt=bytes(32), **fields)


class Started:
    """A worker, what was told of its deaths, and a call to play that it was given."""

    def __init__(self, tmp_path) -> None:
        self.died: list[str] = []
        self.begun: list[int] = []
        self.log = tmp_path / "arena.log"
        settings = Settings(data=tmp_path / "store", anonymous=False)
        self.arena = WorkerArena(2, settings, self.log, "test-worker.2", self.died.append)

    def play(self, plan_):
        return asyncio.create_task(self.arena.play(plan_, self.begun.append))

    async def kill(self) -> None:
        before = self.arena.run
        self.arena.kill()
        await until(lambda: self.arena.run > before and self.arena._is_open)


@pytest.fixture
async def worker(tmp_path):
    started = Started(tmp_path)
    await started.arena.start()
    yield started
    await started.arena.stop()
    assert started.arena._process is not None
    assert not process_lives(started.arena._process.pid)


async def test_a_game_is_played_known_and_forgotten(worker):
    played = await worker.play(plan("+greedy", "+random", table_id="game", closed=True))
    found = verify(played.files.record)
    assert (found.ok, found.record_hash) == (True, played.result.record_hash.hex())
    assert (worker.begun, worker.arena.known) == ([0], {"game"})
    assert b"receipt" in played.files.receipts
    worker.arena.forget_table("game")
    assert not worker.arena.is_known("game")
    assert await worker.arena.lasts(1)
    assert "worker" in worker.log.read_text()


async def test_a_worker_that_dies_is_started_again_and_its_games_go_on(worker):
    """What the dead one did not hear of, its successor is told."""
    playing = worker.play(plan("ann", "ben", "+greedy", table_id="game"))
    await until(lambda: worker.begun)
    gone = asyncio.create_task(worker.arena.gone(1))
    old, token = worker.arena.address, await worker.arena.mint("ann")
    worker.arena._is_open = False  # what is told now is lost
    worker.arena.remove_seat("game", 0)
    worker.arena._is_open = True
    await worker.kill()
    await gone
    assert worker.died == [
        "server process 2 was ended by signal 9 and is started again; its games go on where they were"
    ]
    assert (worker.arena.run, await worker.arena.lasts(1), await worker.arena.lasts(2)) == (2, False, True)
    assert worker.arena.address != old
    assert await worker.arena.mint("ann") != token
    assert not playing.done()
    worker.arena.remove_seat("game", 1)
    played = await playing
    left = [event for event in read_record(played.files.record).events if isinstance(event, SeatLeft)]
    assert {(event.seat, event.cause) for event in left} == {(0, LeaveCause.REMOVED), (1, LeaveCause.REMOVED)}
    assert worker.begun == [0]


async def test_tables_that_were_to_be_forgotten_are_forgotten_by_the_next_worker(worker):
    playing = worker.play(plan("ann", "+greedy", table_id="on"))
    await worker.play(plan("+greedy", "+random", table_id="over"))
    worker.arena._is_open = False  # what is told now is lost
    worker.arena.forget_table("over")
    worker.arena._is_open = True
    await worker.kill()
    assert worker.arena.known == {"on"}
    again = await worker.play(plan("+greedy", "+random", table_id="over"))
    assert again.result.places
    playing.cancel()


async def test_a_call_that_is_asked_while_a_worker_is_down_is_answered_by_the_next(worker):
    worker.arena.kill()
    await until(lambda: worker.arena.run == 2)
    assert await worker.arena.mint("ann")
    assert worker.arena._is_open


async def test_whether_a_run_lasts_is_not_answered_by_the_next_one(worker):
    os.kill(worker.arena._process.pid, signal.SIGSTOP)
    asking = asyncio.create_task(worker.arena.lasts(1))
    await asyncio.sleep(0)
    worker.arena.kill()
    assert not await asking


async def test_a_worker_that_dies_while_it_is_started_again_is_started_once_more(worker):
    playing = worker.play(plan("ann", "+greedy", table_id="game"))
    await until(lambda: worker.begun)
    first = worker.arena._process
    worker.arena.kill()
    await until(lambda: worker.arena._process is not first)
    assert not worker.arena._is_open
    worker.arena.kill()
    await until(lambda: worker.arena._is_open)
    sentence = "server process 2 was ended by signal 9 and is started again; its games go on where they were"
    assert worker.died == [sentence] * 2
    worker.arena.remove_seat("game", 0)
    assert (await playing).result.places == (2, 1)


async def test_a_worker_is_told_of_a_seat_at_a_table_that_it_does_not_have_yet(worker):
    """One that has just been started may have to open the table anew; when it has, it is told again."""
    worker.arena._tell("remove_seat", "game", 0)
    assert await worker.arena.mint("ann")
    assert (worker.died, worker.arena.run) == ([], 1)


async def test_a_worker_that_hangs_is_ended_and_its_games_go_on(worker):
    playing = worker.play(plan("ann", "+greedy", table_id="game"))
    await until(lambda: worker.begun)
    for _ in range(3 * MOST_BEATS):
        worker.arena._ask_for_life()
        await until(lambda: worker.arena._unanswered == 0)
    assert worker.died == []
    os.kill(worker.arena._process.pid, signal.SIGSTOP)
    for _ in range(MOST_BEATS + 1):
        worker.arena._ask_for_life()
    await until(lambda: worker.arena.run > 1 and worker.arena._is_open)
    (sentence,) = worker.died
    assert sentence.startswith("server process 2 was ended since it said nothing for 60 s and is started again; its ga")
    worker.arena.remove_seat("game", 0)
    assert (await playing).result.places == (2, 1)


async def test_a_worker_is_asked_all_the_time_whether_it_lives(tmp_path, monkeypatch):
    """At so short intervals one that lives may be taken for one that hangs; the one that is stopped surely is."""
    monkeypatch.setattr(worker_arena, "BEAT_S", 0.001)
    started = Started(tmp_path)
    await started.arena.start()
    os.kill(started.arena._process.pid, signal.SIGSTOP)
    await until(lambda: bool(started.died), 60)
    assert "since it said nothing" in started.died[0]
    await started.arena.stop()


async def test_a_worker_that_hangs_at_its_start_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(worker_arena, "START_S", 0)
    started = Started(tmp_path)
    with pytest.raises(ArenaError, match=r"^server process 2 was ended since it said nothing for 0 s at its start"):
        await started.arena.start()
    await started.arena.stop()
    assert not process_lives(started.arena._process.pid)


async def test_a_worker_that_dies_again_and_again_is_given_up(worker):
    for number in range(1, MOST_DEATHS):
        await worker.kill()
        assert len(worker.died) == number
    worker.arena.kill()
    sentence = await worker.arena.failed()
    assert sentence.startswith(f"server process 2 was ended by signal 9, as {MOST_DEATHS} times in a row without a fin")
    assert str(worker.log) in sentence
    await worker.arena.suspend()


async def test_deaths_are_counted_from_the_last_finished_game_on(worker):
    for number in range(MOST_DEATHS):
        await worker.kill()
        await worker.play(plan("+greedy", "+random", table_id=f"game-{number}"))
        worker.arena.forget_table(f"game-{number}")
    assert len(worker.died) == MOST_DEATHS
    assert (worker.arena.known, worker.arena._calls, worker.arena._removed) == (set(), {}, {})


async def test_a_suspended_worker_is_not_started_again_and_the_next_event_goes_on(worker, tmp_path):
    playing = worker.play(plan("ann", "+greedy", table_id="game"))
    await until(lambda: worker.begun)
    await worker.arena.mint("ann")  # which is stored behind the table
    await worker.arena.suspend()
    worker.arena.kill()
    await until(lambda: not process_lives(worker.arena._process.pid))
    assert worker.died == []
    playing.cancel()
    again = Started(tmp_path)
    await again.arena.start()
    try:
        assert again.arena.known == {"game"}
        going = again.play(plan("ann", "+greedy", table_id="game"))
        await until(lambda: again.begun)
        again.arena.remove_seat("game", 0)
        assert (await going).result.places == (2, 1)
    finally:
        await again.arena.stop()


async def test_a_worker_whose_store_cannot_be_opened_says_why(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "lastcard.sqlite3").write_bytes(b"no store at all" * 1_000)
    started = Started(tmp_path)
    with pytest.raises(ArenaError, match=r"lastcard\.sqlite3"):
        await started.arena.start()
    await started.arena.stop()


async def test_a_worker_whose_store_fails_says_why(worker, tmp_path):
    playing = worker.play(plan("ann", "+greedy", table_id="game"))
    await until(lambda: worker.begun)
    store = tmp_path / "store" / "lastcard.sqlite3"
    worker.arena.kill()
    await until(lambda: worker.arena.run == 2)
    assert (await worker.arena.mint("x")) is not None
    worker.arena.kill()
    store.write_bytes(b"no store at all" * 1_000)
    assert str(store) in await worker.arena.failed()
    playing.cancel()


async def test_a_worker_that_cannot_write_any_more_says_so_and_the_next_event_goes_on(worker, tmp_path):
    playing = worker.play(plan("ann", "+greedy", table_id="game"))
    await until(lambda: worker.begun)
    await worker.arena.mint("ann")  # which is stored behind the table
    assert worker.arena._process is not None
    resource.prlimit(worker.arena._process.pid, resource.RLIMIT_FSIZE, (1, 1))
    minting = asyncio.create_task(worker.arena.mint("ann"))
    sentence = await worker.arena.failed()
    assert sentence.startswith("the arena cannot store games any more: ")
    assert str(tmp_path / "store") in sentence
    assert not playing.done()
    for task in (playing, minting):
        task.cancel()
    await worker.arena.stop()
    again = Started(tmp_path)
    await again.arena.start()
    assert again.arena.known == {"game"}
    await again.arena.stop()


ALONE = """
import asyncio, sys
from pathlib import Path
from lastcard.services.settings import Settings
from lastcard.workers.arena import WorkerArena
async def main():
    here = Path(sys.argv[1])
    arena = WorkerArena(1, Settings(data=here / "alone"), here / "alone.log", "test-worker.1", print)
    await arena.start()
    print(arena._process.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.parametrize("stuck", [False, True])
async def test_a_worker_ends_with_its_director_even_when_it_is_stuck(tmp_path, stuck):
    director = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", ALONE, str(tmp_path)), stdout=asyncio.subprocess.PIPE
    )
    assert director.stdout is not None
    pid = int(await director.stdout.readline())
    if stuck:
        os.kill(pid, signal.SIGSTOP)
    director.kill()
    await director.wait()
    if stuck:
        assert process_lives(pid)
        os.kill(pid, signal.SIGCONT)
    await until(lambda: not process_lives(pid))
