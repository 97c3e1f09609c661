"""`lastcard verify RECORD…`: checks records offline and names the first line that is wrong.

Of a results directory the ranking is checked too (`verify_figures`), and where its games come from
(`verify_provenance`).
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.record_files import Listed, ledger_games, read_record_file, records_in
from lastcard.cli.verify_figures import FoundFigures, holds_figures, verify_figures
from lastcard.cli.verify_provenance import Origin, verify_provenance
from lastcard.rules.events import MatchCause, MatchEnded
from lastcard.rules.record_reader import Record, read_record
from lastcard.rules.ruleset import ruleset
from lastcard.rules.verify import Verification, verify
from lastcard.tournament.luck import luck_of

EPILOG = """\
examples:
  lastcard verify game.jsonl
  lastcard verify results/friday-cup         every record in it, each against its line in the ledger, and the ranking
  lastcard verify results/friday-cup/records/*.jsonl --json

checked are the chain of hashes, every action against the rules, all scores and, once seeds and salt are revealed, every
shuffle; before that a record is said to be "not yet revealed". The ranking of a results directory is computed again
from its ledger, with all rulings in it. When the event is complete, or has a seed, its key is open; then all that was
drawn is drawn again: who played whom, in which seats, on which deal, and the shuffles of that deal.
exit status: 0 all records are right, 1 something is wrong, 2 a file could not be read or is no record
"""


@dataclass(frozen=True, slots=True)
class _Result:
    """What was found of one file: a verification, or the sentence that says why there is none."""

    path: Path
    found: Verification | None
    line: int | None
    problem: str | None

    @property
    def ok(self) -> bool:
        return self.problem is None

    def text(self) -> str:
        found = self.found
        if found is None:
            return f"?     {self.path}: {self.problem}"
        if self.problem is not None:
            return f"WRONG {self.path} line {self.line}: {self.problem}"
        chance = "chance verified" if found.revealed else "not yet revealed"
        ended = "" if found.complete else ", not played to its end"
        rounds = "1 round" if found.rounds == 1 else f"{found.rounds} rounds"
        return f"ok    {self.path}: {rounds}, {found.events} events{ended}, {chance}, hash {found.record_hash}"

    def json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"record": str(self.path), "ok": self.ok, "line": self.line, "problem": self.problem}
        if self.found is not None:
            fields |= {
                "revealed": self.found.revealed,
                "complete": self.found.complete,
                "rounds": self.found.rounds,
                "events": self.found.events,
                "record_hash": self.found.record_hash,
            }
        return fields


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `verify` to the command line."""
    parser = subparsers.add_parser(
        "verify",
        help="check records: hash chain, legality, scores, chance",
        description="Check records offline, each on its own, and name the first line that is wrong.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "records", nargs="+", type=path_of, metavar="RECORD", help="a record, or a directory with records"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object a record, one a line")


def run(args: argparse.Namespace) -> int:
    """Prints a line a record and returns 0, 1 when something is wrong, 2 when something could not be read."""
    results: list[_Result | FoundFigures] = []
    for result in _results(args.records):
        results.append(result)
        if args.json:
            print(json.dumps(result.json(), ensure_ascii=False))
        elif isinstance(result, _Result) and result.found is None:
            print(f"lastcard: {result.problem}", file=sys.stderr)
        else:
            print(result.text())
    records = [result for result in results if isinstance(result, _Result)]
    if len(records) > 1 and not args.json:
        print(_summary(records))
    if any(result.found is None if isinstance(result, _Result) else result.unread for result in results):
        return 2
    return 0 if all(result.ok for result in results) else 1


def _results(paths: Sequence[Path]) -> Iterator[_Result | FoundFigures]:
    for path in paths:
        try:
            games = ledger_games(path) if path.is_dir() else {}
            records = records_in(path) if path.is_dir() else [path]
        except CommandError as error:
            yield _Result(path, None, None, str(error))
            continue
        holds = path.is_dir() and holds_figures(path)
        drawn, origin = verify_provenance(path) if holds else (None, None)
        for record in records:
            yield verified(record, games.get(record), origin)
        for record in sorted(games.keys() - set(records)):
            yield _Result(record, None, None, f"{record} is in the ledger, but there is no such record")
        if drawn is not None:
            yield drawn
        if holds:
            yield verify_figures(path)


def verified(path: Path, listed: Listed | None, origin: Origin | None) -> _Result:
    """What is found of one record, held against its line in a ledger and the event that it is said to be of."""
    try:
        data = read_record_file(path)
    except CommandError as error:
        return _Result(path, None, None, str(error))
    found = verify(data)
    if not found.ok or listed is None:
        return _Result(path, found, found.line, found.problem)
    record = read_record(data)
    problem = _number_difference(path, listed) or _difference(record, found, listed)
    if problem is not None:
        return _Result(path, found, found.events + 2, problem)
    problem = origin.difference(listed.game, listed.deal, record.reveal) if origin is not None else None
    return _Result(path, found, None if problem is None else found.events + 3, problem)


def _difference(record: Record, found: Verification, listed: Listed) -> str | None:
    """What the ledger says of the game and its record does not; the points of a match broken off are in no record."""
    if listed.record_hash != found.record_hash:
        return (
            f"its hash is {found.record_hash}, the ledger has {listed.record_hash}: it is not the record of that game."
        )
    told: dict[str, object] = {"seats": list(record.header.bots)}
    for event in record.events:
        if isinstance(event, MatchEnded):
            told |= {"points": list(event.totals), "places": list(event.places)}
            told["cause"] = MatchCause(event.cause).name.lower()
    for name, value in told.items():
        said = getattr(listed, name)
        if said is not None and said != value:
            verb = "is" if name == "cause" else "are"
            return f"its {name} {verb} {json.dumps(value)}, the ledger has {json.dumps(said)}."
    return _luck_difference(record, listed.luck) if listed.luck else None


def _luck_difference(record: Record, said: Any) -> str | None:
    """What the ledger says of the luck with the cards, from which scores are adjusted, and the record does not."""
    try:
        luck = luck_of(record.events, ruleset(record.header.preset, record.header.options), len(record.header.bots))
    except ValueError:
        return None  # the ledger of such a game has none that could be computed
    told = [list(each) for each in luck]
    return None if said == told else f"its luck is {json.dumps(told)}, the ledger has {json.dumps(said)}."


def _number_difference(path: Path, listed: Listed) -> str | None:
    """Whether the ledger says another number of the game than its record's name does."""
    number, _, _ = path.name.partition(".")
    if not number.isdecimal() or listed.game is None or listed.game == int(number):
        return None
    return f"it is the record of game {int(number)}, the ledger has {json.dumps(listed.game)}."


def _summary(results: list[_Result]) -> str:
    right = sum(result.ok for result in results)
    hidden = sum(result.ok and result.found is not None and not result.found.revealed for result in results)
    wrong = sum(result.found is not None and not result.ok for result in results)
    unread = sum(result.found is None for result in results)
    parts = [f"{right} of {len(results)} records are right"]
    parts += [f"{hidden} of them not yet revealed"] if hidden else []
    parts += [f"{wrong} wrong"] if wrong else []
    parts += [f"{unread} not read"] if unread else []
    return ", ".join(parts)
