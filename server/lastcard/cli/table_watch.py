"""`lastcard table watch TABLE`: a game as it is played, in the notation of scenario.md.

Here: options, and each message as lines of text or JSON. Not here: the stream (`table_follow`), the words for events
(`show_game`) and tables (`table_text`).
"""

import argparse
import sys
from collections.abc import Iterator

from lastcard.cli.errors import CommandError
from lastcard.cli.show_game import INDENT, Narrator, plain
from lastcard.cli.table_follow import Follower, TableEnded, TableLost, missing
from lastcard.cli.table_game import event_of, question_of
from lastcard.cli.table_options import span
from lastcard.cli.table_server import ServerError, TableServer, add_server_options
from lastcard.cli.table_text import json_text, result_lines, seat_text, snapshot_lines, table_lines
from lastcard.v1 import event_pb2, play_service_pb2, reason_pb2, table_pb2
from lastcard.v1.table_service_pb2 import WatchTableResponse

EPILOG = """\
examples:
  lastcard table watch q7x2ab --server 127.0.0.1:7600
  lastcard table watch q7x2ab --own --token TOKEN      as the owner of a seat: hand and questions, too
  lastcard table watch q7x2ab --delay 30s --json

Moves are written as in scenario files: `0 R5`, `1 draw`, `2 W/G!`. Who comes late begins with the state of the table.
A lost connection is taken up again where it broke. Ctrl-C ends watching, not the game.
exit status: 0 played to its end, or Ctrl-C; 1 ended otherwise, or lost with its server; 2 it could not be watched
"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `watch`."""
    parser = commands.add_parser(
        "watch",
        help="follow a game as it is played",
        description="Follow a game as it is played, to its end.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("table", metavar="TABLE", help="id of the table (see `lastcard table list`)")
    parser.add_argument("--own", action="store_true", help="the view of the seat that the token's owner has")
    parser.add_argument("--delay", type=span("0s", "1h"), metavar="TIME", help="show everything later by this, as 30s")
    parser.add_argument("--json", action="store_true", help="print each message as a line of protobuf-JSON")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Follows the table; 0 when it was played to its end or the person had enough."""
    if args.own and args.delay:
        raise CommandError("--delay holds the public view back; leave it out, or leave out --own")
    with TableServer(args) as server:
        follower = Follower(server, args.table, tell=tell, own=args.own, delay_ms=args.delay or 0)
        try:
            return _watch(server, follower, args)
        except KeyboardInterrupt:
            tell(f"no longer watching table {plain(args.table)}, after event {follower.last}")
            return 0
        except TableEnded as ended:
            tell(str(ended))
            return 0
        except TableLost as lost:
            tell(str(lost))
            return 1


def tell(sentence: str) -> None:
    """Tells something about watching, apart from what is watched."""
    print(f"lastcard: {sentence}", file=sys.stderr, flush=True)


def _watch(server: TableServer, follower: Follower, args: argparse.Namespace) -> int:
    table = known_table(server, args.table)
    screen = _Screen(server, table)
    if not args.json:
        _print(table_lines(table))
        if table.state == table_pb2.TABLE_STATE_CLOSED:
            print(f"`lastcard table record {plain(table.table_id)}` gets the whole course of the game", flush=True)
    cause = table_pb2.CLOSE_CAUSE_UNSPECIFIED
    for message in follower.messages():
        if message.HasField("closed"):
            cause = message.closed.result.cause
        if args.json:
            print(json_text(message), flush=True)
        else:
            _print(screen.lines(message))
    return 0 if cause == table_pb2.CLOSE_CAUSE_FINISHED else 1


def known_table(server: TableServer, table_id: str) -> table_pb2.Table:
    """A table.

    Raises:
        ServerError: the server refused.
        TableEnded: it is over, and only its record is left.
    """
    try:
        return server.get(table_id)
    except ServerError as error:
        if error.reason == "NOT_FOUND":
            found = missing(server, table_id)
            if isinstance(found, TableEnded):
                raise found from error
        raise


def _print(lines: Iterator[str]) -> None:
    text = "\n".join(lines)
    if text:
        print(text, flush=True)


_NOTICES = {
    play_service_pb2.NOTICE_KIND_SEAT_AWAY: "is away",
    play_service_pb2.NOTICE_KIND_SEAT_BACK: "is back",
    play_service_pb2.NOTICE_KIND_REACTION_OPENED: "reactions are asked for",
    play_service_pb2.NOTICE_KIND_RECOVERED: "the server was restarted and goes on with the table",
}


class _Screen:
    """The messages of one table as lines."""

    def __init__(self, server: TableServer, table: table_pb2.Table) -> None:
        self._server = server
        self._table = table
        self._narrator = Narrator()

    def lines(self, message: WatchTableResponse) -> Iterator[str]:
        """The lines for one message; none for one of a kind that this version does not know."""
        match message.WhichOneof("message"):
            case "snapshot":
                view = message.snapshot.view
                self._narrator = Narrator(view.round, view.turn)
                yield from snapshot_lines(message.snapshot)
            case "events":
                for event in message.events.events:
                    yield from self._event(event)
            case "decision":
                yield from question_of(message.decision).asked_lines()
            case "decision_closed":
                yield from self._decision_closed(message.decision_closed)
            case "notice":
                yield from self._notice(message.notice)
            case "closed":
                yield ""
                yield from result_lines(self._fresh(), message.closed.result)

    def _event(self, message: event_pb2.Event) -> Iterator[str]:
        event = event_of(message)
        if event is None:
            yield f"{INDENT}(event {message.sequence} is of a kind that this version does not know)"
        else:
            yield from self._narrator.show(message.sequence, event).lines()

    def _decision_closed(self, closed: play_service_pb2.DecisionClosed) -> Iterator[str]:
        if closed.reason == reason_pb2.REASON_TURN_EXPIRED:
            yield f"{INDENT}  #{closed.decision_id}: time ran out"

    def _notice(self, notice: play_service_pb2.Notice) -> Iterator[str]:
        who = f"seat {notice.seat}" if notice.HasField("seat") else ""
        if notice.kind == play_service_pb2.NOTICE_KIND_SEAT_TAKEN and who:
            seats = self._fresh().seats
            name = f" by {seat_text(seats[notice.seat])}" if notice.seat < len(seats) else ""
            yield f"{INDENT}{who} is taken{name}"
        elif notice.kind in _NOTICES:
            yield f"{INDENT}{who} {_NOTICES[notice.kind]}".rstrip() if who else f"{INDENT}{_NOTICES[notice.kind]}"

    def _fresh(self) -> table_pb2.Table:
        """The table with those who sit there now; as it was known, when the server has it no longer."""
        try:
            self._table = self._server.get(self._table.table_id)
        except ServerError:
            return self._table
        return self._table
