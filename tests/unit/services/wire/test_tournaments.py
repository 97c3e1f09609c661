"""Rows of a ledger as messages, and what a command makes of those that it does not know."""

import json

import pytest

from lastcard.cli.errors import CommandError
from lastcard.cli.tournament_text import ruling_text, ruling_value
from lastcard.services.wire.tournaments import line_message
from lastcard.tournament.ledger import RulingBy, RulingKind, RulingRow
from lastcard.tournament.ledger_lines import Line
from lastcard.v1 import tournament_pb2 as pb

ANNULLED = RulingRow(
    2, RulingKind.ANNUL, "wrong preset", 1, 8, "2026-11-30T06:00:00+01:00", game=3, replay=True, by=RulingBy.ORGANISER
)


def message_of(row: RulingRow) -> pb.LedgerRow:
    return line_message(Line(9, row, row.to_json(), open_set=False), whole=False)


def test_a_ruling_is_told_whole_and_read_again_as_it_was() -> None:
    made = message_of(ANNULLED)
    assert (made.sequence, made.ruling.number, made.ruling.kind, made.ruling.game) == (9, 2, "annul", 3)
    assert (made.ruling.replay, made.ruling.by) == (True, "organiser")
    assert made.ruling.made_at.ToJsonString() == "2026-11-30T05:00:00Z"
    assert ruling_value(made) == ANNULLED
    assert ruling_text(made) == "ruling 2: game 3 is annulled, its set is played again: wrong preset"


@pytest.mark.parametrize("at", ["", "last night"])
def test_a_ruling_without_a_moment_has_none(at: str) -> None:
    made = message_of(RulingRow(1, RulingKind.DISQUALIFY, "so", 0, 0, at, bot="ann"))
    assert not made.ruling.HasField("made_at")
    assert json.loads(made.json)["at"] == at


def test_a_ruling_of_a_newer_version_is_shown_but_not_understood() -> None:
    text = ANNULLED.to_json().replace("annul", "pardon")
    made = pb.LedgerRow(sequence=9, json=text, ruling=pb.RulingRow(number=2, kind="pardon", game=3, reason="so"))
    assert ruling_text(made) == "ruling 2: pardon 3: so"
    with pytest.raises(CommandError, match="row 9 is no ruling of this version of lastcard"):
        ruling_value(made)
