"""The two base classes: what has a default, and what a running bot may ask."""

import asyncio
import inspect

import pytest

from bot_messages import REACTION, action, decision, view
from lastcard_bot import AsyncBot, Bot
from lastcard_bot.bot import default_reaction
from lastcard_bot.version import client_version


class Plain(Bot):
    def choose(self, view, legal_actions):
        return 0


class Eager(AsyncBot):
    async def choose(self, view, legal_actions):
        return 0


def test_there_is_one_method_to_write():
    assert Bot.__abstractmethods__ == AsyncBot.__abstractmethods__ == {"choose"}


def test_both_kinds_have_the_same_methods_and_hooks():
    def shape(kind):
        return {
            name: list(inspect.signature(member).parameters)
            for name, member in vars(kind).items()
            if callable(member) and not name.startswith("_")
        }

    assert shape(Bot) == shape(AsyncBot)


def test_a_blocking_bot_is_asked_one_thing_at_a_time_and_an_asynchronous_one_all_at_once():
    assert Plain().max_open_decisions == 1
    assert Eager().max_open_decisions == 0


@pytest.mark.parametrize("kind", [Plain, Eager])
@pytest.mark.parametrize(
    ("hook", "wanted"),
    [("on_event", True), ("on_snapshot", True), ("on_notice", True), ("on_table_closed", False), ("on_receipt", False)],
)
def test_events_are_asked_for_when_somebody_listens(kind, hook, wanted):
    bot = type("Listens", (kind,), {hook: lambda *_: None})()
    assert bot.wants_events() == wanted
    assert not kind().wants_events()


@pytest.mark.parametrize(
    ("legal", "catch", "options", "chosen"),
    [
        (["jump R6", "uno", "catch 1", "pass"], True, {}, "uno"),
        (["jump R6", "catch 1", "catch 2", "pass"], True, {}, "catch 1"),
        (["jump R6", "catch 1", "pass"], False, {}, "pass"),
        (["jump R6", "catch 1", "pass"], True, {"false_catch_penalty": "2"}, "pass"),
        (["jump R6", "pass"], True, {}, "pass"),
        (["jump R6"], True, {}, "jump R6"),
    ],
)
def test_out_of_turn_it_calls_catches_where_that_is_free_and_never_jumps_in(legal, catch, options, chosen):
    legal_actions = [action(text) for text in legal]
    index = default_reaction(view(options=options), legal_actions, catch=catch)
    assert legal_actions[index] == action(chosen)


def test_reactions_have_a_method_of_their_own():
    class Parted(Plain):
        def react(self, view, legal_actions):
            return 1

    assert Parted().decide(decision()) == 0
    assert Parted().decide(decision(kind=REACTION)) == 1


async def test_reactions_have_a_coroutine_of_their_own():
    reaction = decision(1, "jump R6", "catch 1", "pass", kind=REACTION)
    assert await Eager().decide(decision()) == 0
    assert await Eager().decide(reaction) == 1
    careful = Eager()
    careful.auto_catch = False
    assert await careful.decide(reaction) == 2


@pytest.mark.parametrize("bot", [Plain(), Eager()], ids=["blocking", "async"])
@pytest.mark.parametrize(("method", "arguments"), [("leave", ("t",)), ("stop", ())])
def test_only_a_running_bot_can_leave_and_stop(bot, method, arguments):
    with pytest.raises(RuntimeError, match=rf"the bot is not running; {method}\(\)"):
        getattr(bot, method)(*arguments)


def test_a_running_bot_passes_its_wishes_on():
    wishes = []
    bot = Plain()
    bot.attach(wishes.append, lambda: wishes.append("stop"))
    bot.leave("t")
    bot.stop()
    assert wishes == ["t", "stop"]


def test_all_hooks_may_be_left_as_they_are():
    hooks = [name for name in vars(Bot) if name.startswith("on_")]
    assert len(hooks) == 7
    for name in hooks:
        arguments = [None] * (len(inspect.signature(getattr(Bot, name)).parameters) - 1)
        assert getattr(Plain(), name)(*arguments) is None
        assert asyncio.run(getattr(Eager(), name)(*arguments)) is None


def test_the_client_s_version_is_that_of_the_installed_package():
    assert client_version()[0].isdigit()
