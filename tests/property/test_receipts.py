"""Whatever a file of receipts holds, showing a seat ends with the game or with a sentence."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.cli.show_seat import questions, seat_lines
from lastcard.rules.actions import DRAW, PASS, play
from lastcard.rules.cards import FACES
from lastcard.rules.reasons import Reason
from lastcard.rules.record_reader import read_record
from lastcard.table.commands import Answer
from lastcard.table.effects import Ask, Blame, DecisionKind, FaultKind, Receipt, RefusedCatch, Verdict, Withdraw
from lastcard.table.receipts import ReceiptsWriter
from lastcard.table.receipts_reader import ReceiptsError, read_receipts
from record_games import play_game


def real_lines() -> list[Any]:
    """A file with every kind of item and every field, as JSON values."""
    writer = ReceiptsWriter(["ann", "ben"], limit_ms=2_000, bank_ms=60_000, reaction_ms=500, start_up_ms=1, grace_ms=1)
    writer.asked(3, Ask(0, 1, DecisionKind.TURN, (play(FACES["R5"]), DRAW), 2_000, 60_000, None))
    writer.answered(Answer(0, 1, 9, None, False, (), 1_005))
    writer.judged(Verdict(0, 1, False, None, True, False, "choice 9 is not one of 0 to 1", None, (), 2))
    writer.answered(Answer(0, 1, None, PASS, True, (1,), 1_012))
    refused = RefusedCatch(1, Reason.NOT_LIABLE, "seat 1 cannot be caught now")
    receipt = Receipt(1, 1_000, 1_012, 2, 10, 60_000, False)
    writer.judged(Verdict(0, 1, True, None, False, False, "", receipt, (refused,), 0))
    writer.asked(4, Ask(0, 2, DecisionKind.REACTION, (PASS,), 500, None, None))
    writer.withdrawn(Withdraw(0, 2, Reason.TURN_EXPIRED, Receipt(2, 1_030, None, 0, 2_000, 0, True)))
    writer.blamed(Blame(0, FaultKind.TIMEOUT, 4, "decision 2: no answer within 500 ms"))
    return [json.loads(line) for line in writer.to_bytes().splitlines()]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values within one."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        yield (*path, key)
        yield from places(entry, (*path, key))


LINES = real_lines()
PLACES = list(places(LINES))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([-1, 0, 1, 2, 2**62, -(2**64), 10**4000])
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=5
)


RECORD = read_record(play_game(3, options={"match_end": "single_round"}, mischief=False).record(revealed=True))


def is_shown(data: bytes) -> bool:
    """Whether the file is read; if so, everything in it is shown to both seats."""
    try:
        receipts = read_receipts(data)
    except ReceiptsError:
        return False
    for seat in (0, 1):
        assert "\n".join(seat_lines(RECORD, seat, receipts)).isascii()
        assert json.dumps([question.json() for question in questions(receipts, seat)])
    return True


def test_the_file_itself_is_shown() -> None:
    assert is_shown("\n".join(map(json.dumps, LINES)).encode())


@given(changes=st.lists(st.tuples(st.sampled_from(PLACES), VALUES), min_size=1, max_size=2))
def test_other_values_are_shown_or_refused(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    lines = copy.deepcopy(LINES)
    for (*path, key), value in changes:
        within: Any = lines
        try:
            for step in path:
                within = within[step]
            within[key] = value
        except (LookupError, TypeError):
            continue  # an earlier change has taken the place away
    is_shown("\n".join(map(json.dumps, lines)).encode())


@pytest.mark.parametrize("place", [path for path in PLACES if len(path) > 2], ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize("value", [None, [None], {}, 0.5, "a\x1b", 10**30], ids=str)
def test_each_value_by_another_is_shown_or_refused(place: tuple[Any, ...], value: Any) -> None:
    *path, key = place
    for change in ("replace", "remove"):
        lines = copy.deepcopy(LINES)
        within: Any = lines
        for step in path:
            within = within[step]
        if change == "replace":
            within[key] = value
        else:
            del within[key]
        is_shown("\n".join(map(json.dumps, lines)).encode())


@given(data=st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    assert not is_shown(data)
