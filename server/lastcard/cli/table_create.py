"""`lastcard table create SEAT SEAT…`: opens tables, says what to do next, and waits for their ends when asked to.

Here: options, the request, what is printed. Not here: whether it can be played, which the server decides.
"""

import argparse
import secrets
import shlex
from collections.abc import Iterator

from lastcard.cli.errors import CommandError
from lastcard.cli.option_pairs import read_pairs
from lastcard.cli.show_game import plain
from lastcard.cli.table_follow import Follower, TableEnded, TableLost
from lastcard.cli.table_options import SEAT_HELP, count, seat, span
from lastcard.cli.table_server import TableServer, add_server_options
from lastcard.cli.table_text import json_text, result_lines, table_lines
from lastcard.cli.table_watch import tell
from lastcard.rules.shuffle import DRAW_ORDERS
from lastcard.v1 import table_pb2
from lastcard.v1.table_service_pb2 import CreateTableRequest

MOST = 1_000
"""Most tables of one call: as many as a server keeps after their ends."""

EPILOG = """\
examples:
  lastcard table create builtin:greedy builtin:shrewd --wait --server 127.0.0.1:7600
  lastcard table create bot:mine builtin:greedy open --rules german --option jump_in=identical
  lastcard table create bot:mine bot:yours --limit 500ms --bank 10s --reactions sealed --count 20 --wait --json

A seat is bot:NAME (a bot that is or will be connected under this name), builtin:NAME (played by the server), or open
(for whoever joins). `lastcard rules` shows presets and options. What is not given is the server's default.
exit status: 0 opened (with --wait: played to the end), 1 a table ended otherwise, 2 the server refused or is not there
"""

_DRAWS = {"pile": table_pb2.DRAW_ORDER_PILE, "per_seat": table_pb2.DRAW_ORDER_PER_SEAT}
_REACTIONS = {"sealed": table_pb2.REACTION_MODE_SEALED, "open": table_pb2.REACTION_MODE_OPEN}
_SPANS = (
    ("limit", "1ms", "time for one decision"),
    ("bank", "0s", "reserve of each seat for the whole match"),
    ("reaction", "1ms", "time for a sealed reaction"),
    ("start_up", "1ms", "time for the seats to be taken"),
    ("grace", "0s", "time to come back after a lost connection"),
    ("network_credit", "0s", "most of a decision's time that is credited to the network, up to 1s; 0s for none"),
    ("network_credit_total", "0s", "most that a seat's bank is spared by such credits in the whole match"),
)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `create`."""
    parser = commands.add_parser(
        "create",
        help="open a table",
        description="Open a table, or several alike.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("seats", nargs="+", type=seat, metavar="SEAT", help=f"{SEAT_HELP}; 2 to 10, clockwise")
    parser.add_argument("--rules", metavar="PRESET", default="", help="the preset (default: official)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option over the preset; may be repeated"
    )
    for name, least, text in _SPANS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=span(least), metavar="TIME", help=f"{text}, as 2s")
    parser.add_argument("--reactions", choices=tuple(_REACTIONS), help="how actions out of turn are taken")
    parser.add_argument("--draws", choices=DRAW_ORDERS, help="how draws follow from the seed")
    parser.add_argument("--round-pause", type=span("0s"), metavar="TIME", help="pause between rounds, as 5s")
    parser.add_argument("--count", type=count(1, MOST), default=1, metavar="N", help="open N tables alike (default: 1)")
    parser.add_argument("--wait", action="store_true", help="wait until they are over and print how they came out")
    parser.add_argument(
        "--json", action="store_true", help="print each table as a line of protobuf-JSON; with --wait when it is over"
    )
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Opens the tables; 0, or 1 when one of those waited for was not played to its end."""
    request = request_of(args)
    opened: list[str] = []
    with TableServer(args) as server:
        try:
            return _run(server, request, args, opened)
        except KeyboardInterrupt:
            tell(f"no longer waiting; opened and going on: {' '.join(opened) or 'none'}")
            return 1
        except CommandError as error:
            if opened:
                raise CommandError(f"{error} (opened before that: {' '.join(opened)})") from error
            raise


def request_of(args: argparse.Namespace) -> CreateTableRequest:
    """The request for one table, without its key.

    Raises:
        CommandError: an option of the rules is not written as one.
    """
    request = CreateTableRequest(seats=args.seats)
    request.ruleset.preset = args.rules
    for name, value in read_pairs(args.option):
        request.ruleset.options.add(name=name, value=value)
    for name, _, _ in _SPANS:
        value = getattr(args, name)
        if value is not None:
            getattr(request.clock, name).FromMilliseconds(value)
    if args.reactions:
        request.reactions = _REACTIONS[args.reactions]
    if args.draws:
        request.draws = _DRAWS[args.draws]
    if args.round_pause is not None:
        request.round_pause.FromMilliseconds(args.round_pause)
    return request


def _run(server: TableServer, request: CreateTableRequest, args: argparse.Namespace, opened: list[str]) -> int:
    table = table_pb2.Table()
    for _ in range(args.count):
        request.request_id = secrets.token_hex(16)
        table = server.create(request)
        opened.append(plain(table.table_id))
        _print_opened(table, args)
    if not args.wait:
        if not args.json:
            print("\n".join(_next_steps(server, table)))
        return 0
    return max(_wait(server, table_id, as_json=args.json) for table_id in opened)


def _print_opened(table: table_pb2.Table, args: argparse.Namespace) -> None:
    if args.json:
        if not args.wait:
            print(json_text(table), flush=True)
    elif args.count > 1:
        print(f"table {plain(table.table_id)}", flush=True)
    else:
        print("\n".join(table_lines(table)), flush=True)


def _next_steps(server: TableServer, table: table_pb2.Table) -> Iterator[str]:
    """The commands that make sense now."""
    where = f" --server {server.address}" if server.named else ""
    table_id = shlex.quote(plain(table.table_id))
    awaited = {seat.name for seat in table.seats if seat.status == table_pb2.SEAT_STATUS_RESERVED}
    steps = [(f"lastcard bot run BOT --name {name}{where}", f"seats {name}") for name in sorted(awaited)]
    steps.append((f"lastcard table watch {table_id}{where}", "follows the game"))
    steps.append((f"lastcard table record {table_id}{where}", "gets its record when it is over"))
    width = max(len(command) for command, _ in steps)
    yield "next:"
    for command, what in steps:
        yield f"  {command:<{width}}  {what}"
    free = [str(seat.seat) for seat in table.seats if seat.status == table_pb2.SEAT_STATUS_OPEN]
    if free:
        yield f"  open seats ({', '.join(free)}) are taken by TableService.JoinTable"


def _wait(server: TableServer, table_id: str, *, as_json: bool) -> int:
    """Waits for a table's end and prints it; 0 when it was played to its end."""
    result = table_pb2.MatchResult()
    try:
        for message in Follower(server, table_id, tell=tell).messages():
            if message.HasField("closed"):
                result = message.closed.result
        table = server.get(table_id)
    except TableEnded as ended:
        tell(str(ended))
        return 0
    except TableLost as lost:
        tell(str(lost))
        return 1
    print(json_text(table) if as_json else "\n".join(result_lines(table, result)), flush=True)
    return 0 if result.cause == table_pb2.CLOSE_CAUSE_FINISHED else 1
