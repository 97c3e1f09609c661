"""Checks of answers over the life of a decision: the same each time it is put, and none once it is closed.

Not here: refusals (`refusals`), cursors and secrets of a resumed session (`resuming`). May import `bench`, `checking`,
`forms`, `messages`, `tables`, `talk`, `lastcard.v1`.
"""

import asyncio

from lastcard.conform import messages
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, Skipped, check
from lastcard.conform.forms import said, well_formed
from lastcard.conform.tables import Table
from lastcard.conform.talk import Talk, named
from lastcard.v1.play_service_pb2 import ServerMessage
from lastcard.v1.table_pb2 import Act, Decision

TIMES = 4
"""So often is a decision put: a bot that decides anew is caught by chance three times out of four, and more."""
QUICK = 0.1
"""A bot that answers within this part of `quiet_s` cannot be interrupted while it thinks."""
SAMPLES = 5
"""So many answers are timed for that; the quickest counts, since a busy machine makes any bot look slow."""
SURE = 2
"""So often a bot must have gone on thinking; once it may have been about to write its answer."""

_SAME = "keep the answer to each decision and send it again whenever the decision is put again"


def _table(table_id: str = "repeats") -> Table:
    """A turn with many answers to choose from."""
    return Table(table_id, position={"hands": ["R1 R2 R3 R4 R5 R6 R7 R8 B1 W", "*7"], "discard": "R9"})


def _asked_again(decision: Decision) -> ServerMessage:
    return ServerMessage(decision=decision)


def _all_the_same(decision: Decision, acts: list[Act]) -> None:
    """Raises `Failed` when answers to one decision differ."""
    for act in acts:
        well_formed(decision, act)
    other = next((act for act in acts if act != acts[0]), None)
    if other is not None:
        first, second = said(decision, acts[0]), said(decision, other)
        if first == second:
            first += f", call_uno {acts[0].call_uno}, catch_seats {list(acts[0].catch_seats)}"
            second += f", call_uno {other.call_uno}, catch_seats {list(other.catch_seats)}"
        raise Failed(f"it answered {named(decision)}, which was put more than once, by {first} and then by {second}")


@check(
    "repeated-decision",
    Level.REQUIRED,
    "gives a decision that is put again the same answer again",
    proves="the first answer counts, so that another one is refused; none at all looks like a lost one",
    advice=_SAME,
)
async def repeated_decision(bench: Bench) -> None:
    """The decision is put again before its verdict."""
    table = _table()
    talk = await bench.connect(table)
    decision = talk.ask(table)
    for nth in range(1, TIMES):
        await talk.answer(decision, nth)
        talk.send(_asked_again(decision))
    await talk.answer(decision, TIMES)
    _all_the_same(decision, talk.answers_to(decision))
    table.settle(decision)
    talk.send(*[messages.accepted(decision)] * TIMES)
    await talk.plays_on(table)


@check(
    "repeated-in-one-frame",
    Level.REQUIRED,
    "thinks once about a decision that comes twice in one frame",
    proves="repetitions must not make a bot think, and count, twice",
    advice=_SAME,
)
async def repeated_in_one_frame(bench: Bench) -> None:
    """Several times at once; as few answers as one are enough, as long as all are the same."""
    table = _table()
    talk = await bench.connect(table)
    decision = table.ask()
    talk.send(*[_asked_again(decision)] * TIMES)
    await talk.answer(decision)
    await talk.quiet()
    answers = talk.answers_to(decision)
    _all_the_same(decision, answers)
    table.settle(decision)
    talk.send(*[messages.accepted(decision)] * len(answers))
    await talk.plays_on(table)


@check(
    "repeated-after-drop",
    Level.REQUIRED,
    "gives the same answer to a decision that is put again after the connection was lost",
    proves="the first answer may have arrived; a second, different one would be refused",
    advice=_SAME + ", also on a new stream",
)
async def repeated_after_drop(bench: Bench) -> None:
    """The connection is lost before the verdict."""
    table = _table()
    talk = await bench.connect(table)
    decision = talk.ask(table)
    answers = [await talk.answer(decision)]
    for _ in range(2):
        bench.arena.cut()
        talk = await bench.talk(table, what="a stream after its connection was lost", resumed=True)
        talk.send(_asked_again(decision))
        answers.append(await talk.answer(decision))
    _all_the_same(decision, answers)
    table.settle(decision)
    talk.send(messages.accepted(decision))
    await talk.plays_on(table)


@check(
    "not-sent-again",
    Level.REQUIRED,
    "does not send an answer again on a new stream unless its decision is put again there",
    proves="the decision may be closed; the server puts those again that are not",
    advice="after a reconnect send nothing but Hello by yourself; wait for decisions",
)
async def not_sent_again(bench: Bench) -> None:
    """The answer arrived and its verdict was lost; on the new stream another decision is put."""
    table = _table()
    talk = await bench.connect(table)
    decision = talk.ask(table)
    await talk.answer(decision)
    bench.arena.cut()
    table.settle(decision)
    talk = await bench.talk(table, what="a stream after its connection was lost", resumed=True)
    await talk.plays_on(table)
    await talk.quiet()
    if talk.answers_to(decision):
        raise Failed(f"it sent its answer to {named(decision)} on the new stream, where that was not put again")


@check(
    "moved-on",
    Level.REQUIRED,
    "drops a decision that was open when the connection was lost, once another is put in its place",
    proves="the old one has timed out meanwhile; a thought about it keeps the bot from the new one",
    advice="a decision that is not put again on the new stream is closed",
)
async def moved_on(bench: Bench) -> None:
    """The connection is lost just when a decision is put, which has timed out when the bot is back."""
    table = _table()
    talk = await bench.connect(table)
    old = talk.ask(table)
    await asyncio.sleep(bench.quiet_s * QUICK / 4)  # it has arrived; a bot that thinks does so now
    bench.arena.cut()
    table.settle(old)
    talk = await bench.talk(table, what="a stream after its connection was lost", resumed=True)
    await talk.settle(table, talk.ask(table))
    await talk.quiet()
    if talk.answers_to(old):
        raise Failed(f"it answered {named(old)} on the new stream, where another decision was put in its place")


@check(
    "decision-closed",
    Level.REQUIRED,
    "answers a decision no more when DecisionClosed has come for it",
    proves="an answer to a closed decision is refused; a bot that corrects it goes on for ever",
    advice="drop the decision on DecisionClosed, whatever the reason; it is no refusal",
)
async def decision_closed(bench: Bench) -> None:
    """Closed by its deadline and by something else, behind the answer and in the same frame as the question."""
    table = _table()
    talk = await bench.connect(table)
    closed: list[Decision] = []
    for reason in ("TURN_EXPIRED", "STALE_DECISION"):
        decision = talk.ask(table)
        await talk.answer(decision)
        table.settle(decision)
        talk.send(messages.decision_closed(decision, reason))
        closed.append(decision)
    together = table.ask()
    table.settle(together)
    talk.send(_asked_again(together), messages.decision_closed(together))
    closed.append(together)
    await talk.plays_on(table)
    await _answered_once_at_most(talk, closed)


async def _answered_once_at_most(talk: Talk, closed: list[Decision]) -> None:
    """An answer may have crossed the message that its decision is closed; a second one cannot."""
    await talk.quiet()
    for decision in closed:
        count = len(talk.answers_to(decision))
        if count > 1:
            raise Failed(f"it answered {named(decision)} {count} times, and it was closed after the first")


@check(
    "closed-while-thinking",
    Level.RECOMMENDED,
    "stops thinking about a decision that is closed meanwhile, and answers it no more",
    proves="a bot that thinks on loses that time for the next decision",
    advice="cancel the thought on DecisionClosed, or throw its result away",
    alone=True,
)
async def closed_while_thinking(bench: Bench) -> None:
    """A decision is closed directly after it was put, to a bot that takes its time.

    Behind that, in the same frame, a table ends, once more: who answers after having acknowledged this knew that the
    decision was closed. So no time decides it, which a busy machine would stretch.
    """
    over, table = _table("over"), _table()
    talk = await bench.connect(over)
    longest = await _thinking_time(bench, talk, over)
    talk.send(over.closed())
    await talk.acknowledged(over)
    talk.send(*table.opening(decisions_only=talk.decisions_only))
    answered: list[str] = []
    while len(answered) < SURE:
        decision = table.ask()
        table.settle(decision)
        before = len(talk.said)
        talk.send(_asked_again(decision), messages.decision_closed(decision), over.closed())
        await talk.acknowledged(over, since=before)
        if talk.answers_to(decision):
            raise Skipped("it reads on only when it has answered, so that nothing can be closed while it thinks")
        await asyncio.sleep(2 * longest)
        await talk.quiet()
        if not talk.answers_to(decision):
            await talk.plays_on(table)
            return
        answered.append(named(decision))
    which = " and ".join(answered)
    raise Failed(f"it thought on and answered {which}, which had been closed directly after they were put")


async def _thinking_time(bench: Bench, talk: Talk, table: Table) -> float:
    """The longest that the bot takes for one of some answers; raises `Skipped` when it takes no time at all."""
    loop = asyncio.get_running_loop()
    times = []
    for _ in range(SAMPLES):
        decision, begun = talk.ask(table), loop.time()
        await talk.answer(decision)
        times.append(loop.time() - begun)
        table.settle(decision)
        talk.send(messages.accepted(decision))
        if times[-1] < QUICK * bench.quiet_s:
            milliseconds = times[-1] * 1000
            raise Skipped(f"it answers within {milliseconds:.0f} ms, so that nothing can be closed while it thinks")
    return max(times)


CHECKS: tuple[Check, ...] = (
    repeated_decision,
    repeated_in_one_frame,
    repeated_after_drop,
    not_sent_again,
    moved_on,
    decision_closed,
    closed_while_thinking,
)
