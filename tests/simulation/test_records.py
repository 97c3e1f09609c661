"""The record of any simulated match is one that verifies: legality, scores, hash chain and shuffles."""

import pytest

from lastcard.rules.record import RecordWriter
from lastcard.rules.verify import verify
from lastcard.table.commands import NextRound
from lastcard.table.effects import Happened
from simulation.world import World


def record_of(world: World) -> bytes:
    setup = world.setup
    names = [seat.name or f"nobody{number}" for number, seat in enumerate(world.table.seats)]
    reactions = "sealed" if setup.sealed else "open"
    writer = RecordWriter(setup.rules, names, draws=setup.draws, reactions=reactions, disguise=setup.disguise)
    seeds = []
    for (command, _), effects in zip(world.log, world.told, strict=True):
        told = [effect for effect in effects if isinstance(effect, Happened)]
        for happened in told:
            writer.add(happened.first_sequence, happened.events)
        if isinstance(command, NextRound) and told:
            seeds.append(command.seed)
    writer.close()
    writer.reveal(seeds, setup.salt)
    return writer.to_bytes()


@pytest.mark.parametrize("first", [30_001, 30_021, 30_041])
def test_the_record_of_a_match_verifies(first: int) -> None:
    for seed in range(first, first + 20):
        world = World(seed)
        world.play()
        record = record_of(world)
        hidden = verify(record[: record.rindex(b'{"reveal"')])
        assert hidden.ok, f"seed {seed}, not revealed, line {hidden.line}: {hidden.problem}"
        verification = verify(record)
        assert verification.ok, f"seed {seed}, line {verification.line}: {verification.problem}"
        assert verification.revealed
        assert verification.events == world.table.last_sequence
