"""Bots made to think: in a thread, inline, as tasks; whatever happens becomes an answer."""

import asyncio
import functools
import threading

import pytest

from bot_messages import decision, events
from lastcard.v1.reason_pb2 import Reason
from lastcard_bot import AsyncBot, Bot, BotError, Refusal, minds
from lastcard_bot.minds import check_methods, finish, mind_for
from lastcard_bot.outputs import Ask, Tell
from waiting import until

BOUND_S = 60.0
KINDS = ("thread", "inline", "tasks")


def made(kind: str, **methods) -> Bot | AsyncBot:
    """A bot of a kind with plain functions as its methods; it chooses 0 unless told otherwise."""
    methods.setdefault("choose", lambda *_: 0)
    if kind == "tasks":
        return type("Scripted", (AsyncBot,), {name: _awaitable(method) for name, method in methods.items()})()
    functions = {name: _method(method) for name, method in methods.items()}
    return type("Scripted", (Bot,), {"threaded": kind == "thread", **functions})()


def _method(function):
    return lambda _self, *arguments: function(*arguments)


def _awaitable(function):
    async def method(_self, *arguments):
        return function(*arguments)

    return method


class Desk:
    """Where a mind brings its answers."""

    def __init__(self, bot) -> None:
        self.acts: asyncio.Queue = asyncio.Queue()
        self.failures: asyncio.Queue = asyncio.Queue()
        self.mind = mind_for(bot, lambda key, act: self.acts.put_nowait((key, act)), self.failures.put_nowait)

    def ask(self, number: int = 1, refusal: Refusal | None = None, refused: tuple[int, ...] = ()) -> None:
        self.mind.ask(Ask(("t", number), decision(number), refusal, refused))

    async def choice(self) -> int:
        return (await self.next())[1].choice

    async def next(self):
        return await asyncio.wait_for(self.acts.get(), BOUND_S)


@pytest.fixture
async def sit():
    """Desks for bots; all minds are closed at the end."""
    desks = []

    def sit(bot) -> Desk:
        desks.append(Desk(bot))
        return desks[-1]

    yield sit
    for desk in desks:
        await desk.mind.close()


# ------------------------------------------------------------------ what is the same for all


@pytest.mark.parametrize("kind", KINDS)
async def test_an_answer_names_its_decision(sit, kind):
    desk = sit(made(kind, choose=lambda _, legal_actions: len(legal_actions) - 1))
    desk.ask(7)
    key, act = await desk.next()
    assert key == ("t", 7)
    assert (act.table_id, act.decision_id, act.choice) == ("t", 7, 2)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_bot_that_raises_answers_all_the_same_and_it_is_logged(sit, kind, caplog):
    def choose(*_):
        raise LookupError("lost my notes")

    desk = sit(made(kind, choose=choose))
    for number in (1, 2):
        desk.ask(number)
        assert await desk.choice() == 0
    assert "Scripted raised at ('t', 1); another legal action is taken" in caplog.text
    assert "lost my notes" in caplog.text


@pytest.mark.parametrize("kind", KINDS)
async def test_nonsense_is_put_to_the_bot_once_for_correction(sit, kind):
    heard = []

    def corrected(asked, refusal):
        heard.append((asked.decision_id, refusal.reason, refusal.protocol_reason, refusal.message))
        return 1

    desk = sit(made(kind, choose=lambda *_: 99, on_refused=corrected))
    desk.ask()
    assert await desk.choice() == 1
    assert heard == [(1, 0, 0, "choice 99 is no index into legal_actions; valid are 0 to 2")]


@pytest.mark.parametrize("correction", [None, 77, LookupError("lost")], ids=["none", "nonsense", "raises"])
@pytest.mark.parametrize("kind", KINDS)
async def test_nonsense_that_is_not_corrected_is_replaced(sit, kind, correction, caplog):
    def corrected(*_):
        if isinstance(correction, Exception):
            raise correction
        return correction

    desk = sit(made(kind, choose=lambda *_: "draw", on_refused=corrected))
    desk.ask()
    assert await desk.choice() == 0
    assert "not str 'draw'" in caplog.text
    assert ("could not correct its answer" in caplog.text) == (correction is not None)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_refused_answer_is_corrected_by_the_bot(sit, kind):
    heard = []

    def corrected(asked, refusal):
        heard.append((asked, refusal))
        return 2

    desk = sit(made(kind, on_refused=corrected))
    refusal = Refusal("no, because", Reason.REASON_CARD_NOT_PLAYABLE)
    desk.ask(1, refusal, (0,))
    assert await desk.choice() == 2
    assert heard == [(decision(), refusal)]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_refused_answer_that_the_bot_does_not_correct_is_replaced_by_another(sit, kind):
    desk = sit(made(kind, choose=lambda *_: pytest.fail("asked again")))
    desk.ask(1, Refusal("no, because"), (0, 1))
    assert await desk.choice() == 2


@pytest.mark.parametrize("kind", KINDS)
async def test_automatic_calls_are_the_bot_s_to_switch_off(sit, kind):
    for auto in (True, False):
        bot = made(kind)
        bot.auto_uno = auto
        desk = sit(bot)
        asked = decision()
        del asked.view.hand[2:]
        desk.mind.ask(Ask(("t", 1), asked))
        assert (await desk.next())[1].call_uno == auto


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_told_and_asked_comes_in_order(sit, kind):
    heard = []
    desk = sit(
        made(
            kind,
            choose=lambda *_: heard.append("asked") or 0,
            on_event=lambda _, event: heard.append(event.sequence),
        )
    )
    for event in events(1, 2).table_events.events:
        desk.mind.tell(Tell("on_event", ("t", event)))
    desk.ask()
    await desk.next()
    desk.mind.tell(Tell("on_event", ("t", events(3).table_events.events[0])))
    await desk.mind.close()
    assert heard == [1, 2, "asked", 3]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_hook_that_raises_is_logged_and_the_bot_plays_on(sit, kind, caplog):
    def on_event(*_):
        raise LookupError("lost my notes")

    desk = sit(made(kind, on_event=on_event))
    desk.mind.tell(Tell("on_event", ("t", events(1).table_events.events[0])))
    desk.ask()
    assert await desk.choice() == 0
    assert "Scripted raised in on_event" in caplog.text


@pytest.mark.parametrize("kind", KINDS)
async def test_what_was_told_before_the_end_is_heard(kind):
    heard = []
    desk = Desk(made(kind, on_table_closed=heard.append))
    for number in range(50):
        desk.mind.tell(Tell("on_table_closed", (number,)))
    await desk.mind.close()
    assert heard == list(range(50))


# ------------------------------------------------------------------ a thread


class Slow(Bot):
    """Thinks until it is let go."""

    def __init__(self) -> None:
        self.began: list[int] = []
        self.threads: set[str] = set()
        self.go = threading.Event()

    def choose(self, view, legal_actions):
        raise AssertionError("decide is overridden")

    def decide(self, decision):
        self.threads.add(threading.current_thread().name)
        self.began.append(decision.decision_id)
        assert self.go.wait(BOUND_S)
        return 0


@pytest.fixture
def slow():
    bot = Slow()
    yield bot
    bot.go.set()


async def test_a_blocking_bot_thinks_about_one_thing_at_a_time_in_its_own_thread(sit, slow):
    desk = sit(slow)
    for number in (1, 2, 3):
        desk.ask(number)
    await until(lambda: slow.began == [1])
    assert desk.acts.empty()
    slow.go.set()
    assert [(await desk.next())[0][1] for _ in range(3)] == [1, 2, 3]
    assert slow.threads == {"Slow thinks"}


async def test_what_was_withdrawn_is_neither_thought_about_nor_answered(sit, slow):
    desk = sit(slow)
    for number in (1, 2, 3):
        desk.ask(number)
    await until(lambda: slow.began == [1])
    desk.mind.withdraw(("t", 1))
    desk.mind.withdraw(("t", 2))
    desk.mind.withdraw(("t", 99))
    slow.go.set()
    assert (await desk.next())[0] == ("t", 3)
    assert slow.began == [1, 3]
    assert desk.acts.empty()


async def test_a_bot_that_never_returns_holds_nobody_up(monkeypatch, slow):
    monkeypatch.setattr(minds, "CLOSE_S", 0.01)
    desk = Desk(slow)
    desk.ask(1)
    desk.ask(2)
    await until(lambda: slow.began == [1])
    await asyncio.wait_for(desk.mind.close(), BOUND_S)
    slow.go.set()
    await until(lambda: not any(thread.name == "Slow thinks" for thread in threading.enumerate()))
    assert slow.began == [1]


def test_a_thread_that_outlives_its_event_loop_ends_in_silence(monkeypatch, slow):
    monkeypatch.setattr(minds, "CLOSE_S", 0.01)

    async def leave_behind():
        desk = Desk(slow)
        desk.ask(1)
        await until(lambda: slow.began == [1])
        await desk.mind.close()

    asyncio.run(leave_behind())
    [thread] = [thread for thread in threading.enumerate() if thread.name == "Slow thinks"]
    slow.go.set()
    thread.join(BOUND_S)
    assert not thread.is_alive()


async def test_a_bot_that_ends_itself_ends_its_connection(sit):
    def choose(*_):
        raise SystemExit(3)

    desk = sit(made("thread", choose=choose))
    desk.ask()
    error = await asyncio.wait_for(desk.failures.get(), BOUND_S)
    assert isinstance(error, SystemExit)
    assert error.code == 3


# ------------------------------------------------------------------ coroutines


class Waits(Bot):
    """A coroutine handed on by a blocking method."""

    def choose(self, view, legal_actions):
        return asyncio.sleep(0)


async def test_a_coroutine_in_a_blocking_bot_is_called_by_its_name(sit):
    desk = sit(Waits())
    desk.ask()
    error = await asyncio.wait_for(desk.failures.get(), BOUND_S)
    assert isinstance(error, BotError)
    assert "derive from AsyncBot" in str(error)


async def _coroutine(*_):
    return 0


@pytest.mark.parametrize("method", ["choose", "react", "decide", "on_refused", "on_seated", "on_event", "on_receipt"])
def test_methods_of_the_wrong_kind_are_named(method):
    plain = made("tasks")
    setattr(type(plain), method, lambda *_: 0)
    with pytest.raises(BotError, match=f"Scripted.{method} is no coroutine; write `async def {method}`, or derive fr"):
        check_methods(plain)
    with pytest.raises(BotError, match=f"Scripted.{method} is a coroutine; write `def {method}`, or derive from Async"):
        check_methods(type("Scripted", (Bot,), {"choose": lambda *_: 0, method: _coroutine})())


@pytest.mark.parametrize("kind", KINDS)
def test_methods_of_the_right_kind_may_be_decorated(kind):
    bot = made(kind)

    @functools.wraps(type(bot).choose)
    def logged(*arguments):
        return type(bot).choose(*arguments)

    check_methods(type("Logged", (type(bot),), {"choose": logged})())


async def test_a_coroutine_that_never_waits_is_run_where_it_is():
    async def quick():
        return 5

    assert finish(quick()) == 5


class Waiting(AsyncBot):
    """Thinks about each decision until the test says which answer comes."""

    def __init__(self) -> None:
        self.open: dict[int, asyncio.Future[int]] = {}
        self.cancelled: list[int] = []
        self.heard: list[object] = []
        self.go = asyncio.Event()

    async def choose(self, view, legal_actions):
        raise AssertionError("decide is overridden")

    async def decide(self, decision):
        self.open[decision.decision_id] = asyncio.get_running_loop().create_future()
        try:
            return await self.open[decision.decision_id]
        except asyncio.CancelledError:
            self.cancelled.append(decision.decision_id)
            raise

    async def on_table_closed(self, closed):
        await self.go.wait()
        self.heard.append(closed)


async def test_an_asynchronous_bot_thinks_about_many_decisions_at_once(sit):
    bot = Waiting()
    desk = sit(bot)
    for number in range(1, 101):
        desk.ask(number)
    await until(lambda: len(bot.open) == 100)
    for number in (50, 1, 100):
        bot.open[number].set_result(1)
        assert (await desk.next())[0] == ("t", number)


async def test_a_decision_that_closes_cancels_its_thought_and_no_other(sit):
    bot = Waiting()
    desk = sit(bot)
    for number in (1, 2):
        desk.ask(number)
    await until(lambda: len(bot.open) == 2)
    desk.mind.withdraw(("t", 1))
    await until(lambda: bot.cancelled == [1])
    bot.open[2].set_result(0)
    assert (await desk.next())[0] == ("t", 2)
    assert desk.acts.empty()


async def test_a_decision_withdrawn_before_its_turn_is_not_thought_about(sit):
    bot = Waiting()
    desk = sit(bot)
    desk.ask(1)
    desk.mind.withdraw(("t", 1))
    desk.ask(2)
    await until(lambda: 2 in bot.open)
    assert 1 not in bot.open


async def test_hooks_are_awaited_one_after_the_other_and_before_what_is_asked_then(sit):
    bot = Waiting()
    desk = sit(bot)
    for word in ("a", "b"):
        desk.mind.tell(Tell("on_table_closed", (word,)))
    desk.ask(1)
    assert (bot.heard, bot.open) == ([], {})
    bot.go.set()
    await until(lambda: 1 in bot.open)
    assert bot.heard == ["a", "b"]


async def test_closing_cancels_every_thought_and_hears_the_hooks_out():
    bot = Waiting()
    desk = Desk(bot)
    for number in (1, 2):
        desk.ask(number)
    await until(lambda: len(bot.open) == 2)
    desk.mind.tell(Tell("on_table_closed", ("a",)))
    bot.go.set()
    await desk.mind.close()
    assert (bot.heard, bot.cancelled) == (["a"], [1, 2])


async def test_a_hook_that_never_returns_is_cancelled(monkeypatch):
    monkeypatch.setattr(minds, "CLOSE_S", 0.01)
    bot = Waiting()
    desk = Desk(bot)
    desk.mind.tell(Tell("on_table_closed", ("a",)))
    await asyncio.wait_for(desk.mind.close(), BOUND_S)
    assert bot.heard == []
