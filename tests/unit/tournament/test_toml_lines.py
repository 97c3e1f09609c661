import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.tournament.toml_lines import Path, toml_lines

AWKWARD = '''\
# [no.header]
a.b."c.d" = 1 # = [
"q\\u0041" = """
[not.a.header]
k = "no" """""
'' = 'empty key'
[tournament] # comment with "quote
options = { a = 1, b = [1, { z = "}" }], c.d = 2 }

  [[bot]]
name = 'x#'
command = [ # comment ]
  "a",

  ["b", ']'], # ]
]
[bot.environment]
"A B" = "\\\\"
[[bot]]
name = \'\'\'
it's\'\'\'\'\'
when = 1979-05-27 07:32:00
[[bot.sub]]
x = 1
[[ bot . sub ]]
x = 2
[ "bot" . 'deep' ]
y = "#"'''


def paths(value: Any, path: Path = ()) -> set[Path]:
    found = {path} if path else set()
    if isinstance(value, dict):
        for key, each in value.items():
            found |= paths(each, (*path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            found |= paths(each, (*path, place))
    return found


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a", "b", "c.d"), 2),
        (("qA",), 3),
        (("",), 6),
        (("tournament",), 7),
        (("tournament", "options", "b", 1, "z"), 8),
        (("tournament", "options", "c", "d"), 8),
        (("bot", 0), 10),
        (("bot", 0, "name"), 11),
        (("bot", 0, "command"), 12),
        (("bot", 0, "command", 0), 13),
        (("bot", 0, "command", 1, 1), 15),
        (("bot", 0, "environment", "A B"), 18),
        (("bot", 1), 19),
        (("bot", 1, "when"), 22),
        (("bot", 1, "sub", 0, "x"), 24),
        (("bot", 1, "sub", 1), 25),
        (("bot", 1, "deep", "y"), 28),
    ],
)
def test_an_awkward_file_has_its_keys_where_they_stand(path: Path, line: int) -> None:
    assert toml_lines(AWKWARD)[path] == line


def test_line_ends_of_another_system_count_alike() -> None:
    assert toml_lines(AWKWARD.replace("\n", "\r\n")) == toml_lines(AWKWARD)


def test_every_value_that_the_reader_finds_has_a_line_and_nothing_else_has() -> None:
    assert set(toml_lines(AWKWARD)) == paths(tomllib.loads(AWKWARD))


KEY = st.text("ab-_1", min_size=1, max_size=3) | st.text("a\"'\\ .#=[\n]é", max_size=4)
TEXT = st.text("ab\"'\\#[]{}=,\n \t", max_size=8)


def key_text(key: str) -> str:
    if key and set(key) <= set("ab-_1"):
        return key
    return quoted(key)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def long_text(text: str) -> str:
    return '"""\n' + text.replace("\\", "\\\\").replace('"""', '""\\"') + '"""'


@st.composite
def values(draw: st.DrawFn, depth: int = 2, *, one_line: bool = False) -> str:
    kinds = ["text", "number", "date"] + ([] if one_line else ["long"]) + (["array", "table"] if depth else [])
    match draw(st.sampled_from(kinds)):
        case "text":
            return quoted(draw(TEXT))
        case "long":
            return long_text(draw(TEXT))
        case "number":
            return draw(st.sampled_from(["1", "+1.5e3", "0xff", "true", "-inf"]))
        case "date":
            return draw(st.sampled_from(["1979-05-27", "1979-05-27 07:32:00", "07:32:00"]))
        case "array":
            gap = " " if one_line else draw(st.sampled_from([" ", "\n", " # ] c\n"]))
            parts = draw(st.lists(values(depth - 1, one_line=one_line), max_size=3))
            return "[" + gap + ("," + gap).join(parts) + gap + "]"
        case _:
            keys = draw(st.lists(KEY, max_size=3, unique=True))
            return "{ " + ", ".join(f"{key_text(k)} = {draw(values(depth - 1, one_line=True))}" for k in keys) + " }"


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[Path, int]]:
    """A file and the line of each of its plain keys."""
    lines: list[str] = []
    expected: dict[Path, int] = {}
    tables = draw(st.lists(st.sampled_from(["", "[t]", "[[u]]", "[[u]]"]), max_size=4))
    seen: dict[str, int] = {}
    for header in ["", *sorted(tables, key=lambda each: each != "")]:
        if header == "[t]" and "[t]" in seen:
            continue
        if not header and "" in seen:
            continue
        seen[header] = seen.get(header, 0) + 1
        path: Path = {"": (), "[t]": ("t",), "[[u]]": ("u", seen[header] - 1)}[header]
        if header:
            lines.append(header)
        for key in draw(st.lists(KEY.filter(lambda k: k not in ("t", "u")), max_size=4, unique=True)):
            lines += [""] * draw(st.integers(0, 1))
            expected[(*path, key)] = sum(line.count("\n") + 1 for line in lines) + 1
            lines.append(f"{key_text(key)} = {draw(values())} # c")
    return "\n".join(lines), expected


@given(documents())
def test_any_file_has_its_keys_where_they_stand(document: tuple[str, dict[Path, int]]) -> None:
    text, expected = document
    found = toml_lines(text)
    assert set(found) == paths(tomllib.loads(text))
    assert {path: found[path] for path in expected} == expected
