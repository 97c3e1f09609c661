"""The kit accuses the guilty and no one else: every check against every saboteur and every right bot."""

import random

import pytest

import conform.saboteurs_of_answers
import conform.saboteurs_of_questions
import conform.saboteurs_of_sessions  # noqa: F401 - they note themselves down
from conform.innocents import INNOCENT
from conform.matrix import in_memory, over_grpc, raw_over_grpc
from conform.raw_bot import RightBot
from conform.saboteur import SABOTEURS
from conform.sdk_bots import Coroutines, Inline, Listening, SdkLaunch, Threaded
from lastcard.conform.checking import Level
from lastcard.conform.checks import CHECKS
from lastcard.conform.running import Outcome

NAMES = {check.name for check in CHECKS}
FINE = (Outcome.PASSED, Outcome.SKIPPED)


def accused(verdicts):
    """The checks that a bot did not pass, each with what it is told."""
    return {verdict.check.name: verdict.text for verdict in verdicts if verdict.outcome not in FINE}


def test_every_check_that_a_bot_can_fail_has_a_saboteur():
    broken = {saboteur.breaks for saboteur in SABOTEURS}
    assert {check.name for check in CHECKS if check.level is not Level.INFORMATIVE} == broken


def test_names_of_checks_occur_once_and_saboteurs_name_checks_that_there_are():
    assert len(NAMES) == len(CHECKS)
    assert {name for saboteur in SABOTEURS for name in saboteur.also} <= NAMES


@pytest.mark.parametrize("saboteur", SABOTEURS, ids=lambda saboteur: saboteur.bot.__name__)
def test_a_saboteur_fails_the_check_that_it_breaks(saboteur):
    verdicts = [in_memory(saboteur.bot, check) for check in CHECKS]

    faults = accused(verdicts)
    assert saboteur.breaks in faults
    assert faults.keys() - saboteur.also == {saboteur.breaks}
    assert Outcome.BROKEN not in {verdict.outcome for verdict in verdicts}
    assert all(text.startswith("it") for text in faults.values())


@pytest.mark.parametrize("bot", INNOCENT, ids=lambda bot: bot.__name__)
def test_a_right_bot_fails_nothing(bot):
    assert accused([in_memory(bot, check) for check in CHECKS]) == {}


def test_every_check_is_passed_by_some_right_bot():
    passed = {check.name for bot in INNOCENT for check in CHECKS if in_memory(bot, check).outcome is Outcome.PASSED}
    assert passed == NAMES


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_right_bots_fail_nothing_on_real_ports():
    launchers = {kind.__name__: SdkLaunch(kind) for kind in (Threaded, Inline, Coroutines, Listening)}
    launchers["RightBot"] = raw_over_grpc(RightBot)

    verdicts = await over_grpc(launchers, CHECKS)

    assert [(name, verdict) for name, verdict in verdicts if verdict.outcome not in FINE] == []


class SaysNothing(RightBot):
    """Writes neither choice nor action, and takes a refusal for an end."""

    def put(self, act, action, choice):
        pass

    async def on_refused(self, table, asked, result):
        pass


def test_a_bot_that_falls_silent_after_a_refusal_is_told_what_was_refused_and_what_to_mend_first():
    checks = {check.name: check for check in CHECKS}
    verdict = in_memory(SaysNothing, checks["heartbeat"])
    assert verdict.text == (
        "it did not answer decision 1 of table conform-1 a second time after a refusal "
        "(the act says neither choice nor action; set one) within 20 s"
    )
    assert verdict.hangs_on == "answer-form"
    assert in_memory(SaysNothing, checks["answer-form"]).outcome is Outcome.FAILED


class TakesChances(RightBot):
    def choose(self, decision, refused):
        return random.choice([index for index in range(len(decision.legal_actions)) if index not in refused])


def test_the_check_of_determinism_tells_deterministic_bots_from_others():
    check = next(check for check in CHECKS if check.name == "determinism")

    assert "always choice 0" in in_memory(RightBot, check).text
    random.seed(1)
    assert "different answers" in in_memory(TakesChances, check).text
