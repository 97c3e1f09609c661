"""Vectors of records: right ones, and those that somebody tampered with, with the line that is wrong first."""

import json
from typing import Any

from conformance.vectors_of_chance import SALT
from conformance.vectors_of_games import Match, Setting
from lastcard.rules.record import RecordWriter
from record_tampering import chained_again, dumped, joined, split, with_leaf


def records() -> dict[str, Any]:
    """Records as lists of lines, what holds of them, and the first wrong line."""
    return {
        "about": "README.md, Records: lines without their line feeds; `line` is the first wrong one, if any",
        "records": _right() + _changed_lines() + _forged(),
    }


def _match() -> Match:
    options: dict[str, object] = {"hand_size": 3, "match_end": "rounds", "match_rounds": 2}
    return Match(Setting("a short record 2", "official", options, 2, rounds=2)).play()


def _disguised() -> Match:
    options: dict[str, object] = {"hand_size": 3, "match_end": "single_round"}
    return Match(Setting("a disguised record 25", "official", options, 2, "per_seat", disguise=True)).play()


def _writer(match: Match) -> RecordWriter:
    names = [f"bot-{seat}" for seat in range(match.setting.players)]
    writer = RecordWriter(
        match.rules,
        names,
        draws=match.setting.draws,
        reactions="open",
        labels={"game": "1"},
        disguise=match.setting.disguise,
    )
    writer.add(1, match.events)
    writer.close()
    return writer


def _bytes(match: Match, *, revealed: bool) -> bytes:
    writer = _writer(match)
    if revealed:
        writer.reveal(match.seeds, SALT)
    return writer.to_bytes()


def _case(name: str, record: bytes, line: int | None) -> dict[str, Any]:
    lines = record.decode("ascii").split("\n")[:-1]
    return {"name": name, **({} if line is None else {"line": line}), "lines": lines}


def _right() -> list[dict[str, Any]]:
    swaps = {"hand_size": 3, "seven_swap": True, "zero_rotate": True, "match_end": "single_round"}
    house = Match(Setting("a record with house rules 9", "german", swaps, 3, "per_seat")).play()
    disguised = _disguised()
    unfinished = _match()
    unfinished.events = unfinished.events[: _index(unfinished, "TurnStarted", 4) + 1]
    unfinished.seeds = unfinished.seeds[:1]
    return [
        _case("right and revealed", _bytes(_match(), revealed=True), None),
        _case("right, not yet revealed", _bytes(_match(), revealed=False), None),
        _case("right, house rules, an order a seat", _bytes(house, revealed=True), None),
        _case("right, colours renamed", _bytes(disguised, revealed=True), None),
        _case("right, colours renamed, not yet revealed", _bytes(disguised, revealed=False), None),
        _case("right, broken off", _bytes(unfinished, revealed=True), None),
    ]


def _index(match: Match, kind: str, number: int) -> int:
    """The index of the `number`-th event of a type."""
    return [index for index, event in enumerate(match.events) if type(event).__name__ == kind][number - 1]


def _changed_lines() -> list[dict[str, Any]]:
    record = _bytes(_match(), revealed=True)
    lines = split(record)
    last = len(lines)
    return [
        _case("a blank added in an event", joined(_with(lines, 8, lines[8].replace(b":", b": ", 1))), 9),
        _case("the hash changed in an event", joined(_with(lines, 5, _other_hash(lines[5]))), 6),
        _case("the name of a bot changed", joined(_with(lines, 0, lines[0].replace(b"bot-0", b"bot-9"))), 1),
        _case("an event removed", joined(lines[:6] + lines[7:]), 7),
        _case("two events swapped", joined(_with(_with(lines, 6, lines[9]), 9, lines[6])), 7),
        _case("an event twice", joined([*lines[:7], *lines[6:]]), 8),
        _case("an event behind the end", joined([*lines, lines[5]]), last + 1),
        _case("closing line removed", joined(lines[: last - 2] + lines[last - 1 :]), last - 1),
        _case("cut off before the closing line", joined(lines[: last - 2]), last - 1),
    ]


def _with(lines: list[bytes], at: int, line: bytes) -> list[bytes]:
    return [*lines[:at], line, *lines[at + 1 :]]


def _other_hash(line: bytes) -> bytes:
    head, mark, tail = line.rpartition(b'"previous":"')
    return head + mark + (b"1" if tail[:1] == b"0" else b"0") + tail[1:]


def _forged() -> list[dict[str, Any]]:
    """A value changed and every hash computed anew."""
    match = _match()
    drawn = _index(match, "CardsDrawn", 1)
    scored = _index(match, "RoundEnded", 1)
    turn = _index(match, "TurnStarted", 5)
    disguised = _disguised()
    return [
        _forgery(
            "another salt, colours renamed", disguised, len(disguised.events) + 2, ("reveal", "salt"), _other_digit
        ),
        _forgery(
            "another hand, colours renamed",
            disguised,
            1,
            ("event", "round_started", "hands", 0, "cards", 0),
            _other_card,
        ),
        _forgery("another card drawn", match, drawn + 1, ("event", "cards_drawn", "cards", 0), _other_card),
        _forgery("a card more in the opening hand", match, 1, ("event", "round_started", "hand_counts", 0), _one_more),
        _forgery("another opening hand", match, 1, ("event", "round_started", "hands", 0, "cards", 0), _other_card),
        _forgery("another commitment", match, 1, ("event", "round_started", "commitment"), lambda text: "A" + text[1:]),
        _forgery("another score", match, scored + 1, ("event", "round_ended", "scores", 0), _one_more),
        _forgery("another turn", match, turn + 1, ("event", "turn_started", "turn"), _one_more),
        _forgery("another final place", match, len(match.events), ("event", "match_ended", "places", 0), _one_more),
        _forgery("another seed", match, len(match.events) + 2, ("reveal", "seeds", 1), _other_digit),
        _forgery("another salt", match, len(match.events) + 2, ("reveal", "salt"), _other_digit),
        _forgery("an option as it is in the preset", match, 0, ("header", "options", "match_end"), lambda _: "target"),
    ]


def _forgery(name: str, match: Match, at: int, path: tuple[str | int, ...], change: Any) -> dict[str, Any]:
    lines = split(_bytes(match, revealed=True))
    value = json.loads(lines[at])
    place = value
    for step in path:
        place = place[step]
    lines[at] = dumped(with_leaf(value, path, change(place)))
    return _case(f"forged: {name}", chained_again(lines), at + 1)


def _other_card(name: str) -> str:
    return "CARD_RED_1" if name != "CARD_RED_1" else "CARD_RED_2"


def _one_more(number: int) -> int:
    return number + 1


def _other_digit(text: str) -> str:
    return ("1" if text[0] == "0" else "0") + text[1:]
