"""`lastcard table` against a real arena on a real port."""

import asyncio
import json
import os
import signal
import sys
from typing import NamedTuple

import grpc
import pytest

from lastcard.cli.main import main
from lastcard.cli.show_game import shown_events
from lastcard.cli.table_follow import Follower
from lastcard.cli.table_server import TableServer
from lastcard.conform.wire import Wire
from lastcard.rules.record_reader import read_record
from lastcard.rules.ruleset import ruleset
from lastcard.rules.view import redact
from lastcard.v1 import table_pb2
from lastcard.v1 import table_service_pb2 as tp
from serve_process import ServeProcess
from service_client import BOUND_S, BotStream, connection, plan, tables_stub
from waiting import until

ONE_ROUND = ("--option", "match_end=single_round")
ONE_ROUND_RULES = {"preset": "official", "options": [{"name": "match_end", "value": "single_round"}]}
SLOW_CLOCK = {"limit": {"seconds": 600}, "bank": {}, "grace": {"seconds": 600}}


class Ended(NamedTuple):
    status: int
    out: str
    err: str


class Commands:
    """Runs `lastcard table …` in threads of their own; what all of them print comes together."""

    def __init__(self, capsys) -> None:
        self._capsys = capsys
        self._out = self._err = ""

    @property
    def out(self) -> str:
        """What was printed since the last whole command began."""
        self._read()
        return self._out

    @property
    def err(self) -> str:
        """What was printed to standard error since then."""
        self._read()
        return self._err

    def _read(self) -> None:
        read = self._capsys.readouterr()
        self._out += read.out
        self._err += read.err

    async def __call__(self, *argv: str) -> Ended:
        """Runs one command to its end."""
        self._read()
        self._out = self._err = ""
        return Ended(await self.begin(*argv), self.out, self.err)

    def begin(self, *argv: str) -> "asyncio.Task[int]":
        """Begins a command; the task returns its status."""
        return asyncio.create_task(asyncio.wait_for(asyncio.to_thread(main, ["table", *argv]), BOUND_S))


@pytest.fixture
def lastcard(monkeypatch, capsys, tmp_path):
    for name in ("LASTCARD_SERVER", "LASTCARD_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Follower, "give_up_s", BOUND_S)
    return Commands(capsys)


@pytest.fixture
def here(lastcard, arena, monkeypatch):
    """The commands, with the arena's address in the environment."""
    monkeypatch.setenv("LASTCARD_SERVER", arena.address)
    return lastcard


# ------------------------------------------------------------------ create


async def test_a_table_is_opened_as_asked_and_tells_what_to_do_next(lastcard, arena, channel):
    ended = await lastcard(
        *("create", "bot:mine", "builtin:greedy", "open", "--server", arena.address, "--rules", "german"),
        *("--option", "jump_in=identical", "--limit", "1.5s", "--bank", "0s", "--reaction", "50ms", "--start-up", "1m"),
        *("--grace", "2s", "--reactions", "sealed", "--draws", "per_seat", "--round-pause", "1s"),
    )
    assert (ended.status, ended.err) == (0, "")
    [table] = (await tables_stub(channel).ListTables(tp.ListTablesRequest())).tables
    assert [seat.name for seat in table.seats] == ["mine", "greedy", ""]
    assert (table.ruleset.preset, table.ruleset.options[0].value) == ("german", "identical")
    assert table.reactions == table_pb2.REACTION_MODE_SEALED
    assert table.draws == table_pb2.DRAW_ORDER_PER_SEAT
    spans = [getattr(table.clock, name).ToMilliseconds() for name in ("limit", "bank", "reaction", "start_up", "grace")]
    assert spans == [1_500, 0, 50, 60_000, 2_000]
    assert arena.host.tables[table.table_id].plan.round_pause_ms == 1_000
    where = f"--server {arena.address}"
    assert ended.out.startswith(f"table {table.table_id} is waiting\n")
    assert "seats 0 mine (awaited), 1 greedy (builtin), 2 (open)" in ended.out
    assert f"lastcard bot run BOT --name mine {where}" in ended.out
    assert f"lastcard table watch {table.table_id} {where}" in ended.out
    assert f"lastcard table record {table.table_id} {where}" in ended.out
    assert "open seats (2)" in ended.out


async def test_the_next_steps_leave_out_a_server_that_the_environment_names(here):
    ended = await here("create", "open", "builtin:random")
    assert "--server" not in ended.out


async def test_waiting_for_several_tables_prints_how_each_came_out(here):
    ended = await here("create", "builtin:greedy", "builtin:random", *ONE_ROUND, "--count", "3", "--wait")
    assert ended.status == 0
    assert ended.out.count("is over (one round played) after 1 round") == 3
    assert ended.out.count("  1.  ") == 3


async def test_waiting_as_json_prints_each_table_with_its_result_on_a_line(here):
    ended = await here("create", "builtin:greedy", "builtin:random", *ONE_ROUND, "--count", "2", "--wait", "--json")
    tables = [json.loads(line) for line in ended.out.splitlines()]
    assert len({table["table_id"] for table in tables}) == 2
    assert [table["state"] for table in tables] == ["TABLE_STATE_CLOSED"] * 2
    assert all(sorted(table["result"]["places"]) == [1, 2] for table in tables)


async def test_a_table_that_is_not_played_to_its_end_is_status_1(here, arena):
    waiting = here.begin("create", "open", "open", "--wait")
    await until(lambda: bool(arena.host.tables) and "seats" in here.out)
    arena.cancel_table(next(iter(arena.host.tables)))
    assert await waiting == 1
    assert "is cancelled" in here.out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["builtin:greedy", "builtin:nobody"], "there is no builtin 'nobody'; valid are greedy, random, shrewd"),
        (["bot:a/b", "open"], "the name at seat 0 is 'a/b'; a name is"),
        (["open"], "a table has 2 to 10 seats, not 1"),
        (["open", "open", "--rules", "spanish"], "there is no preset 'spanish'; valid are german"),
        (["open", "open", "--option", "jump=1"], "there is no option 'jump'; valid are"),
        (["open", "open", "--option", "jump_in=maybe"], "jump_in"),
        (["open", "open", "--option", "jump_in=off", "--option", "jump_in=off"], "given twice"),
        (["open", "open", "--option", "hand_size=100"], "hand_size"),
    ],
)
async def test_what_the_server_refuses_is_one_sentence_and_status_2(here, arena, argv, said):
    ended = await here("create", *argv)
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not arena.host.tables


async def test_a_full_server_tells_what_was_opened_before(lastcard, start_arena):
    arena = await start_arena(max_tables=2)
    ended = await lastcard("create", "open", "open", "--count", "3", "--server", arena.address)
    assert ended.status == 2
    assert "try again in 1 s" in ended.err
    assert all(table_id in ended.err for table_id in arena.host.tables)
    assert len(arena.host.tables) == 2


# ------------------------------------------------------------------ the server


async def test_nobody_there_is_one_sentence_that_names_serve(lastcard, arena):
    await arena.stop(0)
    ended = await lastcard("list", "--server", arena.address)
    assert ended.status == 2
    assert f"no server answers at {arena.address}" in ended.err
    assert "`lastcard serve`" in ended.err
    assert ended.err.count("\n") == 1


async def test_another_kind_of_server_is_no_arena(lastcard):
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    ended = await lastcard("list", "--server", f"127.0.0.1:{port}")
    await server.stop(0)
    assert ended.status == 2
    assert "is no arena" in ended.err


async def test_tokens_are_asked_for_and_sent(lastcard, start_arena, monkeypatch):
    arena = await start_arena(anonymous=False)
    monkeypatch.setenv("LASTCARD_SERVER", arena.address)
    ended = await lastcard("list")
    assert ended.status == 2
    assert "wants a token; give a valid one with --token or in LASTCARD_TOKEN" in ended.err
    ended = await lastcard("list", "--token", "wrong")
    assert ended.status == 2
    assert "does not know the token" in ended.err
    monkeypatch.setenv("LASTCARD_TOKEN", arena.mint("ann"))
    assert (await lastcard("list")).status == 0


# ------------------------------------------------------------------ list


async def test_tables_are_listed_newest_first_through_all_pages(here, arena, monkeypatch):
    monkeypatch.setattr("lastcard.cli.table_list.PAGE", 2)
    opened = [arena.open_table(plan("nobody", "+greedy")) for _ in range(5)]
    over = arena.open_table(plan("+greedy", "+random"))
    await arena.result(over)
    ended = await here("list")
    assert ended.status == 0
    assert [line.split()[0] for line in ended.out.splitlines()[1:]] == [over, *reversed(opened)]
    assert " won" in ended.out.splitlines()[1]
    assert "nobody (awaited), greedy (builtin)" in ended.out.splitlines()[2]
    ended = await here("list", "--limit", "3", "--json")
    assert [json.loads(line)["table_id"] for line in ended.out.splitlines()] == [over, *reversed(opened[-2:])]
    ended = await here("list", "--state", "closed", "--json")
    assert [json.loads(line)["table_id"] for line in ended.out.splitlines()] == [over]


async def test_no_tables_are_said_and_as_json_nothing(here):
    ended = await here("list", "--state", "running")
    assert (ended.status, ended.out.partition(";")[0]) == (0, f"no running table on {os.environ['LASTCARD_SERVER']}")
    assert await here("list", "--json") == (0, "", "")


# ------------------------------------------------------------------ watch


def public_moves(data: bytes) -> list[str]:
    """The moves of a record as `lastcard show` writes them, without what a spectator does not see."""
    record = read_record(data)
    rules = ruleset(record.header.preset, record.header.options)
    events = [redact(event, None, rules, True) for event in record.events]
    return [line for one in shown_events(events) if one.move for line in one.lines()]


async def test_a_game_is_followed_live_in_the_notation_of_records(here, arena, bot):
    table_id = arena.open_table(plan("me", "+greedy", "+random"))
    watching = here.begin("watch", table_id)
    await until(lambda: "seats 0 me (awaited)" in here.out)
    await until(lambda: bool(arena.host.tables[table_id].watchers))
    stream = bot()
    await stream.hello("me")
    await stream.play_at(table_id)
    assert await watching == 0
    text = here.out
    lines = text.splitlines()
    assert "      seat 0 is taken by me" in lines
    assert "round 1, dealer" in text
    moves = public_moves(arena.record(table_id).record)
    assert [line for line in lines if line in moves] == moves
    assert f"table {table_id} is over (one round played) after 1 round" in lines
    assert "holds" not in text, "a spectator sees no hands"


async def test_a_seats_owner_sees_hand_and_questions(here, arena, bot):
    token = arena.mint("me")
    stream = bot(token)
    await stream.hello("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    question = await stream.decision(table_id)
    watching = here.begin("watch", table_id, "--own", "--token", token)
    await until(lambda: f"#{question.decision_id}: hand" in here.out)
    await stream.act(question)
    await stream.play_at(table_id)
    assert await watching == 0
    text = here.out
    assert "? TURN #" in text
    assert "  may: " in text
    assert " holds " in text


async def test_who_comes_late_begins_with_the_state_of_the_table(here, arena, bot):
    stream = bot()
    await stream.hello("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    while (asked := await stream.decision(table_id)).view.turn_seat != asked.view.seat:
        pass  # a reaction, which the others do not wait for
    watching = here.begin("watch", table_id)
    await until(lambda: "cards in the pile" in here.out)
    assert f"round 1, turn {asked.view.turn}, dealer {asked.view.dealer}, after event {asked.sequence}\n" in here.out
    arena.cancel_table(table_id)
    assert await watching == 1
    assert f"table {table_id} is cancelled" in here.out


async def test_messages_as_json_are_those_of_the_stream(here, arena):
    table_id = arena.open_table(plan("+greedy", "+random"))
    await arena.result(table_id)
    ended = await here("watch", table_id, "--json", "--delay", "10ms")
    first, last = (json.loads(line) for line in ended.out.splitlines())
    assert ended.status == 0
    assert first["snapshot"]["view"]["round"] == 1
    assert last["closed"]["result"]["cause"] == "CLOSE_CAUSE_FINISHED"


async def test_a_game_that_is_over_names_the_record(here, arena):
    table_id = arena.open_table(plan("+greedy", "+random"))
    await arena.result(table_id)
    ended = await here("watch", table_id)
    assert ended.status == 0
    assert f"`lastcard table record {table_id}`" in ended.out


async def test_a_cut_wire_costs_no_event(lastcard, arena, bot):
    stream = bot()
    await stream.hello("me")
    table_id = arena.open_table(plan("me", "+greedy", "+random", deal_key=bytes(32), salt=bytes(32)))
    async with Wire(arena.address) as wire:
        watching = lastcard.begin("watch", table_id, "--server", wire.address, "--json")
        await until(lambda: '{"snapshot"' in lastcard.out)
        for _ in range(2):
            await stream.act(await stream.decision(table_id))
            wire.cut()
            said = lastcard.err.count("connected again")
            await stream.act(await stream.decision(table_id))
            await until(lambda said=said: lastcard.err.count("connected again") > said)
        await stream.play_at(table_id)
        assert await watching == 0
    messages = [json.loads(line) for line in lastcard.out.splitlines()]
    numbers = [event["sequence"] for message in messages for event in message.get("events", {}).get("events", ())]
    first = messages[0]["snapshot"]["sequence"]
    assert numbers == list(range(first + 1, (await arena.result(table_id)).last_sequence + 1))
    assert "lost after event" in lastcard.err


@pytest.mark.parametrize("form", [(), ("--json",), ("--own", "--token")], ids=["text", "json", "own"])
async def test_a_table_is_watched_on_after_its_server_was_killed(lastcard, tmp_path, form):
    """From the number after the last one shown, to the end; without a gap and without a repetition."""
    async with ServeProcess(tmp_path / "data") as server:
        async with connection(server.address) as channel:
            stream = BotStream(channel)
            secret = (await stream.hello("me")).resume_secret
            seats = (tp.SeatRequest(bot_name="me"), tp.SeatRequest(builtin="greedy"))
            request = tp.CreateTableRequest(ruleset=ONE_ROUND_RULES, clock=SLOW_CLOCK, seats=seats)
            table_id = (await tables_stub(channel).CreateTable(request)).table.table_id
            decision = await stream.decision()
            token = (secret,) if "--own" in form else ()
            watching = lastcard.begin("watch", table_id, "--server", server.address, *form, *token)
            await until(lambda: table_id in lastcard.out)
            await stream.act(decision)
            await stream.result(decision.decision_id)
            await server.kill()
        await server.start()
        async with connection(server.address) as channel:
            again = BotStream(channel, secret)
            await again.hello()
            closed = await again.play()
            assert await watching == 0
            again.cancel()
    assert "lost after event" in lastcard.err
    assert "connected again, going on after event" in lastcard.err
    if "--json" in form:
        messages = [json.loads(line) for line in lastcard.out.splitlines()]
        numbers = [event["sequence"] for message in messages for event in message.get("events", {}).get("events", ())]
        first = messages[0]["snapshot"]["sequence"]
        assert numbers == list(range(first + 1, first + 1 + len(numbers)))
        assert messages[-1]["closed"]["result"]["places"] == list(closed.result.places)
    elif not form:
        assert "the server was restarted and goes on with the table" in lastcard.out


async def test_a_table_that_its_server_has_forgotten_is_said_to_be_lost(lastcard, start_arena):
    arena = await start_arena()
    table_id = arena.open_table(plan("nobody", "+greedy"))
    watching = lastcard.begin("watch", table_id, "--server", arena.address)
    await until(lambda: bool(arena.host.tables[table_id].watchers))
    await arena.stop(0)
    await start_arena(port=int(arena.address.rpartition(":")[2]))
    assert await watching == 1
    assert "lost after event 0" in lastcard.err
    assert f"there is no table '{table_id}'" in lastcard.err
    assert "--data" in lastcard.err


async def test_a_table_of_an_earlier_run_is_shown_with_its_end_and_has_a_record(
    lastcard, start_arena, tmp_path, monkeypatch
):
    arena = await start_arena(data=tmp_path / "data")
    table_id = arena.open_table(plan("+greedy", "+random"))
    record = (await arena.result(table_id), arena.record(table_id).record)[1]
    await arena.stop(0)
    arena = await start_arena(data=tmp_path / "data")
    monkeypatch.setenv("LASTCARD_SERVER", arena.address)
    ended = await lastcard("watch", table_id)
    assert (ended.status, ended.err) == (0, "")
    assert f"`lastcard table record {table_id}` gets the whole course" in ended.out
    assert (await lastcard("record", table_id)).status == 0
    assert (tmp_path / f"{table_id}.jsonl").read_bytes() == record


async def test_an_unknown_table_is_one_sentence_and_status_2(here):
    for action in ("watch", "record"):
        ended = await here(action, "nowhere")
        assert (ended.status, ended.out) == (2, "")
        assert "there is no table 'nowhere'" in ended.err
        assert "`lastcard table list`" in ended.err
        assert ended.err.count("\n") == 1


async def test_anothers_view_is_refused_with_the_option_that_would_help(here, arena):
    table_id = arena.open_table(plan("nobody", "+greedy"))
    ended = await here("watch", table_id, "--own")
    assert ended.status == 2
    assert "the caller has no seat" in ended.err
    assert "--token" in ended.err


@pytest.mark.parametrize(
    ("argv", "status", "said"),
    [
        (("watch", "TABLE"), 0, "no longer watching table"),
        (("create", "open", "open", "--wait"), 1, "no longer waiting; opened and going on: "),
    ],
    ids=["watch", "create"],
)
async def test_ctrl_c_ends_with_one_line(arena, argv, status, said):
    table_id = arena.open_table(plan("nobody", "+greedy"))
    argv = tuple(table_id if word == "TABLE" else word for word in argv)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lastcard.cli.main", "table", *argv, "--server", arena.address),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(BOUND_S):
        try:
            while not (line := await process.stdout.readline()).startswith(b"seats"):
                assert line
            await until(lambda: any(table.watchers for table in arena.host.tables.values()))
            process.send_signal(signal.SIGINT)
            _, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
    assert process.returncode == status
    assert said in err.decode()
    assert err.count(b"\n") == 1


# ------------------------------------------------------------------ record


async def test_a_record_is_written_with_its_receipts_for_verify_and_show(here, arena, tmp_path):
    table_id = arena.open_table(plan("+greedy", "+random"))
    await arena.result(table_id)
    path = tmp_path / "game.jsonl"
    ended = await here("record", table_id, "--out", str(path))
    assert (ended.status, ended.err) == (0, "")
    files = arena.record(table_id)
    assert path.read_bytes() == files.record
    assert (tmp_path / "game.receipts.ndjson").read_bytes() == files.receipts
    assert f"hash {files.record_hash.hex()}" in ended.out
    assert sorted(found.name for found in tmp_path.iterdir()) == ["game.jsonl", "game.receipts.ndjson"]
    assert main(["verify", str(path)]) == 0
    assert main(["show", str(path), "--seat", "1"]) == 0
    assert "answered" in here.out


async def test_a_record_replaces_its_own_beginning_and_nothing_else_unasked(here, arena, tmp_path):
    table_id = arena.open_table(plan("+greedy", "+random"))
    await arena.result(table_id)
    record = arena.record(table_id).record
    path = tmp_path / "game.jsonl"
    path.write_bytes(record[: record.index(b"\n") + 1])
    assert (await here("record", table_id, "--out", str(path))).status == 0
    assert path.read_bytes() == record
    path.write_bytes(b"mine")
    ended = await here("record", table_id, "--out", str(path))
    assert ended.status == 2
    assert "--overwrite" in ended.err
    assert path.read_bytes() == b"mine"
    assert (await here("record", table_id, "--out", str(path), "--overwrite")).status == 0
    assert path.read_bytes() == record


async def test_a_record_that_cannot_be_written_is_one_sentence(here, arena, tmp_path):
    table_id = arena.open_table(plan("+greedy", "+random"))
    await arena.result(table_id)
    ended = await here("record", table_id, "--out", str(tmp_path / "no" / "game.jsonl"))
    assert ended.status == 2
    assert "cannot be written: No such file or directory" in ended.err


async def test_a_record_that_is_not_open_yet_is_status_1(here, arena, tmp_path):
    for table_id in (
        arena.open_table(plan("nobody", "+greedy")),
        arena.open_table(plan("+greedy", "+random", closed=True)),
    ):
        if arena.host.tables[table_id].plan.closed:
            await arena.result(table_id)
        ended = await here("record", table_id, "--out", str(tmp_path / "game.jsonl"))
        assert ended.status == 1
        assert ended.err.count("\n") == 1
        assert table_id in ended.err
    assert not list(tmp_path.iterdir())


async def test_a_table_that_never_began_has_a_record_without_events(here, arena, tmp_path):
    table_id = arena.open_table(plan("nobody", "+greedy"))
    arena.cancel_table(table_id)
    await arena.result(table_id)
    path = tmp_path / "game.jsonl"
    ended = await here("record", table_id, "--out", str(path))
    assert ended.status == 0
    assert "0 events" in ended.out
    assert main(["verify", str(path)]) == 0


async def test_a_table_whose_record_broke_has_none(here, tmp_path, monkeypatch):
    monkeypatch.setattr(TableServer, "record", lambda *_: tp.GetRecordResponse())
    ended = await here("record", "t", "--out", str(tmp_path / "game.jsonl"))
    assert ended.status == 1
    assert "table t has no record" in ended.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda files: (files.record, bytes(32)), "the server says " + "00" * 32),
        (lambda files: (files.record[:-9], files.record_hash), "this version cannot read it"),
    ],
    ids=["hash", "record"],
)
async def test_a_record_that_is_not_what_the_server_says_is_status_2(here, arena, monkeypatch, damage, said):
    table_id = arena.open_table(plan("+greedy", "+random"))
    await arena.result(table_id)
    record, record_hash = damage(arena.record(table_id))
    answer = tp.GetRecordResponse(record=record, record_hash=record_hash)
    monkeypatch.setattr(TableServer, "record", lambda *_: answer)
    ended = await here("record", table_id)
    assert ended.status == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1
