"""Plays a bot against builtins over a bad line, one game after the other, with time enough for every decision.

Here: `Plan`, `play`. Not here: what the times mean (`limits`, `report`). May import `app` and what that does, the wire
and launcher of `lastcard.conform`, and the rest of this package.

The games' clock is generous, so that what was slow is measured instead of lost. What a tournament's clock would have
done is computed afterwards.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lastcard.app import Arena, Settings
from lastcard.conform.launch import Command, Running, end
from lastcard.conform.wire import Wire
from lastcard.practice.line import Conditions
from lastcard.practice.slow_link import SlowLine
from lastcard.practice.timing import Carriage, Timed, timed
from lastcard.rules.ruleset import Ruleset
from lastcard.services.builtins import ShippedBuiltins
from lastcard.table.plan import SeatPlan, TablePlan, check_plan
from lastcard.table.receipts_reader import read_receipts
from lastcard.table.timecontrol import MOST_CREDIT_MS, TimeControl

NAME = "bot"
CLOCK = TimeControl(limit_ms=60_000, bank_ms=0, reaction_ms=20_000, network_credit_ms=MOST_CREDIT_MS)
"""A bot that takes longer than this for one decision hangs."""
HEARTBEAT_S = 1.0
"""As often as the server measures the line's round trip: often enough for games of half a minute."""

T = TypeVar("T")


class PracticeError(Exception):
    """The bot did not play to the end; a sentence that says what became of it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played: the bot's command, the line, opponents (builtins), rules, and how many games."""

    command: Sequence[str]
    conditions: Conditions
    opponents: Sequence[str]
    rules: Ruleset
    games: int
    start_up_s: float


async def play(plan: Plan) -> tuple[int, list[Timed]]:
    """How many games were played, and the bot's decisions in them, in the order in which they were asked.

    A game in which it did not answer one is the last: it hangs.

    Raises:
        LaunchError: the command could not be started.
        PlanError: there is no such builtin, or too many for a table.
        PracticeError: the bot did not connect, or ended by itself.
    """
    check_plan(_table(plan, 1)[0], ShippedBuiltins().names)
    line = SlowLine(plan.conditions)
    async with Arena(Settings(heartbeat_s=HEARTBEAT_S)) as arena, Wire(arena.address, line.link) as wire:
        token = arena.mint(NAME)
        environment = {"LASTCARD_SERVER": wire.address, "LASTCARD_TOKEN": token, "LASTCARD_BOT": NAME}
        running = await Command(plan.command).start(environment)
        exit_status = asyncio.create_task(running.wait(), name="exit of the bot")
        try:
            connected = asyncio.wait_for(arena.connected(NAME), plan.start_up_s)
            try:
                await _unless(exit_status, connected, running)
            except TimeoutError:
                raise PracticeError(f"the bot did not connect within {plan.start_up_s:g} s{_last(running)}") from None
            decisions: list[Timed] = []
            game = 0
            while game < plan.games and all(decision.answered for decision in decisions):
                game += 1
                decisions += await _unless(exit_status, _game(arena, plan, game, line), running)
            return game, decisions
        finally:
            await end(running)
            exit_status.cancel()
            await asyncio.gather(exit_status, return_exceptions=True)


def _table(plan: Plan, game: int) -> tuple[TablePlan, int]:
    """The table of a game and the bot's seat, which is another one in each game."""
    seat = (game - 1) % (len(plan.opponents) + 1)
    seats = [SeatPlan(builtin=name) for name in plan.opponents]
    seats.insert(seat, SeatPlan(bot=NAME))
    deal = hashlib.sha256(f"lastcard practice {plan.conditions.seed} {game}".encode()).digest()
    table = TablePlan(rules=plan.rules, seats=tuple(seats), clock=CLOCK, sealed=True, deal_key=deal, salt=deal)
    return table, seat


async def _game(arena: Arena, plan: Plan, game: int, line: SlowLine) -> list[Timed]:
    """Plays one game."""
    table, seat = _table(plan, game)
    line.forget()
    table_id = arena.open_table(table)
    await arena.result(table_id)
    receipts = read_receipts(arena.record(table_id).receipts)
    arena.forget_table(table_id)
    return timed(game, receipts, seat, Carriage(line.to_bot, line.to_server))


async def _unless(exit_status: asyncio.Task[int], awaited: Awaitable[T], running: Running) -> T:
    """What is awaited, unless the bot's program ends before."""
    waiter = asyncio.ensure_future(awaited)
    try:
        await asyncio.wait({waiter, exit_status}, return_when=asyncio.FIRST_COMPLETED)
        if not waiter.done():
            raise PracticeError(f"the bot's program ended with status {exit_status.result()}{_last(running)}")
        return waiter.result()
    finally:
        waiter.cancel()
        await asyncio.gather(waiter, return_exceptions=True)


def _last(running: Running) -> str:
    """What the bot wrote last, as an end of a sentence."""
    lines = running.complaint().strip().splitlines()
    return f"; it wrote last: {lines[-1].strip()}" if lines else ""
