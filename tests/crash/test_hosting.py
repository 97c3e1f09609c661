"""A server that is killed with `kill -9` at random moments while it plays a tournament: its ledger is the undisturbed
one.

The bots are registered, processes of their own, and know nothing of it. Another tournament is paused all the time and
stays so; an organiser rules on it while the server is killed, and asks for the same again in the next life.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import grpc
import pytest

from killing import KILLS, LASTCARD, Process, chance_for, wait_until
from lastcard.cli.main import main
from lastcard.tournament.ledger import Row, read_entries, read_rows
from lastcard.v1 import bot_service_pb2_grpc, tournament_service_pb2_grpc
from lastcard.v1 import tournament_pb2 as tp
from lastcard.v1 import tournament_service_pb2 as sp
from lastcard.v1.bot_service_pb2 import RegisterBotRequest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 + 20 * KILLS)]

BOUND_S = 90.0

CUP = """\
[tournament]
name = "{name}"
seed = 11
table_size = 3
deals = {deals}
options = {{ match_end = "target", target_points = 150 }}
concurrency = 6
[clock]
limit = "60s"
bank = "120s"
reaction = "60s"
start_up = "60s"
grace = "120s"
[[bot]]
name = "ann"
remote = true
[[bot]]
name = "ben"
remote = true
[[bot]]
name = "cora"
builtin = "greedy"
"""


OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)
"""Channels to one address share a connection else, and the next call may be sent over that to a server just killed."""


class Server:
    """`lastcard serve` on one port and one directory, over all its lives; calls are made until it answers them."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.directory = directory
        self._port = 0

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    @property
    def ledger(self) -> Path:
        return self.directory / "data" / "events" / "cup" / "ledger.jsonl"

    @contextmanager
    def running(self) -> Iterator[Process]:
        """The server, from its start to its violent end."""
        end = time.monotonic() + BOUND_S
        options = ("--data", "data", "--recovery-grace-s", "120", "--log", "json", "--log-level", "warning")
        while True:
            command = (*LASTCARD, "serve", "--port", str(self._port), *options)
            with Process(*command, directory=self.directory, output=self.directory / "serve.txt") as process:
                wait_until(lambda: "serving on" in process.printed or not process.lives(), "that it serves or ends")
                if process.lives():
                    self._port = int(process.printed.split("serving on 127.0.0.1:")[1].split()[0])
                    yield process
                    return
                assert "cannot listen" in process.printed, process.printed
                assert time.monotonic() < end

    def call(self, name: str, /, **fields: Any) -> Any:
        """A call of TournamentService, by its name."""
        with grpc.insecure_channel(self.address, options=OWN_CONNECTION) as channel:
            stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            request = getattr(sp, f"{name}Request")(**fields)
            return getattr(stub, name)(request, timeout=BOUND_S, wait_for_ready=True)

    def get(self, name: str) -> Any:
        """A tournament; asked for again when the connection is lost before the answer, as any client would."""
        end = time.monotonic() + BOUND_S
        while True:
            try:
                return self.call("GetTournament", name=name).tournament
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE or time.monotonic() > end:
                    raise

    def register(self, name: str) -> str:
        with grpc.insecure_channel(self.address, options=OWN_CONNECTION) as channel:
            stub = bot_service_pb2_grpc.BotServiceStub(channel)
            return stub.RegisterBot(RegisterBotRequest(name=name), timeout=BOUND_S, wait_for_ready=True).token

    def state(self, name: str = "cup") -> int:
        return int(self.get(name).state)

    def rows(self) -> list[Row]:
        rows = read_rows(self.ledger)[0] if self.ledger.exists() else []
        return [replace(row, times={}) for row in sorted(rows, key=lambda row: row.game)]


@contextmanager
def bots(server: Server, tokens: dict[str, str]) -> Iterator[None]:
    """Two bots as processes, which live until the end of the test, and take their time while there is a file `slow`."""
    program = (sys.executable, str(Path(__file__).with_name("steady_bot.py")))
    environment = {"LASTCARD_SERVER": server.address}
    started = [
        Process(
            *program,
            directory=server.directory,
            output=server.directory / f"{name}.txt",
            environment={**environment, "LASTCARD_BOT": name, "LASTCARD_TOKEN": token},
        )
        for name, token in tokens.items()
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()


def ask_to_rule(server: Server, life: int) -> None:
    """Ask for the ruling of a life of the server: in every other one that before is taken back."""
    ruling: dict[str, Any] = {"take_back": life} if life % 2 else {"disqualify_bot": "cora"}
    server.call("RuleTournament", name="still", request_id=f"life-{life}", reason=f"life {life}", **ruling)


def try_to_rule(server: Server, life: int) -> None:
    """Ask while the server is about to be killed: an answer may come, or none."""
    with suppress(grpc.RpcError):
        ask_to_rule(server, life)


def rule(server: Server, life: int) -> None:
    """Ask until there is an answer, while what was broken off is seen to and over a lost connection."""
    end = time.monotonic() + BOUND_S
    while True:
        try:
            ask_to_rule(server, life)
            return
        except grpc.RpcError as error:
            passes = error.code() is grpc.StatusCode.UNAVAILABLE or "try again" in (error.details() or "")
            if not passes or time.monotonic() > end:
                raise


def is_over(server: Server) -> bool:
    return server.state() == tp.TOURNAMENT_STATE_COMPLETE


def play(directory: Path, kills: int) -> tuple[Server, int]:
    """Play a cup to its end; how many games were on when the server was killed."""
    server, chance, hit = Server(directory), chance_for("hosting"), 0
    deals = 1 + KILLS // 3
    asking: list[Thread] = []
    with ExitStack() as stack:
        for number in range(kills + 1):
            (directory / "slow").touch()
            with server.running() as process:
                if number == 0:
                    stack.enter_context(bots(server, {name: server.register(name) for name in ("ann", "ben")}))
                    create(server, deals)
                else:
                    rule(server, number - 1)
                    asking.pop().join()
                if number < kills:
                    wait_until(lambda: bool(running(server)), "that a game is on")
                    time.sleep(chance.uniform(0, 1.5))
                    hit += len(running(server))
                    asking.append(Thread(target=try_to_rule, args=(server, number)))
                    asking[0].start()
                    time.sleep(chance.uniform(0, 0.3))
                    assert process.lives(), process.printed
                else:
                    (directory / "slow").unlink()
                    wait_until(lambda: is_over(server), "that the cup is over")
                    assert server.state("still") == tp.TOURNAMENT_STATE_PAUSED
    return server, hit


def create(server: Server, deals: int) -> None:
    """Begin the cup, and another one that is paused as soon as its bots have come."""
    server.call("CreateTournament", file=CUP.format(name="still", deals=deals), start=True)
    server.call("PauseTournament", name="still")
    wait_until(lambda: server.state("still") == tp.TOURNAMENT_STATE_PAUSED, "that it is paused")
    server.call("CreateTournament", file=CUP.format(name="cup", deals=deals), start=True)


def running(server: Server) -> list[int]:
    """The games that are on; none when the cup is over."""
    return [game.game for game in server.get("cup").running]


def test_a_hosted_tournament_whose_server_is_killed_comes_to_the_undisturbed_ledger(tmp_path: Path) -> None:
    disturbed, hit = play(tmp_path / "disturbed", KILLS)
    undisturbed, _ = play(tmp_path / "undisturbed", 0)
    assert hit >= KILLS
    print(f"{KILLS} kills of the server hit {hit} running games")
    rows = disturbed.rows()
    assert rows == undisturbed.rows()
    assert not any(row.faults for row in rows)
    for row in rows:
        records = [made.ledger.parent / row.record for made in (disturbed, undisturbed)]
        assert records[0].read_bytes() == records[1].read_bytes()
    assert main(["verify", str(disturbed.ledger.parent)]) == 0
    rulings = read_entries(disturbed.ledger.parents[1] / "still" / "ledger.jsonl").rulings
    assert [row.reason for row in rulings] == [f"life {life}" for life in range(KILLS)]
