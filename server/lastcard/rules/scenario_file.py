"""Scenario files: TOML with one or more `[[scenario]]` tables (scenario.md, Scenario files).

Here: `Scenario`, reading a file's text, every error with the scenario's id and key or step. Not here: the position's
keys (`scenario_keys`), opening files (`cli`), playing (`scenario`). May import `ruleset`, `scenario_keys`,
`scenario_position`, `scenario_step` and the standard library's TOML reader.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from lastcard.rules.ruleset import Ruleset, RulesetError, ruleset
from lastcard.rules.scenario_keys import POSITION_KEYS, read_position
from lastcard.rules.scenario_position import Position, PositionError, build_state
from lastcard.rules.scenario_step import Step, StepError, read_step

KEYS = ("id", "about", "rules", "options", *POSITION_KEYS, "steps")
"""The keys of a scenario."""


class ScenarioFileError(ValueError):
    """A file cannot be read; `problems` holds a sentence for each scenario, or key of the file, that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Scenario:
    """A position and the steps to play from it."""

    id: str
    about: str
    position: Position
    steps: tuple[Step, ...]


def read_scenarios(text: str) -> tuple[Scenario, ...]:
    """The scenarios of a file, in its order.

    Raises:
        ScenarioFileError: with the first problem of every scenario that has one.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioFileError([f"it is not TOML: {error}."]) from None
    except ValueError:
        raise ScenarioFileError(["it holds a number with more than 4300 digits; valid are far smaller ones."]) from None
    except RecursionError:
        raise ScenarioFileError(["its lists or tables are nested too deeply; a scenario has three levels."]) from None
    scenarios: list[Scenario] = []
    problems: list[str] = []
    seen: set[str] = set()
    for number, keys in enumerate(_tables(tables), start=1):
        try:
            scenario_id = _read_id(keys, number, seen)
            scenarios.append(_read_scenario(keys, scenario_id))
        except _ProblemError as problem:
            problems.append(str(problem))
    if problems:
        raise ScenarioFileError(problems)
    return tuple(scenarios)


class _ProblemError(Exception):
    """What is wrong with one scenario, as a sentence that begins with its id."""


def _tables(tables: Mapping[str, object]) -> list[dict[str, object]]:
    others = [key for key in tables if key != "scenario"]
    if others:
        raise ScenarioFileError([f"the key {others[0]!r} stands outside of a scenario; valid is [[scenario]] alone."])
    found = tables.get("scenario")
    if not isinstance(found, list) or not found or not all(isinstance(table, dict) for table in found):
        raise ScenarioFileError(["it holds no scenario; each is a table that begins with [[scenario]]."])
    return found


def _read_id(keys: Mapping[str, object], number: int, seen: set[str]) -> str:
    scenario_id = keys.get("id")
    where = f"scenario number {number}: id"
    if not isinstance(scenario_id, str) or not scenario_id.strip() or not scenario_id.isprintable():
        raise _ProblemError(f'{where}: it must be a text on one line, as in "one-draw-per-turn".')
    if scenario_id in seen:
        raise _ProblemError(f"{where}: {scenario_id} is the id of an earlier scenario; an id occurs once a file.")
    seen.add(scenario_id)
    return scenario_id


def _read_scenario(keys: Mapping[str, object], scenario_id: str) -> Scenario:
    for key in keys:
        if key not in KEYS:
            raise _problem(scenario_id, key, f"there is no such key; valid are {', '.join(KEYS)}.")
    about = keys.get("about", "")
    if not isinstance(about, str):
        raise _problem(scenario_id, "about", f"{about!r} is no text.")
    rules = _read_rules(keys, scenario_id)
    try:
        position = read_position(keys, rules, scenario_id)
        build_state(position)
    except PositionError as error:
        raise _problem(scenario_id, error.key, str(error)) from None
    return Scenario(scenario_id, about, position, _read_steps(keys, scenario_id, len(position.hands)))


def _read_rules(keys: Mapping[str, object], scenario_id: str) -> Ruleset:
    preset = keys.get("rules", "official")
    options = keys.get("options", {})
    if not isinstance(options, dict):
        raise _problem(scenario_id, "options", f'{options!r} is no table, as in {{ draw_mode = "one" }}.')
    try:
        base = ruleset(preset if isinstance(preset, str) else repr(preset))
    except RulesetError as error:
        raise _problem(scenario_id, "rules", str(error)) from None
    try:
        return ruleset(base.preset, options)
    except RulesetError as error:
        raise _problem(scenario_id, "options", str(error)) from None


def _read_steps(keys: Mapping[str, object], scenario_id: str, seats: int) -> tuple[Step, ...]:
    texts = keys.get("steps")
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise _problem(scenario_id, "steps", 'it must be a list of at least one text, as in ["0 draw", "? turn 1"].')
    steps = []
    for number, text in enumerate(texts, start=1):
        try:
            steps.append(read_step(text, seats))
        except StepError as error:
            raise _problem(scenario_id, f'step {number} "{text}"', str(error)) from None
    return tuple(steps)


def _problem(scenario_id: str, where: str, sentence: str) -> _ProblemError:
    return _ProblemError(f"{scenario_id}: {where}: {sentence}")
