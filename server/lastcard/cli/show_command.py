"""`lastcard show RECORD`: a recorded game in the notation of scenario.md, for everybody or as one seat saw it."""

import argparse
import json
from pathlib import Path

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.record_files import read_file, read_record_file
from lastcard.cli.show_game import Shown, game_lines, heading, shown_events
from lastcard.cli.show_seat import place, questions, seat_lines, seen_events
from lastcard.rules.record_json import event_text
from lastcard.rules.record_reader import Record, RecordError, read_record, receipts_name
from lastcard.rules.ruleset import RulesetError, ruleset
from lastcard.rules.verify import Verification, verify
from lastcard.table.receipts_reader import Receipts, ReceiptsError, read_receipts

EPILOG = """\
examples:
  lastcard show game.jsonl
  lastcard show game.jsonl --seat 2      what seat 2 saw, was asked, answered, and how long it took
  lastcard show game.jsonl --json

Moves are written as in scenario files: `0 R5`, `1 draw`, `2 W/G!`. With --seat, cards that the seat did not see are
left out; what it was asked and answered comes from the file of receipts beside the record.
exit status: 0 shown, 1 shown but the record is not right (see `lastcard verify`), 2 it could not be read
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `show` to the command line."""
    parser = subparsers.add_parser(
        "show",
        help="show a recorded game",
        description="Show a recorded game in the notation of scenario files, round by round.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("record", type=path_of, metavar="RECORD", help="a record")
    parser.add_argument("--seat", type=int, metavar="N", help="show it as this seat saw it")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(args: argparse.Namespace) -> int:
    """Prints the game and returns 0, or 1 when the record is not right."""
    path: Path = args.record
    data = read_record_file(path)
    try:
        record = read_record(data)
    except RecordError as error:
        raise CommandError(f"{path} cannot be shown: {error}".removesuffix(".")) from error
    found = verify(data)
    seats = len(record.header.bots)
    if args.seat is not None and not 0 <= args.seat < seats:
        raise CommandError(f"--seat {args.seat}: there is no such seat; this game has seats 0 to {seats - 1}")
    if args.seat is not None:
        _check_rules(path, record)
    receipts = None if args.seat is None else _receipts(path)
    if args.json:
        print(json.dumps(_json(path, record, found, args.seat, receipts), ensure_ascii=False))
    else:
        _print(path, record, found, args.seat, receipts)
    return 0 if found.ok else 1


def _check_rules(path: Path, record: Record) -> None:
    """The rules decide what a seat may see."""
    try:
        ruleset(record.header.preset, record.header.options)
    except RulesetError as error:
        raise CommandError(f"{path} cannot be shown as a seat saw it: line 1: {error}".removesuffix(".")) from error


def _receipts(path: Path) -> Receipts | None:
    """The receipts beside a record; none when the file is missing."""
    beside = path.with_name(receipts_name(path.name))
    if not beside.is_file():
        return None
    try:
        return read_receipts(read_file(beside))
    except ReceiptsError as error:
        raise CommandError(f"{beside} is no file of receipts: {error}") from error


def _print(path: Path, record: Record, found: Verification, seat: int | None, receipts: Receipts | None) -> None:
    print("\n".join(heading(record, found)))
    if seat is None:
        print("\n".join(game_lines(record)))
        return
    print(f"as seat {seat} saw it")
    if receipts is None:
        print(
            f"{receipts_name(path.name)} is not beside the record: what the seat was asked and answered, and how long "
            "it took, is not known; its hand before each of its moves is"
        )
    print("\n".join(seat_lines(record, seat, receipts)))


def _json(
    path: Path, record: Record, found: Verification, seat: int | None, receipts: Receipts | None
) -> dict[str, object]:
    events = record.events if seat is None else seen_events(record, seat)
    value: dict[str, object] = {
        "record": str(path),
        "header": record.header.value(),
        "ok": found.ok,
        "line": found.line,
        "problem": found.problem,
        "revealed": found.revealed,
        "record_hash": found.record_hash,
        "events": [_event_json(shown) for shown in shown_events(events)],
    }
    if seat is not None:
        asked = [] if receipts is None else questions(receipts, seat)
        place(record, seat, asked)
        value |= {
            "seat": seat,
            "receipts": None if receipts is None else receipts_name(path.name),
            "questions": [question.json() for question in asked],
        }
    return value


def _event_json(shown: Shown) -> dict[str, object]:
    return {
        "sequence": shown.sequence,
        "round": shown.round,
        "turn": shown.turn,
        "move": shown.move or None,
        "note": shown.note or None,
        "event": json.loads(event_text(shown.sequence, shown.event)),
    }
