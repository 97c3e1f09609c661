import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.tournament.file_section import FileError
from lastcard.tournament.hosted_file import read_hosted, with_bot, without_bot
from lastcard.tournament.toml_text import toml_text

BUILTINS = ("random", "greedy")
TEXT = """\
# ours
[tournament]
name = "cup"
table_size = 2
deals = 3
options = { match_end = "rounds", match_rounds = 2 }
[[bot]]
name = "ann"
remote = true
wait = "1m"
[[bot]]
name = "ben"
builtin = "greedy"
"""


def test_registered_bots_and_builtins_are_read():
    file = read_hosted(TEXT, "cup.toml", BUILTINS, {"ann"})
    assert [(bot.name, bot.remote, bot.builtin) for bot in file.bots] == [("ann", True, None), ("ben", False, "greedy")]
    assert file.text == TEXT


def test_a_bot_must_be_registered_where_that_is_asked():
    with pytest.raises(FileError) as raised:
        read_hosted(TEXT, "cup.toml", BUILTINS, {"Ann"})
    assert (raised.value.line, raised.value.key) == (8, "bot[1].name")
    assert "there is no registered bot 'ann' on this server" in str(raised.value)
    read_hosted(TEXT, "cup.toml", BUILTINS)


@pytest.mark.parametrize(
    ("key", "value"),
    [("command", '["/bin/true"]'), ("command", '["/no/such/program"]'), ("directory", '"/"'), ("environment", "{}")],
)
def test_what_starts_a_program_is_refused_before_it_is_looked_for(key, value):
    text = TEXT.replace("remote = true", f"{key} = {value}")
    with pytest.raises(FileError) as raised:
        read_hosted(text, "cup.toml", BUILTINS, {"ann"})
    assert str(raised.value).startswith(f"cup.toml:9: bot[1].{key}: a server starts no programs; write remote = true")


@pytest.mark.parametrize("text", ["[", "bot = 3", 'bot = ["x"]', "x = " + "[" * 2_000, ""])
def test_what_is_no_tournament_file_is_refused_by_its_reader(text):
    with pytest.raises(FileError):
        read_hosted(text, "cup.toml", BUILTINS, set())


@pytest.mark.parametrize("part", ["a", '"a"', "'a' ", '"' + "a" * 60 + '"'])
@pytest.mark.parametrize("frame", ["{} = 1", "[{}]", "[[ {}]]", "x = {{ {} = 1 }}"])
def test_keys_of_thousands_of_parts_are_refused_without_being_read(part, frame, monkeypatch):
    """The library's time grows with the square of the parts: minutes, for a file of the length that is allowed."""
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("it was read"))
    with pytest.raises(FileError, match="nested too deeply; three levels are valid"):
        read_hosted(frame.format(".".join([part] * 3_000)), "cup.toml", BUILTINS, set())


def test_bots_are_added_and_taken_out_of_the_text_and_nothing_else_changes():
    more = with_bot(with_bot(TEXT, "cora", "random"), "dora", "")
    values = tomllib.loads(more)
    assert values["bot"][2:] == [{"name": "cora", "builtin": "random"}, {"name": "dora", "remote": True}]
    assert {**values, "bot": values["bot"][:2]} == tomllib.loads(TEXT)
    less = tomllib.loads(without_bot(more, "ann"))
    assert [bot["name"] for bot in less["bot"]] == ["ben", "cora", "dora"]


values = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), values, max_size=5))
def test_what_is_written_is_read_as_what_it_was(document):
    assert tomllib.loads(toml_text(document)) == document


def test_what_toml_cannot_say_is_an_error():
    with pytest.raises(TypeError, match="None has no form in TOML"):
        toml_text({"a": None})
