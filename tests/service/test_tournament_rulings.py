"""Who plays in a hosted tournament and what an organiser rules on it, over gRPC."""

import asyncio

import grpc
import pytest

from bot_doubles import Gated
from lastcard.tournament.director.organiser import rule
from lastcard.tournament.ledger import RulingKind, read_entries
from lastcard.tournament.rule_book import Wish
from lastcard.tournament.verifying import Problem
from lastcard.v1 import tournament_pb2 as tp
from service_client import connection, reason_of, refused
from tournament_client import Organiser, cup
from waiting import until


@pytest.fixture
async def organiser(start_arena, tmp_path):
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        made = Organiser(channel)
        made.arena = arena
        yield made


def bots_of(tournament):
    return [(bot.name, bot.builtin) for bot in tournament.bots]


async def test_bots_enter_and_are_withdrawn_before_the_start(organiser):
    token = await organiser.register("dora")
    await organiser.create(cup("+ann", "+ben"))
    await organiser.call("EnterBot", name="cup", bot="cora", builtin="random")
    found = (await organiser.call("EnterBot", name="cup", bot="dora")).tournament
    assert bots_of(found) == [("ann", "greedy"), ("ben", "greedy"), ("cora", "random"), ("dora", "")]
    found = (await organiser.call("WithdrawBot", name="cup", bot="ben")).tournament
    assert bots_of(found) == [("ann", "greedy"), ("cora", "random"), ("dora", "")]
    assert 'name = "cora"' in (await organiser.get()).file
    itself = Organiser(organiser.channel, token)
    found = (await itself.call("WithdrawBot", name="cup", bot="dora")).tournament
    assert bots_of(found) == [("ann", "greedy"), ("cora", "random")]
    await organiser.call("StartTournament", name="cup")
    assert (await organiser.state("COMPLETE")).games_played == 4


async def test_whoever_cannot_enter_or_be_withdrawn_is_refused_and_nothing_changes(organiser):
    token = await organiser.register("dora")
    await organiser.create(cup("+ann", "+ben"))
    before = (await organiser.get()).file
    itself = Organiser(organiser.channel, token)
    for call, reason, words in (
        (organiser.call("EnterBot", name="cup", bot="Ann"), "NAME_TAKEN", "has a bot 'Ann' already"),
        (organiser.call("EnterBot", name="cup", bot="nobody"), "INVALID_ARGUMENT", "no registered bot 'nobody'"),
        (organiser.call("EnterBot", name="cup", bot="eve", builtin="clever"), "INVALID_ARGUMENT", "clever"),
        (organiser.call("EnterBot", name="cup", bot="a b", builtin="greedy"), "INVALID_ARGUMENT", "'a b'"),
        (organiser.call("EnterBot", name="none", bot="dora"), "NOT_FOUND", "there is no tournament 'none'"),
        (itself.call("EnterBot", name="cup", bot="dora"), "FORBIDDEN", "it is for the organiser"),
        (itself.call("WithdrawBot", name="cup", bot="ann"), "FORBIDDEN", "the organiser and 'ann' itself"),
        (organiser.call("WithdrawBot", name="cup", bot="dora"), "NOT_FOUND", "no bot 'dora'; it has ann, ben"),
        (organiser.call("WithdrawBot", name="cup", bot="ann"), "INVALID_ARGUMENT", "table_size"),
        (organiser.call("WithdrawBot", name="cup", bot="ann", reason="a\nb"), "INVALID_ARGUMENT", "reason has 3"),
    ):
        _, found, sentence = await refused(call)
        assert (found, words in sentence) == (reason, True), sentence
    assert (await organiser.get()).file == before


async def test_rulings_are_rows_of_the_ledger_and_every_figure_follows(organiser, tmp_path):
    await organiser.create(cup("+ann", "+ben", "+cora", deals=2), start=True)
    await organiser.state("COMPLETE")
    ruled = (await organiser.call("RuleTournament", name="cup", disqualify_bot="ann", reason="it peeked")).row
    assert (ruled.sequence, ruled.ruling.number, ruled.ruling.kind, ruled.ruling.bot) == (13, 1, "disqualify", "ann")
    assert (ruled.ruling.by, ruled.ruling.HasField("made_at")) == ("organiser", True)
    found = await organiser.get()
    assert (found.state, found.last_sequence, found.games_played) == (tp.TOURNAMENT_STATE_COMPLETE, 13, 12)
    assert [bot.out for bot in found.bots] == ["disqualified: it peeked", "", ""]
    ranking = (await organiser.call("GetStandings", name="cup")).standings
    assert ranking.last_sequence == 13
    assert "disqualified" in ranking.json
    assert [row.WhichOneof("row") for row in await organiser.rows()] == ["game"] * 12 + ["ruling"]
    taken = (await organiser.call("RuleTournament", name="cup", take_back=1, reason="it was another")).row
    assert (taken.ruling.kind, taken.ruling.ruling) == ("take_back", 1)
    assert [bot.out for bot in (await organiser.get()).bots] == ["", "", ""]
    heard = await organiser.watch(last_sequence=12)
    assert [message.row.ruling.number for message in heard if message.HasField("row")] == [1, 2]
    assert len(read_entries(tmp_path / "events" / "cup" / "ledger.jsonl").rulings) == 2


async def test_a_bot_is_withdrawn_from_a_complete_tournament_and_rulings_are_listed_alone(organiser):
    await organiser.create(cup("+ann", "+ben", deals=2), start=True)
    await organiser.state("COMPLETE")
    await organiser.call("RuleTournament", name="cup", annul_game=2, replay=True, reason="so")
    await organiser.state("PAUSED")
    ruled = (await organiser.call("RuleTournament", name="cup", withdraw_bot="ann", reason="ill")).row
    assert (ruled.sequence, ruled.ruling.kind, ruled.ruling.bot) == (6, "withdraw", "ann")
    first = await organiser.call("ListResults", name="cup", rulings_only=True, page_size=1)
    rest = await organiser.call("ListResults", name="cup", rulings_only=True, page_token=first.next_page_token)
    assert [(row.sequence, row.ruling.kind, row.ruling.replay) for row in [*first.rows, *rest.rows]] == [
        (5, "annul", True),
        (6, "withdraw", False),
    ]
    assert rest.next_page_token == ""


async def test_a_bot_enters_a_complete_round_robin_and_its_games_are_played(organiser):
    await organiser.create(cup("+ann", "+ben", deals=1), start=True)
    await organiser.state("COMPLETE")
    found = (await organiser.call("EnterBot", name="cup", bot="cora", builtin="random")).tournament
    assert (found.state, found.reason) == (
        tp.TOURNAMENT_STATE_PAUSED,
        "after cora has entered there are games to play; resume it",
    )
    await organiser.call("ResumeTournament", name="cup")
    assert (await organiser.state("COMPLETE")).games_played == 6
    assert [row.ruling.kind for row in await organiser.rows(rulings_only=True)] == ["enter"]


async def test_a_format_that_admits_nobody_any_more_leaves_a_complete_tournament_as_it_is(organiser):
    await organiser.create(cup("+ann", "+ben", deals=1, more='format = "swiss"\nrounds = 1'), start=True)
    await organiser.state("COMPLETE")
    _, reason, sentence = await refused(organiser.call("EnterBot", name="cup", bot="cora", builtin="random"))
    assert (reason, "cora cannot enter any more" in sentence) == ("INVALID_ARGUMENT", True)
    found = await organiser.get()
    assert (found.state, [bot.name for bot in found.bots]) == (tp.TOURNAMENT_STATE_COMPLETE, ["ann", "ben"])


async def test_records_that_do_not_verify_at_the_end_are_told(organiser, monkeypatch):
    wrong = (Problem("records/00002.jsonl", "line 3 is not what it was"),)
    monkeypatch.setattr("lastcard.tournament.director.books.verify_all", lambda *_: wrong)
    await organiser.create(cup("+ann", "+ben", deals=2), start=True)
    found = await organiser.state("COMPLETE")
    assert found.reason == "1 of 4 records do not verify, the first: records/00002.jsonl line 3 is not what it was"


async def test_a_bot_that_withdraws_itself_is_told_from_one_that_the_organiser_withdraws(organiser):
    token = await organiser.register("ann")
    await organiser.create(cup("ann", "+ben", "+cora"), start=True)
    await organiser.call("PauseTournament", name="cup")
    await organiser.state("PAUSED")
    await Organiser(organiser.channel, token).call("WithdrawBot", name="cup", bot="ann", reason="ill", request_id="1")
    await organiser.call("WithdrawBot", name="cup", bot="ben", request_id="1")
    rulings = await organiser.rows(rulings_only=True)
    assert [(row.ruling.bot, row.ruling.by) for row in rulings] == [("ann", "bot"), ("ben", "organiser")]


async def test_a_ruling_whose_answer_was_lost_with_the_server_is_found_by_its_request(organiser):
    await organiser.create(cup("+ann", "+ben", deals=2), start=True)
    await organiser.state("COMPLETE")
    wish = {"name": "cup", "annul_game": 1, "reason": "so", "request_id": "one"}
    made = (await organiser.call("RuleTournament", **wish)).row
    organiser.arena._organising.hosting.service._answered._known.clear()
    assert (await organiser.call("RuleTournament", **wish)).row == made
    _, _, sentence = await refused(organiser.call("RuleTournament", **(wish | {"request_id": "two"})))
    assert "that is so already by ruling 1" in sentence
    assert [row.sequence for row in await organiser.rows(rulings_only=True)] == [5]


@pytest.mark.parametrize("restarts", [True, False])
async def test_what_follows_from_a_ruling_that_was_broken_off_is_made_up_for(
    organiser, start_arena, tmp_path, monkeypatch, restarts
):
    await organiser.create(cup("+ann", "+ben", deals=2), start=True)
    await organiser.state("COMPLETE")

    def fail(*_):
        raise OSError(28, "No space left on device")

    wish = {"name": "cup", "annul_game": 1, "replay": True, "reason": "so"}
    with monkeypatch.context() as patch:
        patch.setattr("lastcard.tournament.director.organiser._follow", fail)
        _, found, sentence = await refused(organiser.call("RuleTournament", **wish))
    assert (found, "No space left on device" in sentence) == ("NOT_KEPT", True)
    assert [row.ruling.kind for row in await organiser.rows(rulings_only=True)] == ["annul"]
    assert (await organiser.get()).state == tp.TOURNAMENT_STATE_COMPLETE
    if restarts:
        await organiser.arena.stop(1)
        arena = await start_arena(data=tmp_path)
        async with connection(arena.address) as channel:
            found = await Organiser(channel).state("PAUSED")
    else:
        _, found, sentence = await refused(organiser.call("RuleTournament", **wish))
        assert "that is so already by ruling 1" in sentence
        found = await organiser.state("PAUSED")
    assert found.reason == "after a ruling there are games to play; resume it"


async def test_a_set_that_is_to_be_played_again_pauses_a_complete_tournament(organiser, tmp_path):
    await organiser.create(cup("+ann", "+ben", deals=2), start=True)
    await organiser.state("COMPLETE")
    await organiser.call("RuleTournament", name="cup", annul_game=1, replay=True, reason="the power failed")
    found = await organiser.state("PAUSED")
    assert found.reason == "after ruling 1 there are games to play; resume it"
    await organiser.call("ResumeTournament", name="cup")
    assert (await organiser.state("COMPLETE")).games_played == 6
    rows = read_entries(tmp_path / "events" / "cup" / "ledger.jsonl").rows
    annulled = next(row.set for row in rows if row.game == 1)
    assert {row.replaces for row in rows if row.game > 4} == {annulled}


async def test_a_complete_one_that_was_ruled_on_in_its_directory_is_gone_on_with(organiser, tmp_path):
    await organiser.create(cup("+ann", "+ben", deals=2), start=True)
    await organiser.state("COMPLETE")
    _, found, sentence = await refused(organiser.call("ResumeTournament", name="cup"))
    assert (found, "'cup' is complete" in sentence) == ("WRONG_STATE", True)
    wish = Wish(RulingKind.ANNUL, 1, "the power failed", replay=True)
    await asyncio.to_thread(rule, tmp_path / "events" / "cup", ("greedy",), wish, "2026-11-30T07:00:00+00:00")
    assert [row.WhichOneof("row") for row in await organiser.rows()][4:] == ["ruling"]
    assert (await organiser.call("GetStandings", name="cup")).standings.void_sets == 1
    await organiser.call("ResumeTournament", name="cup")
    assert (await organiser.state("COMPLETE")).games_played == 6
    assert [row.WhichOneof("row") for row in await organiser.rows()].count("ruling") == 1


@pytest.mark.parametrize(
    ("fields", "reason", "words"),
    [
        ({}, "INVALID_ARGUMENT", "ruling is not set; set annul_game, disqualify_bot, withdraw_bot or take_back"),
        ({"annul_game": 99}, "INVALID_ARGUMENT", "no game 99 has been played; valid are 1 to 4"),
        ({"annul_game": 0}, "INVALID_ARGUMENT", "no game 0 has been played"),
        ({"disqualify_bot": "eve"}, "INVALID_ARGUMENT", "there is no bot 'eve' in the event; valid are ann, ben"),
        ({"take_back": 1}, "INVALID_ARGUMENT", "there is no ruling 1 to take back"),
        ({"disqualify_bot": "ann", "replay": True}, "INVALID_ARGUMENT", "it is for annul_game alone"),
        ({"annul_game": 1, "reason": ""}, "INVALID_ARGUMENT", "a ruling needs a reason"),
        ({"annul_game": 1, "reason": "a" * 1_001}, "INVALID_ARGUMENT", "at most 1000 printable characters"),
        ({"name": "none", "annul_game": 1}, "NOT_FOUND", "there is no tournament 'none'"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else None,
)
async def test_what_cannot_be_ruled_is_refused_and_leaves_the_ledger_alone(organiser, tmp_path, fields, reason, words):
    await organiser.create(cup("+ann", "+ben", deals=2), start=True)
    await organiser.state("COMPLETE")
    before = (tmp_path / "events" / "cup" / "ledger.jsonl").read_bytes()
    _, found, sentence = await refused(organiser.call("RuleTournament", **{"name": "cup", "reason": "so", **fields}))
    assert (found, words in sentence) == (reason, True), sentence
    assert (tmp_path / "events" / "cup" / "ledger.jsonl").read_bytes() == before


async def test_of_rulings_that_come_together_behind_a_start_all_but_one_are_to_be_tried_again(organiser):
    await organiser.create(cup("+ann", "+ben", deals=2), start=True)
    await organiser.state("COMPLETE")
    event = organiser.arena._organising.hosting.events.find("cup")
    event._lines = None  # as a start leaves it
    read, asked = event.lines, []

    def lines():
        asked.append(True)
        return read()

    event.lines = lines
    wishes = [organiser.call("RuleTournament", name="cup", annul_game=game, reason="so") for game in (1, 2, 3)]
    async with event._reading:  # somebody reads, and all of them wait for it
        made = asyncio.gather(*wishes, return_exceptions=True)
        await until(lambda: len(asked) == 3, bound_s=60)
    made = await made
    refusals = [reason_of(each) for each in made if isinstance(each, grpc.aio.AioRpcError)]
    assert refusals == ["WRONG_STATE"] * 2
    assert [row.ruling.number for row in await organiser.rows() if row.HasField("ruling")] == [1]


@pytest.mark.slow
async def test_one_that_is_played_is_ruled_on_when_it_is_paused(organiser, dial):
    ann = Gated()
    dial(ann, organiser.arena.address, name="ann", token=await organiser.register("ann"))
    await organiser.create(cup("ann", "+ben", "+cora", deals=3, concurrency=1), start=True)
    await organiser.watch(until=lambda message: message.row.sequence == 2)
    for call in (
        organiser.call("RuleTournament", name="cup", annul_game=1, reason="so"),
        organiser.call("WithdrawBot", name="cup", bot="ben"),
        organiser.call("EnterBot", name="cup", bot="dora", builtin="greedy"),
    ):
        code, reason, sentence = await refused(call)
        assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "WRONG_STATE")
        assert sentence.endswith("pause it, and wait until it is paused")
    await organiser.call("PauseTournament", name="cup")
    await organiser.state("PAUSED")
    row = (await organiser.call("RuleTournament", name="cup", annul_game=1, reason="so", request_id="1")).row
    again = (await organiser.call("RuleTournament", name="cup", annul_game=1, reason="so", request_id="1")).row
    assert again == row
    await organiser.call("ResumeTournament", name="cup")
    assert (await organiser.state("COMPLETE")).games_played == 18


async def test_bots_enter_and_leave_a_swiss_that_stands_still_from_the_next_stage_on(organiser, dial, tmp_path):
    ann = Gated()
    ann.go.clear()
    dial(ann, organiser.arena.address, name="ann", token=await organiser.register("ann"))
    text = cup("ann", "+ben", "+cora", "+dora", deals=1, more='format = "swiss"\nrounds = 3')
    await organiser.create(text, start=True)
    await organiser.watch(until=lambda message: message.HasField("game_started"))
    await organiser.call("PauseTournament", name="cup")
    ann.go.set()
    await organiser.state("PAUSED")
    found = (await organiser.call("EnterBot", name="cup", bot="eve", builtin="greedy")).tournament
    assert bots_of(found)[-1] == ("eve", "greedy")
    found = (await organiser.call("WithdrawBot", name="cup", bot="ben", reason="ill")).tournament
    assert {bot.name: bot.out for bot in found.bots}["ben"] == "withdrawn: ill"
    await organiser.call("ResumeTournament", name="cup")
    await organiser.state("COMPLETE")
    entries = read_entries(tmp_path / "events" / "cup" / "ledger.jsonl")
    first = [row for row in entries.rows if row.game <= 4]
    later = [row for row in entries.rows if row.game > 4]
    assert {name for row in first for name in row.seats} <= {"ann", "ben", "cora", "dora"}
    assert "eve" in {name for row in later for name in row.seats}
    assert "ben" not in {name for row in later for name in row.seats}


@pytest.mark.slow
async def test_a_bot_that_entered_just_before_the_server_died_plays(start_arena, tmp_path):
    """The directory has the file that is played, and comes before what the server keeps of it."""
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        organiser = Organiser(channel)
        text = cup("+ann", "+ben", "+cora", "+dora", deals=20, more='format = "swiss"\nrounds = 3', concurrency=1)
        await organiser.create(text, start=True)
        await organiser.watch(until=lambda message: message.HasField("row"))
        await organiser.call("PauseTournament", name="cup")
        await organiser.state("PAUSED")
        arena._organising.hosting.events.find("cup").keep = lambda _hosted: None
        await organiser.call("EnterBot", name="cup", bot="eve", builtin="greedy")
    await arena.stop(1)
    again = await start_arena(data=tmp_path)
    async with connection(again.address) as channel:
        organiser = Organiser(channel)
        assert "eve" not in (await organiser.get()).file
        await organiser.call("ResumeTournament", name="cup")
        await organiser.watch(until=lambda message: "eve" in message.row.game.seats)
        assert bots_of(await organiser.get())[-1] == ("eve", "greedy")
        assert "eve" in (await organiser.get()).file
        await organiser.call("CancelTournament", name="cup")
