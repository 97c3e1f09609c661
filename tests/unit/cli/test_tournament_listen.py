from pathlib import Path

import pytest

from lastcard.cli.errors import CommandError
from lastcard.cli.tournament_listen import LOOPBACK, Listen, listen_for, listen_of, warning_of
from lastcard.tournament.file import load
from lastcard.tournament.passes import Pass, Passes, from_elsewhere, from_here
from lastcard.tournament.results import Results

FILE = """\
[tournament]
name = "cup"
table_size = 2
deals = 1
[[bot]]
name = "ann"
builtin = "greedy"
[[bot]]
name = "ben"
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:7700", Listen("127.0.0.1", 7700)),
        ("localhost:0", Listen("localhost", 0)),
        ("[::1]:80", Listen("[::1]", 80)),
    ],
)
def test_an_address_is_host_and_port(text: str, expected: Listen) -> None:
    assert listen_of(text) == expected
    assert str(expected) == text


@pytest.mark.parametrize("text", ["7700", ":7700", "localhost", "localhost:", "localhost:x", "h:65536", "h:-1", "h:٣"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match=r"give host and port such as 127\.0\.0\.1:7700"):
        listen_of(text)


def test_an_ipv6_address_stands_in_brackets() -> None:
    with pytest.raises(CommandError, match="put an IPv6 address in brackets"):
        listen_of("::1:80")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "[::1]", "localhost"])
def test_loopback_needs_no_warning(host: str) -> None:
    assert warning_of(Listen(host, 7700)) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "[::]", "arena.example"])  # noqa: S104 - nobody listens
def test_everything_else_is_warned_of(host: str) -> None:
    warning = warning_of(Listen(host, 7700))
    assert warning is not None
    assert warning.startswith(f"warning: listening on {host}:7700 without TLS")


def test_an_event_with_remote_bots_listens_again_where_it_did(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(FILE + "remote = true\n")
    remote = load(path, ("greedy",))
    path.write_text(FILE + 'builtin = "greedy"\n')
    none = load(path, ("greedy",))
    results = Results.create(tmp_path / "out", remote.text, remote.name, remote.seed)
    assert listen_for(None, remote, results) == LOOPBACK
    Passes(results.directory).note_listening("127.0.0.1:7701")
    assert listen_for(None, remote, results) == Listen("127.0.0.1", 7701)
    assert listen_for(Listen("127.0.0.1", 5), remote, results) == Listen("127.0.0.1", 5)
    assert listen_for(None, none, results) == LOOPBACK


def test_passes_are_kept_and_read_back(tmp_path: Path) -> None:
    passes = Passes(tmp_path)
    assert passes.read("ben", 1) is None
    assert list(passes.all()) == []
    first, second = Pass("h:1", "lct_a", "ben"), Pass("h:1", "lct_b", "ben")
    assert passes.write(1, first) == tmp_path / "remote" / "ben.env"
    assert passes.write(2, second) == tmp_path / "remote" / "ben@2.env"
    assert (passes.read("ben", 1), passes.read("ben", 2)) == (first, second)
    assert set(passes.all()) == {first, second}
    moved = first._replace(server="h:2")
    passes.write(1, moved)
    assert passes.read("ben", 1) == moved
    passes.path("ben", 1).write_text("LASTCARD_SERVER=h:1\nLASTCARD_TOK")
    assert passes.read("ben", 1) is None
    passes.path("ann", 1).write_text(first.text())
    assert passes.read("ann", 1) is None


def test_who_listens_everywhere_is_dialled_by_name_from_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "arena")
    assert from_elsewhere("0.0.0.0:80") == "arena:80"
    assert from_elsewhere("10.0.0.1:80") == "10.0.0.1:80"
    assert (from_here("0.0.0.0:80"), from_here("[::]:80"), from_here("h:80")) == ("127.0.0.1:80", "[::1]:80", "h:80")
