"""`lastcard tournament create|start|watch|…` and `lastcard bot register|…` against a real server on a real port."""

import asyncio
import json
import tarfile
from typing import NamedTuple

import pytest

from bot_doubles import Gated
from lastcard.cli.main import main
from lastcard.cli.tournament_server import TournamentServer
from lastcard_bot.bots import make_bot
from serve_process import ServeProcess
from service_client import BotStream, connection
from tournament_client import Organiser, cup
from waiting import until


class Ended(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
async def arena(start_arena, tmp_path):
    return await start_arena(data=tmp_path / "data")


@pytest.fixture
def lastcard(arena, monkeypatch, capsys, tmp_path):
    """Runs a command beside the server, which the environment names."""
    monkeypatch.setenv("LASTCARD_SERVER", arena.address)
    monkeypatch.delenv("LASTCARD_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)

    async def call(*words):
        capsys.readouterr()
        status = await asyncio.to_thread(main, list(words))
        return Ended(status, *capsys.readouterr())

    return call


@pytest.fixture
def cup_file(tmp_path):
    (tmp_path / "cup.toml").write_text(cup("ann", "+ben", deals=3))


async def registered(lastcard, dial, name="ann", bot=None):
    """Registers a bot by the command and has it dial in with what that printed."""
    found = await lastcard("bot", "register", name, "--owner", "Ann B.")
    assert (found.status, found.err) == (0, "")
    given = dict(line.split("=", 1) for line in found.out.splitlines())
    assert given["LASTCARD_BOT"] == name
    dial(bot or make_bot("greedy"), given["LASTCARD_SERVER"], name=name, token=given["LASTCARD_TOKEN"])


@pytest.mark.usefixtures("cup_file")
async def test_a_tournament_from_its_file_to_its_archive(lastcard, dial, tmp_path):
    await registered(lastcard, dial)
    found = await lastcard("tournament", "create", "cup.toml")
    assert (found.status, found.err) == (0, "")
    assert found.out.splitlines() == [
        "cup is created",
        "to begin: lastcard tournament start cup",
        "to look on: lastcard tournament watch cup",
    ]
    assert (await lastcard("tournament", "start", "cup")).out == "cup is running\n"
    watched = await lastcard("tournament", "watch", "cup")
    assert watched.status == 0
    assert "6 of 6 games" in watched.out
    assert "cup is complete, 6 of 6 games played\n" in watched.out
    standings = await lastcard("tournament", "standings", "cup")
    assert standings.out in watched.out
    told = json.loads((await lastcard("tournament", "standings", "cup", "--json")).out)
    assert told == json.loads((tmp_path / "data" / "events" / "cup" / "standings.json").read_text())
    for standing in told["ranking"]:
        assert f"{standing['score']['mean']:.1%}" in standings.out
    listed = await lastcard("tournament", "list")
    assert listed.out.splitlines()[1].split()[:5] == ["cup", "complete", "round-robin", "2", "6/6"]
    assert json.loads((await lastcard("tournament", "list", "--json")).out)["games_played"] == 6
    assert (await lastcard("tournament", "list", "--state", "paused")).out.startswith("no paused tournament on ")
    reported = await lastcard("tournament", "report", "cup", "--html", "page.html")
    assert (reported.status, reported.err) == (0, "")
    assert reported.out == f"{standings.out.partition(chr(10))[2]}written: page.html\n"
    page = (tmp_path / "page.html").read_text()
    assert ("<title>cup" in page, 'href="records' in page, "ledger.jsonl" in page) == (True, False, False)
    reported = json.loads((await lastcard("tournament", "report", "cup", "--json")).out)
    assert (reported["state"], reported["ranking"], reported["written"]) == ("complete", told["ranking"], [])
    assert (await lastcard("tournament", "export", "cup")).out == "written: cup.tar.gz\n"
    with tarfile.open(tmp_path / "cup.tar.gz") as archive:
        archive.extractall(tmp_path / "out", filter="data")
    assert main(["verify", str(tmp_path / "out" / "cup")]) == 0


@pytest.mark.usefixtures("cup_file")
async def test_pause_resume_and_cancel_say_what_has_become_of_it(lastcard, dial):
    ann = Gated()
    await registered(lastcard, dial, bot=ann)
    ann.go.clear()
    await lastcard("tournament", "create", "cup.toml", "--start")
    paused = await lastcard("tournament", "pause", "cup", "--reason", "lunch")
    assert paused.out.startswith("cup is pausing")
    assert paused.out.endswith(": lunch\n")
    assert (await lastcard("tournament", "resume", "cup")).out.startswith("cup is running")
    cancelled = await lastcard("tournament", "cancel", "cup", "--reason", "rain", "--json")
    assert json.loads(cancelled.out)["reason"] == "rain"
    watched = await lastcard("tournament", "watch", "cup")
    assert watched.status == 1
    assert "cup is cancelled" in watched.out
    ann.go.set()


async def test_bots_enter_and_are_withdrawn_by_commands(lastcard, tmp_path):
    (tmp_path / "cup.toml").write_text(cup("+ann", "+ben"))
    await lastcard("tournament", "create", "cup.toml")
    found = await lastcard("tournament", "enter", "cup", "cora", "--builtin", "random", "--json")
    assert [bot["name"] for bot in json.loads(found.out)["bots"]] == ["ann", "ben", "cora"]
    found = await lastcard("tournament", "withdraw", "cup", "ann", "--json")
    assert [bot["name"] for bot in json.loads(found.out)["bots"]] == ["ben", "cora"]


async def test_an_organiser_rules_by_commands_and_every_figure_follows(lastcard, arena, tmp_path):
    (tmp_path / "cup.toml").write_text(cup("+ann", "+ben"))
    await lastcard("tournament", "create", "cup.toml", "--start")
    await lastcard("tournament", "watch", "cup")
    rule = ("tournament", "rule", "cup")
    found = await lastcard(*rule, "annul", "2", "--replay", "--reason", "the power failed", "--server", arena.address)
    assert (found.status, found.err) == (0, "")
    said = found.out.splitlines()
    assert said[0] == "ruling 1: game 2 is annulled, its set is played again: the power failed"
    assert said[1].startswith("cup: 4 games, 1 complete set")
    assert said[-2:] == [
        "cup is paused, 4 of 4 games played: after ruling 1 there are games to play; resume it",
        "to go on: lastcard tournament resume cup",
    ]
    found = await lastcard(*rule, "disqualify", "ann", "--reason", "it peeked", "--json")
    assert json.loads(found.out)["bot"] == "ann"
    assert "disqualified" in (await lastcard("tournament", "standings", "cup")).out
    await lastcard(*rule, "take-back", "2", "--reason", "it was another")
    await lastcard(*rule, "withdraw", "ben", "--reason", "ill")
    listed = await lastcard(*rule, "list")
    assert [line.split("  ", 2)[2] for line in listed.out.splitlines()] == [
        "game 2 is annulled, its set is played again: the power failed",
        "ann is disqualified: it peeked (taken back by 3)",
        "ruling 2 is taken back: it was another",
        "ben is withdrawn from stage 2 on: ill",
    ]
    here = await lastcard("tournament", "rule", str(tmp_path / "data" / "events" / "cup"), "list")
    assert (here.status, here.out) == (0, listed.out)
    await lastcard("tournament", "resume", "cup")
    watched = await lastcard("tournament", "watch", "cup")
    assert "ruling 4: ben is withdrawn from stage 2 on: ill" in watched.out
    refused = await lastcard(*rule, "annul", "9", "--reason", "so")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == "lastcard: no game 9 has been played; valid are 1 to 6\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("tournament", "create", "none.toml"), "lastcard: none.toml: cannot be read: No such file or directory"),
        (("tournament", "create", "bad.toml"), "lastcard: bad.toml:3: tournament.tabel_size: unknown key"),
        (("tournament", "create", "latin.toml"), "lastcard: latin.toml: not UTF-8 text: byte 0xe9"),
        (("tournament", "start", "none"), "lastcard: there is no tournament 'none' on 127.0.0.1:"),
        (("tournament", "watch", "none"), "lastcard: there is no tournament 'none' on 127.0.0.1:"),
        (("tournament", "standings", "none"), "lastcard: there is no tournament 'none' on 127.0.0.1:"),
        (("tournament", "report", "none"), "lastcard: there is no tournament 'none' on 127.0.0.1:"),
        (("tournament", "rule", "none", "list"), "lastcard: there is no tournament 'none' on 127.0.0.1:"),
        (
            ("tournament", "rule", "here", "list"),
            "lastcard: 'here' is a directory here, and may be a tournament on",
        ),
        (("tournament", "rule", "./here", "list"), "lastcard: 'here' has no tournament.toml"),
        (("tournament", "rule", "here", "list", "--token", "x"), "lastcard: --token is for a server; name it with "),
        (("tournament", "export", "none"), "lastcard: there is no tournament 'none' on 127.0.0.1:"),
        (("bot", "register", "a b"), "lastcard: name is 'a b'; a name is 1 to 64 letters"),
        (("bot", "rotate", "none"), "lastcard: there is no bot 'none' on 127.0.0.1:"),
        (("bot", "show", "none", "--token", "lct_wrong"), "does not know the token"),
        (("tournament", "list", "--server", "127.0.0.1:1"), "lastcard: no server answers at 127.0.0.1:1"),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, tuple) else None,
)
async def test_what_cannot_be_done_is_status_2_and_one_sentence(lastcard, tmp_path, words, sentence):
    (tmp_path / "bad.toml").write_text(
        '[tournament]\nname = "bad"\ntabel_size = 2\n[[bot]]\nname = "a"\nremote = true\n'
    )
    (tmp_path / "here").mkdir()
    (tmp_path / "latin.toml").write_bytes(b'[tournament]\nname = "caf\xe9"\n')
    found = await lastcard(*words)
    assert (found.status, found.out) == (2, "")
    assert sentence in found.err
    assert found.err.count("\n") == 1
    assert not list(tmp_path.glob("*.tar.gz*"))


async def test_registered_bots_are_listed_and_their_tokens_managed(lastcard, arena):
    await lastcard("bot", "register", "ann", "--description", "counts cards")
    token = json.loads((await lastcard("bot", "rotate", "ann", "--keep", "--json")).out)["token"]
    async with connection(arena.address) as channel:
        stream = BotStream(channel, token)
        await stream.hello()
        listed = await lastcard("bot", "list", "--server", arena.address)
        assert listed.out.splitlines()[1].split() == ["ann", "yes", "0", "2", "–", "counts", "cards"]
        assert (await lastcard("bot", "revoke", "ann")).out == "ann: 2 tokens voided\n"
        assert (await stream.end()).reason == "UNAUTHENTICATED"
    assert json.loads((await lastcard("bot", "show", "ann", "--json")).out)["tokens"] == 0
    assert (await lastcard("bot", "delete", "ann")).out == "ann is deleted, and its name free\n"
    assert (await lastcard("bot", "list", "--server", arena.address)).out.startswith("no bot is registered on ")
    assert (await lastcard("bot", "list")).out.startswith("random")


async def test_the_organisers_token_comes_from_the_environment(start_arena, lastcard, monkeypatch, tmp_path):
    guarded = await start_arena(data=tmp_path / "guarded", anonymous=False, organiser_token="sixteen-letters!")
    monkeypatch.setenv("LASTCARD_SERVER", guarded.address)
    refused = await lastcard("bot", "register", "ann")
    assert (refused.status, "wants a token" in refused.err) == (2, True)
    monkeypatch.setenv("LASTCARD_TOKEN", "sixteen-letters!")
    given = await lastcard("bot", "register", "ann", "--json")
    monkeypatch.setenv("LASTCARD_TOKEN", json.loads(given.out)["token"])
    refused = await lastcard("bot", "register", "ben")
    assert (refused.status, "send the organiser's token" in refused.err) == (2, True)
    assert (await lastcard("bot", "rotate", "ann")).status == 0


async def test_watching_goes_on_through_a_restart_of_the_server(start_arena, lastcard, monkeypatch, dial, tmp_path):
    monkeypatch.setattr("lastcard.cli.tournament_watch.Backoff.next_s", lambda _self: 0.05)
    first = await start_arena(data=tmp_path / "restarted")
    monkeypatch.setenv("LASTCARD_SERVER", first.address)
    ann = Gated()
    async with connection(first.address) as channel:
        organiser = Organiser(channel)
        token = await organiser.register("ann")
        dial(ann, first.address, name="ann", token=token)
        await organiser.create(cup("ann", "+ben", deals=4, concurrency=1), start=True)
        await organiser.watch(until=lambda message: message.row.sequence == 2)
        ann.go.clear()
        watching = asyncio.create_task(lastcard("tournament", "watch", "cup", "--json"))
        await until(lambda: len(first._organising.hosting.service._watching))
    await first.stop(1)
    ann.go.set()
    port = int(first.address.rpartition(":")[2])
    await start_arena(data=tmp_path / "restarted", port=port)
    found = await watching
    assert found.status == 0
    messages = [json.loads(line) for line in found.out.splitlines()]
    rows = [message["row"]["sequence"] for message in messages if "row" in message]
    assert rows == list(range(1, 9))


async def test_export_leaves_no_half_a_file(lastcard, monkeypatch, tmp_path):
    (tmp_path / "cup.toml").write_text(cup("+ann", "+ben"))
    await lastcard("tournament", "create", "cup.toml", "--start")
    await lastcard("tournament", "watch", "cup")

    def broken(_self, _name):
        yield b"half"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TournamentServer, "export_tournament", broken)
    found = await lastcard("tournament", "export", "cup", "--out", "mine.tar.gz")
    assert (found.status, found.err) == (2, "lastcard: 'mine.tar.gz' cannot be written: No space left on device\n")
    assert not list(tmp_path.glob("*mine*"))


async def test_serve_says_where_the_organisers_token_is(lastcard, monkeypatch, tmp_path):
    async with ServeProcess(tmp_path / "served", "--no-anonymous") as server:
        assert server.process is not None
        assert server.process.stdout is not None
        said = (await asyncio.wait_for(server.process.stdout.readline(), 60)).decode()
        path = tmp_path / "served" / "organiser.token"
        assert said == f"lastcard: the organiser's token is in {path}\n"
        assert path.stat().st_mode & 0o777 == 0o600
        monkeypatch.setenv("LASTCARD_SERVER", server.address)
        assert (await lastcard("bot", "register", "ann")).status == 2
        monkeypatch.setenv("LASTCARD_TOKEN", path.read_text().strip())
        assert (await lastcard("bot", "register", "ann")).status == 0
        await server.kill()
        await server.start()
        assert (await lastcard("bot", "show", "ann")).status == 0
