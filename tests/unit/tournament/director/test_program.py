import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lastcard.tournament.director.guard_program import MARK
from lastcard.tournament.director.output import Output
from lastcard.tournament.director.program import Program, status_text
from waiting import process_lives, until

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]

CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
"""


@pytest.fixture
def output(tmp_path: Path) -> Iterator[Output]:
    made = Output(tmp_path / "a.log")
    yield made
    made.close()


async def started(output: Output, source: str) -> Program:
    command = [sys.executable, "-c", source]
    return await Program.start(command, directory=output.path.parent, environment=dict(os.environ), output=output)


def printed(output: Output) -> str:
    return output.path.read_text()


async def test_status_and_output_of_a_program_that_ends(output: Output) -> None:
    program = await started(output, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert await program.wait() == 3
    assert sorted(printed(output).split()) == ["err", "out"]


async def test_children_of_a_program_that_ended_are_ended_too(output: Output) -> None:
    program = await started(output, CHILD)
    assert await program.wait() == 0
    await until(lambda: not process_lives(int(printed(output))))


async def test_a_program_is_ended_with_its_children(output: Output) -> None:
    program = await started(output, CHILD + "time.sleep(60)")
    await until(lambda: printed(output).endswith("\n"))
    program.kill()
    assert await program.wait() == -9
    await until(lambda: not process_lives(int(printed(output))))


@pytest.mark.parametrize("then", ["", "time.sleep(60)"], ids=["ended", "killed"])
async def test_children_that_left_the_group_are_ended_too(output: Output, then: str) -> None:
    others = await asyncio.create_subprocess_exec(*SLEEP, env={**os.environ, MARK: "another"}, start_new_session=True)
    try:
        program = await started(output, CHILD.replace("])", "], start_new_session=True)") + then)
        if then:
            await until(lambda: printed(output).endswith("\n"))
            program.kill()
        assert await program.wait() == (-9 if then else 0)
        await until(lambda: not process_lives(int(printed(output))))
        assert process_lives(others.pid)
    finally:
        others.kill()
        await others.wait()


async def test_a_program_that_is_asked_to_end_may_say_goodbye(output: Output) -> None:
    source = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (print("bye", flush=True), sys.exit(0)))
print("ready", flush=True)
time.sleep(60)
"""
    program = await started(output, source)
    await until(lambda: printed(output) == "ready\n")
    program.ask_to_end()
    assert await program.wait() == 0
    assert printed(output) == "ready\nbye\n"


async def test_a_program_that_cannot_be_started_leaves_nothing_open(output: Output) -> None:
    before = open_files()
    with pytest.raises(FileNotFoundError):
        await Program.start(["/no/such/program"], directory=output.path.parent, environment={}, output=output)
    assert open_files() == before


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (0, "ended with status 0"),
        (7, "ended with status 7"),
        (-9, "was ended by SIGKILL"),
        (-250, "was ended by signal 250"),
    ],
)
def test_how_a_program_ended_is_said_in_words(status: int, text: str) -> None:
    assert status_text(status) == text
