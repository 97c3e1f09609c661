"""The course of tournaments on a running server, over gRPC: registered bots of the SDK and builtins."""

import asyncio
import json
import os
import tarfile
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from bot_doubles import Gated
from lastcard.cli.main import main
from lastcard.services.export import CHUNK
from lastcard.tournament.director.hosted_event import HostedEvent
from lastcard.tournament.hosting import HostedState
from lastcard.tournament.ledger import read_rows
from lastcard.tournament.results import Results
from lastcard.v1 import tournament_pb2 as tp
from lastcard_bot.bots import make_bot
from service_client import BOUND_S, connection, refused
from tournament_client import Organiser, cup
from waiting import until


@pytest.fixture
async def hosting(start_arena, tmp_path):
    """A server that keeps its data, and an organiser on it."""
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        yield arena, Organiser(channel)


@pytest.fixture
def dial_in(dial):
    """Registers a bot and has it dial in."""

    async def dial_in(hosting, name, bot=None):
        arena, organiser = hosting
        bot = bot or make_bot("greedy")
        dial(bot, arena.address, name=name, token=await organiser.register(name))
        return bot

    return dial_in


def rows_of(data, name="cup"):
    """The rows of a ledger by game, without what depends on the clock."""
    rows, torn = read_rows(data / "events" / name / "ledger.jsonl")
    assert torn == 0
    return [replace(row, times={}, versions=()) for row in sorted(rows, key=lambda row: row.game)]


async def test_registered_bots_and_builtins_play_a_hosted_round_robin(hosting, dial_in, tmp_path, capsys):
    _, organiser = hosting
    for name in ("ann", "ben"):
        await dial_in(hosting, name)
    made = await organiser.create(cup("ann", "ben", "+cora", deals=2), start=True)
    assert (made.name, made.state) == ("cup", tp.TOURNAMENT_STATE_RUNNING)
    heard = await organiser.watch(standings=True)
    rows = [message.row for message in heard if message.HasField("row")]
    assert [row.sequence for row in rows] == list(range(1, 13))
    kept = rows_of(tmp_path)
    assert sorted(row.game.game for row in rows) == [row.game for row in kept] == list(range(1, 13))
    assert all(row.faults == () for row in kept)
    assert [message.tournament.state for message in heard if message.HasField("tournament")][-1] == (
        tp.TOURNAMENT_STATE_COMPLETE
    )
    assert {message.bot.bot for message in heard if message.bot.ready} <= {"ann", "ben"}
    rankings = [message.standings for message in heard if message.HasField("standings")]
    assert (rankings[-1].games, rankings[-1].sets, rankings[-1].last_sequence) == (12, 6, 12)
    answer = (await organiser.call("GetStandings", name="cup")).standings
    told = json.loads(answer.json)
    assert [standing.bot for standing in answer.ranking] == [standing["bot"] for standing in told["ranking"]]
    for standing, figures in zip(answer.ranking, told["ranking"], strict=True):
        assert standing.score.mean == pytest.approx(figures["score"]["mean"], abs=1e-6)
    directory = tmp_path / "events" / "cup"
    assert main(["verify", str(directory)]) == 0
    assert main(["tournament", "report", str(directory), "--json"]) == 0
    report = json.loads(capsys.readouterr().out.partition("\n{")[2].join(("{", "")) or "{}")
    assert report["ranking"] == told["ranking"]


async def test_a_swiss_of_registered_bots_and_builtins(hosting, dial_in, tmp_path):
    _, organiser = hosting
    for name in ("ann", "ben"):
        await dial_in(hosting, name)
    text = cup("ann", "ben", "+cora", "+dora", more='format = "swiss"\nrounds = 2', deals=1, concurrency=4)
    await organiser.create(text, start=True)
    found = await organiser.state("COMPLETE")
    assert (found.format, found.games, found.games_played) == ("swiss", 8, 8)
    assert len(rows_of(tmp_path)) == 8


async def test_a_tournament_is_paused_after_its_running_games_and_goes_on(hosting, dial_in, tmp_path):
    _, organiser = hosting
    ann = await dial_in(hosting, "ann", Gated())
    ann.go.clear()
    await organiser.create(cup("ann", "+ben", deals=6, concurrency=2), start=True)
    await until(lambda: ann.asked >= 2)
    running = (await organiser.get()).running
    assert (await organiser.call("ListTournaments")).tournaments[0].games_played == 0
    assert [game.game for game in running] == [1, 2]
    paused = (await organiser.call("PauseTournament", name="cup", reason="lunch")).tournament
    assert (paused.state, paused.reason) == (tp.TOURNAMENT_STATE_PAUSING, "lunch")
    ann.go.set()
    found = await organiser.state("PAUSED")
    assert (found.games, found.games_played, len(found.running), found.reason) == (12, 2, 0, "lunch")
    again = (await organiser.call("PauseTournament", name="cup")).tournament
    assert again.state == tp.TOURNAMENT_STATE_PAUSED
    assert (await organiser.call("ResumeTournament", name="cup")).tournament.state == tp.TOURNAMENT_STATE_RUNNING
    found = await organiser.state("COMPLETE")
    assert (found.games_played, found.reason) == (12, "")
    assert [row.game for row in rows_of(tmp_path)] == list(range(1, 13))


async def test_one_whose_last_games_are_on_when_it_is_paused_is_complete_without_a_reason(hosting, dial_in):
    _, organiser = hosting
    ann = await dial_in(hosting, "ann", Gated())
    ann.go.clear()
    await organiser.create(cup("ann", "+ben", deals=1, concurrency=2), start=True)
    await until(lambda: ann.asked >= 2)
    await organiser.call("PauseTournament", name="cup", reason="lunch")
    ann.go.set()
    found = await organiser.state("COMPLETE")
    assert (found.games_played, found.reason) == (2, "")


async def test_one_that_is_resumed_while_it_is_about_to_pause_goes_on(hosting, dial_in):
    _, organiser = hosting
    ann = await dial_in(hosting, "ann", Gated())
    ann.go.clear()
    await organiser.create(cup("ann", "+ben", deals=3, concurrency=1), start=True)
    await until(lambda: ann.asked)
    await organiser.call("PauseTournament", name="cup")
    await organiser.call("ResumeTournament", name="cup")
    ann.go.set()
    assert (await organiser.state("COMPLETE")).games_played == 6


async def test_a_cancelled_tournament_closes_its_tables_and_keeps_its_ledger(hosting, dial_in, tmp_path):
    arena, organiser = hosting
    ann = await dial_in(hosting, "ann", Gated())
    await organiser.create(cup("ann", "+ben", deals=200, concurrency=1), start=True)
    await organiser.watch(until=lambda message: message.row.sequence == 3)
    ann.go.clear()
    await until(arena.open_tables)
    cancelled = (await organiser.call("CancelTournament", name="cup", reason="rain")).tournament
    assert (cancelled.state, cancelled.reason) == (tp.TOURNAMENT_STATE_CANCELLED, "rain")
    heard = await organiser.watch()
    assert heard[-1].WhichOneof("message") in ("row", "tournament")
    await until(lambda: not arena.open_tables())
    kept = rows_of(tmp_path)
    assert len(kept) == (await organiser.get()).games_played >= 3
    for wish in ("Start", "Pause", "Resume"):
        code, reason, sentence = await refused(organiser.call(f"{wish}Tournament", name="cup"))
        assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "WRONG_STATE")
        assert "the tournament 'cup' is cancelled; it can be" in sentence
    await organiser.call("CancelTournament", name="cup")
    ann.go.set()
    assert len(rows_of(tmp_path)) == len(kept)


async def test_a_bot_that_does_not_come_is_waited_for_and_loses_by_the_ruling(hosting, tmp_path):
    _, organiser = hosting
    await organiser.register("ann")
    text = cup("ann", "+ben", deals=1).replace("remote = true", 'remote = true\nwait = "1ms"')
    text = text.replace('start_up = "30s"', 'start_up = "1ms"')
    await organiser.create(text, start=True)
    await organiser.state("COMPLETE")
    rows = rows_of(tmp_path)
    assert [fault.kind for row in rows for fault in row.faults] == ["start_up", "start_up"]
    ranking = (await organiser.call("GetStandings", name="cup")).standings.ranking
    assert [(standing.bot, standing.score.mean) for standing in ranking] == [("ben", 1), ("ann", 0)]


# ---------------------------------------------------------------- runs of the server


@pytest.mark.slow
async def test_a_running_one_goes_on_by_itself_after_a_stop_and_a_paused_one_stays_paused(start_arena, dial, tmp_path):
    arena = await start_arena(data=tmp_path)
    bots = {name: Gated() for name in ("ann", "ben")}
    async with connection(arena.address) as channel:
        organiser = Organiser(channel)
        tokens = {name: await organiser.register(name) for name in bots}
        playing = [dial(bots[name], arena.address, name=name, token=tokens[name]) for name in bots]
        await organiser.create(cup("ann", "ben", name="still", deals=40), start=True)
        await organiser.watch("still", until=lambda message: message.row.sequence == 1)
        await organiser.call("PauseTournament", name="still")
        before = await organiser.state("PAUSED", "still")
        await organiser.create(cup("ann", "ben", deals=8, concurrency=3), start=True)
        await organiser.watch(until=lambda message: message.row.sequence == 5)
        for bot in bots.values():
            bot.go.clear()
        await until(lambda: len(arena.open_tables()) == 3)
    await arena.stop(1)
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    for bot in bots.values():
        bot.go.set()
    again = await start_arena(data=tmp_path)
    for name, bot in bots.items():
        dial(bot, again.address, name=name, token=tokens[name])
    async with connection(again.address) as channel:
        organiser = Organiser(channel)
        found = await organiser.state("COMPLETE")
        assert found.games_played == 16
        kept = await organiser.get("still")
        assert (kept.state, kept.games_played) == (tp.TOURNAMENT_STATE_PAUSED, before.games_played)
        rows = rows_of(tmp_path)
        assert [row.game for row in rows] == list(range(1, 17))
        assert all(row.faults == () for row in rows)
        listed = (await organiser.call("ListTournaments")).tournaments
        assert [(one.name, one.games_played) for one in listed] == [("cup", 16), ("still", before.games_played)]
        await organiser.create(cup("ann", "ben", name="whole", deals=8), start=True)
        await organiser.state("COMPLETE", "whole")
    assert rows == rows_of(tmp_path, "whole")


async def test_one_that_was_to_pause_when_the_server_ended_plays_its_running_games_and_is_paused(
    start_arena, dial, tmp_path
):
    arena = await start_arena(data=tmp_path)
    ann = Gated()
    ann.go.clear()
    async with connection(arena.address) as channel:
        organiser = Organiser(channel)
        token = await organiser.register("ann")
        dial(ann, arena.address, name="ann", token=token)
        await organiser.create(cup("ann", "+ben", deals=5, concurrency=2), start=True)
        await until(lambda: ann.asked >= 2)
        await organiser.call("PauseTournament", name="cup")
    await arena.stop(1)
    again = await start_arena(data=tmp_path)
    dial(Gated(), again.address, name="ann", token=token)
    async with connection(again.address) as channel:
        found = await Organiser(channel).state("PAUSED")
    assert found.games_played == 2


async def test_tables_of_one_that_was_cancelled_are_closed_by_the_next_run_too(start_arena, dial, tmp_path):
    arena = await start_arena(data=tmp_path)
    ann = Gated()
    ann.go.clear()
    async with connection(arena.address) as channel:
        organiser = Organiser(channel)
        dial(ann, arena.address, name="ann", token=await organiser.register("ann"))
        await organiser.create(cup("ann", "+ben"), start=True)
        await until(lambda: ann.asked >= 2)
        event = arena._organising.hosting.events.find("cup")
        event.cancel = lambda: asyncio.sleep(0)  # the server ends before it comes to that
        await organiser.call("CancelTournament", name="cup")
    await arena.stop(1)
    again = await start_arena(data=tmp_path)
    assert again.open_tables() == []


async def test_one_that_was_complete_when_the_server_died_is_never_said_to_run_again(
    start_arena, tmp_path, monkeypatch
):
    arena = await start_arena(data=tmp_path)
    change, over = HostedEvent.change, asyncio.Event()

    def die_before_it_is_noted(event, state, reason=""):
        over.set() if state is HostedState.COMPLETE else change(event, state, reason)

    with monkeypatch.context() as dying:
        dying.setattr(HostedEvent, "change", die_before_it_is_noted)
        async with connection(arena.address) as channel:
            await Organiser(channel).create(cup("+ann", "+ben"), start=True)
            await asyncio.wait_for(over.wait(), BOUND_S)
        await arena.stop(1)
    state = tmp_path / "events" / "cup" / "event.json"
    complete = state.read_bytes()
    assert json.loads(complete)["event_key"]
    said = []
    monkeypatch.setattr(Results, "write_state", lambda _results, state, *_, **__: said.append(state))
    again = await start_arena(data=tmp_path)
    async with connection(again.address) as channel:
        found = await Organiser(channel).state("COMPLETE")
    assert (found.games, found.games_played, said) == (4, 4, [])
    assert state.read_bytes() == complete


# ---------------------------------------------------------------- what breaks


async def test_a_disk_that_refuses_breaks_one_tournament_alone_and_it_can_be_gone_on_with(
    hosting, dial_in, tmp_path, monkeypatch
):
    _, organiser = hosting
    ann = await dial_in(hosting, "ann", Gated())
    ann.go.clear()
    await organiser.create(cup("ann", "+ben", name="full", deals=3), start=True)
    await organiser.create(cup("ann", "+ben", name="fine", deals=3), start=True)
    await until(lambda: ann.asked >= 4)
    write = os.write

    def write_or_refuse(descriptor, data):
        if "/events/full/" in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr("lastcard.tournament.durable.os.write", write_or_refuse)
    ann.go.set()
    found = await organiser.state("BROKEN", "full")
    assert "No space left on device" in found.reason
    assert "a resume goes on with the event" in found.reason
    assert (await organiser.state("COMPLETE", "fine")).games_played == 6
    monkeypatch.undo()
    await organiser.call("ResumeTournament", name="full")
    assert (await organiser.state("COMPLETE", "full")).games_played == 6
    assert rows_of(tmp_path, "full") == rows_of(tmp_path, "fine")


async def test_a_directory_that_is_not_what_it_was_breaks_the_tournament_and_is_left_alone(hosting, tmp_path):
    _, organiser = hosting
    await organiser.create(cup("+ann", "+ben"))
    foreign = tmp_path / "events" / "cup"
    foreign.mkdir(parents=True)
    (foreign / "diary.txt").write_text("mine")
    await organiser.call("StartTournament", name="cup")
    found = await organiser.state("BROKEN")
    assert "holds 'diary.txt', so it is no results directory" in found.reason
    assert (foreign / "diary.txt").read_text() == "mine"
    (foreign / "diary.txt").unlink()
    await organiser.call("ResumeTournament", name="cup")
    assert (await organiser.state("COMPLETE")).games_played == 4


async def test_a_fault_of_ours_breaks_one_tournament_and_is_found_by_its_number(hosting, monkeypatch):
    _, organiser = hosting

    def broken(*_arguments):
        raise RuntimeError("secret")

    monkeypatch.setattr("lastcard.tournament.director.hosted_event.Director", broken)
    await organiser.create(cup("+ann", "+ben"), start=True)
    found = await organiser.state("BROKEN")
    assert found.reason.startswith("the server made a mistake; its log has it under incident ")
    assert "secret" not in found.reason


# ---------------------------------------------------------------- archives


async def test_an_export_is_the_directory_without_secrets_and_verifies(hosting, tmp_path):
    _, organiser = hosting
    await organiser.create(cup("+ann", "+ben", deals=3, seed=8), start=True)
    await organiser.state("COMPLETE")
    names = await export(organiser, tmp_path / "out")
    assert {"cup/ledger.jsonl", "cup/standings.json", "cup/tournament.toml", "cup/records/00001.jsonl"} <= names
    assert main(["verify", str(tmp_path / "out" / "cup")]) == 0
    without = await export(organiser, tmp_path / "without", without_records=True)
    assert without == {name for name in names if not name.startswith("cup/records/")}


async def test_before_the_end_an_export_holds_the_records_of_complete_sets_alone(hosting, dial_in, tmp_path):
    _, organiser = hosting
    ann = await dial_in(hosting, "ann", Gated())
    ann.hold = "game-00010"
    await organiser.create(cup("ann", "+ben", deals=8, concurrency=1).replace("seed = 3\n", ""), start=True)
    await until(lambda: not ann.go.is_set())
    names = await export(organiser, tmp_path / "out")
    rows = await organiser.rows()
    closed = {row.game.record for row in rows if row.game.open_set}
    shown = {name.removeprefix("cup/") for name in names if name.startswith("cup/records/") and name.endswith(".jsonl")}
    assert closed
    assert shown
    assert shown.isdisjoint(closed)
    assert shown <= {row.game.record for row in rows}
    assert not any("key" in name or "store" in name for name in names)
    ann.go.set()


async def export(organiser, target, **fields):
    """Takes an archive out to a directory; the names in it."""
    target.mkdir()
    archive = target / "cup.tar.gz"
    parts = [message.data async for message in organiser.call("ExportTournament", name="cup", **fields)]
    archive.write_bytes(b"".join(parts))
    with tarfile.open(archive) as opened:
        opened.extractall(target, filter="data")
        return {member.name for member in opened}


@pytest.mark.slow
async def test_an_archive_that_nobody_reads_is_broken_off(hosting, monkeypatch):
    arena, organiser = hosting
    await organiser.create(cup("+ann", "+ben"), start=True)
    await organiser.state("COMPLETE")
    given = []

    async def large(*_arguments, **_options):
        for number in range(1_000):
            given.append(number)
            yield bytes(CHUNK)

    monkeypatch.setattr("lastcard.services.tournament_service.PART_S", 0.1)
    monkeypatch.setattr("lastcard.services.tournament_service.exported", large)
    async with connection(arena.address, small=True) as channel:
        call = Organiser(channel).call("ExportTournament", name="cup")
        assert await call.read()
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await stay_behind(call, given)
    assert raised.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "a part of the archive was not read" in raised.value.details()
    assert len(given) < 1_000


async def stay_behind(call, given):
    """Reads on only when the server has stopped giving."""
    seen = -1
    while seen < len(given):
        seen = len(given)
        await asyncio.sleep(0.5)
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_a_directory_that_is_gone_is_not_begun_anew(hosting, dial_in, tmp_path):
    _, organiser = hosting
    ann = await dial_in(hosting, "ann", Gated())
    ann.go.clear()
    await organiser.create(cup("ann", "+ben", deals=6), start=True)
    await until(lambda: ann.asked)
    await organiser.call("PauseTournament", name="cup")
    ann.go.set()
    await organiser.state("PAUSED")
    directory = tmp_path / "events" / "cup"
    directory.rename(tmp_path / "away")
    await organiser.call("ResumeTournament", name="cup")
    assert "is empty, though the tournament had begun; put it back" in (await organiser.state("BROKEN")).reason
    directory.rmdir()
    (tmp_path / "away").rename(directory)
    await organiser.call("ResumeTournament", name="cup")
    assert (await organiser.state("COMPLETE")).games_played == 12


async def test_one_that_is_cancelled_when_its_server_has_just_started_plays_nothing_more(start_arena, dial, tmp_path):
    arena = await start_arena(data=tmp_path)
    ann = Gated()
    ann.go.clear()
    async with connection(arena.address) as channel:
        organiser = Organiser(channel)
        dial(ann, arena.address, name="ann", token=await organiser.register("ann"))
        await organiser.create(cup("ann", "+ben", concurrency=1), start=True)
        await until(lambda: ann.asked)
    await arena.stop(1)
    again = await start_arena(data=tmp_path)  # ann does not come back, so that the game would wait for long
    async with connection(again.address) as channel:
        organiser = Organiser(channel)
        await organiser.call("CancelTournament", name="cup")
        await organiser.watch()
        await until(lambda: not again.open_tables())
        assert await organiser.rows() == []
