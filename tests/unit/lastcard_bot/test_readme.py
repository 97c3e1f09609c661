"""What the SDK's README says: its bots run, and it names everything there is to name."""

import re
from pathlib import Path

import pytest

from lastcard.cli.main import main
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard_bot import Bot
from lastcard_bot.bots import BOTS

HOME = Path(__file__).resolve().parents[3] / "clients/python"
TEXT = (HOME / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
UNARY_ONLY = {"NOT_FOUND", "SEAT_TAKEN", "RECORD_CLOSED", "REQUEST_ID_REUSED"} | {
    "NAME_TAKEN", "WRONG_STATE", "BOT_IN_USE", "NOT_KEPT",
}  # fmt: skip
"""Reasons that no stream of a bot gives."""


def test_the_first_bot_is_the_example():
    assert BLOCKS[0] == (HOME / "examples/my_bot.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_every_bot_in_it_plays(number, tmp_path, capsys):
    file = tmp_path / f"shown_{number}.py"
    file.write_text(BLOCKS[number], encoding="utf-8")
    assert main(["match", str(file), "greedy", "--games", "2"]) == 0
    assert f"shown_{number}" in capsys.readouterr().out


def test_every_reason_that_a_stream_gives_is_in_it():
    names = {name.removeprefix("REASON_") for name in Reason.keys()}  # noqa: SIM118 - an enum's wrapper is no dict
    names |= {name.removeprefix("PROTOCOL_REASON_") for name in ProtocolReason.keys()}  # noqa: SIM118 - as above
    table = TEXT.partition("| reason |")[2]
    named = set(re.findall(r"`([A-Z_]+)`", table.replace("`LASTCARD_TOKEN`", "").replace("`LASTCARD_BOT`", "")))
    assert named == names - UNARY_ONLY - {"UNSPECIFIED"}


def test_every_method_and_setting_of_a_bot_is_in_it():
    methods = {name for name, member in vars(Bot).items() if callable(member) and not name.startswith("_")}
    for word in methods | {"leave", "stop"}:
        assert f"{word}(" in TEXT, word
    settings = {name for kind in Bot.__mro__ for name in vars(kind).get("__annotations__", ()) if name[0] != "_"}
    assert settings - {"name", "version"} <= set(re.findall(r"`(\w+)[ `]", TEXT))


def test_the_shipped_bots_and_links_in_it_exist():
    assert f"the bots that ship: {', '.join(BOTS)}" in TEXT
    for link in re.findall(r"\]\(([^)#]+)", TEXT):
        assert (HOME / link).exists(), link
