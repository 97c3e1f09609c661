"""`lastcard tournament watch NAME`: a tournament on a server as it is played, as `run` shows one of its own.

Here: options, from messages to the notices that the views know, coming back after a lost connection. Not here: the
views (`tournament_view`), the words (`tournament_words`).
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any

from lastcard.cli.counted import count
from lastcard.cli.errors import CommandError
from lastcard.cli.table_server import ServerError, add_server_options
from lastcard.cli.table_text import json_text
from lastcard.cli.tournament_ranking import figures_text
from lastcard.cli.tournament_server import TournamentServer
from lastcard.cli.tournament_text import OVER, row_value, ruling_text, scoring_of, standings_value, state_text
from lastcard.cli.tournament_view import LiveView, PlainView, View
from lastcard.cli.tournament_words import ShownEvent
from lastcard.tournament import notices
from lastcard.tournament.ledger import Row
from lastcard.tournament.notices import Notice
from lastcard.v1 import tournament_pb2
from lastcard.v1 import tournament_service_pb2 as pb
from lastcard_bot.backoff import Backoff

GIVE_UP_S = 60.0
"""How long a server may be away; a restart takes a few seconds."""

EPILOG = """\
examples:
  lastcard tournament watch friday --server 127.0.0.1:7600
  lastcard tournament watch friday --json

Shows progress, ranking and incidents until the tournament is over, through pauses and restarts of the server. Ctrl-C
ends the watching and nothing else. --json prints each message of the server as a line of protobuf-JSON.
exit status: 0 it is complete, 1 it was cancelled or the server stayed away, 2 the server could not be asked
"""


def add_parser(commands: Any) -> None:
    """Add the action `watch`."""
    parser = commands.add_parser(
        "watch",
        help="watch a tournament on a server",
        description="Watch a tournament on a server until it is over.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="the tournament")
    parser.add_argument("--json", action="store_true", help="print every message as a line of protobuf-JSON")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Watches; 0 when the tournament is complete, 1 when it was cancelled."""
    with TournamentServer(args) as server:
        if args.json:
            return _print_all(server, args.name)
        tournament = server.get_tournament(args.name)
        shown = _Shown(_LiveWatch() if LiveView.fits() else PlainView(), server.address)
        with shown.opened(tournament):
            for message in messages(server, args.name, shown.say):
                shown.show(message)
    print(state_text(shown.tournament))
    if shown.standings is not None:
        print(figures_text(args.name, standings_value(shown.standings)))
    return _status(shown.tournament)


def _print_all(server: TournamentServer, name: str) -> int:
    tournament = tournament_pb2.Tournament()
    for message in messages(server, name, lambda _sentence: None):
        print(json_text(message), flush=True)
        if message.HasField("tournament"):
            tournament = message.tournament
    return _status(tournament)


def _status(tournament: tournament_pb2.Tournament) -> int:
    return 0 if tournament.state == tournament_pb2.TOURNAMENT_STATE_COMPLETE else 1


def messages(
    server: TournamentServer, name: str, say: Any, give_up_s: float = GIVE_UP_S
) -> Iterator[pb.WatchTournamentResponse]:
    """All messages until the tournament is over; over a lost connection it goes on behind the last row.

    Raises:
        ServerError: the server refused, or stayed away.
    """
    last, backoff, lost_at = 0, Backoff(), None
    while True:
        request = pb.WatchTournamentRequest(name=name, last_sequence=last, standings=True)
        try:
            for message in server.watch_tournament(request):
                if lost_at is not None:
                    say(f"connected again, going on after row {last}")
                    lost_at = None
                    backoff.reset()
                if message.HasField("row"):
                    last = message.row.sequence
                yield message
            return
        except ServerError as error:
            if not error.lost:
                raise
            now = time.monotonic()
            if lost_at is None:
                lost_at = now
                say(f"connection to {server.address} lost after row {last} ({error.why}); trying again")
            if now - lost_at >= give_up_s:
                raise CommandError(
                    f"{server.address} has been away for {now - lost_at:.0f} s; {name} was followed up to row {last}",
                    status=1,
                ) from error
            time.sleep(backoff.next_s())


class _LiveWatch(LiveView):
    """A live view whose ranking is told by the server, since not all of a row may be."""

    def _count(self, rows: Sequence[Row]) -> None:
        """The server counts."""


class _Shown:
    """What is shown of a tournament, message by message."""

    def __init__(self, view: View, address: str) -> None:
        self.tournament = tournament_pb2.Tournament()
        self.standings: tournament_pb2.Standings | None = None
        self._view = view
        self._address = address
        self._played = 0

    def opened(self, tournament: tournament_pb2.Tournament) -> View:
        """The view, opened on what the tournament is."""
        self.tournament = tournament
        bots = tuple(bot.name for bot in tournament.bots)
        least = tournament.score == "places"
        opening = (
            f"{tournament.name} on {self._address}: {count(len(bots), 'bot')}, {tournament.format}, tables of "
            f"{tournament.table_size}"
        )
        self._view.open(
            ShownEvent(tournament.name, bots, scoring_of(tournament.score, least_is_best=least), (opening,))
        )
        return self._view

    def say(self, sentence: str) -> None:
        """Shows a sentence."""
        self._view.show(notices.Told(sentence))

    def show(self, message: pb.WatchTournamentResponse) -> None:
        """Shows a message."""
        if message.HasField("tournament"):
            self._show_state(message.tournament)
        elif message.HasField("standings"):
            self.standings = message.standings
        for notice in self._notices(message):
            self._view.show(notice)

    def _show_state(self, tournament: tournament_pb2.Tournament) -> None:
        before, self.tournament = self.tournament, tournament
        if (tournament.state, tournament.reason) != (before.state, before.reason) and tournament.state not in OVER:
            self.say(state_text(tournament))
        if tournament.games and tournament.games != before.games:
            self._view.show(notices.Started(self._address, tournament.games, self._played))

    def _notices(self, message: pb.WatchTournamentResponse) -> Iterator[Notice]:
        """What the views make of a message."""
        match message.WhichOneof("message"):
            case "row" if message.row.HasField("game"):
                self._played += 1
                yield notices.GameFinished(row_value(message.row.game), self._played, self.tournament.games)
            case "row" if message.row.HasField("ruling"):
                yield notices.Told(ruling_text(message.row))
            case "standings":
                yield notices.Ranked(standings_value(message.standings))
            case "stage":
                yield notices.StageStarted(message.stage.number, message.stage.title, message.stage.games)
            case "verdict":
                yield notices.Looked(settled=False, sentence=message.verdict)
            case "bot":
                yield from _of_a_bot(message.bot)


def _of_a_bot(message: pb.BotNotice) -> Iterator[Notice]:
    match message.WhichOneof("notice"):
        case "ready":
            yield notices.BotReady(message.bot, 1)
        case "failed":
            yield notices.BotFailed(message.bot, message.failed, message.in_a_row)
        case "set_aside":
            yield notices.BotSetAside(message.bot, message.set_aside)
