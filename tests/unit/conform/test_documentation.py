"""The table of checks in clients/CONFORM.md is that of the kit."""

from pathlib import Path

from lastcard.conform.checks import CHECKS

PAGE = Path(__file__).parents[3] / "clients/CONFORM.md"


def test_the_page_lists_every_check_in_order_with_its_level_and_title():
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert rows == [f"| `{check.name}` | {check.level.value} | {check.title} |" for check in CHECKS]
