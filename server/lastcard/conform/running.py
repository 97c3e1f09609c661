"""Runs checks, several at a time, each with an arena and a bot of its own.

Here: `run_checks`, `Verdict`, `Outcome`. Not here: their words (`report`). May import `bench`, `checking`, `launch`.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, Skipped
from lastcard.conform.launch import LaunchError

LONGEST = 20
"""Times `answer_s` that one check may take: far above any, so that nothing can hold the report up for ever."""


class Outcome(Enum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """It says nothing about this bot."""
    NOT_RUN = "not run"
    """The bot did not even connect."""
    TOO_SLOW = "too slow"
    """The bot took too long to be judged."""
    BROKEN = "broken"
    """The kit itself has a fault; the bot is not to blame."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a check: `text` says why it failed or was skipped, or has a note; `said` is the bot's output."""

    check: Check
    outcome: Outcome
    text: str = ""
    seconds: float = 0.0
    said: str = ""
    hangs_on: str = ""
    """The check of what the bot did not do, without which nothing can be seen of the rest."""

    @property
    def condemns(self) -> bool:
        """Whether a bot with this verdict is not to be let in."""
        unproven = (Outcome.FAILED, Outcome.NOT_RUN, Outcome.TOO_SLOW)
        return self.outcome in unproven and self.check.level is Level.REQUIRED


async def run_checks(
    checks: Sequence[Check], make_bench: Callable[[], Bench], jobs: int
) -> AsyncGenerator[Verdict, None]:
    """Runs checks, `jobs` at a time, and yields their verdicts in order.

    One that is a gate, if it is the first, runs alone; when the bot does not pass it, the others are not run.
    """
    rest = list(checks)
    if rest and rest[0].gate:
        gate = await run_check(rest.pop(0), make_bench())
        yield gate
        if gate.outcome in (Outcome.FAILED, Outcome.TOO_SLOW):
            for other in rest:
                yield Verdict(other, Outcome.NOT_RUN, f"the bot did not pass the check {gate.check.name}")
            return
    places, turn = asyncio.Semaphore(jobs), asyncio.Lock()

    async def when_free(check: Check) -> Verdict:
        wanted = jobs if check.alone else 1
        taken = 0
        try:
            async with turn:  # one takes its places after the other, or two that want all would wait for each other
                while taken < wanted:
                    await places.acquire()
                    taken += 1
            return await run_check(check, make_bench())
        finally:
            for _ in range(taken):
                places.release()

    tasks = [asyncio.create_task(when_free(check), name=check.name) for check in rest]
    try:
        for task in tasks:
            await asyncio.wait({task})  # unlike awaiting it, hands no cancellation on: each is cancelled once, below
            yield task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def run_check(check: Check, bench: Bench) -> Verdict:
    """Runs one check on a bench, which is used up by it.

    Raises `LaunchError` when the bot cannot be started at all.
    """
    loop = asyncio.get_running_loop()
    begun = loop.time()
    outcome, text, hangs_on = Outcome.PASSED, "", ""
    limit = asyncio.timeout(LONGEST * bench.answer_s)
    try:
        async with bench, limit:
            text = await check.run(bench) or ""
    except Skipped as skipped:
        outcome, text = Outcome.SKIPPED, str(skipped)
    except Failed as failed:
        outcome, text, hangs_on = Outcome.FAILED, str(failed), failed.hangs_on
    except LaunchError:
        raise
    except TimeoutError as error:
        outcome, text = Outcome.BROKEN, _fault(error)
        if limit.expired():
            outcome = Outcome.TOO_SLOW
            text = f"it answers too slowly to be judged within {LONGEST * bench.answer_s:g} s; give it more --patience"
    except Exception as error:  # noqa: BLE001 - a fault of the kit must not be taken for one of the bot
        outcome, text = Outcome.BROKEN, _fault(error)
    said = bench.running.complaint() if bench.running is not None else ""
    return Verdict(check, outcome, text, loop.time() - begun, said, hangs_on)


def _fault(error: Exception) -> str:
    return f"a fault of the kit, please report it: {type(error).__name__}: {error}"
