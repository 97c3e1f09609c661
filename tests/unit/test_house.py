"""The repository's own promises: links that lead somewhere, targets that always run."""

import re
from pathlib import Path

import pytest

from lastcard.cli.serve_command import DEFAULTS

ROOT = Path(__file__).resolve().parents[2]
FETCHED = {"node_modules", "target", "build", "dist"}
"""Folders of clients with what their ecosystems' tools have fetched and built."""
DOCUMENTS = sorted(
    path
    for folder in (ROOT, ROOT / "server" / "docs", ROOT / "clients", ROOT / "proto", ROOT / "tests")
    for path in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
    if not FETCHED.intersection(path.relative_to(ROOT).parts)
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_to_files(document: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text)
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_every_make_target_is_phony() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
    assert set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) == phony


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "server" / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in sorted(folder.glob("[0-9]*.md")) if f"]({page.name})" not in index] == []


def test_what_a_server_keeps_where_it_is_started_is_never_committed() -> None:
    """A newcomer starts it in any folder of a checkout, and the organiser's token is in there."""
    assert f"{DEFAULTS['data']}/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
