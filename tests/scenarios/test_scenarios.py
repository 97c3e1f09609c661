"""The project's own scenarios, one test each, and what they must reach."""

from pathlib import Path

import pytest

from lastcard.rules.option_list import OPTIONS
from lastcard.rules.options import Choice, Combination, FaceMap, Flag, Number, Option
from lastcard.rules.presets import PRESETS
from lastcard.rules.scenario import run_scenario
from lastcard.rules.scenario_file import Scenario, read_scenarios

FILES = sorted(Path(__file__).parent.glob("*.toml"))
SCENARIOS = [(path, scenario) for path in FILES for scenario in read_scenarios(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("scenario", [pytest.param(one, id=one.id) for _, one in SCENARIOS])
def test_scenario(scenario: Scenario) -> None:
    result = run_scenario(scenario)
    assert result.passed, result.line


def test_an_id_is_used_once() -> None:
    ids = [scenario.id for _, scenario in SCENARIOS]
    assert sorted(set(ids)) == sorted(ids)


def values_to_reach(option: Option) -> set[str]:
    """The values of an option that some scenario must play by, as text."""
    if isinstance(option, Choice):
        return set(option.words)
    if isinstance(option, Flag | Combination):
        return set(option.meanings)
    return set()


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_supported_value_occurs(option: Option) -> None:
    played = {option.text(scenario.position.rules.value(option.name)) for _, scenario in SCENARIOS}
    if isinstance(option, Combination):
        played = {word for value in played for word in value.split("+")}
    assert values_to_reach(option) <= played
    if isinstance(option, FaceMap) or (isinstance(option, Number) and option.only is None):
        assert played - {option.text(option.default)}, "no scenario departs from the default"


def test_every_preset_occurs() -> None:
    assert {scenario.position.rules.preset for _, scenario in SCENARIOS} == set(PRESETS)


def test_every_ruling_is_named() -> None:
    """Each ruling of the rules is named by a scenario, or stands here with where else it is tested."""
    elsewhere = {
        "C10": "unit/rules/test_ruleset.py",
        "C28": "unit/rules/test_rounds.py",
        "C74": "teams are not yet supported",
        "C78": "the table's",
        "C81": "the table's",
        "C82": "the table's",
        "C86": "elimination is not yet supported",
        "C87": "unit/rules/test_view.py",
        "C88": "unit/rules/test_view.py",
        "K29": "unit/rules/test_ruleset.py",
        "K30": "unit/rules/test_rounds.py",
    }
    named = {_two_digits(part) for _, scenario in SCENARIOS for part in scenario.id.split("-")}
    rulings = [f"C{number:02}" for number in range(1, 89)] + [f"K{number:02}" for number in range(1, 32)]
    missing = [ruling for ruling in rulings if ruling not in named and ruling not in elsewhere]
    assert not missing


def _two_digits(part: str) -> str:
    return f"{part[0]}0{part[1]}" if len(part) == 2 and part[1].isdigit() else part
