"""`lastcard tournament start|pause|resume|cancel|enter|withdraw NAME`: what an organiser does to one on a server.

Here: options, and what is printed. Not here: which of them can be done when (`lastcard.tournament.hosting`).
"""

import argparse
from typing import Any, NamedTuple

from lastcard.cli.table_server import add_server_options
from lastcard.cli.table_text import json_text
from lastcard.cli.tournament_server import SERVER_HELP, TournamentServer
from lastcard.cli.tournament_text import state_text


class _Wish(NamedTuple):
    """What can be done: the call, its help, whether it takes a bot, a reason."""

    call: str
    help: str
    bot: bool = False
    reason: bool = False


_WISHES = {
    "start": _Wish("StartTournament", "begin to play a tournament on a server"),
    "pause": _Wish("PauseTournament", "let its running games end and begin no more", reason=True),
    "resume": _Wish("ResumeTournament", "go on with one that is paused or broken"),
    "cancel": _Wish("CancelTournament", "give it up for good; its ledger stands", reason=True),
    "enter": _Wish("EnterBot", "add a bot to one that was not started or stands still", bot=True),
    "withdraw": _Wish(
        "WithdrawBot", "take a bot out of one that was not started or stands still", bot=True, reason=True
    ),
}


class Control:
    """One of the actions, as a module of commands is."""

    def __init__(self, action: str) -> None:
        self._action = action
        self._wish = _WISHES[action]

    def add_parser(self, commands: Any) -> None:
        """Add the action."""
        wish, action = self._wish, self._action
        bot = " greedy-one" if wish.bot else ""
        more = " --builtin greedy" if action == "enter" else ""
        parser = commands.add_parser(
            action,
            help=wish.help,
            description=f"{wish.help[0].upper()}{wish.help[1:]}.",
            epilog=f"example:\n  lastcard tournament {action} friday{bot}{more} --server 127.0.0.1:7600\n\n"
            f"{SERVER_HELP}exit status: 0 done, 2 it cannot be done, or the server could not be asked\n",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("name", metavar="NAME", help="the tournament")
        if wish.bot:
            parser.add_argument("bot", metavar="BOT", help="the bot")
        if action == "enter":
            parser.add_argument("--builtin", metavar="NAME", default="", help="the builtin that plays under that name")
        if wish.reason:
            parser.add_argument("--reason", metavar="TEXT", default="", help="why, in a sentence for everybody")
        parser.add_argument("--json", action="store_true", help="print the tournament as a line of protobuf-JSON")
        add_server_options(parser)

    def run(self, args: argparse.Namespace) -> int:
        """Does it; 0."""
        fields = {name: getattr(args, name) for name in ("name", "bot", "builtin", "reason") if name in args}
        with TournamentServer(args) as server:
            tournament = server.tournament(self._wish.call, **fields).tournament
        print(json_text(tournament) if args.json else state_text(tournament))
        return 0


CONTROLS: dict[str, Control] = {action: Control(action) for action in _WISHES}
"""All of them, by their names."""
