"""The pages about the protocol name everything there is to name, and lead somewhere."""

import re
import tomllib
from pathlib import Path

import pytest

from lastcard.services.errors import code_of
from lastcard.table.refusals import TransportReason
from lastcard.v1.play_service_pb2 import ClientMessage, ServerMessage
from lastcard.v1.reason_pb2 import ProtocolReason, Reason

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "clients/README.md"
PROTO = ROOT / "proto/README.md"
PAGE = CLIENTS.read_text(encoding="utf-8")
REASONS = PAGE.partition("| reason of the game |")[2]
GAME, TRANSPORT = REASONS.split("| reason of the transport |")


def rows(table: str) -> dict[str, list[str]]:
    """The rows of a table of reasons: what each comes as, means, and asks for."""
    found = re.findall(r"^\| `([A-Z_]+)` \|(.*)\|$", table.partition("\n\n")[0], re.MULTILINE)
    assert len(found) == len(dict(found)), "a reason is there twice"
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in found}


@pytest.mark.parametrize(
    ("table", "enum", "prefix"), [(GAME, Reason, "REASON_"), (TRANSPORT, ProtocolReason, "PROTOCOL_REASON_")]
)
def test_every_reason_has_a_row_that_says_what_to_do(table, enum, prefix):
    names = [name.removeprefix(prefix) for name in enum.keys()]  # noqa: SIM118 - an enum's wrapper is no dict
    assert sorted(rows(table)) == sorted(set(names) - {"UNSPECIFIED"})
    for name, cells in rows(table).items():
        assert len(cells) == 3, name
        assert all(cells), name


def test_the_ends_of_streams_cover_every_reason_that_ends_one():
    ends = PAGE.partition("| end | then |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`([A-Z_]+)`", ends))
    for name, (comes_as, *_) in rows(TRANSPORT).items():
        if "end" in comes_as.split(", "):
            assert code_of(TransportReason[name]).name in named, name


def test_every_message_of_a_bot_and_those_that_need_an_answer_are_in_the_page():
    for field in (*ClientMessage.DESCRIPTOR.fields, *ServerMessage.DESCRIPTOR.fields):
        assert field.message_type.name in PAGE, field.message_type.name


def test_every_file_of_the_api_is_in_its_guide():
    listed = set(re.findall(r"\]\((lastcard/[a-z0-9_/]+\.proto)\)", PROTO.read_text(encoding="utf-8")))
    there = {str(path.relative_to(PROTO.parent)) for path in PROTO.parent.glob("lastcard/**/*.proto")}
    assert listed == there


def test_the_table_of_languages_says_how_each_bot_is_started():
    languages = tomllib.loads((CLIENTS.parent / "languages.toml").read_text(encoding="utf-8"))["language"]
    assert languages
    for language in languages:
        row = f"| {language['name']} | [{language['folder']}]({language['folder']}/README.md) |"
        assert f"{row} `{' '.join(language['bot'])}` |" in PAGE


def test_each_language_s_page_has_a_command_for_tournaments_that_is_found_in_its_folder():
    languages = tomllib.loads((CLIENTS.parent / "languages.toml").read_text(encoding="utf-8"))["language"]
    compiled = [language for language in languages if language["needs"]]
    assert compiled
    for language in compiled:
        page = (CLIENTS.parent / language["folder"] / "README.md").read_text(encoding="utf-8")
        (block,) = [
            text for text in re.findall(r"^```toml$(.*?)^```$", page, re.MULTILINE | re.DOTALL) if "[[bot]]" in text
        ]
        assert tomllib.loads(block)["bot"][0]["command"] == language["bot"], language["name"]
        assert "# relative to the file" in block, language["name"]


@pytest.mark.parametrize("page", [CLIENTS, PROTO], ids=lambda page: page.parent.name)
def test_every_link_leads_somewhere(page):
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles]
            assert anchor in slugs, link
