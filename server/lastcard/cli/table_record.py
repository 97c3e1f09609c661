"""`lastcard table record TABLE`: the record of a finished match as files for `lastcard verify` and `lastcard show`.

Here: options, names of the files, writing them. Not here: what is in a record (`lastcard.rules.record_reader`).
"""

import argparse
import os
import re
import sys
from pathlib import Path

from lastcard.cli.errors import CommandError
from lastcard.cli.show_game import plain
from lastcard.cli.table_server import ServerError, TableServer, add_server_options
from lastcard.rules.record_reader import RecordError, read_record, receipts_name

EPILOG = """\
examples:
  lastcard table record q7x2ab --server 127.0.0.1:7600
  lastcard table record q7x2ab --out final.jsonl
  lastcard verify q7x2ab.jsonl && lastcard show q7x2ab.jsonl --seat 0

Writes TABLE.jsonl, or the file that is named, and what each seat was asked and answered beside it, as
TABLE.receipts.ndjson.
exit status: 0 written, 1 the record is not open yet or there is none, 2 it could not be had or written
"""

_FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `record`."""
    parser = commands.add_parser(
        "record",
        help="get the record of a finished match",
        description="Get the record of a finished match, and the receipts beside it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("table", metavar="TABLE", help="id of the table")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the record's file (default: TABLE.jsonl)")
    parser.add_argument("--overwrite", action="store_true", help="replace files that hold something else")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Writes the files; 0, or 1 when the record is not open."""
    path = _path(args.table, args.out)
    with TableServer(args) as server:
        try:
            response = server.record(args.table)
        except ServerError as error:
            if error.reason == "RECORD_CLOSED":
                return _not_there(str(error))
            raise
    if not response.record:
        return _not_there(f"table {plain(args.table)} has no record: the server could not keep one")
    files = ((path, response.record), (path.with_name(receipts_name(path.name)), response.receipts))
    if not args.overwrite:
        for file, data in files:
            _check_free(file, data)
    for file, data in files:
        _write(file, data)
    try:
        record = read_record(response.record)
    except RecordError as error:
        raise CommandError(f"{path} is written, but this version cannot read it: {error}".removesuffix(".")) from error
    if record.record_hash != response.record_hash.hex():
        raise CommandError(
            f"{path} is written, but its hash is {record.record_hash}, and the server says {response.record_hash.hex()}"
        )
    print(f"{path}: {len(record.events)} events of {len(record.header.bots)} seats, hash {record.record_hash}")
    print(f"{files[1][0]}: what each seat was asked and answered")
    print(f"next: `lastcard verify {path}`, `lastcard show {path}`")
    return 0


def _path(table_id: str, out: Path | None) -> Path:
    if out is None:
        if not _FILE_NAME.fullmatch(table_id):
            raise CommandError(f"{table_id!r} is no id of a table, which has only letters, digits, '-', '_' and '.'")
        return Path(f"{table_id}.jsonl")
    if out.is_dir() or not out.name:
        raise CommandError(f"--out {out} is a directory; name a file in it, as in {out / 'game.jsonl'}")
    return out


def _not_there(sentence: str) -> int:
    print(f"lastcard: {sentence}", file=sys.stderr)
    return 1


def _check_free(path: Path, data: bytes) -> None:
    """A file may be replaced by what it is the beginning of: a record grows when its chance is revealed."""
    try:
        held = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from error
    if not data.startswith(held):
        raise CommandError(f"{path} holds something else; name another file with --out, or give --overwrite")


def _write(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
