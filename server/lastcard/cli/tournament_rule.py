"""`lastcard tournament rule EVENT RULING`: an organiser's rulings, which are kept in the ledger.

Here: arguments, and rulings in a results directory. Not here: those on a tournament of a server
(`tournament_rule_hosted`), what may be ruled (`tournament.rule_book`), writing it down (`tournament.director`). May
import anything.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lastcard.cli.errors import CommandError
from lastcard.cli.table_server import add_server_options
from lastcard.cli.tournament_event import EVENT_HELP, add_event, is_hosted
from lastcard.cli.tournament_ranking import figures_text
from lastcard.cli.tournament_rule_hosted import hosted_rulings, rule_hosted
from lastcard.store.opening import FILE
from lastcard.tournament.claim import InUseError, claimed
from lastcard.tournament.director.hosted_events import EVENTS
from lastcard.tournament.director.organiser import Ruled, rule
from lastcard.tournament.ledger import LedgerError, RulingKind, RulingRow
from lastcard.tournament.report.played import Played, PlayedError, read_played
from lastcard.tournament.results import ResultsError
from lastcard.tournament.rule_book import RulingError, Wish, listing, sentence_of
from lastcard_bot.bots import BOTS

EPILOG = f"""\
examples:
  lastcard tournament rule results/friday-cup annul 17 --reason "the power failed"
  lastcard tournament rule results/friday-cup annul 18 --replay --reason "wrong preset"
  lastcard tournament rule results/friday-cup disqualify mine --reason "it reads other bots' files"
  lastcard tournament rule results/friday-cup withdraw mine --reason "its author asked for it"
  lastcard tournament rule results/friday-cup take-back 2 --reason "it was another bot"
  lastcard tournament rule results/friday-cup list
  lastcard tournament rule friday annul 17 --reason "the power failed" --server 127.0.0.1:7600

{EVENT_HELP}
annul: the set of the game counts for nobody, unless --replay has it played again on a fresh deal.
disqualify: the bot is out of the ranking and plays no more; the others' sets with it stand if all of them have played
such sets equally often, and count for nobody otherwise.
withdraw: the bot plays no more; it loses the games that were drawn already, and its results stay.
take-back: a ruling, by its number, does not hold any more.

A ruling is a row of the ledger, with its reason, and stays there; every figure follows from the ledger and is written
anew. The event may be complete, stopped or broken off, but nobody may be playing it; on a server it is paused first.
What is to be played then, in a complete event too, `lastcard tournament run FILE --resume` plays, and on a server
`lastcard tournament resume NAME`. There rulings are for the organiser, and the list is for everybody.
exit status: 0 done, 2 it cannot be ruled, DIR is in use, damaged or no results directory, or the server did not do it
"""

_KINDS = {
    "annul": (RulingKind.ANNUL, "GAME", "a game does not count"),
    "disqualify": (RulingKind.DISQUALIFY, "BOT", "a bot is out of the ranking and plays no more"),
    "withdraw": (RulingKind.WITHDRAW, "BOT", "a bot plays no more, and its results stay"),
    "take-back": (RulingKind.TAKE_BACK, "RULING", "a ruling does not hold any more"),
}
_NUMBERS = (RulingKind.ANNUL, RulingKind.TAKE_BACK)

_MOST = 2**32 - 1
"""The largest number that the API can carry."""


def add_parser(commands: Any) -> None:
    """Add the action `rule`."""
    parser = commands.add_parser(
        "rule",
        help="annul a game, disqualify or withdraw a bot, take a ruling back",
        description="Rule on an event that nobody plays at the moment, here or on a server.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_event(parser)
    rulings = parser.add_subparsers(title="rulings", metavar="RULING", dest="ruling", required=True)
    for name, (kind, what, about) in _KINDS.items():
        one = rulings.add_parser(name, help=about, description=f"Rule that {about}.")
        one.add_argument("about", metavar=what, type=_number if kind in _NUMBERS else str)
        if kind is RulingKind.ANNUL:
            one.add_argument("--replay", action="store_true", help="play its set again on a fresh deal")
        one.add_argument("--reason", required=True, metavar="TEXT", help="why, in a sentence for everybody")
        one.add_argument("--json", action="store_true", help="print the ruling as JSON and nothing else")
        add_server_options(one)
    shown = rulings.add_parser("list", help="print all rulings", description="Print all rulings of an event.")
    shown.add_argument("--json", action="store_true", help="print a JSON object a ruling, one a line")
    add_server_options(shown)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(_MOST)) or int(text) > _MOST:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number; valid are whole numbers from 1 to {_MOST}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Run `lastcard tournament rule`."""
    hosted = is_hosted(args)
    if args.ruling == "list":
        rulings = hosted_rulings(args) if hosted else _played(Path(args.event)).entries.rulings
        _print_all(rulings, as_json=args.json)
        return 0
    kind, _, _ = _KINDS[args.ruling]
    wish = Wish(kind, args.about, args.reason, replay=getattr(args, "replay", False))
    if hosted:
        rule_hosted(args, wish)
    else:
        _rule_here(Path(args.event), wish, as_json=args.json)
    return 0


def _played(directory: Path) -> Played:
    try:
        return read_played(directory, tuple(BOTS))
    except PlayedError as error:
        raise CommandError(str(error)) from error


def _rule_here(directory: Path, wish: Wish, *, as_json: bool) -> None:
    try:
        with claimed(directory, "stop it first; rulings are made while nobody plays the event"):
            ruled = rule(directory, tuple(BOTS), wish, datetime.now(UTC).isoformat(timespec="seconds"))
    except (PlayedError, ResultsError, RulingError, LedgerError, InUseError) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(_half_done(directory, error)) from error
    if as_json:
        print(ruled.row.to_json())
    else:
        _print(directory, ruled)


def _half_done(directory: Path, error: OSError) -> str:
    return (
        f"cannot write in {str(directory)!r}: {error.strerror or error}; `lastcard tournament rule {directory} list` "
        f"tells whether the ruling is in the ledger, and `lastcard tournament report {directory}` writes the figures"
    )


def _print(directory: Path, ruled: Ruled) -> None:
    print(f"ruling {ruled.row.number}: {sentence_of(ruled.row)}")
    print(figures_text(ruled.figures.played.file.name, ruled.figures.standings))
    if ruled.unfinished:
        print(f"there are games to play: {_how_to_play(directory)}")


def _how_to_play(directory: Path) -> str:
    """The command that plays what there is to play: what lies in a server's data directory is played by the server."""
    events = directory.resolve().parent
    if events.name == EVENTS and (events.parent / FILE).exists():
        return f"when its server runs, lastcard tournament resume {directory.resolve().name}"
    return f"lastcard tournament run FILE --resume --out {directory}"


def _print_all(rulings: Sequence[RulingRow], *, as_json: bool) -> None:
    if as_json:
        for row in rulings:
            print(json.dumps(asdict(row), ensure_ascii=False))
    else:
        print("\n".join(listing(rulings)) or "there are no rulings")
