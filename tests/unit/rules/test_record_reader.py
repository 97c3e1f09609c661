"""Reading records: what reads back, and what each unreadable line is refused for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.rules.record_reader import RecordError, read_record, receipts_name
from record_games import SALT, any_game, play_game
from record_tampering import dumped, joined, split, with_leaf


@given(st.integers(0, 10_000))
def test_a_record_reads_back_as_it_was_written(seed: int) -> None:
    game = any_game(seed, rounds=1)
    record = read_record(game.record(revealed=True))
    assert record.events == tuple(game.events)
    assert [type(event) for event in record.events] == [type(event) for event in game.events]
    assert (record.header.preset, dict(record.header.options)) == (game.rules.preset, dict(game.rules.overrides()))
    assert (record.header.bots, record.header.draws) == (tuple(f"bot-{n}" for n in range(game.players)), game.draws)
    assert (record.seeds, record.salt) == (tuple(game.seeds), SALT)
    assert record.record_hash == game.writer().record_hash


def test_a_record_may_end_before_its_closing_line() -> None:
    game = play_game(1, mischief=False)
    lines = split(game.record(revealed=False))
    record = read_record(joined(lines[:10]))
    assert len(record.events) == 9
    assert (record.closing, record.record_hash, record.reveal, record.seeds, record.salt) == (None,) * 5


LINES = split(play_game(4, options={"match_end": "single_round"}, mischief=False).record(revealed=True))
HEADER, FIRST, CLOSING, REVEAL = 0, 1, len(LINES) - 2, len(LINES) - 1


def edited(at: int, *path: str, to: object) -> list[bytes]:
    """The lines with one value changed, written canonically."""
    return [*LINES[:at], dumped(with_leaf(json.loads(LINES[at]), path, to)), *LINES[at + 1 :]]


def replaced(at: int, line: bytes) -> list[bytes]:
    return [*LINES[:at], line, *LINES[at + 1 :]]


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        (replaced(3, b""), 4, "not JSON"),
        (replaced(3, b"\xc3\xa4"), 4, "byte 1 of the line is not ASCII"),
        (replaced(3, b"[" * 100_000), 4, "not JSON"),
        (replaced(3, b"[]"), 4, "not a JSON object"),
        (replaced(3, b"{}"), 4, "exactly one of the fields header, event, closing, reveal"),
        (replaced(3, b'{"event":{},"closing":{},"previous":""}'), 4, "exactly one of the fields"),
        (replaced(3, LINES[3].replace(b":", b": ", 1)), 4, "not written as this format writes it"),
        (replaced(3, LINES[3][:-1] + b',"previous":"' + b"0" * 64 + b'"}'), 4, "not written as this format"),
        (edited(3, "previous", to="0" * 63), 4, "not 64 hexadecimal digits"),
        (edited(3, "previous", to="A" * 64), 4, "in lower case"),
        (edited(3, "clock", to=3), 4, "it must have event, previous"),
        (edited(3, "event", "sequence", to="3"), 4, "sequence is '3'"),
        (edited(3, "event", "sequence", to=9), 4, "it holds event 9 where event 3 belongs"),
        (edited(HEADER, "header", "format", to=3), 1, "has format 3; this version reads formats 1 to 2"),
        (edited(HEADER, "header", "format", to=0), 1, "has format 0; this version reads formats 1 to 2"),
        (edited(HEADER, "header", "format", to=True), 1, "has format True; this version reads formats 1 to 2"),
        (edited(HEADER, "header", "format", to=2), 1, "labels, commitment, disguise"),
        (edited(HEADER, "header", "disguise", to=True), 1, "it must have format, preset"),
        (edited(HEADER, "header", "draws", to="deck"), 1, "header.draws is 'deck'; valid are pile, per_seat"),
        (edited(HEADER, "header", "reactions", to="slow"), 1, "valid are sealed, open"),
        (edited(HEADER, "header", "bots", to="ann"), 1, "header.bots is no list"),
        (edited(HEADER, "header", "bots", to=[1]), 1, "header.bots is 1, not a text"),
        (edited(HEADER, "header", "options", to=[]), 1, "header.options is [], not an object"),
        (edited(HEADER, "header", "labels", to={"a": 1}), 1, "header.labels.a is 1, not a text"),
        (edited(HEADER, "header", "labels", to={"b": "", "a": ""}), 1, "not written as this format"),
        (edited(HEADER, "header", "commitment", to="00"), 1, "header.commitment is '00'"),
        (edited(HEADER, "header", "table", to="t1"), 1, "it must have format, preset, options"),
        (edited(HEADER, "previous", to="0" * 64), 1, "it must have header"),
        (edited(CLOSING, "closing", "events", to=3), CLOSING + 1, "it closes 3 events, but there are"),
        (edited(CLOSING, "closing", "events", to=-3), CLOSING + 1, "closing.events is -3"),
        (edited(CLOSING, "closing", "complete", to=1), CLOSING + 1, "neither true nor false"),
        (edited(REVEAL, "reveal", "salt", to="5a"), REVEAL + 1, "reveal.salt is '5a'"),
        (edited(REVEAL, "reveal", "seeds", to="5a"), REVEAL + 1, "not a list"),
        (LINES[1:], 1, "begins with its header"),
        ([LINES[0], *LINES], 2, "'header' may not follow one of kind 'header'"),
        ([*LINES[:3], LINES[CLOSING], *LINES[3:]], 4, "it closes"),
        ([*LINES[:3], LINES[REVEAL], *LINES[3:]], 4, "'reveal' may not follow one of kind 'event'"),
        ([*LINES, LINES[3]], len(LINES) + 1, "'event' may not follow one of kind 'reveal'"),
        ([*LINES, LINES[REVEAL]], len(LINES) + 1, "'reveal' may not follow one of kind 'reveal'"),
        ([*LINES, LINES[CLOSING]], len(LINES) + 1, "'closing' may not follow one of kind 'reveal'"),
    ],
)
def test_what_is_no_record_is_refused_with_its_line(lines: list[bytes], line: int, problem: str) -> None:
    with pytest.raises(RecordError) as error:
        read_record(joined(lines))
    assert error.value.line == line
    assert problem in error.value.sentence
    assert len(error.value.sentence) < 400


def test_an_empty_file_is_no_record() -> None:
    with pytest.raises(RecordError, match="line 1: the record is empty"):
        read_record(b"")


def test_a_torn_last_line_is_named() -> None:
    with pytest.raises(RecordError) as error:
        read_record(joined(LINES)[:-1])
    assert error.value.line == len(LINES)
    assert "cut off" in error.value.sentence


def test_the_receipts_beside_a_record_do_not_match_its_pattern() -> None:
    assert receipts_name("00012.jsonl") == "00012.receipts.ndjson"
