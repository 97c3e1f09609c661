"""Playing scenarios: each step must come out as it says (scenario.md, Scenario files).

Here: `run_scenario`, the line that a result is printed as. Not here: files (`scenario_file`), steps (`scenario_step`).
May import `apply`, `reasons`, `scenario_file`, `scenario_position`, `scenario_step`, `state`.
"""

from dataclasses import dataclass

from lastcard.rules.apply import apply
from lastcard.rules.reasons import Refused
from lastcard.rules.scenario_file import Scenario
from lastcard.rules.scenario_position import build_state
from lastcard.rules.scenario_step import REFUSED, MoveStep, Step
from lastcard.rules.state import State

ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class Result:
    """How a scenario came out; `step` counts from 1 and is 0 when all steps passed."""

    id: str
    step: int = 0
    text: str = ""
    expected: str = ""
    got: str = ""

    @property
    def passed(self) -> bool:
        """Whether every step came out as it says."""
        return self.step == 0

    @property
    def line(self) -> str:
        """The result as it is printed."""
        if self.passed:
            return f"ok {self.id}"
        return f'FAIL {self.id} step {self.step} "{self.text}": expected {self.expected}, got {self.got}'


def run_scenario(scenario: Scenario) -> Result:
    """Plays a scenario up to its first step that does not come out as it says."""
    state = build_state(scenario.position)
    for number, step in enumerate(scenario.steps, start=1):
        expected, got = _take(state, step)
        if expected != got:
            return Result(scenario.id, number, step.text, expected, got)
    return Result(scenario.id)


def _take(state: State, step: Step) -> tuple[str, str]:
    """What a step expects, and what came of it; equal when it passed."""
    if not isinstance(step, MoveStep):
        return step.expected, step.find(state)
    before = contents(state)
    try:
        apply(state, *step.move)
    except Refused as refused:
        if contents(state) != before:
            return "nothing changed by a refusal", f"a changed state after {refused}"
        return _judge(step, refused)
    return step.refusal or ACCEPTED, ACCEPTED


def _judge(step: MoveStep, refused: Refused) -> tuple[str, str]:
    if step.refusal is None:
        return ACCEPTED, str(refused)
    if step.refusal in (REFUSED, refused.reason.name):
        return step.refusal, step.refusal
    return step.refusal, str(refused)


def contents(state: State) -> tuple[object, ...]:
    """All that a state holds, as a value that can be compared: two states with equal contents play on equally."""
    fields = [getattr(state, name) for name in State.__slots__ if name not in ("pile", "chance")]
    pile = state.pile.clone()
    order = [pile.draw(seat % state.players) for seat in range(len(pile))]
    return (*(_frozen(value) for value in fields), tuple(order))


def _frozen(value: object) -> object:
    if isinstance(value, dict):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return bytes(value) if isinstance(value, bytearray) else value
