import pytest

from lastcard.tournament.ledger import LedgerError
from lastcard.tournament.ledger_lines import LedgerLines
from lastcard.tournament.rows import Row, RulingKind, RulingRow


def row(game, set_, rotation):
    return Row(game, set_, set_, rotation, ("ann", "ben"), (9, 0), (1, 2), "single_round", (), f"records/{game}", "00")


RULING = RulingRow(1, RulingKind.ANNUL, "so", 0, 2, game=1)


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "ledger.jsonl"

    def write(*rows, end="\n"):
        with path.open("a") as file:
            file.write("\n".join(each if isinstance(each, str) else each.to_json() for each in rows) + end)

    return LedgerLines(path), write


def test_a_ledger_that_is_not_there_yet_has_no_lines(ledger):
    lines, _ = ledger
    lines.read_on()
    assert (len(lines), lines.games, lines.lines(1, 10)) == (0, 0, [])


def test_lines_are_numbered_from_1_in_the_order_in_which_they_were_written(ledger):
    lines, write = ledger
    write(row(2, 1, 1), RULING, row(1, 1, 0))
    lines.read_on()
    write(row(3, 2, 0))
    lines.read_on()
    assert (len(lines), lines.games, lines.rulings) == (4, 3, [RULING])
    found = lines.lines(1, 10)
    assert [line.number for line in found] == [1, 2, 3, 4]
    assert [line.row for line in found] == [row(2, 1, 1), RULING, row(1, 1, 0), row(3, 2, 0)]
    assert [line.text for line in found] == [line.row.to_json() for line in found]
    assert lines.lines(2, 2) == found[1:3]
    assert lines.lines(4, 10) == found[3:]
    assert lines.lines(5, 10) == []


def test_what_was_written_since_is_not_there_before_it_is_read(ledger):
    lines, write = ledger
    write(row(1, 1, 0))
    lines.read_on()
    write(row(2, 1, 1))
    assert [line.number for line in lines.lines(1, 10)] == [1]


def test_a_line_without_its_end_is_not_counted_until_it_is_whole(ledger):
    lines, write = ledger
    text = row(2, 1, 1).to_json()
    write(row(1, 1, 0))
    write(text[:20], end="")
    lines.read_on()
    assert len(lines) == 1
    write(text[20:])
    lines.read_on()
    assert lines.lines(2, 1)[0].row == row(2, 1, 1)


def test_a_set_is_open_until_all_its_rotations_are_there(ledger):
    lines, write = ledger
    write(row(1, 1, 0), row(2, 2, 1))
    lines.read_on()
    assert [line.open_set for line in lines.lines(1, 10)] == [True, True]
    write(row(3, 1, 1), RULING)
    lines.read_on()
    assert [line.open_set for line in lines.lines(1, 10)] == [False, True, False, False]


def test_a_line_that_is_none_is_an_error_with_its_number(ledger):
    lines, write = ledger
    write(row(1, 1, 0), "rubbish")
    with pytest.raises(LedgerError, match=r"ledger\.jsonl:2: not a row of a ledger"):
        lines.read_on()
