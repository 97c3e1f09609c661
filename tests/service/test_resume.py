"""Streams that break, come back, and are replaced."""

import pytest

from lastcard import app
from lastcard.conform.wire import Wire
from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import table_service_pb2 as tp
from service_client import PATIENT, BotStream, bearer, connection, plan, tables_stub
from waiting import until


async def seated_at(arena, stream, *others):
    welcome = await stream.hello("me")
    table_id = arena.open_table(plan("me", *others))
    await stream.expect("seated")
    return table_id, welcome.resume_secret


def seat_status(arena, table_id, seat=0):
    return arena.host.tables[table_id].machine.seats[seat].status.name


def cursor(table_id, sequence):
    return {"table_id": table_id, "last_sequence": sequence}


async def test_a39_events_missed_come_in_order_and_then_the_decision(arena, bot):
    stream = bot()
    table_id, secret = await seated_at(arena, stream, "+greedy")
    decision = await stream.decision()
    seen = [event.sequence for event in stream.events()]
    stream.cancel()
    await until(lambda: seat_status(arena, table_id) == "AWAY")
    again = bot(secret)
    await again.hello(cursors=[cursor(table_id, seen[1])])
    seated = (await again.expect("seated")).seated
    assert seated.resumed
    asked = await again.decision()
    assert [event.sequence for event in again.events()] == seen[2:]
    assert (asked.decision_id, asked.view, asked.sequence) == (decision.decision_id, decision.view, decision.sequence)
    await again.act(asked)
    assert (await again.result()).accepted


async def test_a_table_that_was_not_named_comes_as_a_snapshot(arena, bot):
    stream = bot()
    table_id, secret = await seated_at(arena, stream, "+greedy")
    decision = await stream.decision()
    again = bot(secret)
    await again.hello()
    await again.expect("seated")
    snapshot = (await again.expect("table_snapshot")).table_snapshot
    assert (snapshot.table_id, snapshot.sequence) == (table_id, decision.sequence)
    assert snapshot.view == decision.view


async def test_a_cursor_beyond_the_end_is_refused_for_that_table_alone(arena, bot):
    stream = bot()
    table_id, secret = await seated_at(arena, stream, "+greedy")
    decision = await stream.decision()
    again = bot(secret)
    await again.hello(cursors=[cursor(table_id, 9_999)])
    refused = (await again.expect("message_refused")).message_refused
    assert refused.reason == 13
    assert refused.table_id == table_id
    assert f"0 to {decision.sequence}" in refused.message
    await again.expect("table_snapshot")
    await again.act(await again.decision())
    assert (await again.result()).accepted


async def test_a_cursor_at_a_table_without_a_seat_is_refused(bot):
    stream = bot()
    await stream.hello("me", cursors=[cursor("nowhere", 3)])
    refused = (await stream.expect("message_refused")).message_refused
    assert (refused.reason, refused.table_id) == (4, "nowhere")


async def test_a_finished_table_tells_its_last_events_and_its_end_until_acknowledged(arena, bot):
    stream = bot()
    table_id, secret = await seated_at(arena, stream, "+greedy")
    await stream.play()
    last = stream.events()[-1].sequence
    again = bot(secret)
    await again.hello(cursors=[cursor(table_id, last - 2)])
    closed = (await again.expect("table_closed")).table_closed
    assert [event.sequence for event in again.events()] == [last - 1, last]
    assert closed.result.record_hash == (await arena.result(table_id)).record_hash
    await again.send({"table_closed_received": {"table_id": table_id}})
    await until(lambda: arena.host.lobby.seats_of(next(iter(arena.host.tables[table_id].seat_of))) == [])
    third = bot(secret)
    await third.hello()
    other = arena.open_table(plan("me", "+greedy"))
    assert (await third.next()).seated.table_id == other


async def test_an_acknowledged_end_is_told_to_who_still_asks_for_it(arena, bot):
    """Two processes of one bot: the first lost its connection before the end, which the second has acknowledged."""
    first = bot()
    table_id, secret = await seated_at(arena, first, "+greedy")
    await first.decision()
    seen = first.events()[-1].sequence
    second = bot(secret)
    await second.hello()
    await second.play()
    await second.send({"table_closed_received": {"table_id": table_id}})
    await until(lambda: arena.host.lobby.seats_of(next(iter(arena.host.tables[table_id].seat_of))) == [])
    again = bot(secret)
    await again.hello(cursors=[cursor(table_id, seen)])
    closed = (await again.expect("table_closed")).table_closed
    assert closed.table_id == table_id
    assert next(event.sequence for event in again.events()) == seen + 1


async def test_a_second_stream_replaces_the_first(arena, bot):
    first = bot()
    table_id, secret = await seated_at(arena, first, "+greedy")
    await first.decision()
    second = bot(secret)
    await second.hello()
    ended = await first.end()
    assert (ended.code.name, ended.reason) == ("ABORTED", "SESSION_REPLACED")
    assert "do not reconnect" in ended.sentence
    await second.act(await second.decision(table_id))
    assert (await second.result()).accepted


async def test_a36_the_late_end_of_the_first_stream_does_not_make_the_seat_away(arena, bot):
    first = bot()
    table_id, secret = await seated_at(arena, first, "+greedy")
    await first.decision()
    second = bot(secret)
    await second.hello()
    await second.decision()
    await first.end()
    first.cancel()
    await until(lambda: len(arena.sessions) == 1)
    assert seat_status(arena, table_id) == "PRESENT"
    notices = [message.notice for message in second.heard if message.HasField("notice")]
    assert notices == []


async def test_others_hear_of_absence_and_return_without_numbers(arena, bot):
    other = bot()
    await other.hello("other")
    stream = bot()
    welcome = await stream.hello("me")
    arena.open_table(plan("me", "other", clock=PATIENT))
    await stream.expect("seated")
    await other.expect("seated")
    stream.cancel()
    away = (await other.expect("notice", where=lambda notice: notice.kind == 1)).notice
    assert away.seat == 0
    again = bot(welcome.resume_secret)
    await again.hello()
    back = (await other.expect("notice", where=lambda notice: notice.kind == 2)).notice
    assert back.seat == 0


@pytest.fixture
def impatient_transport(monkeypatch):
    """The server's keep-alive far faster, for the arenas started after it; who lives has time enough to answer."""
    usual = app.channel_options

    def options(settings):
        fast = {"grpc.keepalive_time_ms": 100, "grpc.keepalive_timeout_ms": 6, "grpc.http2.ping_timeout_ms": 6}
        return [(name, value // fast.get(name, 1)) for name, value in usual(settings)]

    monkeypatch.setattr(app, "channel_options", options)


@pytest.mark.usefixtures("impatient_transport")
async def test_a53_a_peer_that_vanishes_without_closing_is_noticed_and_may_come_back(start_arena):
    arena = await start_arena()
    async with Wire(arena.address) as wire, connection(wire.address) as gone, connection(arena.address) as channel:
        stream, other = BotStream(gone), BotStream(channel)
        secret = (await stream.hello("me")).resume_secret
        await other.hello("other")
        table_id = arena.open_table(plan("me", "other"))
        await stream.expect("seated")
        await other.expect("seated")
        wire.go_dead()
        notice = (await other.expect("notice", where=lambda notice: notice.kind == 1)).notice
        assert (notice.seat, seat_status(arena, table_id), seat_status(arena, table_id, 1)) == (0, "AWAY", "PRESENT")
        again = BotStream(channel, secret)
        await again.hello()
        await again.expect("seated")
        assert seat_status(arena, table_id) == "PRESENT"
        stream.cancel()


async def test_a53_a_vanished_peer_is_noticed_well_within_the_usual_grace(arena):
    """The times as they are: what the arena waits for before and after its ping, in all."""
    options = dict(app.channel_options(arena.settings))
    answer = max(options["grpc.keepalive_timeout_ms"], options["grpc.http2.ping_timeout_ms"])
    assert options["grpc.keepalive_time_ms"] + answer <= 30_000 < TimeControl().grace_ms


async def test_a53_the_clock_runs_on_while_nobody_knows_that_a_peer_has_vanished(start_arena):
    """The usual keep-alive takes half a minute; the clock of one decision is far shorter."""
    arena = await start_arena()
    clock = TimeControl(limit_ms=50, bank_ms=0)
    async with Wire(arena.address) as wire, connection(wire.address) as gone:
        stream = BotStream(gone)
        await stream.hello("me")
        table_id = arena.open_table(plan("me", "+greedy", "+random", clock=clock, options={"max_timeouts": 2}))
        await stream.expect("seated")
        wire.go_dead()
        result = await arena.result(table_id)
        assert [(fault.seat, fault.kind.name) for fault in result.faults] == [(0, "TIMEOUT")] * len(result.faults)
        assert len(result.faults) <= 2
        assert result.places[0] != 1
        stream.cancel()


async def test_a37_both_players_drop_and_come_back_to_the_same_position(arena, bot):
    streams = [bot(), bot()]
    secrets = [(await stream.hello(f"bot-{number}")).resume_secret for number, stream in enumerate(streams)]
    table_id = arena.open_table(plan("bot-0", "bot-1"))
    for stream in streams:
        await stream.expect("seated")
    table = arena.host.tables[table_id]
    await until(lambda: table.feed.last >= 3)
    before = (table.feed.last, [bytes(hand) for hand in table.machine.state.hands], table.machine.state.turn)
    for stream in streams:
        stream.cancel()
    await until(lambda: seat_status(arena, table_id) == seat_status(arena, table_id, 1) == "AWAY")
    again = [bot(secret) for secret in secrets]
    for stream in again:
        await stream.hello()
        await stream.expect("seated")
    assert (table.feed.last, [bytes(hand) for hand in table.machine.state.hands], table.machine.state.turn) == before
    for stream in again:
        stream.cancel()


async def test_a38_an_answer_lost_on_the_way_takes_effect_once_when_it_is_sent_again(arena, bot):
    stream = bot()
    table_id, secret = await seated_at(arena, stream, "+greedy")
    decision = await stream.decision()
    stream.cancel()
    again = bot(secret)
    await again.hello(cursors=[cursor(table_id, decision.sequence)])
    asked = await again.decision()
    assert asked.view.hand == decision.view.hand
    for _ in range(2):
        await again.act(decision)
    verdicts = [await again.result(decision.decision_id) for _ in range(2)]
    assert verdicts[0] == verdicts[1]
    assert verdicts[0].accepted
    played = [event for event in again.events() if event.HasField("card_played") and event.card_played.seat == 0]
    assert len(played) <= 1


async def test_a43_the_same_answer_again_gets_the_first_verdict_again(arena, bot):
    stream = bot()
    await seated_at(arena, stream, "+greedy")
    first = await stream.decision()
    await stream.act(first)
    verdict = await stream.result(first.decision_id)
    second = await stream.decision()
    await stream.act(first)
    assert await stream.result(first.decision_id) == verdict
    await stream.act(second)
    assert (await stream.result(second.decision_id)).accepted


async def test_another_answer_to_a_closed_decision_is_stale(arena, bot):
    stream = bot()
    await seated_at(arena, stream, "+greedy")
    first = await stream.decision()
    await stream.act(first, 0)
    await stream.result(first.decision_id)
    await stream.decision()
    await stream.act(first, 1)
    verdict = await stream.result(first.decision_id)
    assert not verdict.accepted
    assert verdict.reason in (8, 11)
    assert verdict.message


async def test_a_token_names_an_instance_and_its_name_is_bound(arena, bot):
    token = arena.mint("mine")
    stream = bot(token)
    welcome = await stream.hello()
    assert welcome.bot_name == "mine"
    assert welcome.resume_secret == ""
    other = bot(token)
    await other.send({"hello": {"protocol_version": 1, "bot_name": "yours"}})
    ended = await other.end()
    assert (ended.code.name, ended.reason) == ("UNAUTHENTICATED", "UNAUTHENTICATED")
    assert "'mine'" in ended.sentence
    assert "'yours'" in ended.sentence


async def test_another_instance_of_a_bot_takes_over_when_the_first_is_gone(arena, bot):
    first = bot(arena.mint("mine"))
    await first.hello()
    table_id = arena.open_table(plan("mine", "+greedy"))
    await first.decision()
    first.cancel()
    await until(lambda: seat_status(arena, table_id) == "AWAY")
    second = bot(arena.mint("mine"))
    await second.hello()
    assert (await second.expect("seated")).seated.table_id == table_id
    await second.act(await second.decision())
    assert (await second.result()).accepted


async def test_a_guest_of_the_same_name_does_not_take_over(arena, bot):
    first = bot()
    table_id, _ = await seated_at(arena, first, "+greedy")
    await first.decision()
    first.cancel()
    await until(lambda: seat_status(arena, table_id) == "AWAY")
    guest = bot()
    await guest.hello("me")
    other = arena.open_table(plan("me", "+greedy"))
    assert (await guest.expect("seated")).seated.table_id == other


async def test_a_revoked_token_ends_its_stream_and_opens_no_other(arena, bot):
    token = arena.mint("mine")
    stream = bot(token)
    await stream.hello()
    arena.revoke(token)
    assert (await stream.end()).reason == "UNAUTHENTICATED"
    again = bot(token)
    await again.send({"hello": {"protocol_version": 1}})
    assert (await again.end()).reason == "UNAUTHENTICATED"


async def test_a_name_with_a_token_cannot_be_used_without(arena, bot):
    arena.mint("mine")
    stream = bot()
    await stream.send({"hello": {"protocol_version": 1, "bot_name": "mine"}})
    ended = await stream.end()
    assert ended.reason == "UNAUTHENTICATED"
    assert "'mine'" in ended.sentence


async def test_a_server_without_guests_wants_a_token(start_arena):
    from service_client import BotStream, connection

    arena = await start_arena(anonymous=False)
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        await stream.send({"hello": {"protocol_version": 1, "bot_name": "me"}})
        assert (await stream.end()).reason == "UNAUTHENTICATED"


@pytest.mark.parametrize("wish", ["stream", "call"])
async def test_a_secret_works_on_streams_and_on_calls(arena, bot, channel, wish):
    stream = bot()
    table_id, secret = await seated_at(arena, stream, "+greedy")
    await stream.decision()
    if wish == "stream":
        again = bot(secret)
        assert (await again.hello()).bot_name == "me"
    else:
        answer = await tables_stub(channel).GetTable(tp.GetTableRequest(table_id=table_id), metadata=bearer(secret))
        assert answer.view.seat == 0
        assert len(answer.decisions) == 1


async def test_a_decision_held_back_from_a_stream_that_ends_is_timed_when_its_owner_watches(arena, bot, channel):
    """The owner has seen it there, and no stream will start its clock any more."""
    stream = bot()
    secret = (await stream.hello("me", max_open_decisions=1)).resume_secret
    first = arena.open_table(plan("me", "+greedy"))
    assert (await stream.decision()).table_id == first
    second = arena.open_table(plan("me", "+greedy", clock=TimeControl(limit_ms=1, bank_ms=0)))
    table = arena.host.tables[second]
    watching = tables_stub(channel).WatchTable(
        tp.WatchTableRequest(table_id=second, own_view=True), metadata=bearer(secret)
    )
    await until(lambda: table.watchers and table.machine.open_decisions(0))
    assert table.faults == []
    stream.cancel()
    await until(lambda: table.faults)
    assert table.faults[0].kind.name == "TIMEOUT"
    watching.cancel()
