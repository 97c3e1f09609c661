"""The protocol as lines of JSON, for programs that speak no gRPC: protobuf-JSON of the same messages, one a line.

Here: a server's message as a line, and what a line of the program says. Not here: which messages a program is told and
when (`bridge`), its process (`program`). Imports `bot` and `lastcard.v1`; no input or output, no clock.

An answer may be written short: `{"choice": 0}` is `{"act": {"choice": 0}}`, and an `act` without ids answers the
decision whose line came first among those that have no answer yet.
"""

import json
from dataclasses import dataclass
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from lastcard.v1.play_service_pb2 import ClientMessage, ServerMessage
from lastcard.v1.table_pb2 import Act
from lastcard_bot.bot import Answer

_KINDS = {name for field in ClientMessage.DESCRIPTOR.fields for name in (field.name, field.json_name)}

_PARTS_SHOWN = [field.name for field in Act.DESCRIPTOR.fields]
_PARTS = {*_PARTS_SHOWN, *(field.json_name for field in Act.DESCRIPTOR.fields)}

EXAMPLE = '{"choice": 0}'

SHOWN = 120
"""Most characters of a line that a sentence about it repeats."""


class NoObjectError(ValueError):
    """A line is no JSON object, so that it was hardly meant for us; the sentence says what it is."""


class NoMessageError(ValueError):
    """A JSON object is no message that a bot may send; the sentence says why and what would be valid."""


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of the program. `table_id` is empty and `decision_id` 0 where it names none."""

    answer: Answer
    table_id: str = ""
    decision_id: int = 0


@dataclass(frozen=True, slots=True)
class Leaving:
    """The program leaves a table for good."""

    table_id: str


@dataclass(frozen=True, slots=True)
class Needless:
    """A message that the bridge sends itself; its name."""

    kind: str


def line_of(message: ServerMessage) -> str:
    """A message as a line, without its end: names as in the .proto files, absent fields left out, empty ones not."""
    fields = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=True)


def said_by(line: str) -> Said | Leaving | Needless:
    """What a line of the program says.

    Raises:
        NoObjectError: it is no JSON object.
        NoMessageError: the object is no message of a bot.
    """
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise NoObjectError(f"{shortened(line)} is no JSON object; a line must be one, for example {EXAMPLE}")
    if not any(name in _KINDS for name in fields):
        fields = {"act": fields}
    message = _message(fields)
    kind = message.WhichOneof("message")
    if kind == "leave" and message.leave.table_id:
        return Leaving(message.leave.table_id)
    if kind == "leave":
        raise NoMessageError('a leave must name a table, for example {"leave": {"table_id": "…"}}')
    if kind != "act":
        return Needless(str(kind))
    return _said(message, fields["act"])


def shortened(line: str) -> str:
    """A line as it may stand in a sentence."""
    return repr(line if len(line) <= SHOWN else line[:SHOWN] + "…")


def _message(fields: dict[str, Any]) -> ClientMessage:
    shown = shortened(json.dumps(fields.get("act", fields)))
    if len(fields) != 1:
        raise NoMessageError(f"{shown} says several things at once; a line says one, for example {EXAMPLE}")
    answer = fields.get("act")
    unknown = [name for name in answer if name not in _PARTS] if isinstance(answer, dict) else []
    if unknown:
        raise NoMessageError(f"{shown} has {unknown[0]!r}, which no answer has; valid are {', '.join(_PARTS_SHOWN)}")
    try:
        return ParseDict(fields, ClientMessage())
    except (ParseError, ValueError, TypeError, RecursionError) as error:
        what = " ".join(str(error).split()).rstrip(".")
        raise NoMessageError(f"{shown} is no message of a bot ({what}); an answer is, for example, {EXAMPLE}") from None


def _said(message: ClientMessage, fields: dict[str, Any]) -> Said:
    act = message.act
    given = act.WhichOneof("answer")
    if given is None:
        raise NoMessageError(
            f"{shortened(json.dumps(fields))} answers nothing; give choice, an index into legal_actions, or action"
        )
    answer = Answer(
        act.choice if given == "choice" else act.action,
        call_uno=act.call_uno if _has(fields, "call_uno", "callUno") else None,
        catch_seats=list(act.catch_seats) if _has(fields, "catch_seats", "catchSeats") else None,
    )
    return Said(answer, act.table_id, act.decision_id)


def _has(fields: dict[str, Any], *names: str) -> bool:
    """Whether a field was written; what is left out the SDK decides, and protobuf-JSON reads null as left out."""
    return any(fields.get(name) is not None for name in names)
