"""Checks of games: answers in time, whole rounds, accounts of decisions that are not known, and what kind of bot it is.

Not here: single questions (`questions`). May import `bench`, `checking`, `forms`, `messages`, `tables`, `talk`,
`lastcard.v1`.
"""

import asyncio
from random import Random

from lastcard.conform import messages
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, check
from lastcard.conform.forms import judged, said, visits, well_formed
from lastcard.conform.tables import Table
from lastcard.conform.talk import named
from lastcard.v1.play_service_pb2 import NoticeKind, ServerMessage
from lastcard.v1.table_pb2 import Decision

QUESTIONS = 24
WARMING_UP = 3
"""Questions before those whose time counts."""
BANK_S = 10.0
"""Bank of the table at which time counts: enough for a machine that is busy, and not for a bot that is always late."""
PAUSE = 0.04
"""The longest pause between frames, as a part of `quiet_s`."""
PATIENCE = 3
"""So many times `answer_s` whole rounds may take before the rest of them is left out."""
MOST_DECISIONS = 150
"""A round in which the bot had so many is left: it draws by chance, and goes on for ever."""


@check(
    "in-time",
    Level.REQUIRED,
    "answers each decision within its time, however frames are split, merged and delayed",
    proves="what time_left does not cover costs the bank, and when that is spent the server makes the moves",
    advice="think no longer than Decision.time_left, or bank_left besides; send an answer as soon as it is there",
    alone=True,
)
async def in_time(bench: Bench) -> str:
    """Two dozen questions with pauses between frames; a note says how long the slowest answer took."""
    chance = Random("in-time")
    loop = asyncio.get_running_loop()
    table = Table("timing")
    talk = await bench.connect(table)
    await talk.play(table, WARMING_UP)
    slowest, bank, count = 0.0, BANK_S, 0
    while count < QUESTIONS and table.play_on():
        decision = table.ask()
        decision.bank_left.FromMilliseconds(round(bank * 1000))
        news = table.news(decisions_only=talk.decisions_only)
        if count % 2:
            talk.send(*news)
            await asyncio.sleep(chance.random() * PAUSE * bench.quiet_s)
            talk.send(ServerMessage(decision=decision))
        else:
            notice = messages.notice(table.table_id, NoticeKind.NOTICE_KIND_SEAT_BACK, 1)
            talk.send(notice, *news, ServerMessage(decision=decision), notice)
        begun = loop.time()
        act = await talk.answer(decision)
        seconds = loop.time() - begun
        bank = _bank_left(decision, seconds, bank, count)
        slowest = max(slowest, seconds)
        count += 1
        await asyncio.sleep(chance.random() * PAUSE * bench.quiet_s)
        well_formed(decision, act)
        await talk.settle(table, decision)
    return f"the slowest of {count} answers took {slowest * 1000:.0f} ms"


def _bank_left(decision: Decision, seconds: float, bank: float, before: int) -> float:
    """What an answer leaves of the bank, as a server charges it; raises `Failed` when that does not suffice."""
    limit = decision.time_left.ToMilliseconds() / 1000
    left = bank - max(0.0, seconds - limit)
    if left < 0:
        raise Failed(
            f"it answered {named(decision)} after {seconds:.2f} s, with {limit:g} s for it and {bank:.1f} s of bank; "
            f"the {before} decisions before had used {BANK_S - bank:.1f} s of that"
        )
    return left


@check(
    "receipts",
    Level.REQUIRED,
    "bears receipts, verdicts and closings of decisions that it does not know",
    proves="after a lost connection or a restart it hears of decisions that it never saw",
    advice="look tables and decisions up and do nothing when they are not there",
)
async def receipts(bench: Bench) -> None:
    """Receipts of other decisions, repeated ones, ones of a timeout; verdicts and closings out of the blue."""
    table = Table("receipts")
    talk = await bench.connect(table)
    table.play_on()
    for unknown in (Decision(table_id="receipts", decision_id=9_999), Decision(table_id="nowhere", decision_id=1)):
        talk.send(
            messages.accepted(unknown),
            messages.refused(unknown, "CARD_NOT_PLAYABLE", "that does not fit.", left=2),
            messages.decision_closed(unknown, "TURN_EXPIRED"),
        )
    for receipt in (
        messages.receipt(9_998, timed_out=True),
        messages.receipt(9_998, timed_out=True),
        messages.receipt(9_997, bank_s=None),
    ):
        if not table.play_on():
            break
        decision = table.ask()
        decision.previous_receipt.CopyFrom(receipt)
        talk.send(*table.news(decisions_only=talk.decisions_only), ServerMessage(decision=decision))
        await talk.settle(table, decision)
    await talk.quiet()
    strange = next((act for act in talk.acts if act.decision_id > 9_000 or act.table_id == "nowhere"), None)
    if strange is not None:
        raise Failed(f"it answered decision {strange.decision_id} of table {strange.table_id!r}, which was never asked")


@check(
    "whole-round",
    Level.REQUIRED,
    "plays whole rounds to their end with legal actions alone",
    proves="what a single question does not show comes up in a game",
    advice="choose from legal_actions of the very decision; the sentence of a refusal says what was wrong",
)
async def whole_round(bench: Bench) -> str:
    """A round by official rules, one by Danish ones, and one with all that house rules add in a player's own turn."""
    house = {"stack_draw_two": "same", "stack_w4": "same", "seven_swap": True, "zero_rotate": True}
    tables = [
        Table("official", players=3, options={"match_end": "single_round"}),
        Table("danish", players=2, preset="danish", options={"match_end": "single_round"}),
        Table("house", players=2, options={"match_end": "single_round", **house}),
    ]
    loop = asyncio.get_running_loop()
    until, count = loop.time() + PATIENCE * bench.answer_s, 0
    async for talk, table in visits(bench, *tables):
        for _ in range(MOST_DECISIONS):
            if not table.play_on():
                break
            if loop.time() > until:
                return f"{count} decisions; the rest was left out, since it takes its time"
            await judged(talk, table, talk.ask(table))
            count += 1
    return f"{count} decisions"


@check(
    "determinism",
    Level.INFORMATIVE,
    "answers the same position in the same way each time",
    proves="games of deterministic bots can be played again; nothing is wrong with the other kind",
    advice="seed your chance with something of the view if you want games to be repeatable",
)
async def determinism(bench: Bench) -> str:
    """One position five times, at tables of their own; they differ in nothing that a bot may see."""
    answers = []
    talk = await bench.connect()
    for count in range(5):
        position = {"hands": ["R1 R2 R3 R4 R5 R6 R7 R8 B1 W", "*7"], "discard": "R9"}
        table = Table(f"same-{count}", position=position)
        talk.send(*table.opening(decisions_only=talk.decisions_only))
        decision = talk.ask(table)
        answers.append(said(decision, await talk.answer(decision)))
        table.settle(decision)
        talk.send(messages.accepted(decision), table.closed())
    kinds = sorted(set(answers))
    if len(kinds) == 1:
        return f"five identical positions, always {kinds[0]}: deterministic"
    return f"five identical positions, {len(kinds)} different answers: {', '.join(kinds)}"


CHECKS: tuple[Check, ...] = (in_time, receipts, whole_round, determinism)
