"""The table of errors: every reason with its status code, and how a refusal becomes a status.

Here: `code_of`, `status_of`, `incident_status`. Not here: where refusals are caught (`boundary`). A status carries its
code, the sentence, and as details an `ErrorInfo` (domain `lastcard`, every fact), an `ErrorCause` of our own, and where
they apply a `BadRequest` and a `RetryInfo`.
"""

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from lastcard.rules.reasons import Reason, Refused
from lastcard.table.refusals import DomainError, TransportReason, shortened
from lastcard.v1 import reason_pb2

DOMAIN = "lastcard"

LONGEST_FACT = 128
"""Most bytes of a fact in an `ErrorInfo`."""

DETAILS_KEY = "grpc-status-details-bin"
"""Metadata key of the status details.

Source: grpc-status, `rpc_status`.
"""

_Code = grpc.StatusCode

_GAME: dict[Reason, grpc.StatusCode] = {
    Reason.NOT_YOUR_TURN: _Code.FAILED_PRECONDITION,
    Reason.CARD_NOT_IN_HAND: _Code.INVALID_ARGUMENT,
    Reason.CARD_NOT_PLAYABLE: _Code.INVALID_ARGUMENT,
    Reason.COLOR_REQUIRED: _Code.INVALID_ARGUMENT,
    Reason.TARGET_REQUIRED: _Code.INVALID_ARGUMENT,
    Reason.ACTION_NOT_AVAILABLE: _Code.FAILED_PRECONDITION,
    Reason.NOT_LIABLE: _Code.FAILED_PRECONDITION,
    Reason.STALE_DECISION: _Code.FAILED_PRECONDITION,
    Reason.TURN_EXPIRED: _Code.DEADLINE_EXCEEDED,
    Reason.ROUND_OVER: _Code.FAILED_PRECONDITION,
    Reason.MATCH_OVER: _Code.FAILED_PRECONDITION,
    Reason.FORBIDDEN: _Code.PERMISSION_DENIED,
    Reason.SESSION_REPLACED: _Code.ABORTED,
}

_TRANSPORT: dict[TransportReason, grpc.StatusCode] = {
    TransportReason.HELLO_REQUIRED: _Code.FAILED_PRECONDITION,
    TransportReason.VERSION_UNSUPPORTED: _Code.FAILED_PRECONDITION,
    TransportReason.CHOICE_OUT_OF_RANGE: _Code.OUT_OF_RANGE,
    TransportReason.UNKNOWN_TABLE: _Code.NOT_FOUND,
    TransportReason.UNKNOWN_DECISION: _Code.NOT_FOUND,
    TransportReason.FRAME_TOO_LARGE: _Code.RESOURCE_EXHAUSTED,
    TransportReason.READER_TOO_SLOW: _Code.RESOURCE_EXHAUSTED,
    TransportReason.TOO_FAST: _Code.RESOURCE_EXHAUSTED,
    TransportReason.DRAINING: _Code.UNAVAILABLE,
    TransportReason.SESSION_REPLACED: _Code.ABORTED,
    TransportReason.UNAUTHENTICATED: _Code.UNAUTHENTICATED,
    TransportReason.INVALID_ARGUMENT: _Code.INVALID_ARGUMENT,
    TransportReason.CURSOR_BEYOND_END: _Code.OUT_OF_RANGE,
    TransportReason.MALFORMED: _Code.INVALID_ARGUMENT,
    TransportReason.NOT_FOUND: _Code.NOT_FOUND,
    TransportReason.SEAT_TAKEN: _Code.FAILED_PRECONDITION,
    TransportReason.RECORD_CLOSED: _Code.FAILED_PRECONDITION,
    TransportReason.REQUEST_ID_REUSED: _Code.INVALID_ARGUMENT,
    TransportReason.LIMIT_REACHED: _Code.RESOURCE_EXHAUSTED,
    TransportReason.NAME_TAKEN: _Code.ALREADY_EXISTS,
    TransportReason.WRONG_STATE: _Code.FAILED_PRECONDITION,
    TransportReason.BOT_IN_USE: _Code.FAILED_PRECONDITION,
    TransportReason.NOT_KEPT: _Code.FAILED_PRECONDITION,
}


def code_of(reason: Reason | TransportReason) -> grpc.StatusCode:
    """The status code of a reason."""
    return _GAME[reason] if isinstance(reason, Reason) else _TRANSPORT[reason]


def status_of(error: DomainError | Refused) -> status_pb2.Status:
    """The whole status of a refusal."""
    reason, sentence = error.reason, shortened(error.sentence)
    info = error_details_pb2.ErrorInfo(
        reason=reason.name,
        domain=DOMAIN,
        metadata={name: shortened(str(fact), LONGEST_FACT) for name, fact in error.facts.items()},
    )
    cause = reason_pb2.ErrorCause()
    if isinstance(reason, Reason):
        cause.reason = int(reason)  # type: ignore[assignment] # the enums are numbered alike, which a test proves
    else:
        cause.protocol_reason = int(reason)  # type: ignore[assignment] # as above
    status = status_pb2.Status(code=code_of(reason).value[0], message=sentence)
    _attach(status, info)
    _attach(status, cause)
    if isinstance(error, DomainError):
        if error.field:
            violation = error_details_pb2.BadRequest.FieldViolation(field=error.field, description=sentence)
            _attach(status, error_details_pb2.BadRequest(field_violations=[violation]))
        if error.retry_after_ms is not None:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromMilliseconds(error.retry_after_ms)
            _attach(status, retry)
    return status


def _attach(
    status: status_pb2.Status,
    detail: error_details_pb2.ErrorInfo
    | error_details_pb2.BadRequest
    | error_details_pb2.RetryInfo
    | reason_pb2.ErrorCause,
) -> None:
    packed = any_pb2.Any()
    packed.Pack(detail)
    status.details.append(packed)


def incident_status(incident: str) -> status_pb2.Status:
    """The status of a fault of ours: nothing but the number under which the log has it."""
    message = f"the server made a mistake; report it with incident {incident}"
    return status_pb2.Status(code=_Code.INTERNAL.value[0], message=message)
