"""What the details of a failed call's status say: the reason, its facts, the field at fault, when to try again.

Here: reading `google.rpc.Status` with its `ErrorInfo`, `BadRequest` and `RetryInfo`. Not here: sentences for people
(`table_server`). The messages are declared here, since a base install does not hold them; imports protobuf only.

Source: google/rpc/status.proto and error_details.proto, of which the fields that are read here are declared.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, duration_pb2, message_factory
from google.protobuf.message import DecodeError

DETAILS_KEY = "grpc-status-details-bin"
"""Metadata key of the details."""

DOMAIN = "lastcard"
"""The domain of our own reasons; others are not read."""


@dataclass(frozen=True, slots=True)
class Details:
    """Name of the reason without prefix, facts by name, path of the field at fault, seconds to wait; else empty."""

    reason: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    field_path: str = ""
    retry_s: float | None = None


def details_of(metadata: Iterable[tuple[str, str | bytes]] | None) -> Details:
    """The details in a call's trailing metadata; empty when there are none or they cannot be read."""
    for key, value in metadata or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            try:
                return _read(value)
            except DecodeError:
                return Details()
    return Details()


def _read(value: bytes) -> Details:
    reason, facts, path, retry_s = "", {}, "", None
    status: Any = _MESSAGES["google.rpc.Status"]()
    status.ParseFromString(value)
    for detail in status.details:
        kind = _MESSAGES.get(detail.TypeName())
        if kind is None:
            continue
        message: Any = kind()
        message.ParseFromString(detail.value)
        match message.DESCRIPTOR.name:
            case "ErrorInfo" if message.domain == DOMAIN:
                reason, facts = message.reason, {entry.key: entry.value for entry in message.metadata}
            case "BadRequest" if message.field_violations:
                path = message.field_violations[0].field
            case "RetryInfo":
                retry_s = message.retry_delay.seconds + message.retry_delay.nanos / 1e9
    return Details(reason, facts, path, retry_s)


_Field = descriptor_pb2.FieldDescriptorProto

_DECLARED: dict[str, tuple[tuple[str, int, str], ...]] = {
    "Status": (("message", 2, ""), ("details", 3, "*google.protobuf.Any")),
    "ErrorInfo": (("reason", 1, ""), ("domain", 2, ""), ("metadata", 3, "*google.rpc.Fact")),
    "Fact": (("key", 1, ""), ("value", 2, "")),
    "BadRequest": (("field_violations", 1, "*google.rpc.FieldViolation"),),
    "FieldViolation": (("field", 1, ""), ("description", 2, "")),
    "RetryInfo": (("retry_delay", 1, "google.protobuf.Duration"),),
}
"""Name, number and type (empty: text; with a star: repeated) of the fields. A map is the list of its entries."""


def _declare() -> dict[str, type[Any]]:
    pool = descriptor_pool.DescriptorPool()
    imported = (any_pb2.DESCRIPTOR, duration_pb2.DESCRIPTOR)
    for known in imported:
        pool.AddSerializedFile(known.serialized_pb)
    file = descriptor_pb2.FileDescriptorProto(
        name="lastcard/cli/status.proto",
        package="google.rpc",
        syntax="proto3",
        dependency=[known.name for known in imported],
    )
    for name, fields in _DECLARED.items():
        message = file.message_type.add(name=name)
        for label, number, kind in fields:
            message.field.add(
                name=label,
                number=number,
                type=_Field.TYPE_MESSAGE if kind else _Field.TYPE_STRING,
                type_name=f".{kind.removeprefix('*')}" if kind else None,
                label=_Field.LABEL_REPEATED if kind.startswith("*") else _Field.LABEL_OPTIONAL,
            )
    pool.Add(file)
    names = [f"google.rpc.{name}" for name in _DECLARED]
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names}


_MESSAGES = _declare()
