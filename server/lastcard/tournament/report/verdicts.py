"""Rulings of the organiser, what faults cost, and sets that do not count.

Here: all of it in words. Not here: what follows from them (`judging`). May import the standard library and the pure
modules of `tournament`.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lastcard.tournament.judging import Judged, JudgedSet, SetStatus
from lastcard.tournament.ledger import RulingBy, RulingKind, RulingRow
from lastcard.tournament.report.blame import KIND_TITLES
from lastcard.tournament.report.text import count_text
from lastcard.tournament.rulings import MEANINGS, Fault, Policy, Ruling, Rulings

_SHOWN = 50
"""So many sets are shown that do not count; the ledger has them all."""


class RulingLine(NamedTuple):
    """A ruling in words; `in_force` unless it was taken back."""

    number: int
    at: str
    what: str
    reason: str
    in_force: bool


class PolicyLine(NamedTuple):
    """What some kinds of fault cost."""

    kinds: str
    ruling: str
    meaning: str


class SetLine(NamedTuple):
    """A set that does not count as it was played."""

    number: int
    bots: str
    what: str
    why: str


class Verdicts(NamedTuple):
    """All rulings, what faults cost, some of the sets that do not count, and how many more there are."""

    rulings: tuple[RulingLine, ...]
    policy: tuple[PolicyLine, ...]
    sets: tuple[SetLine, ...]
    more: str


def verdicts_of(rulings: Sequence[RulingRow], judged: Judged) -> Verdicts:
    """The rulings of a ledger and what they and the faults did to its sets."""
    in_force = {row.number for row in judged.rulings}
    uncounted = [each for each in judged.sets.values() if each.status in (SetStatus.VOID, SetStatus.REPLACED)]
    left = len(uncounted) - _SHOWN
    return Verdicts(
        rulings=tuple(
            RulingLine(row.number, row.at, _what(row), row.reason, row.number in in_force or _takes_back(row))
            for row in rulings
        ),
        policy=tuple(_policy_lines(judged.scoring.rulings)),
        sets=tuple(_set_lines(uncounted[:_SHOWN])),
        more=f"{count_text(left, 'more set')} of this kind" if left > 0 else "",
    )


def _takes_back(row: RulingRow) -> bool:
    return row.kind == RulingKind.TAKE_BACK


def _what(row: RulingRow) -> str:
    match row.kind:
        case RulingKind.ANNUL:
            return f"game {row.game} is annulled" + (", its set is played again" if row.replay else "")
        case RulingKind.DISQUALIFY:
            return f"{row.bot} is disqualified"
        case RulingKind.WITHDRAW:
            by_itself = not row.by or row.by == RulingBy.BOT
            return f"{row.bot} withdraws" if by_itself else f"{row.bot} is withdrawn by the {row.by}"
        case RulingKind.ENTER:
            return f"{row.bot} enters"
    return f"ruling {row.ruling} is taken back"


def _policy_lines(rulings: Rulings) -> Iterable[PolicyLine]:
    by_policy: dict[Policy, list[str]] = {}
    for kind, title in KIND_TITLES.items():
        by_policy.setdefault(rulings[Fault(kind)], []).append(title)
    for policy, titles in by_policy.items():
        name = f"penalty of {policy.points} points" if policy.ruling is Ruling.PENALTY else policy.ruling
        yield PolicyLine(", ".join(titles), name, MEANINGS[policy.ruling])


def _set_lines(sets: Iterable[JudgedSet]) -> Iterable[SetLine]:
    for each in sets:
        what = f"replaced by set {each.by}" if each.status is SetStatus.REPLACED else "void"
        yield SetLine(each.number, ", ".join(sorted(each.bots)), what, each.why)
