"""The table of checks in clients/CONFORM.md is that of the kit."""

from pathlib import Path

from lastcard.conform.checks import CHECKS
from lastcard.conform.report import as_json, described
from lastcard.conform.running import Outcome, Verdict

PAGE = Path(__file__).parents[3] / "clients/CONFORM.md"


def _rows(heading: str) -> list[str]:
    """The rows of the table below a heading that begin with a name."""
    below = PAGE.read_text(encoding="utf-8").partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    return [line for line in below.splitlines() if line.startswith("| `")]


def test_the_page_tells_every_field_and_outcome_of_the_json():
    rows = _rows("## For machines")
    fields = list(as_json(Verdict(CHECKS[0], Outcome.FAILED)))
    assert [row.split("`")[1] for row in rows] == fields
    assert fields[:5] == list(described(CHECKS[0]))
    outcomes = next(row for row in rows if row.startswith("| `outcome`"))
    assert set(outcomes.split("`")[3::2]) == {outcome.value for outcome in Outcome}


def test_the_page_lists_every_check_in_order_with_its_level_and_title():
    rows = _rows("## The checks")
    assert rows == [f"| `{check.name}` | {check.level.value} | {check.title} |" for check in CHECKS]
