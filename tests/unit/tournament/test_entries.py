from pathlib import Path

import pytest

from lastcard.tournament.entries import DEFAULT_COPIES, WAIT_MS, BotEntry, read_bots
from lastcard.tournament.file_section import FileError, Source


def read(tmp_path: Path, **values: object) -> BotEntry:
    (bot,) = read_bots(Source("cup.toml", {}), [{"name": "b", **values}], tmp_path, ("greedy",))
    return bot


def test_a_remote_bot_needs_no_program_here(tmp_path: Path) -> None:
    bot = read(tmp_path, remote=True)
    assert (bot.remote, bot.command, bot.builtin, bot.wait_ms) == (True, None, None, WAIT_MS)
    assert bot.is_program
    assert read(tmp_path, remote=True, wait="2s", copies=3, owner="Ann") == BotEntry(
        "b", remote=True, wait_ms=2_000, copies=3, owner="Ann"
    )


def test_a_builtin_has_an_owner_and_is_no_program(tmp_path: Path) -> None:
    bot = read(tmp_path, builtin="greedy", owner="Ann")
    assert (bot.owner, bot.is_program, bot.instances(8)) == ("Ann", False, 0)


def test_a_command_has_as_many_copies_as_games_at_once_unless_the_file_says_how_many(tmp_path: Path) -> None:
    bot = read(tmp_path, command=["sh"])
    assert [bot.instances(games) for games in (0, 1, 3, 200)] == [1, 1, 3, DEFAULT_COPIES]
    assert read(tmp_path, command=["sh"], copies=20).instances(2) == 20
    assert read(tmp_path, remote=True).instances(8) == 1
    assert read(tmp_path, remote=True, copies=2).instances(8) == 2


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"remote": False}, "bot[1].remote: must be true, not false; leave it out otherwise"),
        ({"remote": "yes"}, 'bot[1].remote: must be true, not "yes"; leave it out otherwise'),
        ({"remote": True, "command": ["sh"]}, "bot[1]: 'b' has 'command' and 'remote'; it must have one of"),
        ({}, "bot[1]: 'b' has none of these; it must have one of 'command', 'builtin' and 'remote'"),
        ({"builtin": "greedy", "copies": 2}, "bot[1].copies: is for a bot with 'command' or 'remote'; 'b' has 'builti"),
        ({"command": ["sh"], "wait": "5s"}, "bot[1].wait: is for a bot with 'remote'; 'b' has 'command'"),
        ({"remote": True, "directory": "."}, "bot[1].directory: is for a bot with 'command'; 'b' has 'remote'"),
        ({"remote": True, "environment": {}}, "bot[1].environment: is for a bot with 'command'; 'b' has 'remote'"),
        ({"remote": True, "wait": "0s"}, 'bot[1].wait: must be a span of time in quotes such as "500ms"'),
        ({"command": ["sh"], "copies": 0}, "bot[1].copies: must be a whole number from 1 to 64, not 0"),
        ({"command": ["sh"], "copies": 65}, "bot[1].copies: must be a whole number from 1 to 64, not 65"),
        ({"builtin": "greedy", "owner": " "}, 'bot[1].owner: must be 1 to 100 printable characters, not " "'),
        ({"builtin": "greedy", "owner": "a\nb"}, "bot[1].owner: must be 1 to 100 printable characters"),
        ({"builtin": "greedy", "owner": 3}, "bot[1].owner: must be a text in quotes, not 3"),
    ],
)
def test_what_a_bot_cannot_be_is_refused(tmp_path: Path, values: dict[str, object], expected: str) -> None:
    with pytest.raises(FileError) as raised:
        read(tmp_path, **values)
    assert str(raised.value).startswith(f"cup.toml:1: {expected}")
