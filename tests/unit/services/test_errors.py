import grpc
import pytest
from google.rpc import error_details_pb2

from lastcard.rules.reasons import Reason, Refused
from lastcard.services.errors import code_of, status_of
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1 import reason_pb2


def details(status):
    kinds = (
        error_details_pb2.ErrorInfo,
        error_details_pb2.BadRequest,
        error_details_pb2.RetryInfo,
        reason_pb2.ErrorCause,
    )
    found = {}
    for packed in status.details:
        for kind in kinds:
            message = kind()
            if packed.Unpack(message):
                found[kind.__name__] = message
    return found


@pytest.mark.parametrize(
    "reason", [*Reason, *TransportReason], ids=lambda reason: f"{type(reason).__name__}-{reason.name}"
)
def test_every_reason_has_a_status_code(reason):
    assert code_of(reason) not in (grpc.StatusCode.OK, grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL)


@pytest.mark.parametrize(
    ("ours", "theirs", "prefix"),
    [(Reason, reason_pb2.Reason, "REASON_"), (TransportReason, reason_pb2.ProtocolReason, "PROTOCOL_REASON_")],
)
def test_reasons_are_numbered_and_named_as_on_the_wire(ours, theirs, prefix):
    wire = {name.removeprefix(prefix): number for name, number in theirs.items() if number}
    assert {reason.name: int(reason) for reason in ours} == wire


def test_a_status_carries_reason_facts_field_and_wait():
    error = DomainError(
        TransportReason.LIMIT_REACHED, "5 tables are open", field="seats", retry_after_ms=1_500, tables=5
    )
    status = status_of(error)
    found = details(status)
    assert status.code == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]
    assert status.message == "5 tables are open"
    info = found["ErrorInfo"]
    assert (info.reason, info.domain, dict(info.metadata)) == ("LIMIT_REACHED", "lastcard", {"tables": "5"})
    assert found["ErrorCause"].protocol_reason == reason_pb2.PROTOCOL_REASON_LIMIT_REACHED
    assert found["BadRequest"].field_violations[0].field == "seats"
    assert found["RetryInfo"].retry_delay.ToMilliseconds() == 1_500


def test_a_refusal_of_the_game_carries_its_reason():
    found = details(status_of(Refused(Reason.FORBIDDEN, "no seat", seat=3)))
    assert found["ErrorCause"].reason == reason_pb2.REASON_FORBIDDEN
    assert dict(found["ErrorInfo"].metadata) == {"seat": "3"}
    assert set(found) == {"ErrorInfo", "ErrorCause"}


@pytest.mark.parametrize("piece", ["x", "é", "\U000e0001"], ids=["one-byte", "two-bytes", "four-bytes"])
def test_a_status_that_repeats_something_long_stays_readable_for_every_client(piece):
    """Clients read 8 KiB of metadata: the message percent-encoded, and the details in base64."""
    long = piece * 20_000
    sentence = f"there is no table {long}; ListTables lists those that there are"
    status = status_of(DomainError(TransportReason.NOT_FOUND, sentence, field="table_id", table=long, other=long))
    assert len(status.message.encode()) * 3 + len(status.SerializeToString()) * 4 / 3 < 8_000
    assert status.message.startswith("there is no table ")
    assert status.message.endswith("; ListTables lists those that there are")
    assert details(status)["ErrorInfo"].metadata["table"]


def test_a_sentence_of_usual_length_is_told_whole():
    sentence = "there is no option 'x'; valid are " + ", ".join(f"option_{number}" for number in range(100))
    assert status_of(DomainError(TransportReason.INVALID_ARGUMENT, sentence)).message == sentence
