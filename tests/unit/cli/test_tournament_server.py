"""How long the commands wait for a server that has much to compute."""

from argparse import Namespace
from typing import Any

import grpc
import pytest

from lastcard.cli.table_server import ServerError
from lastcard.cli.tournament_server import TournamentServer


class Silent(grpc.RpcError):
    """A call whose time is over."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.DEADLINE_EXCEEDED

    def details(self) -> str:
        return "Deadline Exceeded"

    def trailing_metadata(self) -> tuple[()]:
        return ()


class Calls:
    """Stubs whose calls all fail when their time is over."""

    def __getattr__(self, name: str) -> Any:
        def call(_request: object, *, metadata: object, timeout: float) -> None:
            assert metadata == ()
            raise Silent(timeout)

        return call


@pytest.mark.parametrize(
    ("call", "fields", "within"),
    [
        ("GetTournament", {}, "within 15 s"),
        ("PauseTournament", {}, "within 15 s"),
        ("RuleTournament", {"annul_game": 1}, "within 300 s"),
        ("GetStandings", {}, "within 300 s"),
    ],
)
def test_calls_that_compute_every_figure_are_waited_for_longer(call: str, fields: dict[str, Any], within: str) -> None:
    with TournamentServer(Namespace(server="127.0.0.1:1", token="")) as server:
        server._tournaments = Calls()
        with pytest.raises(ServerError, match=within) as refused:
            server.tournament(call, name="cup", **fields)
    assert refused.value.__context__.args == (float(within.split()[1]),)
