"""Decisions, verdicts and receipts as bytes.

Here: the bodies of `Decision`, `ActResult`, `DecisionClosed` and `Receipt`. Not here: how they are framed (`frames`).
Times are unix milliseconds.
"""

from lastcard.services.wire.actions import legal_item
from lastcard.services.wire.varint import (
    LENGTH,
    VARINT,
    heads,
    joined,
    nested,
    number,
    numbers,
    spans,
    tag,
    text,
    varint,
)
from lastcard.table.effects import Ask, Receipt, Verdict, Withdraw
from lastcard.table.refusals import TransportReason

_N = tuple(tag(field, VARINT) for field in range(10))
_L = tuple(tag(field, LENGTH) for field in range(10))

_DECISION_ID = numbers(1)
_SENT_AT = spans(2)
_RECEIVED_AT = spans(3)
_NETWORK_CREDIT = spans(4)
_CHARGED = spans(5)
_BANK_LEFT = spans(6)
_TIMED_OUT = numbers(7)


def receipt_body(receipt: Receipt) -> bytes:
    """The body of a `Receipt`."""
    decision_id, sent_ms, received_ms, credit_ms, charged_ms, bank_left_ms, timed_out = receipt
    return b"".join(
        (
            _DECISION_ID[decision_id],
            _SENT_AT[sent_ms],
            _RECEIVED_AT[received_ms],
            _NETWORK_CREDIT[credit_ms],
            _CHARGED[charged_ms],
            _BANK_LEFT[bank_left_ms],
            _TIMED_OUT[timed_out],
        )
    )


_ASKED_ID = numbers(2)
_ASKED_KIND = numbers(3)
_SEQUENCE = numbers(4)
_VIEW = heads(5)
_TIME_LEFT = spans(7)
_ASKED_BANK_LEFT = spans(8)
_PREVIOUS_RECEIPT = heads(9)


def decision_body(table_id: bytes, ask: Ask, sequence: int, view: bytes, receipt: bytes) -> bytes:
    """The body of a `Decision`.

    `table_id` is the field with its tag, `view` the body of a `View`, `receipt` that of the previous receipt or empty.
    """
    _, decision_id, kind, legal_actions, limit_ms, bank_ms, _ = ask
    return b"".join(
        (
            table_id,
            _ASKED_ID[decision_id],
            _ASKED_KIND[kind],
            _SEQUENCE[sequence],
            _VIEW[len(view)] if 0 < len(view) < 512 else _L[5] + varint(len(view)),
            view,
            *map(legal_item, legal_actions),
            # A standing reaction has no deadline, which is told apart from one that is over.
            _TIME_LEFT[limit_ms] if limit_ms or bank_ms is not None else b"",
            _ASKED_BANK_LEFT[bank_ms],
            _PREVIOUS_RECEIPT[len(receipt)],
            receipt,
        )
    )


def late_decision_body(body: bytes, time_left_ms: int) -> bytes:
    """A decision's body with less time left: what was written last stands, so it is enough to add the field again.

    Both parts of the duration are written even when they are 0, since nested messages are merged.
    """
    seconds, rest = divmod(max(0, time_left_ms), 1000)
    return body + nested(_L[7], _N[1] + varint(seconds) + _N[2] + varint(rest * 1_000_000))


_JUDGED_ID = numbers(2)
_JUDGED_RECEIPT = heads(7)
_REFUSALS_LEFT = numbers(9)
_ACCEPTED = _N[3] + b"\x01"


def verdict_body(table_id: bytes, verdict: Verdict, receipt: bytes) -> bytes:
    """The body of an `ActResult`; `receipt` is the body of its receipt or empty."""
    if verdict.accepted and not verdict.refused_catches and not verdict.refusals_left:
        return b"".join((table_id, _JUDGED_ID[verdict.decision_id], _ACCEPTED, _JUDGED_RECEIPT[len(receipt)], receipt))
    return b"".join(
        (
            table_id,
            _JUDGED_ID[verdict.decision_id],
            number(_N[3], verdict.accepted),
            number(_N[4], verdict.reason or 0),
            number(_N[5], _transport_reason(verdict)),
            text(_L[6], verdict.sentence),
            _JUDGED_RECEIPT[len(receipt)],
            receipt,
            _refused_catches(verdict),
            _REFUSALS_LEFT[verdict.refusals_left],
        )
    )


def _refused_catches(verdict: Verdict) -> bytes:
    if not verdict.refused_catches:
        return b""
    return joined(
        _L[8],
        [
            number(_N[1], refused.seat) + number(_N[2], refused.reason) + text(_L[3], refused.sentence)
            for refused in verdict.refused_catches
        ],
    )


def _transport_reason(verdict: Verdict) -> int:
    if verdict.choice_out_of_range:
        return TransportReason.CHOICE_OUT_OF_RANGE
    if verdict.unknown_decision:
        return TransportReason.UNKNOWN_DECISION
    return 0


_CLOSED_RECEIPT = heads(4)


def decision_closed_body(table_id: bytes, withdraw: Withdraw, receipt: bytes) -> bytes:
    """The body of a `DecisionClosed`; `receipt` is the body of its receipt or empty."""
    return b"".join(
        (
            table_id,
            _JUDGED_ID[withdraw.decision_id],
            number(_N[3], withdraw.reason),
            _CLOSED_RECEIPT[len(receipt)],
            receipt,
        )
    )
