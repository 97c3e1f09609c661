"""Checks of refusals: a refused answer is corrected by another, as long as that can help, and no longer.

Not here: answers that come twice (`repeats`). May import `bench`, `checking`, `forms`, `messages`, `tables`, `talk`,
`lastcard.v1`.
"""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from lastcard.conform import messages
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, check
from lastcard.conform.forms import chosen, said, well_formed
from lastcard.conform.tables import Table
from lastcard.conform.talk import Talk, named
from lastcard.v1.reason_pb2 import Reason
from lastcard.v1.table_pb2 import Act, Decision

if TYPE_CHECKING:
    from lastcard.v1.action_pb2 import Action

UNKNOWN_REASON = 88
FINAL = (
    "STALE_DECISION",
    "TURN_EXPIRED",
    "ROUND_OVER",
    "MATCH_OVER",
    "NOT_YOUR_TURN",
    "FORBIDDEN",
    "UNKNOWN_DECISION",
    "UNKNOWN_TABLE",
)
"""Reasons behind which the decision is closed, whatever is said."""
MOST_HURRIED = 20
"""So often an answer that came too fast may not come within `quiet_s`; who waits 0.2 s says it three times."""


def _many_choices(table_id: str = "refusals") -> Table:
    """A turn with many answers to choose from."""
    return Table(table_id, position={"hands": ["R1 R2 R3 R4 R5 R6 R7 R8 B1 W", "*7"], "discard": "R9"})


class _Refusing:
    """A question, and what the bot has tried at it."""

    def __init__(self, talk: Talk, table: Table) -> None:
        self.talk = talk
        self.decision: Decision = talk.ask(table)
        self.tried: list[Action] = []
        self._table = table

    async def answered(self) -> Act:
        """The next answer, which must be another one than those that were refused."""
        act = await self.talk.answer(self.decision, len(self.tried) + 1)
        well_formed(self.decision, act)
        action = chosen(self.decision, act)
        if action in self.tried:
            raise Failed(
                f"its answer to {named(self.decision)} was refused and it sent the same again, "
                f"{said(self.decision, act)}; {len(self.decision.legal_actions) - 1} others were to be had"
            )
        self.tried.append(action)
        return act

    def refuse(self, reason: str = "CARD_NOT_PLAYABLE", left: int = 2) -> None:
        sentence = "this answer is refused to see what comes next; choose another of legal_actions."
        self.talk.send(messages.refused(self.decision, reason, sentence, left=left))

    def accept(self) -> None:
        self._table.settle(self.decision)
        self.talk.send(messages.accepted(self.decision))


_TIMEOUT = "the clock runs on after a refusal: who says nothing more times out"


@check(
    "refused-once",
    Level.REQUIRED,
    "answers again, with another action, when the game refuses its answer",
    proves=_TIMEOUT,
    advice="on ActResult{accepted: false} with refusals_left above 0 choose another of legal_actions and send it",
)
async def refused_once(bench: Bench) -> None:
    """One refusal by the game."""
    table = _many_choices()
    asked = _Refusing(await bench.connect(table), table)
    await asked.answered()
    asked.refuse()
    await asked.answered()
    asked.accept()


@check(
    "refused-twice",
    Level.REQUIRED,
    "corrects a second refusal, too, with an action that it has not tried yet",
    proves="the third refusal counts as a timeout; trying the first answer again makes sure of it",
    advice="remember for each decision what was refused",
)
async def refused_twice(bench: Bench) -> None:
    """Two refusals by the game."""
    table = _many_choices()
    asked = _Refusing(await bench.connect(table), table)
    for left in (2, 1):
        await asked.answered()
        asked.refuse(left=left)
    await asked.answered()
    asked.accept()


@check(
    "third-refusal",
    Level.REQUIRED,
    "says nothing more at a decision whose third answer was refused, and plays on",
    proves="refusals_left 0 says that the decision is closed; more answers are noise, and a bot that ends is out",
    advice="drop a decision when ActResult has refusals_left 0",
)
async def third_refusal(bench: Bench) -> None:
    """Three refusals, of which the last closes the decision."""
    table = _many_choices()
    talk = await bench.connect(table)
    asked = _Refusing(talk, table)
    for left in (2, 1, 0):
        await asked.answered()
        asked.refuse(left=left)
    table.settle(asked.decision)
    await talk.plays_on(table)
    await talk.quiet()
    answers = talk.answers_to(asked.decision)
    if len(answers) > 3:
        raise Failed(f"it answered {named(asked.decision)} {len(answers)} times; the third refusal had closed it")


@check(
    "refused-without-choice",
    Level.REQUIRED,
    "survives the refusal of the only legal action, and plays on",
    proves="there is nothing else to choose then; a bot that looks for it all the same falls over",
    advice="when all of legal_actions were refused, say the last again or nothing",
)
async def refused_without_choice(bench: Bench) -> None:
    """Nothing but a draw is to be had, and it is refused as often as it is said, until the time is over."""
    table = Table("refusals", position={"hands": ["R1 R2 R3", "*7"], "discard": "G9"})
    talk = await bench.connect(table)
    decision = talk.ask(table)
    await talk.answer(decision)
    for left in (2, 1, 0):
        before = len(talk.answers_to(decision))
        talk.send(messages.refused(decision, "ACTION_NOT_AVAILABLE", "the pile is stuck; choose another.", left=left))
        await talk.quiet()
        if len(talk.answers_to(decision)) == before:
            break
    table.settle(decision)
    talk.send(messages.decision_closed(decision, "TURN_EXPIRED"))
    await talk.plays_on(table)


@check(
    "one-correction",
    Level.RECOMMENDED,
    "corrects a refused answer once, also when it was sent twice and the verdict comes twice",
    proves="a correction for each verdict uses up the refusals that are left, before the first correction is judged",
    advice="count how often the answer was sent, and correct it when the last of its verdicts has come",
)
async def one_correction(bench: Bench) -> None:
    """The decision was put twice, so that the same answer was sent and refused twice."""
    table = _many_choices()
    talk = await bench.connect(table)
    asked = _Refusing(talk, table)
    await asked.answered()
    talk.ask_again(asked.decision)
    await talk.answer(asked.decision, 2)
    sentence = "that card is glued to the table; choose another."
    talk.send(*[messages.refused(asked.decision, "CARD_NOT_PLAYABLE", sentence)] * 2)
    well_formed(asked.decision, await talk.answer(asked.decision, 3))
    await talk.quiet()
    answers = talk.answers_to(asked.decision)[2:]
    if len(answers) > 1:
        texts = ", ".join(said(asked.decision, act) for act in answers)
        raise Failed(f"it corrected its answer to {named(asked.decision)} {len(answers)} times: {texts}")
    asked.accept()
    await talk.plays_on(table)


@check(
    "refused-by-transport",
    Level.REQUIRED,
    "answers again when the transport refuses its answer (CHOICE_OUT_OF_RANGE, INVALID_ARGUMENT)",
    proves=_TIMEOUT,
    advice="read protocol_reason beside reason; of the two only one is set",
)
async def refused_by_transport(bench: Bench) -> None:
    """A refusal with a reason of the transport instead of one of the game."""
    table = _many_choices()
    asked = _Refusing(await bench.connect(table), table)
    for reason, left in (("CHOICE_OUT_OF_RANGE", 2), ("INVALID_ARGUMENT", 1)):
        await asked.answered()
        asked.refuse(reason, left)
    await asked.answered()
    asked.accept()


@check(
    "refused-for-unknown-reason",
    Level.REQUIRED,
    "answers again when it is refused for a reason that it does not know",
    proves="a newer server has more reasons; refusals_left tells what to do",
    advice="treat an unknown reason as a refusal: with refusals_left above 0 choose another legal action",
)
async def refused_for_unknown_reason(bench: Bench) -> None:
    """A reason of a newer server."""
    table = _many_choices()
    talk = await bench.connect(table)
    asked = _Refusing(talk, table)
    await asked.answered()
    verdict = messages.refused(asked.decision, "CARD_NOT_PLAYABLE", "the card is jammed; choose another.")
    verdict.act_result.reason = UNKNOWN_REASON  # type: ignore[assignment] # enums are open: that is what is tried
    talk.send(verdict)
    await asked.answered()
    asked.accept()


@check(
    "final-refusals",
    Level.REQUIRED,
    "drops a decision that is closed (STALE_DECISION, TURN_EXPIRED, ROUND_OVER, …) and does not answer it again",
    proves="nothing can mend such a refusal; a bot that goes on answering is cut for being too fast",
    advice="on these reasons forget the decision and wait for the next",
)
async def final_refusals(bench: Bench) -> None:
    """Each of the reasons, each at a table of its own, which is over then."""
    talk = await bench.connect()
    decisions = []
    for reason in FINAL:
        table = _many_choices(f"refusals-{reason.lower()}")
        talk.send(*table.opening(decisions_only=talk.decisions_only))
        decision = talk.ask(table)
        decisions.append((reason, decision))
        await talk.answer(decision)
        table.settle(decision)
        talk.send(messages.refused(decision, reason, f"{named(decision)} is closed; wait for the next.", left=0))
        await talk.plays_on()
        talk.send(table.closed())
    await talk.quiet()
    for reason, decision in decisions:
        count = len(talk.answers_to(decision))
        if count > 1:
            raise Failed(f"it answered {named(decision)} {count} times, though the first answer was refused {reason}")


@check(
    "too-fast",
    Level.RECOMMENDED,
    "says an answer again that was refused TOO_FAST",
    proves="the decision is still open and its clock runs",
    advice="send the same answer again after a wait of 0.2 s or so",
)
async def too_fast(bench: Bench) -> None:
    """One answer is too fast; the next, whatever it is, is accepted."""
    table = _many_choices()
    talk = await bench.connect(table)
    decision = talk.ask(table)
    await talk.answer(decision)
    talk.send(messages.refused(decision, "TOO_FAST", "too many messages; wait a little.", left=2))
    well_formed(decision, await talk.answer(decision, 2))
    table.settle(decision)
    talk.send(messages.accepted(decision))


@check(
    "too-fast-waits",
    Level.RECOMMENDED,
    "waits before it says again what was refused TOO_FAST",
    proves="a bot that says it again at once only makes it worse, and in the end its stream is cut",
    advice="wait 0.2 s or so before each repetition",
)
async def too_fast_waits(bench: Bench) -> None:
    """Every answer within a while is too fast."""
    table = _many_choices()
    talk = await bench.connect(table)
    decision = talk.ask(table)
    loop = asyncio.get_running_loop()
    until, count = loop.time() + bench.quiet_s, 0
    with suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            while count < MOST_HURRIED:
                await talk.answer(decision, count + 1)
                count += 1
                talk.send(messages.refused(decision, "TOO_FAST", "too many messages; wait a little.", left=2))
    if count >= MOST_HURRIED:
        raise Failed(f"it sent an answer that was refused TOO_FAST {count} times within {bench.quiet_s:g} s")


@check(
    "refused-catch",
    Level.REQUIRED,
    "takes an answer that was accepted as accepted, also when a catch in it was refused (refused_catches)",
    proves="a catch that comes too late never counts against the answer, which has closed the decision",
    advice="look at accepted; refused_catches are for the log",
)
async def refused_catch(bench: Bench) -> None:
    """Accepted, with a catch that came too late."""
    table = _many_choices()
    talk = await bench.connect(table)
    decision = talk.ask(table)
    await talk.answer(decision)
    table.settle(decision)
    verdict = messages.accepted(decision)
    sentence = "seat 1 cannot be caught now; nobody can."
    verdict.act_result.refused_catches.add(seat=1, reason=Reason.REASON_NOT_LIABLE, message=sentence)
    talk.send(verdict)
    await talk.plays_on(table)
    await talk.quiet()
    if len(talk.answers_to(decision)) > 1:
        raise Failed(f"it answered {named(decision)} again, which was accepted; only a catch in it was refused")


CHECKS: tuple[Check, ...] = (
    refused_once,
    refused_twice,
    third_refusal,
    refused_without_choice,
    one_correction,
    refused_by_transport,
    refused_for_unknown_reason,
    final_refusals,
    too_fast,
    too_fast_waits,
    refused_catch,
)
