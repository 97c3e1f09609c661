"""Calls of TournamentService that are refused, and who sees what: every refusal has a reason and changes nothing."""

import asyncio

import grpc
import pytest
from google.rpc import error_details_pb2

from bot_doubles import Gated
from lastcard.services import watchers
from lastcard.v1 import table_service_pb2_grpc
from lastcard.v1 import tournament_pb2 as tp
from lastcard.v1.table_service_pb2 import GetTableRequest, WatchTableRequest
from service_client import bearer, connection, detail_of, refused
from tournament_client import Organiser, cup
from waiting import until

TOKEN = "the-organisers-own-token"


@pytest.fixture
async def organiser(start_arena, tmp_path):
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        made = Organiser(channel)
        made.arena = arena
        yield made


@pytest.fixture
async def guarded(start_arena, tmp_path):
    """An organiser on a server that takes nobody without a token."""
    arena = await start_arena(data=tmp_path, anonymous=False, organiser_token=TOKEN)
    async with connection(arena.address) as channel:
        made = Organiser(channel, TOKEN)
        made.arena = arena
        yield made


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        (("remote = true", 'command = ["python3", "x.py"]'), "bot[1].command", "a server starts no programs"),
        (("remote = true", "remote = true\ndirectory = '/'"), "bot[1].directory", "a server starts no programs"),
        (("remote = true", "remote = true\nenvironment = {}"), "bot[1].environment", "a server starts no programs"),
        (('name = "ann"', 'name = "eve"'), "bot[1].name", "there is no registered bot 'eve' on this server"),
        (("deals = 2", "deals = 0"), "tournament.deals", "must be"),
        (("deals = 2", "deels = 2"), "tournament.deels", "did you mean 'deals'?"),
        (("table_size = 2", "table_size = 5"), "tournament.table_size", "5"),
        (('name = "cup"', 'name = "../cup"'), "tournament.name", "must be 1 to 64 letters"),
        (("[clock]", "[clock"), "", "not TOML"),
    ],
    ids=lambda value: value[1][:24] if isinstance(value, tuple) else None,
)
async def test_a_file_is_refused_in_the_words_of_the_command(organiser, tmp_path, change, key, words):
    await organiser.register("ann")
    text = cup("ann", "+ben").replace(*change)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await organiser.create(text, file_name="mine.toml")
    found = detail_of(raised.value, error_details_pb2.ErrorInfo)
    assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert (found.reason, found.metadata["key"]) == ("INVALID_ARGUMENT", key)
    sentence = raised.value.details()
    assert sentence.startswith(f"mine.toml:{found.metadata['line']}: {key}")
    assert words in sentence
    assert detail_of(raised.value, error_details_pb2.BadRequest).field_violations[0].field == "file"
    assert list((await organiser.call("ListTournaments")).tournaments) == []
    assert not (tmp_path / "events").exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"file": "#" * 200_001}, "file"),
        ({"file_name": "a" * 201}, "file_name"),
        ({"file_name": "a\nb"}, "file_name"),
        ({"request_id": "a" * 65}, "request_id"),
    ],
    ids=["long", "name-long", "name-lines", "key-long"],
)
async def test_what_is_too_long_or_not_printable_is_refused(organiser, fields, field):
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await organiser.call("CreateTournament", **{"file": cup("+ann", "+ben"), **fields})
    assert detail_of(raised.value, error_details_pb2.BadRequest).field_violations[0].field == field
    assert list((await organiser.call("ListTournaments")).tournaments) == []


async def test_a_name_is_taken_once_for_ever(organiser, tmp_path):
    await organiser.create(cup("+ann", "+ben"))
    code, reason, sentence = await refused(organiser.create(cup("+ann", "+ben", name="Cup")))
    assert (code, reason) == (grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN")
    assert sentence == "there is a tournament 'cup' on this server; choose another name"
    (tmp_path / "events" / "old").mkdir(parents=True)
    _, reason, sentence = await refused(organiser.create(cup("+ann", "+ben", name="old")))
    assert reason == "NAME_TAKEN"
    assert "the server has results of a tournament 'old' that it does not know" in sentence


async def test_a_server_that_keeps_nothing_holds_no_tournaments(start_arena):
    arena = await start_arena()
    async with connection(arena.address) as channel:
        code, reason, sentence = await refused(Organiser(channel).create(cup("+ann", "+ben")))
    assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_KEPT")
    assert sentence == "this server keeps nothing on disk; start it with --data DIR to hold tournaments on it"


async def test_the_same_request_makes_one_tournament_also_after_a_restart(start_arena, tmp_path):
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        organiser = Organiser(channel)
        made = [await organiser.create(cup("+ann", "+ben"), request_id="1") for _ in range(2)]
        assert made[0] == made[1]
        assert (await refused(organiser.create(cup("+ann", "+eve"), request_id="1")))[1] == "REQUEST_ID_REUSED"
    await arena.stop(1)
    again = await start_arena(data=tmp_path)
    async with connection(again.address) as channel:
        organiser = Organiser(channel)
        assert await organiser.create(cup("+ann", "+ben"), request_id="1") == made[0]
        assert len((await organiser.call("ListTournaments")).tournaments) == 1


async def test_most_tournaments_run_at_once_as_the_settings_say(start_arena, dial, tmp_path):
    arena = await start_arena(data=tmp_path, max_tournaments=1)
    ann = Gated()
    ann.go.clear()
    async with connection(arena.address) as channel:
        organiser = Organiser(channel)
        dial(ann, arena.address, name="ann", token=await organiser.register("ann"))
        await organiser.create(cup("ann", "+ben"), start=True)
        code, reason, sentence = await refused(organiser.create(cup("+cora", "+dora", name="other"), start=True))
        assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
        assert sentence.startswith("1 tournaments run, which is the most at once")
        assert [one.name for one in (await organiser.call("ListTournaments")).tournaments] == ["cup"]
        await organiser.create(cup("+cora", "+dora", name="other"))
        assert (await refused(organiser.call("StartTournament", name="other")))[1] == "LIMIT_REACHED"
        ann.go.set()
        await organiser.state("COMPLETE")
        await organiser.call("StartTournament", name="other")
        await organiser.state("COMPLETE", "other")


# ---------------------------------------------------------------- states and bots


@pytest.mark.parametrize("wish", ["Pause", "Resume", "Export", "Rule"])
async def test_what_is_not_started_can_only_be_started_changed_or_cancelled(organiser, wish):
    await organiser.create(cup("+ann", "+ben"))
    if wish == "Export":
        call = organiser.call("ExportTournament", name="cup").read()
    else:
        fields = {"annul_game": 1, "reason": "so"} if wish == "Rule" else {}
        call = organiser.call(f"{wish}Tournament", name="cup", **fields)
    code, reason, sentence = await refused(call)
    assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "WRONG_STATE")
    assert sentence.startswith("the tournament 'cup' is created; it can be ")
    assert (await organiser.get()).state == tp.TOURNAMENT_STATE_CREATED


async def test_a_bot_that_a_tournament_needs_is_not_deleted(organiser):
    await organiser.register("ann")
    await organiser.create(cup("ann", "+ben"))
    code, reason, sentence = await refused(organiser.delete_bot("ann"))
    assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "BOT_IN_USE")
    assert sentence == "the tournament 'cup' is not over and has 'ann'; withdraw it there, or wait"
    await organiser.call("CancelTournament", name="cup")
    await organiser.delete_bot("ann")


async def test_lists_come_newest_first_in_pages_and_by_state(organiser):
    for number in range(5):
        await organiser.create(cup("+ann", "+ben", name=f"cup-{number}"))
    await organiser.call("CancelTournament", name="cup-3")
    seen, token = [], ""
    for _ in range(3):
        page = await organiser.call("ListTournaments", page_size=2, page_token=token)
        seen.append([one.name for one in page.tournaments])
        token = page.next_page_token
    assert (seen, token) == ([["cup-4", "cup-3"], ["cup-2", "cup-1"], ["cup-0"]], "")
    cancelled = await organiser.call("ListTournaments", state=tp.TOURNAMENT_STATE_CANCELLED)
    assert [one.name for one in cancelled.tournaments] == ["cup-3"]
    for fields in ({"page_size": 1_001}, {"page_token": "x"}, {"page_token": "1" * 19}, {"state": 99}):
        assert (await refused(organiser.call("ListTournaments", **fields)))[1] == "INVALID_ARGUMENT"


async def test_results_come_in_pages_in_the_order_of_the_ledger(organiser):
    await organiser.create(cup("+ann", "+ben", deals=3), start=True)
    await organiser.state("COMPLETE")
    seen, token = [], ""
    for _ in range(2):
        page = await organiser.call("ListResults", name="cup", page_size=4, page_token=token)
        seen += [row.sequence for row in page.rows]
        token = page.next_page_token
    assert (seen, token) == ([1, 2, 3, 4, 5, 6], "")
    for fields in ({"page_size": 1_001}, {"page_token": "x"}):
        assert (await refused(organiser.call("ListResults", name="cup", **fields)))[1] == "INVALID_ARGUMENT"


@pytest.mark.parametrize("call", ["GetTournament", "GetStandings", "ListResults", "StartTournament"])
async def test_what_is_not_there_is_not_found(organiser, call):
    code, reason, sentence = await refused(organiser.call(call, name="none"))
    assert (code, reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")
    assert sentence == "there is no tournament 'none'; ListTournaments lists those that there are"


# ---------------------------------------------------------------- who may


async def test_bots_look_on_and_change_nothing(guarded):
    bot = Organiser(guarded.channel, await guarded.register("ann"))
    await guarded.create(cup("+ann", "+ben", name="theirs"))
    for call, fields in (
        ("CreateTournament", {"file": cup("+ann", "+ben")}),
        ("StartTournament", {"name": "theirs"}),
        ("PauseTournament", {"name": "theirs"}),
        ("ResumeTournament", {"name": "theirs"}),
        ("CancelTournament", {"name": "theirs"}),
        ("RuleTournament", {"name": "theirs", "disqualify_bot": "ben", "reason": "so"}),
        ("StartTournament", {"name": "none"}),
    ):
        code, reason, _ = await refused(bot.call(call, **fields))
        assert (call, code, reason) == (call, grpc.StatusCode.PERMISSION_DENIED, "FORBIDDEN")
    assert (await refused(bot.call("ExportTournament", name="theirs").read()))[1] == "FORBIDDEN"
    found = await bot.get("theirs")
    assert (found.state, found.file) == (tp.TOURNAMENT_STATE_CREATED, "")
    stranger = Organiser(guarded.channel)
    for call in (stranger.get("theirs"), stranger.call("ListTournaments"), stranger.rows("theirs")):
        assert (await refused(call))[1] == "UNAUTHENTICATED"


async def test_while_a_set_is_open_only_the_organiser_sees_which_it_is(guarded, dial):
    token = await guarded.register("ann")
    spy = Organiser(guarded.channel, await guarded.register("spy"))
    ann = Gated()
    dial(ann, guarded.arena.address, name="ann", token=token)
    ann.hold = "game-00010"
    await guarded.create(cup("ann", "+ben", deals=8, concurrency=1), start=True)
    await until(lambda: not ann.go.is_set())
    whole, seen = await guarded.rows(), await spy.rows()
    assert (await spy.call("ListTournaments")).tournaments[0].games_played == len(whole)
    assert len(whole) == len(seen)
    hidden = [row for row in seen if row.game.open_set]
    assert hidden
    for row in hidden:
        told = row.game
        assert (row.json, told.set, told.deal, told.rotation, told.record, told.record_hash) == ("", 0, 0, 0, "", "")
        assert len(told.points) == len(told.places) == 2
    for row, all_of_it in zip(seen, whole, strict=True):
        assert all_of_it.json
        assert all_of_it.game.set
        if not row.game.open_set:
            assert row == all_of_it
    watched = await spy.watch(until=lambda message: message.row.sequence == len(whole))
    assert [message.row for message in watched if message.HasField("row")] == seen
    ann.go.set()
    await guarded.state("COMPLETE")
    assert await spy.rows() == await guarded.rows()
    assert (await spy.get()).file


async def test_a_table_of_a_tournament_is_watched_by_its_seats_and_the_organiser_alone(guarded, dial):
    tokens = {name: await guarded.register(name) for name in ("ann", "spy")}
    ann = Gated()
    ann.go.clear()
    dial(ann, guarded.arena.address, name="ann", token=tokens["ann"])
    await guarded.create(cup("ann", "+ben", concurrency=1), start=True)
    await until(lambda: ann.asked)
    table_id = (await guarded.get()).running[0].table_id
    tables = table_service_pb2_grpc.TableServiceStub(guarded.channel)
    for token, sees in ((tokens["spy"], False), (tokens["ann"], True), (TOKEN, True)):
        watching = tables.WatchTable(WatchTableRequest(table_id=table_id), metadata=bearer(token))
        if sees:
            assert (await watching.read()).HasField("snapshot")
        else:
            code, reason, sentence = await refused(watching.read())
            assert (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "FORBIDDEN")
            assert "is closed: its deal is still played elsewhere" in sentence
        watching.cancel()
        found = await tables.GetTable(GetTableRequest(table_id=table_id), metadata=bearer(token))
        assert found.HasField("view") is sees
    ann.go.set()
    await guarded.state("COMPLETE")


# ---------------------------------------------------------------- watching


async def test_a_watcher_goes_on_behind_the_last_row_it_has_seen_also_after_a_restart(start_arena, tmp_path):
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        organiser = Organiser(channel)
        await organiser.create(cup("+ann", "+ben", deals=3), start=True)
        first = await organiser.watch(until=lambda message: message.row.sequence == 2)
        await organiser.state("COMPLETE")
    await arena.stop(1)
    again = await start_arena(data=tmp_path)
    async with connection(again.address) as channel:
        organiser = Organiser(channel)
        rest = await organiser.watch(last_sequence=2)
        code, reason, sentence = await refused(organiser.call("WatchTournament", name="cup", last_sequence=7).read())
        assert (code, reason) == (grpc.StatusCode.OUT_OF_RANGE, "CURSOR_BEYOND_END")
        assert "last_sequence is 7, beyond the last row 6 of 'cup'" in sentence
    rows = [message.row.sequence for message in first + rest if message.HasField("row")]
    assert rows == [1, 2, 3, 4, 5, 6]


async def test_who_watches_hears_of_games_bots_and_states(organiser, dial):
    ann = Gated()
    token = await organiser.register("ann")
    await organiser.create(cup("ann", "+ben", concurrency=1))
    watching = asyncio.create_task(organiser.watch())
    await until(lambda: organiser.arena._organising.hosting.events.find("cup").onlookers)
    await organiser.call("StartTournament", name="cup")
    dial(ann, organiser.arena.address, name="ann", token=token)
    heard = await watching
    kinds = [message.WhichOneof("message") for message in heard]
    states = [message.tournament.state for message in heard if message.HasField("tournament")]
    assert states[0] == tp.TOURNAMENT_STATE_CREATED
    assert states.count(tp.TOURNAMENT_STATE_COMPLETE) == 1
    assert states[-1] == tp.TOURNAMENT_STATE_COMPLETE
    assert "bot" in kinds
    for message in heard:
        if message.HasField("game_started"):
            assert message.game_started.table_id.endswith(f"game-{message.game_started.game:05d}")
            assert set(message.game_started.seats) == {"ann", "ben"}


async def test_a_watcher_that_does_not_read_is_cut_and_one_that_reads_hears_all(organiser, dial, monkeypatch):
    arena = organiser.arena
    ann = Gated()
    dial(ann, arena.address, name="ann", token=await organiser.register("ann"))
    await organiser.create(cup("ann", "+ben", deals=8, concurrency=4))
    monkeypatch.setattr(arena._organising.hosting.service._watching._boxes, "_most_bytes", 200)
    real = watchers.write_to
    held = asyncio.Event()

    async def write_to(box, context, message):
        if held.is_set() and box is not reading[0]:
            box.writer = asyncio.current_task()
            try:
                await asyncio.Event().wait()  # as a write does that nobody reads
            except asyncio.CancelledError:
                if box.ending is None or box.writer.uncancel():
                    raise
                raise box.ending from None
        await real(box, context, message)

    monkeypatch.setattr("lastcard.services.tournament_watching.write_to", write_to)
    boxes = arena._organising.hosting.service._watching._boxes._boxes
    slow = organiser.call("WatchTournament", name="cup")
    await slow.read()
    await until(lambda: len(boxes) == 1)
    others = set(boxes)
    quick = asyncio.create_task(organiser.watch())
    await until(lambda: len(boxes) == 2)
    reading = list(set(boxes) - others)
    reading[0]._most = 1 << 20
    held.set()
    await organiser.call("StartTournament", name="cup")
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await read_all(slow)
    assert raised.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "watch again with the last number seen" in raised.value.details()
    heard = await quick
    assert [message.row.sequence for message in heard if message.HasField("row")] == list(range(1, 17))


async def test_who_watches_a_server_that_ends_is_told_so(organiser):
    await organiser.create(cup("+ann", "+ben"))
    call = organiser.call("WatchTournament", name="cup")
    assert (await call.read()).tournament.name == "cup"
    stopping = asyncio.create_task(organiser.arena.stop(2))
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await read_all(call)
    assert raised.value.code() == grpc.StatusCode.UNAVAILABLE
    await stopping


async def read_all(call):
    """Reads a stream to its end."""
    while await call.read() is not grpc.aio.EOF:
        pass
