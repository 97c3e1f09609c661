"""Running checks and reporting them, with checks and bots that do nothing."""

import asyncio
import json

import pytest

from conform.calls import GrpcDialer
from lastcard.conform.arena import WiredArena
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, Skipped, check
from lastcard.conform.launch import LaunchError
from lastcard.conform.report import advice, as_json, first_of_all, line, summary
from lastcard.conform.running import Outcome, Verdict, run_check, run_checks
from waiting import until


class NoArena(WiredArena):
    """Listens nowhere."""

    async def __aenter__(self):
        self.address = "nowhere:1"
        return self

    async def __aexit__(self, *_):
        pass


class Idle:
    """A program that does nothing until it is asked to end."""

    def __init__(self, said=""):
        self._end = asyncio.get_running_loop().create_future()
        self._said = said

    async def start(self, environment):
        self.environment = environment
        return self

    def terminate(self):
        if not self._end.done():
            self._end.set_result(0)

    def kill(self):
        self.terminate()

    async def wait(self):
        return await asyncio.shield(self._end)

    def complaint(self):
        return self._said


def bench(launcher=None, **times):
    return Bench(launcher or Idle(), arena=NoArena(), **{"answer_s": 0.01, "quiet_s": 0.0, **times})


def made(run, name="some-check", level=Level.REQUIRED, *, gate=False) -> Check:
    return check(name, level, "does so", proves="it matters", advice="do so", gate=gate)(run)


async def fine(_):
    return None


async def wrong(bench):
    await bench.start()
    raise Failed("it did not")


async def irrelevant(_):
    raise Skipped("it never does")


async def broken(_):
    raise KeyError("oh")


@pytest.mark.parametrize(
    ("run", "outcome", "text"),
    [
        (fine, Outcome.PASSED, ""),
        (wrong, Outcome.FAILED, "it did not"),
        (irrelevant, Outcome.SKIPPED, "it never does"),
        (broken, Outcome.BROKEN, "a fault of the kit, please report it: KeyError: 'oh'"),
    ],
)
async def test_a_check_ends_in_one_of_four_ways(run, outcome, text):
    verdict = await run_check(made(run), bench(Idle("last words")))
    assert (verdict.outcome, verdict.text) == (outcome, text)
    assert verdict.said == ("last words" if run is wrong else "")
    assert verdict.condemns == (run is wrong)


async def test_a_bot_that_is_too_slow_to_be_judged_has_not_passed(monkeypatch):
    monkeypatch.setattr("lastcard.conform.running.LONGEST", 1)

    async def endless(_):
        await asyncio.Event().wait()

    verdict = await run_check(made(endless), bench())
    assert verdict.outcome is Outcome.TOO_SLOW
    assert verdict.condemns
    assert line(verdict, 12).startswith("slow ")
    assert summary([verdict], 1.0) == (
        "0 of 1 required checks passed, in 1 the bot was too slow to be judged, in 1 s: the bot does not conform"
    )
    assert verdict.text == "it answers too slowly to be judged within 0.01 s; give it more --patience"

    async def forgetful(_):
        raise TimeoutError

    assert (await run_check(made(forgetful), bench())).outcome is Outcome.BROKEN


async def test_a_bot_that_cannot_be_started_is_no_verdict():
    class Missing(Idle):
        async def start(self, environment):
            raise LaunchError("no such thing")

    with pytest.raises(LaunchError, match="no such thing"):
        await run_check(made(wrong), bench(Missing()))


async def test_what_must_come_is_waited_for_and_an_end_of_the_program_is_told():
    async def stream(bench):
        await bench.start()
        await bench.stream()

    verdict = await run_check(made(stream), bench())
    assert verdict.text == "it did not open its stream within 0.03 s"
    ended = Idle("line\nno server\n")
    ended.terminate()
    verdict = await run_check(made(stream), bench(ended, answer_s=100))
    assert verdict.text == "it did not open its stream: its program ended with status 0, saying: no server"


async def test_a_program_that_is_started_again_may_take_as_long_as_the_first_time():
    async def starts_twice(bench):
        await bench.start()
        bench.arena.opened.append(None)
        bench.running.terminate()
        await bench.exit_status("when asked to")
        bench._launcher = Idle()
        await bench.start()
        await bench.stream()

    verdict = await run_check(made(starts_twice), bench())
    assert verdict.text == "it did not open its stream within 0.03 s"


async def test_streams_from_before_a_server_vanished_are_not_taken_for_new_ones():
    async with WiredArena() as arena:
        dialer = GrpcDialer(arena.address)
        call = dialer.dial(())
        await asyncio.wait_for(arena.next_stream(), 60)
        await arena.vanish()
        await arena.come_back()
        again = dialer.dial(())
        await until(lambda: len(arena.opened) == 2, 60)
        assert not arena.no_stream()
        await arena.vanish()
        await arena.come_back()
        assert arena.no_stream()
        for each in (call, again):
            each.cancel()
        await dialer.close()


async def test_what_a_program_said_last_is_heard_although_it_has_ended():
    async def late():
        for _ in range(10):
            await asyncio.sleep(0)
        return "said"

    async def hears(bench):
        await bench.start()
        await asyncio.sleep(0)
        return await bench.within(late(), "did not say it")

    ended = Idle()
    ended.terminate()
    verdict = await run_check(made(hears), bench(ended, answer_s=100, quiet_s=100))
    assert (verdict.outcome, verdict.text) == (Outcome.PASSED, "said")


async def test_the_bot_finds_server_token_and_name_in_its_environment():
    async def starts(bench):
        await bench.start(token="t", environment={"MORE": "1"})

    idle = Idle()
    assert (await run_check(made(starts), bench(idle))).outcome is Outcome.PASSED
    assert idle.environment == {
        "LASTCARD_SERVER": "nowhere:1",
        "LASTCARD_TOKEN": "t",
        "LASTCARD_BOT": "conform",
        "MORE": "1",
    }


async def test_checks_run_several_at_a_time_and_are_reported_in_order():
    running, most = 0, 0
    release = asyncio.Event()

    async def waits(_):
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 3:
            release.set()
        await release.wait()
        await asyncio.sleep(0)
        running -= 1

    names = [f"check-{number}" for number in range(6)]
    checks = [made(waits, name) for name in names]
    assert [verdict.check.name async for verdict in run_checks(checks, bench, 3)] == names
    assert most == 3


async def test_a_check_that_measures_time_runs_alone():
    running: set[str] = set()
    beside: dict[str, set[str]] = {}

    def notes(name):
        async def run(_):
            beside[name] = set(running)
            for other in running:
                beside[other].add(name)
            running.add(name)
            for _step in range(100):  # so that others get their turn
                await asyncio.sleep(0)
            running.discard(name)

        return run

    plain = [made(notes(name), name) for name in ("one", "two", "three")]
    alone = [check(name, Level.REQUIRED, "t", proves="p", advice="a", alone=True)(notes(name)) for name in ("x", "y")]
    checks = [plain[0], plain[1], alone[0], alone[1], plain[2]]
    async with asyncio.timeout(60):
        verdicts = [verdict async for verdict in run_checks(checks, bench, 2)]
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASSED] * 5
    assert beside["x"] == beside["y"] == set()
    assert "one" in beside["two"]


async def test_nothing_else_is_tried_with_a_bot_that_fails_the_gate():
    checks = [made(wrong, "gate", gate=True), made(fine, "other")]
    verdicts = [verdict async for verdict in run_checks(checks, bench, 2)]
    assert [verdict.outcome for verdict in verdicts] == [Outcome.FAILED, Outcome.NOT_RUN]
    assert all(verdict.condemns for verdict in verdicts)
    checks = [made(wrong, "no-gate"), made(fine, "other")]
    verdicts = [verdict async for verdict in run_checks(checks, bench, 2)]
    assert [verdict.outcome for verdict in verdicts] == [Outcome.FAILED, Outcome.PASSED]


@pytest.mark.parametrize(
    ("level", "outcome", "begins"),
    [
        (Level.REQUIRED, Outcome.PASSED, "ok "),
        (Level.REQUIRED, Outcome.FAILED, "FAIL "),
        (Level.RECOMMENDED, Outcome.FAILED, "warn "),
        (Level.INFORMATIVE, Outcome.FAILED, "note "),
        (Level.REQUIRED, Outcome.SKIPPED, "skip "),
        (Level.REQUIRED, Outcome.BROKEN, "KIT "),
    ],
)
def test_a_verdict_is_one_line_that_begins_with_what_it_means(level, outcome, begins):
    verdict = Verdict(made(fine, level=level), outcome, "a text")
    assert line(verdict, 12).startswith(begins)
    assert line(verdict, 12).endswith("some-check    does so: a text")
    assert verdict.condemns == (level is Level.REQUIRED and outcome is Outcome.FAILED)


def test_only_a_failure_comes_with_advice_and_the_bots_last_words():
    failed = Verdict(made(fine), Outcome.FAILED, "no", said="\n".join("abcdefg"))
    assert advice(failed) == [
        "why it matters: it matters",
        "what to do: do so",
        "the last that the bot wrote:",
        *("  c", "  d", "  e", "  f", "  g"),
    ]
    assert advice(Verdict(made(fine), Outcome.PASSED)) == []
    assert json.loads(json.dumps(as_json(failed)))["output"] == failed.said
    assert "output" not in as_json(Verdict(made(fine), Outcome.PASSED))


def test_the_summary_counts_and_judges():
    good, bad = Verdict(made(fine), Outcome.PASSED), Verdict(made(fine), Outcome.FAILED)
    skipped = Verdict(made(fine, level=Level.RECOMMENDED), Outcome.SKIPPED)
    assert summary([good, skipped], 1.0) == (
        "1 of 1 required checks passed, 0 of 0 recommended checks passed, 1 says nothing about this bot, in 1 s: "
        "the bot conforms"
    )
    assert summary([good, bad], 1.0).endswith("1 of 2 required checks passed, in 1 s: the bot does not conform")
    assert "kit has a fault" in summary([Verdict(made(fine), Outcome.BROKEN)], 1.0)


async def test_what_is_to_be_mended_first_is_said_once_it_has_failed_too():
    async def comes_back(bench):
        await bench.start()
        bench.arena.opened.append(None)  # the bot has been there before
        await bench.stream("a new stream")

    verdicts = [await run_check(made(comes_back, name), bench()) for name in ("cursors", "resumes", "draining")]
    assert {verdict.hangs_on for verdict in verdicts} == {"resumes"}
    assert first_of_all(verdicts) == ["mend resumes first: for want of it nothing could be seen of cursors, draining"]
    assert first_of_all([verdicts[0], verdicts[2], Verdict(made(fine, "resumes"), Outcome.PASSED)]) == []
    assert first_of_all([verdicts[1]]) == []
