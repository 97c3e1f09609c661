"""The writer of records: lines, chain, hash, reveal."""

import json
from hashlib import sha256

import pytest

from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import CardKept, SeatLeft
from lastcard.rules.record import RecordWriter, reveal_line
from lastcard.rules.ruleset import ruleset
from record_games import SALT, Game, play_game
from record_tampering import split


@pytest.fixture(scope="module")
def game() -> Game:
    return play_game(11, options={"match_end": "single_round"}, players=3, mischief=False)


def new_writer(**more: object) -> RecordWriter:
    arguments = {"draws": "pile", "reactions": "sealed", **more}
    return RecordWriter(ruleset("danish", {"hand_size": 5, "seven_swap": "true"}), ["ann", "böb"], **arguments)


def test_header_holds_rules_bots_and_what_else_decides_the_game(game: Game) -> None:
    writer = new_writer(labels={"game": "12", "event": "friday-cup"})
    writer.add(1, game.events[:1])
    first = split(writer.to_bytes())[0]
    header = json.loads(first)["header"]
    assert header == {
        "format": 1,
        "preset": "danish",
        "options": {"hand_size": "5", "seven_swap": "true"},
        "draws": "pile",
        "reactions": "sealed",
        "bots": ["ann", "böb"],
        "labels": {"event": "friday-cup", "game": "12"},
        "commitment": game.events[0].commitment.hex(),
    }
    assert list(header["labels"]) == ["event", "game"]
    assert first.isascii()


def test_only_a_disguised_game_is_written_in_the_format_that_older_readers_do_not_know(game: Game) -> None:
    headers = []
    for disguise in (False, True):
        writer = new_writer(disguise=disguise)
        writer.add(1, game.events[:1])
        headers.append(json.loads(split(writer.to_bytes())[0])["header"])
    assert [header["format"] for header in headers] == [1, 2]
    assert "disguise" not in headers[0]
    assert list(headers[1])[:5] == ["format", "preset", "options", "draws", "disguise"]
    assert headers[1]["disguise"] is True


def test_every_line_carries_the_hash_of_the_exact_bytes_before_it(game: Game) -> None:
    lines = split(game.record(revealed=True))
    assert "previous" not in json.loads(lines[0])
    assert [json.loads(line)["previous"] for line in lines[1:]] == [sha256(line).hexdigest() for line in lines[:-1]]


def test_record_hash_is_that_of_the_closing_line(game: Game) -> None:
    writer = game.writer()
    closing = split(writer.to_bytes())[-1]
    assert json.loads(closing)["closing"] == {"events": len(game.events), "complete": True}
    assert writer.record_hash == writer.close() == sha256(closing).hexdigest()


def test_reveal_stands_behind_the_closing_line_and_does_not_change_the_hash(game: Game) -> None:
    writer = game.writer()
    before, record_hash = writer.to_bytes(), writer.record_hash
    line = writer.reveal(game.seeds, SALT)
    assert writer.to_bytes() == before + line
    assert writer.record_hash == record_hash
    assert line == reveal_line(record_hash, game.seeds, SALT)
    assert json.loads(line) == {
        "reveal": {"salt": SALT.hex(), "seeds": [seed.hex() for seed in game.seeds]},
        "previous": record_hash,
    }


def test_the_same_game_has_the_same_bytes_however_its_events_arrive(game: Game) -> None:
    writer = RecordWriter(game.rules, ["bot-0", "bot-1", "bot-2"], draws="pile", reactions="open")
    for sequence, event in enumerate(game.events, 1):
        writer.add(sequence, [event])
    at_once = RecordWriter(game.rules, ["bot-0", "bot-1", "bot-2"], draws="pile", reactions="open")
    at_once.add(1, game.events)
    assert writer.close() == at_once.close()
    assert writer.to_bytes() == at_once.to_bytes()
    assert writer.sequence == len(game.events)


def test_what_happens_before_the_first_round_waits_for_its_commitment(game: Game) -> None:
    writer = new_writer()
    left = SeatLeft(1, LeaveCause.START_UP, 0, 0, ())
    writer.add(1, [left])
    assert (writer.to_bytes(), writer.sequence) == (b"", 1)
    writer.add(2, game.events[:1])
    lines = [json.loads(line) for line in split(writer.to_bytes())]
    assert lines[0]["header"]["commitment"] == game.events[0].commitment.hex()
    assert [line["event"]["sequence"] for line in lines[1:]] == [1, 2]
    assert "seat_left" in lines[1]["event"]


def test_a_match_that_never_began_has_a_record_too() -> None:
    writer = new_writer()
    record_hash = writer.close()
    header, closing = split(writer.to_bytes())
    assert json.loads(header)["header"]["commitment"] == ""
    assert json.loads(closing)["closing"] == {"events": 0, "complete": False}
    assert sha256(closing).hexdigest() == record_hash


def test_a_number_left_out_is_refused_and_nothing_added() -> None:
    writer = new_writer()
    writer.add(1, [CardKept(0), CardKept(1)])
    with pytest.raises(ValueError, match="event 4 does not follow event 2"):
        writer.add(4, [CardKept(0)])
    with pytest.raises(ValueError, match="event 2 does not follow event 2"):
        writer.add(2, [CardKept(0)])
    assert writer.sequence == 2


def test_nothing_is_added_behind_the_closing_line(game: Game) -> None:
    writer = game.writer()
    before = writer.to_bytes()
    with pytest.raises(ValueError, match="closed after event"):
        writer.add(writer.sequence + 1, [CardKept(0)])
    assert writer.to_bytes() == before


def test_an_open_record_has_no_hash_and_no_reveal(game: Game) -> None:
    writer = new_writer()
    writer.add(1, game.events[:1])
    with pytest.raises(ValueError, match="only when it is closed"):
        _ = writer.record_hash
    with pytest.raises(ValueError, match="only when it is closed"):
        writer.reveal(game.seeds[:1], SALT)


def test_reveal_needs_each_rounds_seed_of_32_bytes_and_comes_once(game: Game) -> None:
    writer = game.writer()
    with pytest.raises(ValueError, match="0 seeds for 1 rounds"):
        writer.reveal([], SALT)
    with pytest.raises(ValueError, match="salt has 31 bytes; it must have 32"):
        writer.reveal(game.seeds, SALT[1:])
    with pytest.raises(ValueError, match="seed of round 1 has 33 bytes"):
        writer.reveal([game.seeds[0] + b"x"], SALT)
    writer.reveal(game.seeds, SALT)
    with pytest.raises(ValueError, match="revealed before"):
        writer.reveal(game.seeds, SALT)


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ({"draws": "deck"}, "'deck'; valid are pile, per_seat"),
        ({"reactions": "slow"}, "'slow'; valid are sealed, open"),
    ],
)
def test_an_unknown_setting_is_refused_with_the_valid_ones(setting: dict[str, str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        new_writer(**setting)
