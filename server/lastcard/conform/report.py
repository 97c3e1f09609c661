"""Verdicts in words, and as values for JSON.

Here: one line a check, what to do when one failed, the summary. Not here: where it is printed (`cli`). Imports
`checking` and `running`.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from lastcard.conform.checking import Check, Level
from lastcard.conform.running import Outcome, Verdict

_MARKS = {
    Outcome.PASSED: "ok",
    Outcome.SKIPPED: "skip",
    Outcome.NOT_RUN: "-",
    Outcome.TOO_SLOW: "slow",
    Outcome.BROKEN: "KIT",
}
_SAID_LINES = 5
"""Lines of a bot's output that are shown with a failure."""


def line(verdict: Verdict, width: int) -> str:
    """A verdict in one line, names padded to `width`."""
    check = verdict.check
    if verdict.outcome is Outcome.FAILED:
        mark = {Level.REQUIRED: "FAIL", Level.RECOMMENDED: "warn", Level.INFORMATIVE: "note"}[check.level]
    else:
        mark = _MARKS[verdict.outcome]
    title = f"{mark:4}  {check.name:{width}}  {check.title}"
    return f"{title}: {verdict.text}" if verdict.text else title


def advice(verdict: Verdict) -> list[str]:
    """What is said below the line of a failed check."""
    if verdict.outcome is not Outcome.FAILED or verdict.check.level is Level.INFORMATIVE:
        return []
    lines = [f"why it matters: {verdict.check.proves}", f"what to do: {verdict.check.advice}"]
    said = [line for line in verdict.said.splitlines() if line.strip()]
    if said:
        lines += ["the last that the bot wrote:", *(f"  {line}" for line in said[-_SAID_LINES:])]
    return lines


def first_of_all(verdicts: Sequence[Verdict]) -> list[str]:
    """Which failures are to be mended before others, since these come of them, a line each."""
    failed = [verdict for verdict in verdicts if verdict.outcome is Outcome.FAILED]
    lines = []
    for verdict in failed:
        name = verdict.check.name
        others = [other.check.name for other in failed if other.hangs_on == name and other is not verdict]
        if others:
            lines.append(f"mend {name} first: for want of it nothing could be seen of {', '.join(others)}")
    return lines


def summary(verdicts: Sequence[Verdict], seconds: float) -> str:
    """How many of each kind passed, of those that say something about the bot, in a sentence."""
    parts = []
    counts = Counter(verdict.outcome for verdict in verdicts)
    for level in (Level.REQUIRED, Level.RECOMMENDED):
        of_level = [verdict for verdict in verdicts if verdict.check.level is level]
        telling = [verdict for verdict in of_level if verdict.outcome is not Outcome.SKIPPED]
        if of_level:
            passed = sum(verdict.outcome is Outcome.PASSED for verdict in telling)
            parts.append(f"{passed} of {len(telling)} {level.value} checks passed")
    if not_run := counts[Outcome.NOT_RUN]:
        return f"The other {not_run} checks were not tried: without that one the bot cannot play at all"
    if skipped := counts[Outcome.SKIPPED]:
        parts.append(f"{skipped} {'says' if skipped == 1 else 'say'} nothing about this bot")
    if slow := counts[Outcome.TOO_SLOW]:
        parts.append(f"in {slow} the bot was too slow to be judged")
    broken = counts[Outcome.BROKEN]
    if broken:
        parts.append(f"{broken} could not be done by a fault of the kit")
    end = "the bot conforms" if not any(verdict.condemns for verdict in verdicts) else "the bot does not conform"
    if broken:
        end = "the kit has a fault"
    return f"{', '.join(parts)}, in {seconds:.0f} s: {end}"


def described(check: Check) -> dict[str, Any]:
    """A check as a value for JSON."""
    return {
        "check": check.name,
        "level": check.level.value,
        "title": check.title,
        "proves": check.proves,
        "advice": check.advice,
    }


def as_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a value for JSON."""
    found: dict[str, Any] = {
        **described(verdict.check),
        "outcome": verdict.outcome.value,
        "text": verdict.text,
        "seconds": round(verdict.seconds, 3),
        "hangs_on": verdict.hangs_on,
    }
    if verdict.outcome is Outcome.FAILED:
        found["output"] = verdict.said
    return found
