"""The file of receipts beside a record: what was asked, answered and decided, how long it took, and what went wrong.

Here: its writer. Not here: the record (`lastcard.rules.record`), reading (`receipts_reader`). May import
`lastcard.rules`, `commands` and `effects`. The format is described in server/docs/record.md.

Unlike the record it tells of clocks and connections, so it differs from run to run and no hash covers it.
"""

from collections.abc import Callable, Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from lastcard.rules.actions import Action
from lastcard.rules.notation import action_text
from lastcard.table.commands import Answer
from lastcard.table.effects import Ask, Blame, DecisionKind, FaultKind, Receipt, RefusedCatch, Verdict, Withdraw

FORMAT = 1
"""Number of the format, raised when a reader of an older one would misread a file."""

_BOOL = ("false", "true")
_DECISION = {kind: f'"{kind.name}"' for kind in DecisionKind}
_FAULT = {kind: f'"{kind.name}"' for kind in FaultKind}


class ReceiptsWriter:
    """Collects what happened around the decisions of one match and writes it down at the end.

    While the match is on, a call costs one append; times are whole milliseconds of the server's own clock. `bots` is
    read at the end.
    """

    __slots__ = ("_bots", "_items", "_times")

    def __init__(
        self,
        bots: Sequence[str],
        *,
        limit_ms: int,
        bank_ms: int,
        reaction_ms: int,
        start_up_ms: int,
        grace_ms: int,
        network_credit_ms: int = 0,
        network_credit_total_ms: int = 0,
    ) -> None:
        self._bots = bots
        self._times = (
            f'"limit_ms":{limit_ms},"bank_ms":{bank_ms},"reaction_ms":{reaction_ms},"start_up_ms":{start_up_ms},'
            f'"grace_ms":{grace_ms},"network_credit_ms":{network_credit_ms},'
            f'"network_credit_total_ms":{network_credit_total_ms}'
        )
        self._items: list[tuple[int, Ask] | Answer | Verdict | Withdraw | Blame] = []

    def asked(self, sequence: int, ask: Ask) -> None:
        """A decision was put to a seat, whose view contains the events up to number `sequence`."""
        self._items.append((sequence, ask))

    def answered(self, answer: Answer) -> None:
        """A seat answered."""
        self._items.append(answer)

    def judged(self, verdict: Verdict) -> None:
        """An answer was accepted or refused."""
        self._items.append(verdict)

    def withdrawn(self, withdraw: Withdraw) -> None:
        """A decision was closed by something other than an answer."""
        self._items.append(withdraw)

    def blamed(self, blame: Blame) -> None:
        """A fault was found."""
        self._items.append(blame)

    def to_bytes(self) -> bytes:
        """The file: a header, then a line for each item in the order in which they came."""
        names = ",".join(map(quoted, self._bots))
        lines = [f'{{"header":{{"format":{FORMAT},"bots":[{names}],{self._times}}}}}']
        lines += [_WRITERS[type(item)](item) for item in self._items]
        lines.append("")
        return "\n".join(lines).encode("ascii")


class _ActionTexts(dict[Action, str]):
    """Actions in the notation of scenario.md, as JSON; kept, since the same come again and again."""

    __slots__ = ()

    def __missing__(self, action: Action) -> str:
        if len(self) >= _KEPT:
            # A bot may send any numbers it likes; its inventions must not pile up.
            self.clear()
        text = self[action] = quoted(_text(action))
        return text


_KEPT = 4096
_ACTION = _ActionTexts()


def _text(action: Action) -> str:
    """The action in notation; a bot may have sent one that has none, which is written as numbers."""
    try:
        return action_text(action)
    except LookupError:
        return f"kind {action.kind} card {action.card} color {action.color} target {action.target}"


def _asked(item: tuple[int, Ask]) -> str:
    sequence, (seat, decision, kind, legal, limit_ms, bank_ms, _) = item
    actions = ",".join([_ACTION[action] for action in legal])
    bank = "" if bank_ms is None else f',"bank_ms":{bank_ms}'
    return (
        f'{{"asked":{{"seat":{seat},"decision":{decision},"kind":{_DECISION[kind]},"sequence":{sequence},'
        f'"legal":[{actions}],"limit_ms":{limit_ms}{bank}}}}}'
    )


def _answered(answer: Answer) -> str:
    seat, decision, choice, action, call_uno, catch_seats, received_ms, _ = answer
    chosen = "" if choice is None else f'"choice":{choice},'
    named = "" if action is None else f'"action":{_ACTION[action]},'
    catches = ",".join(map(str, catch_seats)) if catch_seats else ""
    return (
        f'{{"answered":{{"seat":{seat},"decision":{decision},{chosen}{named}"call_uno":{_BOOL[call_uno]},'
        f'"catch_seats":[{catches}],"received_ms":{received_ms}}}}}'
    )


def _receipt(receipt: Receipt | None) -> str:
    if receipt is None:
        return ""
    _, sent, received, credit, charged, bank, timed_out = receipt
    came = "" if received is None else f'"received_ms":{received},'
    left = "" if bank is None else f'"bank_left_ms":{bank},'
    return (
        f',"receipt":{{"sent_ms":{sent},{came}"network_credit_ms":{credit},"charged_ms":{charged},{left}'
        f'"timed_out":{_BOOL[timed_out]}}}'
    )


def _refused_catch(refused: RefusedCatch) -> str:
    return f'{{"seat":{refused.seat},"reason":"{refused.reason.name}","sentence":{quoted(refused.sentence)}}}'


def _reason(verdict: Verdict) -> str:
    if verdict.reason is not None:
        return f'"reason":"{verdict.reason.name}",'
    if verdict.choice_out_of_range:
        return '"reason":"CHOICE_OUT_OF_RANGE",'
    return '"reason":"UNKNOWN_DECISION",' if verdict.unknown_decision else ""


def _judged(verdict: Verdict) -> str:
    seat, decision, accepted, _, _, _, sentence, receipt, refused_catches, refusals_left = verdict
    why = "" if accepted else f'{_reason(verdict)}"sentence":{quoted(sentence)},'
    catches = ",".join(map(_refused_catch, refused_catches)) if refused_catches else ""
    return (
        f'{{"judged":{{"seat":{seat},"decision":{decision},"accepted":{_BOOL[accepted]},{why}'
        f'"refused_catches":[{catches}],"refusals_left":{refusals_left}{_receipt(receipt)}}}}}'
    )


def _withdrawn(withdraw: Withdraw) -> str:
    return (
        f'{{"withdrawn":{{"seat":{withdraw.seat},"decision":{withdraw.decision_id},'
        f'"reason":"{withdraw.reason.name}"{_receipt(withdraw.receipt)}}}}}'
    )


def _blamed(blame: Blame) -> str:
    return (
        f'{{"blamed":{{"seat":{blame.seat},"kind":{_FAULT[blame.kind]},"sequence":{blame.sequence},'
        f'"evidence":{quoted(blame.evidence)}}}}}'
    )


_WRITERS: dict[type, Callable[[Any], str]] = {
    tuple: _asked,
    Answer: _answered,
    Verdict: _judged,
    Withdraw: _withdrawn,
    Blame: _blamed,
}
