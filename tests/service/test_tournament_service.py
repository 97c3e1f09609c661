"""Tournaments on a running server, over gRPC: registered bots of the SDK and builtins."""

import pytest

from lastcard.tournament.ledger import read_rows
from lastcard.v1 import tournament_pb2 as tp
from lastcard_bot.bots import make_bot
from service_client import connection
from tournament_client import Organiser, cup


@pytest.fixture
async def hosting(start_arena, tmp_path):
    """A server that keeps its data, and an organiser on it."""
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        yield arena, Organiser(channel)


async def test_registered_bots_and_builtins_play_a_hosted_round_robin(hosting, dial, tmp_path):
    arena, organiser = hosting
    for name in ("ann", "ben"):
        token = await organiser.register(name)
        dial(make_bot("greedy"), arena.address, name=name, token=token)
    made = await organiser.create(cup("ann", "ben", "+cora", deals=2), start=True)
    assert made.name == "cup"
    heard = await organiser.watch(standings=True)
    rows = [message.row for message in heard if message.HasField("row")]
    assert [row.sequence for row in rows] == list(range(1, 13))
    kept, torn = read_rows(tmp_path / "events" / "cup" / "ledger.jsonl")
    assert torn == 0
    assert [row.game.game for row in rows] == [row.game for row in kept]
    assert heard[-1].tournament.state == tp.TOURNAMENT_STATE_COMPLETE
    rankings = [message.standings for message in heard if message.HasField("standings")]
    assert (rankings[-1].games, rankings[-1].sets, rankings[-1].last_sequence) == (12, 6, 12)
    assert all(row.faults == () for row in kept)
