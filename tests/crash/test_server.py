"""A server that is killed with `kill -9` at random moments, while bots of the SDK play on it: every table ends as if it
had lived.

The bots are processes of their own and know nothing of it: they come back by themselves. Cards and salts are the same
in both runs, so that the records must be, byte for byte.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Self

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from killing import KILLS, LASTCARD, Process, chance_for, wait_until
from lastcard.rules.verify import verify
from lastcard.v1 import table_service_pb2_grpc
from lastcard.v1.table_pb2 import Clock, ReactionMode, Table, TableState
from lastcard.v1.table_service_pb2 import CreateTableRequest, GetRecordRequest, GetRecordResponse, ListTablesRequest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 + 20 * KILLS)]

TABLES = 4 + KILLS // 3
BOUND_S = 90.0


def clock() -> Clock:
    long = Duration(seconds=120)
    return Clock(limit=long, bank=long, reaction=long, start_up=long, grace=long)


def request(number: int) -> CreateTableRequest:
    """The same table each time, down to its cards; who sits where changes from table to table."""
    made = CreateTableRequest(
        request_id=f"crash-{number}",
        clock=clock(),
        reactions=ReactionMode.REACTION_MODE_SEALED,
        deal_key=sha256(b"deal %d" % number).digest(),
        salt=sha256(b"salt %d" % number).digest(),
    )
    made.ruleset.preset = "official"
    for name, value in (("jump_in", "identical"), ("match_end", "target"), ("target_points", "150")):
        made.ruleset.options.add(name=name, value=value)
    seats = [{"bot_name": "ann"}, {"bot_name": "ben"}, {"builtin": "greedy"}]
    for place in range(3):
        made.seats.add(**seats[(number + place) % 3])
    return made


class Server:
    """`lastcard serve` on one port and one directory, over all its lives."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._output = directory / "serve.txt"
        self._port = 0

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    @contextmanager
    def running(self) -> Iterator[Process]:
        """The server, from its start to its violent end."""
        end = time.monotonic() + BOUND_S
        while True:
            options = ("--port", str(self._port), "--data", "store", "--recovery-grace-s", "120", "--log", "json")
            with Process(*LASTCARD, "serve", *options, directory=self.directory, output=self._output) as process:
                wait_until(lambda: "serving on" in process.printed or not process.lives(), "that it serves or ends")
                if process.lives():
                    self._port = int(process.printed.split("serving on 127.0.0.1:")[1].split()[0])
                    yield process
                    return
                # A bot that dials a port where nobody listens may be given that very port as its own for a moment.
                assert "cannot listen" in process.printed, process.printed
                assert time.monotonic() < end

    def tables(self) -> "Tables":
        return Tables(self.address)


class Tables:
    """TableService at an address; every call is made until the server, which may be about to die, answers it."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address)
        self._stub = table_service_pb2_grpc.TableServiceStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def create(self, number: int) -> Table:
        return self._stub.CreateTable(request(number), timeout=BOUND_S, wait_for_ready=True).table

    def on(self) -> list[Table]:
        """The tables that are not over."""
        listed = self._stub.ListTables(ListTablesRequest(page_size=1000), timeout=BOUND_S, wait_for_ready=True).tables
        return [table for table in listed if table.state != TableState.TABLE_STATE_CLOSED]

    def record(self, table_id: str) -> GetRecordResponse:
        return self._stub.GetRecord(GetRecordRequest(table_id=table_id), timeout=BOUND_S, wait_for_ready=True)


@contextmanager
def bots(server: Server) -> Iterator[dict[str, Process]]:
    """Two bots as processes, which live until the end of the test."""
    environment = {"LASTCARD_SERVER": server.address, "FORGETFUL": "1", "SEEN": str(server.directory / "seen.jsonl")}
    steady = (sys.executable, str(Path(__file__).with_name("steady_bot.py")))
    greedy = (*LASTCARD, "bot", "run", "greedy")
    started = {
        name: Process(
            *command,
            directory=server.directory,
            output=server.directory / f"{name}.txt",
            environment={**environment, "LASTCARD_BOT": name},
        )
        for name, command in (("ann", greedy), ("ben", steady))
    }
    try:
        yield started
    finally:
        for process in started.values():
            process.kill()


def play(directory: Path, kills: int) -> tuple[dict[int, bytes], int]:
    """Play all tables on a server that is killed so often; the records, and how many running tables were hit."""
    directory.mkdir()
    server, chance = Server(directory), chance_for("server")
    slow = directory / "slow"
    slow.touch()
    ids: dict[int, str] = {}
    hit = 0
    with server.running(), server.tables() as tables:
        for number in range(TABLES):
            ids[number] = tables.create(number).table_id
    with bots(server) as programs:
        for _ in range(kills):
            with server.running() as process, server.tables() as tables:
                number = chance.randrange(TABLES)
                assert tables.create(number).table_id == ids[number]  # the request is known from an earlier life
                if chance.random() < 0.8:
                    process.wait_for_lines("stream.opened", 2)
                time.sleep(chance.uniform(0, 1.0))
                hit += len(tables.on())
                assert process.lives(), process.printed
        slow.unlink()
        with server.running(), server.tables() as tables:
            wait_until(lambda: not tables.on(), "the end of all tables")
            found = {number: tables.record(table_id) for number, table_id in ids.items()}
            for name, program in programs.items():
                assert program.lives(), program.printed
                wait_until(lambda: program.printed.count(" is over") >= TABLES, f"that {name} heard of all ends")  # noqa: B023
        for name, program in programs.items():
            assert connected({name: program}) > kills // 2, program.printed
            assert program.printed.count(" is over") == TABLES, (name, program.printed)
    check_what_was_seen(directory / "seen.jsonl")
    for number, answer in found.items():
        checked = verify(answer.record)
        assert (checked.ok, checked.problem, checked.complete, checked.revealed) == (True, None, True, True), number
        assert [line for line in answer.receipts.splitlines() if line.startswith(b'{"blamed":')] == []
        assert answer.receipts.count(b'{"judged":') > 20
    return {number: answer.record for number, answer in found.items()}, hit


def connected(programs: dict[str, Process]) -> int:
    """How often bots have connected."""
    return sum(program.printed.count("INFO lastcard_bot: connected to") for program in programs.values())


def check_what_was_seen(path: Path) -> None:
    """A bot's events of a table are numbered from 1 without gap or repeat, whoever killed the server in between."""
    seen: dict[str, list[int]] = defaultdict(list)
    for line in path.read_text().splitlines():
        table, number = json.loads(line)
        seen[table].append(number)
    assert len(seen) == TABLES
    for numbers in seen.values():
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_server_that_is_killed_at_random_moments(tmp_path: Path) -> None:
    disturbed, hit = play(tmp_path / "disturbed", KILLS)
    assert hit >= KILLS
    print(f"{KILLS} kills of the server hit {hit} running tables")
    undisturbed, _ = play(tmp_path / "undisturbed", 0)
    assert disturbed == undisturbed
