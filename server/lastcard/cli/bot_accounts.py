"""`lastcard bot register|rotate|revoke|delete|show NAME` and `list --server`: bots that are registered on a server.

Here: options, and what is printed. Not here: running a bot (`bot_command`), the calls (`tournament_server`). Works in a
base install, as running a bot does.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from lastcard.cli.table_server import add_server_options
from lastcard.cli.table_text import columns, json_text
from lastcard.cli.tournament_server import SERVER_HELP, TournamentServer
from lastcard.v1 import bot_service_pb2
from lastcard_bot.settings import BOT, SERVER, TOKEN

PAGE = 500

_ACTIONS = {
    "register": "register a bot on a server and print its token, which is told once",
    "rotate": "print a new token of a bot; earlier ones are void",
    "revoke": "void all tokens of a bot",
    "delete": "void all tokens of a bot and free its name",
    "show": "describe a registered bot",
}


def add_parsers(actions: Any) -> None:
    """Add all of them."""
    for action, text in _ACTIONS.items():
        more = ' --owner "Ann B."' if action == "register" else ""
        parser = actions.add_parser(
            action,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=f"example:\n  lastcard bot {action} mine{more} --server 127.0.0.1:7600\n\n{SERVER_HELP}"
            "exit status: 0 done, 2 it cannot be done, or the server could not be asked\n",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("name", metavar="NAME", help="name of the bot")
        if action == "register":
            parser.add_argument("--description", metavar="TEXT", default="", help="what it is, for everybody")
            parser.add_argument("--owner", metavar="TEXT", default="", help="whose it is, for the organiser")
        if action == "rotate":
            parser.add_argument("--keep", action="store_true", help="earlier tokens stay valid, for a further instance")
        parser.add_argument("--json", action="store_true", help="print the answer as a line of protobuf-JSON")
        add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Does what was asked; 0."""
    with TournamentServer(args) as server:
        match args.action:
            case "register":
                fields = {"name": args.name, "description": args.description, "owner": args.owner}
                _print_token(server, server.bot("RegisterBot", **fields), as_json=args.json)
            case "rotate":
                _print_token(server, server.bot("RotateToken", name=args.name, keep=args.keep), as_json=args.json)
            case "revoke":
                answer = server.bot("RevokeTokens", name=args.name)
                told = f"{args.name}: {answer.revoked} {'token' if answer.revoked == 1 else 'tokens'} voided"
                print(json_text(answer) if args.json else told)
            case "delete":
                answer = server.bot("DeleteBot", name=args.name)
                print(json_text(answer) if args.json else f"{args.name} is deleted, and its name free")
            case _:
                bot = server.bot("GetBot", name=args.name).bot
                print(json_text(bot) if args.json else "\n".join(_rows([bot])))
    return 0


def _print_token(server: TournamentServer, answer: Any, *, as_json: bool) -> None:
    """What a bot needs to dial in, in the form of its environment."""
    if as_json:
        print(json_text(answer))
        return
    print(f"{SERVER}={server.address}\n{TOKEN}={answer.token}\n{BOT}={answer.bot.name}")


def print_list(args: argparse.Namespace) -> int:
    """Prints all registered bots; 0."""
    with TournamentServer(args) as server:
        bots = list(_bots(server))
    if args.json:
        for bot in bots:
            print(json_text(bot))
    elif bots:
        print("\n".join(_rows(bots)))
    else:
        print(f"no bot is registered on {server.address}; `lastcard bot register NAME` registers one")
    return 0


def _bots(server: TournamentServer) -> Iterator[bot_service_pb2.Bot]:
    token = ""
    while True:
        page = server.bot("ListBots", page_size=PAGE, page_token=token)
        yield from page.bots
        token = page.next_page_token
        if not token:
            return


def _rows(bots: Sequence[bot_service_pb2.Bot]) -> Iterator[str]:
    table = [("name", "online", "tables", "tokens", "owner", "description")]
    for bot in bots:
        online = f"{bot.instances}×" if bot.instances > 1 else "yes" if bot.online else "no"
        table.append((bot.name, online, str(bot.tables), str(bot.tokens), bot.owner or "–", bot.description or "–"))
    yield from columns(table)
