"""Where a bot plays and as whom: arguments, environment, and what is refused."""

import pytest

from lastcard_bot import Bot, BotError, bot_settings
from lastcard_bot.settings import Settings, settings

FULL = {"LASTCARD_SERVER": "arena:7600", "LASTCARD_TOKEN": "secret", "LASTCARD_BOT": "mine"}


class Some(Bot):
    def choose(self, view, legal_actions):
        return 0


def test_a_tournament_gives_everything_by_the_environment():
    assert settings(FULL, default_name="some") == Settings(server="arena:7600", token="secret", name="mine")


def test_arguments_win_over_the_environment():
    made = settings(FULL, server="[::1]:1", token="", name="other")
    assert made == Settings(server="[::1]:1", token="", name="other")


def test_without_a_name_it_is_the_bot_s_own():
    assert settings({"LASTCARD_SERVER": "arena:7600"}, default_name="some").name == "some"


def test_with_a_token_and_no_name_it_is_the_token_s():
    assert settings({"LASTCARD_SERVER": "arena:7600", "LASTCARD_TOKEN": "secret"}, default_name="some").name == ""


@pytest.mark.parametrize(("own", "expected"), [("", "some"), ("Fancy-1", "Fancy-1")])
def test_a_bot_is_called_by_its_attribute_or_else_its_class(monkeypatch, own, expected):
    monkeypatch.setenv("LASTCARD_SERVER", "arena:7600")
    monkeypatch.delenv("LASTCARD_TOKEN", raising=False)
    monkeypatch.delenv("LASTCARD_BOT", raising=False)
    monkeypatch.setattr(Some, "name", own)
    assert bot_settings(Some()).name == expected
    assert bot_settings(Some(), name="given", server="x:1").name == "given"


def test_without_a_server_it_says_how_to_name_one():
    with pytest.raises(BotError, match=r"no server is named; set LASTCARD_SERVER to host:port, or pass server="):
        settings({}, default_name="some")


@pytest.mark.parametrize(
    "server",
    ["arena", "arena:", ":7600", "http://arena:7600", "arena:0", "arena:65536", "arena:123456", "a b:1", "::1:7"],
)
def test_an_address_that_is_none_is_named(server):
    with pytest.raises(BotError) as error:
        Settings(server=server, name="me")
    assert f"server {server!r} is no address; give host:port" in str(error.value)


@pytest.mark.parametrize("server", ["arena:1", "127.0.0.1:65535", "[::1]:7600", "a-b.example.org:80"])
def test_addresses(server):
    assert Settings(server=server, name="me").server == server


@pytest.mark.parametrize("name", ["", "a b", "ä", "x" * 65, "a/b"])
def test_a_name_that_is_none_is_named(name):
    with pytest.raises(BotError) as error:
        Settings(server="arena:1", name=name)
    assert f"{name!r} is no name for a bot; use 1 to 64 letters, digits" in str(error.value)


def test_a_bad_name_is_no_better_with_a_token():
    with pytest.raises(BotError, match="is no name"):
        Settings(server="arena:1", token="secret", name="a b")


@pytest.mark.parametrize(
    ("token", "said"), [("sec ret", "' ' at place 3"), ("tokén", "'é' at place 3"), ("x\n", r"'\n'")]
)
def test_a_token_that_no_header_can_carry_is_refused_without_being_printed(token, said):
    with pytest.raises(BotError) as error:
        Settings(server="arena:1", token=token, name="me")
    assert f"the token has {said}" in str(error.value)
    assert token not in str(error.value)
