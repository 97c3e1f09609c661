"""`lastcard tournament rule NAME RULING --server ADDR`: rulings on a tournament that a server holds.

Here: the calls, and what is printed. Not here: the arguments, and rulings in a results directory (`tournament_rule`),
what may be ruled (`tournament.rule_book`, by which the server judges).
"""

import argparse
from collections.abc import Iterator
from typing import Any

from lastcard.cli.tournament_ranking import figures_text
from lastcard.cli.tournament_server import TournamentServer
from lastcard.cli.tournament_text import ruling_value, standings_value, state_text
from lastcard.tournament.ledger import RulingKind, RulingRow
from lastcard.tournament.rule_book import Wish, sentence_of
from lastcard.v1 import tournament_pb2 as pb

PAGE = 1_000

_FIELDS = {
    RulingKind.ANNUL: "annul_game",
    RulingKind.DISQUALIFY: "disqualify_bot",
    RulingKind.WITHDRAW: "withdraw_bot",
    RulingKind.TAKE_BACK: "take_back",
}

_STANDS_STILL = (pb.TOURNAMENT_STATE_PAUSED, pb.TOURNAMENT_STATE_BROKEN)


def rule_hosted(args: argparse.Namespace, wish: Wish) -> None:
    """Has a server write a ruling down, and prints it with what follows.

    Raises:
        CommandError: it cannot be ruled, or the server could not be asked.
    """
    with TournamentServer(args) as server:
        fields: dict[str, Any] = {_FIELDS[wish.kind]: wish.about, "reason": wish.reason, "replay": wish.replay}
        row = server.tournament("RuleTournament", name=args.event, **fields).row
        if args.json:
            print(row.json)
            return
        made = ruling_value(row)
        print(f"ruling {made.number}: {sentence_of(made)}")
        standings = server.tournament("GetStandings", name=args.event).standings
        print(figures_text(args.event, standings_value(standings)))
        tournament = server.get_tournament(args.event)
        print(state_text(tournament))
        if tournament.state in _STANDS_STILL:
            where = f" --server {server.address}" if server.named else ""
            print(f"to go on: lastcard tournament resume {args.event}{where}")


def hosted_rulings(args: argparse.Namespace) -> list[RulingRow]:
    """All rulings on a tournament of a server.

    Raises:
        CommandError: the server could not be asked.
    """
    with TournamentServer(args) as server:
        return list(_rulings(server, args.event))


def _rulings(server: TournamentServer, name: str) -> Iterator[RulingRow]:
    token = ""
    while True:
        page = server.tournament("ListResults", name=name, page_size=PAGE, page_token=token, rulings_only=True)
        yield from map(ruling_value, page.rows)
        token = page.next_page_token
        if not token:
            return
