"""A process that writes a store is killed at random moments: all that it called durable is there, in order."""

import random
import shutil
import subprocess
import sys

import pytest

import store_appender
from lastcard.store.opening import close_store, open_store


def killed(directory, durability, first, lines, spin):
    """Lets a process append until it has told so many lines, and a moment longer; the last step that it told."""
    command = [sys.executable, store_appender.__file__, str(directory), durability, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        told = b"".join(process.stdout.readline() for _ in range(lines))
        for _ in range(spin):
            pass
        process.kill()
        rest, errors = process.communicate(timeout=100)
    assert errors == b""
    steps = [int(line) for line in (told + rest).split(b"\n")[:-1]]
    assert steps == sorted(steps)
    return steps[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("durability", "kills"), [("full", 20), ("normal", 10)])
def test_what_was_called_durable_survives_kills(tmp_path, durability, kills):
    chance = random.Random(20261130)
    step = 0
    for kill in range(kills):
        told = killed(tmp_path / "store", durability, step + 1, chance.randrange(1, 80), chance.randrange(200_000))
        # Looked at in a copy, so that the next process finds what this one left.
        shutil.copytree(tmp_path / "store", tmp_path / f"copy{kill}")
        opened = open_store(tmp_path / f"copy{kill}")
        remembered = opened.remembered
        close_store(opened.connection)
        step = remembered.last_ms
        assert step >= told
        found = {table.opened.number: (table.commands, table.identities) for table in remembered.tables}
        assert found == store_appender.wanted(step)
    assert step > kills * 100
