"""Bots from files on the command line: each is itself, whatever its file is called and whatever it does."""

import sys
from pathlib import Path

import pytest

from lastcard.cli.bots import find_bot
from lastcard.cli.errors import CommandError

BOT = """\
from lastcard_bot import Bot
{head}
class Mine(Bot):
    def choose(self, view, legal_actions):
        return {value}
"""


def write(directory: Path, name: str, *, head: str = "", value: str = "0") -> str:
    directory.mkdir(exist_ok=True)
    (directory / name).write_text(BOT.format(head=head, value=value))
    return str(directory / name)


@pytest.mark.parametrize("name", ["random.py", "json.py", "lastcard.py"])
def test_a_file_does_not_take_the_place_of_a_module_of_its_name(tmp_path: Path, name: str) -> None:
    before = sys.modules.get(Path(name).stem)
    bot = find_bot(write(tmp_path, name))
    assert type(bot).__name__ == "Mine"
    assert sys.modules.get(Path(name).stem) is before


def test_two_versions_of_a_bot_keep_their_own_neighbours(tmp_path: Path) -> None:
    choices = []
    for version in ("1", "2"):
        directory = tmp_path / version
        path = write(directory, "versioned_bot.py", head="import neighbour_of_bots", value="neighbour_of_bots.VALUE")
        (directory / "neighbour_of_bots.py").write_text(f"VALUE = {version}")
        choices.append(find_bot(path).choose(None, ()))  # type: ignore[union-attr,arg-type]  # no view is looked at
    assert choices == [1, 2]


@pytest.mark.parametrize("head", ["raise SystemExit(3)", "import sys; sys.exit()"])
def test_a_file_that_exits_is_refused(tmp_path: Path, head: str) -> None:
    with pytest.raises(CommandError, match=r"exiting_bot\.py could not be loaded: SystemExit"):
        find_bot(write(tmp_path, "exiting_bot.py", head=head))


def test_a_bot_whose_methods_do_not_suit_its_kind_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "mixed_bot.py")
    Path(path).write_text(Path(path).read_text().replace("Bot", "AsyncBot"))
    with pytest.raises(CommandError, match=r"mixed_bot\.py: Mine\.choose is no coroutine; write `async def choose`"):
        find_bot(path)
