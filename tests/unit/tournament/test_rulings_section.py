import tomllib

import pytest

from lastcard.tournament.file_section import FileError, Source
from lastcard.tournament.rulings import DEFAULT_RULINGS, Fault, Policy, Ruling, Rulings
from lastcard.tournament.rulings_section import read_rulings
from lastcard.tournament.toml_lines import toml_lines

POINTS = "with a whole number from 1 to 100000"


def read(text: str) -> Rulings:
    return read_rulings(Source("cup.toml", toml_lines(text)), tomllib.loads(text).get("rulings"))


def test_without_the_table_or_a_key_the_defaults_hold() -> None:
    assert read("") == DEFAULT_RULINGS == read("[rulings]")
    assert read('[rulings]\ncrash = "void"') == dict(DEFAULT_RULINGS) | {Fault.CRASH: Policy(Ruling.VOID)}


def test_every_fault_takes_every_ruling() -> None:
    for ruling in Ruling:
        value = "{ penalty = 20 }" if ruling is Ruling.PENALTY else f'"{ruling}"'
        expected = Policy(ruling, 20 if ruling is Ruling.PENALTY else 0)
        text = "[rulings]\n" + "".join(f"{kind} = {value}\n" for kind in Fault)
        assert read(text) == dict.fromkeys(Fault, expected)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("rulings = 3", "1: rulings: must be a table, not 3"),
        (
            '[rulings]\nslow = "loss"',
            '2: rulings.slow: unknown key "slow"; valid are timeout, refusals, disconnect, start_up, crash, left',
        ),
        (
            '[rulings]\ncrash = "lose"',
            "2: rulings.crash: unknown ruling \"lose\" (did you mean 'loss'?); valid are stands, loss, replay, void, {",
        ),
        (
            "[rulings]\n\ncrash = 20",
            '3: rulings.crash: must be one of "stands", "loss", "replay", "void" and { penalty = 20 }, with a whole',
        ),
        (
            '[rulings]\ncrash = "penalty"',
            f"2: rulings.crash: a penalty needs its points; write {{ penalty = 20 }}, {POINTS}",
        ),
        (
            "[rulings]\ncrash = { penalty = 0 }",
            "2: rulings.crash.penalty: must be a whole number from 1 to 100000, not 0",
        ),
        (
            "[rulings]\ncrash = {}",
            "2: rulings.crash: the key 'penalty' is missing; it must be a whole number from 1 to 100000",
        ),
        (
            "[rulings]\ncrash = { points = 2 }",
            '2: rulings.crash.points: unknown key "points"; valid are penalty',
        ),
    ],
)
def test_what_is_wrong_is_refused_with_line_and_key(text: str, sentence: str) -> None:
    with pytest.raises(FileError) as refused:
        read(text)
    assert str(refused.value).startswith(f"cup.toml:{sentence}")
