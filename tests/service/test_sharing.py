"""Several instances of one bot: who serves which seats, and who goes on when one of them is gone."""

import pytest

from lastcard.services.identity import identity_of
from lastcard.table import sharing
from lastcard.table.timecontrol import TimeControl
from service_client import BotStream, connection, plan
from waiting import until

PATIENT = TimeControl(limit_ms=3_600_000, grace_ms=3_600_000)
"""Nothing happens by itself."""

IMPATIENT = TimeControl(limit_ms=3_600_000, grace_ms=1)
"""A seat is kept for nobody."""


@pytest.fixture
def kept(monkeypatch):
    """Seats are kept for an hour unless it is known that nobody comes back for them."""
    monkeypatch.setattr(sharing, "KEPT_MS", 3_600_000)
    monkeypatch.setattr("lastcard.table.restart.KEPT_AFTER_START_MS", 3_600_000)


def tables_of(arena, token):
    """The open tables that an instance serves."""
    lobby, identity = arena.host.lobby, identity_of(token)
    numbers = [number for number, _ in lobby.seats_of(identity)]
    return sorted(table.table_id for number in numbers if (table := arena.host.table_of(number)) is not None)


async def two_at(arena, bot, clock):
    """Two instances, of which the first is asked something at a table."""
    tokens = arena.mint("mine"), arena.mint("mine")
    first = bot(tokens[0])
    await first.hello()
    table_id = arena.open_table(plan("mine", "+greedy", clock=clock))
    asked = await first.decision()
    second = bot(tokens[1])
    await second.hello()
    return tokens, (first, second), table_id, asked


async def goes_on(stream, table_id, asked):
    """An instance is told of the table as it is, asked the same, and answers."""
    seated = (await stream.expect("seated")).seated
    assert (seated.table_id, seated.resumed) == (table_id, True)
    snapshot = (await stream.expect("table_snapshot")).table_snapshot
    again = await stream.decision()
    assert (again.decision_id, again.view, again.sequence) == (asked.decision_id, asked.view, snapshot.sequence)
    await stream.act(again)
    assert (await stream.result()).accepted


async def test_a_connected_instance_takes_over_when_a_seat_is_not_kept_any_longer(arena, bot):
    tokens, (first, second), table_id, asked = await two_at(arena, bot, IMPATIENT)
    first.cancel()
    await goes_on(second, table_id, asked)
    assert (tables_of(arena, tokens[0]), tables_of(arena, tokens[1])) == ([], [table_id])


@pytest.mark.usefixtures("kept")
async def test_a_seat_is_kept_for_an_instance_that_lost_its_stream(arena, bot):
    tokens, (first, _), table_id, asked = await two_at(arena, bot, PATIENT)
    first.cancel()
    await until(lambda: arena.host.tables[table_id].machine.seats[0].status.name == "AWAY")
    other = bot(tokens[1])  # neither one that is there nor one that comes
    await other.hello()
    again = bot(tokens[0])
    await again.hello()
    await goes_on(again, table_id, asked)
    assert tables_of(arena, tokens[1]) == []


@pytest.mark.usefixtures("kept")
async def test_the_end_of_a_process_gives_its_seats_to_another_at_once(arena, bot):
    tokens, (first, second), table_id, asked = await two_at(arena, bot, PATIENT)
    first.cancel()
    await until(lambda: arena.host.tables[table_id].machine.seats[0].status.name == "AWAY")
    assert tables_of(arena, tokens[0]) == [table_id]
    arena.report_crash(tokens[0], "exit status 1")
    await goes_on(second, table_id, asked)
    (blame,) = arena.host.tables[table_id].faults
    assert (blame.kind.name, blame.evidence) == ("CRASH", "exit status 1")


@pytest.mark.usefixtures("kept")
async def test_the_end_of_a_process_may_be_known_before_that_of_its_stream(arena, bot):
    tokens, (first, second), table_id, asked = await two_at(arena, bot, PATIENT)
    arena.report_crash(tokens[0], "exit status 1")
    assert tables_of(arena, tokens[0]) == [table_id]
    first.cancel()
    await goes_on(second, table_id, asked)


async def test_a_crash_concerns_no_other_instance(arena, bot):
    tokens, _, table_id, _ = await two_at(arena, bot, PATIENT)
    arena.report_crash(tokens[1], "exit status 1")
    assert arena.host.tables[table_id].faults == []


@pytest.mark.usefixtures("kept")
async def test_a_revoked_token_gives_its_seats_to_another_at_once(arena, bot):
    tokens, (_, second), table_id, asked = await two_at(arena, bot, PATIENT)
    arena.revoke(tokens[0])
    await goes_on(second, table_id, asked)


@pytest.mark.usefixtures("kept")
async def test_an_answer_of_who_had_the_seat_is_not_for_the_game_any_more(arena, bot):
    tokens, (first, second), table_id, asked = await two_at(arena, bot, PATIENT)
    first.cancel()
    await until(lambda: arena.host.tables[table_id].machine.seats[0].status.name == "AWAY")
    arena.report_crash(tokens[0], "exit status 1")
    await second.expect("seated")
    again = bot(tokens[0])
    await again.hello(cursors=[{"table_id": table_id, "last_sequence": 1}])
    refused = (await again.expect("message_refused")).message_refused
    assert (refused.reason, refused.table_id) == (4, table_id)
    await again.act(asked)
    assert not (await again.result()).accepted
    await second.act(await second.decision())
    assert (await second.result()).accepted


@pytest.mark.usefixtures("kept")
async def test_after_a_restart_everybody_goes_on_with_his_own_seats(start_arena, tmp_path):
    arena = await start_arena(data=tmp_path)
    tokens = [arena.mint("mine") for _ in range(3)]
    async with connection(arena.address) as channel:
        streams = [BotStream(channel, token) for token in tokens[:2]]
        for stream in streams:
            await stream.hello()
        for number in range(4):
            arena.open_table(plan("mine", "+greedy", clock=PATIENT, table_id=f"t{number}"))
        had = [tables_of(arena, token) for token in tokens]
        assert [len(tables) for tables in had] == [2, 2, 0]
        arena.suspend()
    await arena.stop(2)
    again = await start_arena(data=tmp_path)
    async with connection(again.address) as channel:
        streams = [BotStream(channel, token) for token in reversed(tokens)]
        for stream in streams:
            await stream.hello()
        assert [tables_of(again, token) for token in tokens] == had


async def shared_anew(start_arena, tmp_path):
    """An arena with four tables of a bot of which nobody with an earlier token may come back."""
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        stream = BotStream(channel, arena.mint("mine"))
        await stream.hello()
        for number in range(4):
            arena.open_table(plan("mine", "+greedy", clock=PATIENT, table_id=f"t{number}"))
        arena.suspend()
    await arena.stop(2)
    again = await start_arena(data=tmp_path)
    again.revoke_earlier()
    return again, [again.mint("mine"), again.mint("mine")]


@pytest.mark.usefixtures("kept")
async def test_seats_of_an_earlier_run_are_shared_among_those_who_come(start_arena, tmp_path):
    arena, tokens = await shared_anew(start_arena, tmp_path)
    async with connection(arena.address) as channel:
        streams = [BotStream(channel, token) for token in tokens]
        for stream, expected in zip(streams, ([2, 0], [2, 2]), strict=True):
            await stream.hello()
            assert [len(tables_of(arena, each)) for each in tokens] == expected


async def test_who_does_not_come_for_his_share_leaves_it_to_the_others(start_arena, tmp_path, monkeypatch):
    monkeypatch.setattr("lastcard.table.restart.KEPT_AFTER_START_MS", 1)
    monkeypatch.setattr(sharing, "KEPT_MS", 1)
    arena, tokens = await shared_anew(start_arena, tmp_path)
    async with connection(arena.address) as channel:
        stream = BotStream(channel, tokens[0])
        await stream.hello()
        await until(lambda: len(tables_of(arena, tokens[0])) == 4)


async def test_an_instance_that_does_not_answer_gets_no_seat_while_another_can(arena, bot):
    tokens = [arena.mint("mine"), arena.mint("mine")]
    streams = [bot(token) for token in tokens]
    for stream in streams:
        await stream.hello()
    tables = [arena.open_table(plan("mine", "+greedy", clock=PATIENT, table_id=f"t{number}")) for number in range(2)]
    held = next(name for name in tables if [name] == tables_of(arena, tokens[0]))
    arena.remove_seat(held, 0)
    await arena.result(held)
    for number in range(3):
        arena.open_table(plan("mine", "+greedy", clock=PATIENT, table_id=f"u{number}"))
    assert (len(tables_of(arena, tokens[0])), len(tables_of(arena, tokens[1]))) == (0, 4)
    streams[0].cancel()
    await until(lambda: identity_of(tokens[0]) not in arena.host.lobby.peers)
    back = bot(tokens[0])
    await back.hello()
    arena.open_table(plan("mine", "+greedy", clock=PATIENT, table_id="v"))
    assert tables_of(arena, tokens[0]) == ["v"]
