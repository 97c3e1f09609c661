"""Decisions, verdicts and receipts as bytes.

Here: the bodies of `Decision`, `ActResult`, `DecisionClosed` and `Receipt`. Not here: how they are framed (`frames`).
Times are unix milliseconds.
"""

from lastcard.services.wire.actions import legal_items
from lastcard.services.wire.varint import LENGTH, VARINT, joined, nested, number, span, tag, text, varint
from lastcard.table.effects import Ask, Receipt, Verdict, Withdraw
from lastcard.table.refusals import TransportReason

_N = tuple(tag(field, VARINT) for field in range(10))
_L = tuple(tag(field, LENGTH) for field in range(10))


def receipt_body(receipt: Receipt) -> bytes:
    """The body of a `Receipt`."""
    return b"".join(
        (
            number(_N[1], receipt.decision_id),
            nested(_L[2], span(receipt.sent_ms)),
            b"" if receipt.received_ms is None else nested(_L[3], span(receipt.received_ms)),
            nested(_L[4], span(receipt.network_credit_ms)),
            nested(_L[5], span(receipt.charged_ms)),
            b"" if receipt.bank_left_ms is None else nested(_L[6], span(receipt.bank_left_ms)),
            number(_N[7], receipt.timed_out),
        )
    )


def _receipt(field_tag: bytes, receipt: Receipt | None) -> bytes:
    return b"" if receipt is None else nested(field_tag, receipt_body(receipt))


def decision_body(table_id: bytes, ask: Ask, sequence: int, view: bytes) -> bytes:
    """The body of a `Decision`; `table_id` is the field with its tag, `view` the body of a `View`."""
    return b"".join(
        (
            table_id,
            _N[2],
            varint(ask.decision_id),
            number(_N[3], ask.kind),
            number(_N[4], sequence),
            _L[5],
            varint(len(view)),
            view,
            legal_items(ask.legal_actions),
            b"" if ask.limit_ms == 0 and ask.bank_ms is None else nested(_L[7], span(ask.limit_ms)),
            b"" if ask.bank_ms is None else nested(_L[8], span(ask.bank_ms)),
            _receipt(_L[9], ask.previous_receipt),
        )
    )


def late_decision_body(body: bytes, time_left_ms: int) -> bytes:
    """A decision's body with less time left: what was written last stands, so it is enough to add the field again.

    Both parts of the duration are written even when they are 0, since nested messages are merged.
    """
    seconds, rest = divmod(max(0, time_left_ms), 1000)
    return body + nested(_L[7], _N[1] + varint(seconds) + _N[2] + varint(rest * 1_000_000))


def verdict_body(table_id: bytes, verdict: Verdict) -> bytes:
    """The body of an `ActResult`."""
    return b"".join(
        (
            table_id,
            number(_N[2], verdict.decision_id),
            number(_N[3], verdict.accepted),
            number(_N[4], verdict.reason or 0),
            number(_N[5], _transport_reason(verdict)),
            text(_L[6], verdict.sentence),
            _receipt(_L[7], verdict.receipt),
            joined(
                _L[8],
                [
                    number(_N[1], refused.seat) + number(_N[2], refused.reason) + text(_L[3], refused.sentence)
                    for refused in verdict.refused_catches
                ],
            )
            if verdict.refused_catches
            else b"",
            number(_N[9], verdict.refusals_left),
        )
    )


def _transport_reason(verdict: Verdict) -> int:
    if verdict.choice_out_of_range:
        return TransportReason.CHOICE_OUT_OF_RANGE
    if verdict.unknown_decision:
        return TransportReason.UNKNOWN_DECISION
    return 0


def decision_closed_body(table_id: bytes, withdraw: Withdraw) -> bytes:
    """The body of a `DecisionClosed`."""
    return (
        table_id
        + number(_N[2], withdraw.decision_id)
        + number(_N[3], withdraw.reason)
        + _receipt(_L[4], withdraw.receipt)
    )
