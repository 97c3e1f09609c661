"""Tables by single calls: opening, joining, playing, watching, records."""

import asyncio
from types import SimpleNamespace

import grpc
import pytest
from google.rpc import error_details_pb2

from lastcard.rules.ruleset import OPTIONS, PRESETS
from lastcard.rules.verify import verify
from lastcard.v1 import server_service_pb2, table_pb2
from lastcard.v1 import table_service_pb2 as tp
from service_client import BOUND_S, bearer, detail_of, plan, refused, server_stub, tables_stub
from waiting import until

GREEDY = tp.SeatRequest(builtin="greedy")
OPEN = tp.SeatRequest(open=True)
ONE_ROUND = {"preset": "official", "options": [{"name": "match_end", "value": "single_round"}]}
PATIENT = {"limit": {"seconds": 600}, "grace": {"seconds": 600}}


@pytest.fixture
def tables(channel):
    return tables_stub(channel)


async def created(tables, *seats, **fields):
    request = tp.CreateTableRequest(ruleset=ONE_ROUND, clock=PATIENT, seats=seats, **fields)
    return (await tables.CreateTable(request)).table


async def joined(tables, table_id, name="ann", **fields):
    answer = await tables.JoinTable(tp.JoinTableRequest(table_id=table_id, name=name, **fields))
    return answer.seat, bearer(answer.resume_secret)


async def test_a_person_joins_watches_and_plays_to_the_end(arena, tables):
    table = await created(tables, OPEN, GREEDY)
    assert table.state == table_pb2.TABLE_STATE_WAITING
    seat, mine = await joined(tables, table.table_id)
    kinds = []
    async with asyncio.timeout(BOUND_S):
        async for message in tables.WatchTable(
            tp.WatchTableRequest(table_id=table.table_id, own_view=True), metadata=mine
        ):
            kinds.append(message.WhichOneof("message"))
            if message.HasField("decision"):
                decision = message.decision
                assert decision.view.seat == seat
                act = table_pb2.Act(table_id=table.table_id, decision_id=decision.decision_id, choice=0)
                answer = await tables.SubmitAction(tp.SubmitActionRequest(act=act), metadata=mine)
                # What another seat does meanwhile may have closed the decision; then a new one comes, or the end.
                assert answer.result.accepted or answer.result.reason in (8, 11)
                if answer.result.accepted and decision.HasField("time_left"):
                    assert answer.result.receipt.decision_id == decision.decision_id
    assert kinds[-1] == "closed"
    found = (await tables.GetTable(tp.GetTableRequest(table_id=table.table_id), metadata=mine)).table
    assert found.state == table_pb2.TABLE_STATE_CLOSED
    assert found.result.record_hash == (await arena.result(table.table_id)).record_hash


async def test_get_table_shows_the_owner_its_view_and_decisions_and_others_the_public_view(tables):
    table = await created(tables, OPEN, GREEDY)
    seat, mine = await joined(tables, table.table_id)
    request = tp.GetTableRequest(table_id=table.table_id)
    own = await until_asked(tables, request, mine)
    public = await tables.GetTable(request)
    assert own.view.seat == seat
    assert own.decisions[0].view == own.view
    assert not public.view.HasField("seat")
    assert list(public.view.hand) == []
    assert list(public.decisions) == []
    assert list(public.view.hand_counts) == list(own.view.hand_counts)


async def until_asked(tables, request, metadata):
    async with asyncio.timeout(BOUND_S):
        answer = await tables.GetTable(request, metadata=metadata)
        while not answer.decisions:
            answer = await tables.GetTable(request, metadata=metadata)
        return answer


async def test_the_first_accepted_answer_wins_and_the_stream_hears_of_it(arena, bot, tables):
    stream = bot()
    secret = (await stream.hello("me")).resume_secret
    table_id = arena.open_table(plan("me", "+greedy"))
    decision = await stream.decision()
    act = table_pb2.Act(table_id=table_id, decision_id=decision.decision_id, choice=0)
    answer = await tables.SubmitAction(tp.SubmitActionRequest(act=act), metadata=bearer(secret))
    assert answer.result.accepted
    closed = (await stream.expect("decision_closed")).decision_closed
    assert (closed.decision_id, closed.reason) == (decision.decision_id, 8)
    await stream.act(decision)
    assert await stream.result(decision.decision_id) == answer.result


async def test_a_refusal_of_the_game_is_an_answer_and_no_error(arena, bot, tables):
    stream = bot()
    secret = (await stream.hello("me")).resume_secret
    table_id = arena.open_table(plan("me", "+greedy"))
    decision = await stream.decision()
    act = table_pb2.Act(table_id=table_id, decision_id=decision.decision_id, choice=99)
    answer = await tables.SubmitAction(tp.SubmitActionRequest(act=act), metadata=bearer(secret))
    assert (answer.result.accepted, answer.result.protocol_reason) == (False, 3)


async def test_a46_who_has_no_seat_may_not_act(arena, bot, tables):
    stream = bot()
    await stream.hello("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    decision = await stream.decision()
    before = arena.progress(table_id)
    for act in (
        table_pb2.Act(table_id=table_id, decision_id=decision.decision_id, choice=0),
        table_pb2.Act(table_id=table_id, action={"kind": 9, "target": 0}),
    ):
        code, reason, sentence = await refused(tables.SubmitAction(tp.SubmitActionRequest(act=act)))
        assert (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "FORBIDDEN")
        assert table_id in sentence
    assert arena.progress(table_id) == before


async def test_the_same_request_again_gets_the_first_answer_again(tables):
    request = tp.CreateTableRequest(request_id="r1", ruleset=ONE_ROUND, clock=PATIENT, seats=[OPEN, GREEDY])
    first, second = await tables.CreateTable(request), await tables.CreateTable(request)
    assert first == second
    request.seats.add(builtin="greedy")
    code, reason, sentence = await refused(tables.CreateTable(request))
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
    assert "'r1'" in sentence


async def test_joining_again_with_the_same_request_is_joining_once(tables):
    table = await created(tables, OPEN, OPEN, GREEDY)
    request = tp.JoinTableRequest(request_id="r1", table_id=table.table_id, name="ann")
    first, second = await tables.JoinTable(request), await tables.JoinTable(request)
    assert first == second
    assert first.seat == 0


@pytest.mark.parametrize(
    ("fields", "field", "word"),
    [
        ({"seats": [GREEDY]}, "seats", "2 to 10 seats, not 1"),
        ({"seats": [GREEDY] * 11}, "seats", "2 to 10 seats, not 11"),
        ({"seats": [tp.SeatRequest(builtin="gredy"), GREEDY]}, "seats[0].builtin", "greedy"),
        ({"seats": [tp.SeatRequest(bot_name="a b"), GREEDY]}, "seats[0].bot_name", "'a b'"),
        ({"ruleset": {"preset": "martian"}, "seats": [GREEDY] * 2}, "ruleset", "danish"),
        (
            {"ruleset": {"options": [{"name": "jump_inn", "value": "off"}]}, "seats": [GREEDY] * 2},
            "ruleset",
            "jump_inn",
        ),
        ({"ruleset": {"options": [{"name": "jump_in", "value": "x"}]}, "seats": [GREEDY] * 2}, "ruleset", "jump_in"),
        (
            {"ruleset": {"options": [{"name": "jump_in", "value": "off"}] * 2}, "seats": [GREEDY] * 2},
            "ruleset",
            "2 times",
        ),
        ({"clock": {"limit": {"seconds": -1}}, "seats": [GREEDY] * 2}, "clock.limit", "-1"),
        ({"clock": {"limit": {}}, "seats": [GREEDY] * 2}, "clock.limit", "0 ms"),
        ({"clock": {"bank": {"seconds": 10**11}}, "seats": [GREEDY] * 2}, "clock.bank", "a day"),
        ({"reactions": 9, "seats": [GREEDY] * 2}, "reactions", "9"),
        ({"draws": 9, "seats": [GREEDY] * 2}, "draws", "9"),
        ({"deal_key": b"short", "seats": [GREEDY] * 2}, "deal_key", "5 bytes"),
        ({"salt": b"short", "seats": [GREEDY] * 2}, "salt", "32"),
        ({"request_id": "x" * 65, "seats": [GREEDY] * 2}, "request_id", "64"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else None,
)
async def test_a_table_that_cannot_be_opened_is_refused_with_the_field(tables, fields, field, word):
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await tables.CreateTable(tp.CreateTableRequest(**fields))
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert word in error.value.details()
    violations = detail_of(error.value, error_details_pb2.BadRequest).field_violations
    assert [violation.field for violation in violations] == [field]


async def test_a_closed_table_needs_a_creator_who_can_be_known_again(arena, tables):
    request = tp.CreateTableRequest(seats=[GREEDY, GREEDY], closed=True)
    code, reason, _ = await refused(tables.CreateTable(request))
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT")
    mine = bearer(arena.mint("me"))
    table_id = (await tables.CreateTable(request, metadata=mine)).table.table_id
    await arena.result(table_id)
    record = (await tables.GetRecord(tp.GetRecordRequest(table_id=table_id), metadata=mine)).record
    assert verify(record).ok


async def test_calls_for_a_table_that_is_not_there_say_so(tables):
    for call in (
        tables.GetTable(tp.GetTableRequest(table_id="x")),
        tables.JoinTable(tp.JoinTableRequest(table_id="x", name="ann")),
        tables.LeaveTable(tp.LeaveTableRequest(table_id="x")),
        tables.GetRecord(tp.GetRecordRequest(table_id="x")),
        tables.SubmitAction(tp.SubmitActionRequest(act={"table_id": "x", "choice": 0})),
    ):
        code, reason, sentence = await refused(call)
        assert (code, reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")
        assert "'x'" in sentence


async def test_a_seat_that_is_not_open_cannot_be_taken(tables):
    table = await created(tables, OPEN, GREEDY)
    for seat, reason in ((1, "SEAT_TAKEN"), (7, "INVALID_ARGUMENT")):
        request = tp.JoinTableRequest(table_id=table.table_id, seat=seat, name="ann")
        assert (await refused(tables.JoinTable(request)))[1] == reason
    await joined(tables, table.table_id)
    code, reason, _ = await refused(tables.JoinTable(tp.JoinTableRequest(table_id=table.table_id, name="bob")))
    assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SEAT_TAKEN")


async def test_a_player_needs_a_name(tables):
    table = await created(tables, OPEN, GREEDY)
    for name in ("", "a b"):
        request = tp.JoinTableRequest(table_id=table.table_id, name=name)
        assert (await refused(tables.JoinTable(request)))[1] == "INVALID_ARGUMENT"


async def test_leaving_ends_the_seat(arena, tables):
    table = await created(tables, OPEN, GREEDY)
    _, mine = await joined(tables, table.table_id)
    request = tp.LeaveTableRequest(table_id=table.table_id)
    code, reason, _ = await refused(tables.LeaveTable(request))
    assert (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "FORBIDDEN")
    await tables.LeaveTable(request, metadata=mine)
    result = await arena.result(table.table_id)
    assert result.places == (2, 1)


async def test_tables_are_listed_newest_first_by_pages(arena, tables):
    ids = [(await created(tables, OPEN, GREEDY)).table_id for _ in range(5)]
    first = await tables.ListTables(tp.ListTablesRequest(page_size=2))
    second = await tables.ListTables(tp.ListTablesRequest(page_size=2, page_token=first.next_page_token))
    third = await tables.ListTables(tp.ListTablesRequest(page_size=2, page_token=second.next_page_token))
    assert [table.table_id for page in (first, second, third) for table in page.tables] == ids[::-1]
    assert third.next_page_token == ""
    running = arena.open_table(plan("nobody", "+greedy"))
    waiting = await tables.ListTables(tp.ListTablesRequest(state=table_pb2.TABLE_STATE_WAITING))
    assert running in [table.table_id for table in waiting.tables]
    closed = await tables.ListTables(tp.ListTablesRequest(state=table_pb2.TABLE_STATE_CLOSED))
    assert list(closed.tables) == []
    request = tp.ListTablesRequest(page_token="x")
    assert (await refused(tables.ListTables(request)))[1] == "INVALID_ARGUMENT"


async def watched(tables, metadata=None, **fields):
    async with asyncio.timeout(BOUND_S):
        return [message async for message in tables.WatchTable(tp.WatchTableRequest(**fields), metadata=metadata)]


async def test_a41_a_spectator_sees_public_facts_alone(arena, bot, tables):
    stream = bot()
    await stream.hello("me")
    options = {"w4_legality": "anytime", "challenge_reveal": "challenger_only"}
    table_id = arena.open_table(plan("me", "+greedy", "+random", options=options))
    await stream.expect("seated")
    watching = asyncio.create_task(watched(tables, table_id=table_id))
    await stream.play()
    messages = await watching
    assert messages[-1].HasField("closed")
    assert {message.WhichOneof("message") for message in messages} <= {"snapshot", "events", "notice", "closed"}
    views = [message.snapshot.view for message in messages if message.HasField("snapshot")]
    assert all(not view.HasField("seat") and not view.hand and not view.known_cards for view in views)
    events = [event for message in messages if message.HasField("events") for event in message.events.events]
    assert events
    for event in events:
        assert list(event.cards_drawn.cards) == []
        assert list(event.round_started.hands) == []
        assert list(event.challenge_resolved.hand) == []
        assert list(event.seat_left.cards) == []
    numbers = [event.sequence for event in events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


async def test_a_watcher_goes_on_after_the_number_it_names(arena, tables):
    table_id = arena.open_table(plan("+greedy", "+greedy"))
    result = await arena.result(table_id)
    messages = await watched(tables, table_id=table_id, last_sequence=3)
    assert [event.sequence for event in messages[0].events.events] == list(range(4, result.last_sequence + 1))
    assert messages[-1].HasField("closed")
    code, reason, _ = await refused(first_of(tables, table_id=table_id, last_sequence=99_999))
    assert (code, reason) == (grpc.StatusCode.OUT_OF_RANGE, "CURSOR_BEYOND_END")


async def first_of(tables, **fields):
    return await tables.WatchTable(tp.WatchTableRequest(**fields)).read()


async def test_who_watches_its_seat_from_the_middle_of_a_decision_is_told_the_time_that_is_left(arena, bot, tables):
    stream = bot()
    secret = (await stream.hello("me")).resume_secret
    table_id = arena.open_table(plan("me", "+greedy"))
    decision = await stream.decision()
    clock = arena.host.pump._clock
    began = clock()
    await until(lambda: clock() >= began + 60)
    watching = tables.WatchTable(tp.WatchTableRequest(table_id=table_id, own_view=True), metadata=bearer(secret))
    while not (message := await watching.read()).HasField("decision"):
        pass
    assert message.decision.decision_id == decision.decision_id
    assert message.decision.time_left.ToMilliseconds() <= decision.time_left.ToMilliseconds() - 50
    watching.cancel()


async def test_a_delayed_watcher_sees_nothing_early(arena, tables):
    table_id = arena.open_table(plan("+greedy", "+greedy"))
    await arena.result(table_id)
    clock = asyncio.get_running_loop().time
    began = clock()
    await first_of(tables, table_id=table_id, delay={"nanos": 200_000_000})
    assert clock() - began >= 0.2


async def test_watching_with_what_does_not_fit_is_refused(arena, tables):
    table_id = arena.open_table(plan("nobody", "+greedy"))
    assert (await refused(first_of(tables, table_id=table_id, own_view=True)))[1] == "FORBIDDEN"
    assert (await refused(first_of(tables, table_id=table_id, delay={"seconds": 4_000})))[1] == "INVALID_ARGUMENT"
    table = await created(tables, OPEN, GREEDY)
    _, mine = await joined(tables, table.table_id)
    request = tp.WatchTableRequest(table_id=table.table_id, own_view=True, delay={"seconds": 1})
    code, reason, _ = await refused(tables.WatchTable(request, metadata=mine).read())
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT")


async def test_a_record_can_be_got_and_verified(arena, tables):
    table_id = arena.open_table(plan("+greedy", "+random", "+greedy"))
    result = await arena.result(table_id)
    answer = await tables.GetRecord(tp.GetRecordRequest(table_id=table_id))
    checked = verify(answer.record)
    assert checked.ok, checked.problem
    assert checked.revealed
    assert answer.record_hash == result.record_hash == bytes.fromhex(checked.record_hash)
    assert answer.receipts.startswith(b'{"header"')


async def test_a_record_of_a_match_that_is_on_is_closed(arena, tables):
    table_id = arena.open_table(plan("nobody", "+greedy"))
    code, reason, _ = await refused(tables.GetRecord(tp.GetRecordRequest(table_id=table_id)))
    assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "RECORD_CLOSED")


async def test_a_closed_record_is_not_given_out_and_reveals_nothing(arena, tables):
    table_id = arena.open_table(plan("+greedy", "+random", closed=True))
    await arena.result(table_id)
    assert (await refused(tables.GetRecord(tp.GetRecordRequest(table_id=table_id))))[1] == "RECORD_CLOSED"
    checked = verify(arena.record(table_id).record)
    assert checked.ok
    assert not checked.revealed


async def test_the_server_describes_itself(arena, channel):
    server = server_stub(channel)
    info = await server.GetServerInfo(server_service_pb2.GetServerInfoRequest())
    assert list(info.protocol_versions) == [1]
    assert info.max_frame_bytes == arena.settings.max_frame_bytes
    assert {"random", "greedy"} <= set(info.builtins)
    presets = (await server.ListPresets(server_service_pb2.ListPresetsRequest())).presets
    assert [preset.name for preset in presets] == list(PRESETS)
    for preset in presets:
        assert [option.option.name for option in preset.options] == [option.name for option in OPTIONS]
        assert all(option.about and option.meaning and option.allowed for option in preset.options)


async def test_a_metadata_entry_that_is_no_bearer_token_is_refused(tables):
    code, reason, _ = await refused(
        tables.ListTables(tp.ListTablesRequest(), metadata=(("authorization", "Basic abc"),))
    )
    assert (code, reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


async def test_a_list_of_tables_tells_nothing_that_is_not_stored(arena, tables, monkeypatch):
    held = []
    pump = arena.host.pump
    monkeypatch.setattr(pump, "_store", SimpleNamespace(append=lambda _, then: held.append(then)))
    table_id = arena.open_table(plan("late", "later"))
    listing = asyncio.ensure_future(tables.ListTables(tp.ListTablesRequest()))
    await until(lambda: bool(held))
    assert not listing.done()
    monkeypatch.undo()
    for then in held:
        then()
    assert [table.table_id for table in (await listing).tables] == [table_id]
