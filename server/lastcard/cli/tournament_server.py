"""The server whose tournaments and bots a command asks for.

Here: the calls of `TournamentService` and `BotService`. Not here: the connection and what failures mean
(`table_server`), what is asked for (`tournament_<action>`, `bot_accounts`).
"""

import argparse
from collections.abc import Iterator
from typing import Any, cast

from lastcard.cli.table_server import CALL_S, TableServer
from lastcard.v1 import bot_service_pb2 as bots
from lastcard.v1 import tournament_pb2
from lastcard.v1 import tournament_service_pb2 as pb
from lastcard.v1.bot_service_pb2_grpc import BotServiceStub
from lastcard.v1.tournament_service_pb2_grpc import TournamentServiceStub

SERVER_HELP = """\
The server is --server, else LASTCARD_SERVER. What changes something is for the organiser: whoever calls from the
server's own machine without a token, or gives the organiser's token (`organiser.token` in the server's data directory)
with --token or in LASTCARD_TOKEN.
"""


WITHIN_S = {"RuleTournament": 300.0, "WithdrawBot": 300.0, "EnterBot": 300.0, "GetStandings": 300.0}
"""How long calls may take that compute every figure: seconds for ten thousand games, more on a busy machine."""


class TournamentServer(TableServer):
    """A connection to a server, closed at the end of a `with`; every method raises `ServerError`."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Connects where the options or the environment say; see `TableServer` for what it raises."""
        super().__init__(args)
        self._tournaments = cast(Any, TournamentServiceStub)(self._channel)  # their stubs are written for grpc.aio
        self._bots = cast(Any, BotServiceStub)(self._channel)

    def tournament(self, call: str, **fields: Any) -> Any:
        """The answer of a call of `TournamentService`, by its name."""
        request = getattr(pb, f"{call}Request")(**fields)
        return self._call(getattr(self._tournaments, call), request, WITHIN_S.get(call, CALL_S))

    def bot(self, call: str, **fields: Any) -> Any:
        """The answer of a call of `BotService`, by its name."""
        request = getattr(bots, f"{call}Request")(**fields)
        return self._call(getattr(self._bots, call), request)

    def get_tournament(self, name: str) -> tournament_pb2.Tournament:
        """Describes a tournament."""
        return cast(tournament_pb2.Tournament, self.tournament("GetTournament", name=name).tournament)

    def watch_tournament(self, request: pb.WatchTournamentRequest) -> Iterator[pb.WatchTournamentResponse]:
        """The messages of a watched tournament until the stream ends or nobody asks for more."""
        return cast(Iterator[pb.WatchTournamentResponse], self._stream(self._tournaments.WatchTournament, request))

    def export_tournament(self, name: str, *, without_records: bool = False) -> Iterator[bytes]:
        """The parts of the archive of a tournament."""
        request = pb.ExportTournamentRequest(name=name, without_records=without_records)
        for part in self._stream(self._tournaments.ExportTournament, request):
            yield part.data
