from pathlib import Path

import pytest

from lastcard.tournament.file import load
from lastcard.tournament.formats import FORMATS
from lastcard_bot.bots import BOTS

BUILT = {"polyglot"}  # its bots have to be built; tests/clients plays it
EXAMPLES = sorted(
    path for path in (Path(__file__).parents[3] / "server" / "examples").glob("*.toml") if path.stem not in BUILT
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_can_be_played(path: Path) -> None:
    made = load(path, tuple(BOTS))
    assert made.name == path.stem
    assert FORMATS[made.format].next_stage(made.design, []) is not None
    for bot in made.bots:
        if bot.command is not None and bot.command[1:3] == ("bot", "run"):
            assert bot.command[3] in BOTS


def test_the_tournament_of_make_is_of_programs_and_reproducible() -> None:
    (path,) = (path for path in EXAMPLES if path.stem == "friday-cup")
    made = load(path, tuple(BOTS))
    assert made.seed is not None
    assert all(bot.command for bot in made.bots)
