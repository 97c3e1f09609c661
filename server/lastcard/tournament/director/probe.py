"""A short game before the event that shows whether a bot can play at all.

Here: the game and what it says. Not here: when it is played and what follows (`competitor`). May import the standard
library, `lastcard.rules`, `lastcard.table`'s values, the pure modules of `tournament`, and `ports`.

It is no game of the event: it is on a deal of its own, against a builtin, in no ledger, with time enough to load what
a bot loads before its first move.
"""

import asyncio
import secrets

from lastcard.rules.options import RulesetError
from lastcard.rules.ruleset import Ruleset, check_players, ruleset
from lastcard.table.effects import CloseCause
from lastcard.table.plan import SeatPlan, TablePlan, TableResult
from lastcard.table.timecontrol import TimeControl
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.ports import ArenaPort

OPPONENT = "greedy"

LEAST_LIMIT_MS = 2_000
"""What a bot has for a decision at least, since all bots are being started just now."""

ENOUGH_MS = 10_000
"""What it has at least if it has as much in the event with its bank."""

LEAST_REACTION_MS = 2_000
GRACE_MS = 10_000
TURNS = 20
"""After so many turns the game is over."""


class Probe:
    """The probe of an event's bots."""

    def __init__(self, file: TournamentFile) -> None:
        self._file = file
        self._rules = _rules(file.rules)
        self._seats = _seats(self._rules, file.table_size)

    async def problem(self, arena: ArenaPort, bot: str, games: int) -> str | None:
        """What a bot did wrong in so many games at once, of which each of its idle instances gets one, or nothing."""
        found = await asyncio.gather(*(self._play(arena, bot) for _ in range(games)))
        return next((problem for problem in found if problem is not None), None)

    async def _play(self, arena: ArenaPort, bot: str) -> str | None:
        plan = self.plan(bot)
        assert plan.table_id is not None
        played = await arena.play(plan, lambda _: None)
        arena.forget_table(plan.table_id)
        return problem_in(played.result)

    def plan(self, bot: str) -> TablePlan:
        """A new table of the probe, where the bot has the first seat."""
        clock = self._file.clock
        opponents = (SeatPlan(builtin=OPPONENT, name=f"probe-{number}") for number in range(1, self._seats))
        return TablePlan(
            rules=self._rules,
            seats=(SeatPlan(bot=bot), *opponents),
            clock=TimeControl(
                limit_ms=max(clock.limit_ms, LEAST_LIMIT_MS, min(ENOUGH_MS, clock.limit_ms + clock.bank_ms)),
                bank_ms=0,
                reaction_ms=max(clock.reaction_ms, LEAST_REACTION_MS),
                start_up_ms=clock.start_up_ms,
                grace_ms=GRACE_MS,
            ),
            sealed=clock.sealed,
            draws=self._file.draws,
            deal_key=secrets.token_bytes(32),
            salt=secrets.token_bytes(32),
            closed=True,
            table_id=f"probe-{secrets.token_hex(8)}",
        )


def problem_in(result: TableResult) -> str | None:
    """What the bot in the first seat did wrong; a game that the arena gave up says nothing about it."""
    if result.cause is CloseCause.CANCELLED:
        return None
    return next((f"{blame.kind.name.lower()}: {blame.evidence}" for blame in result.faults if blame.seat == 0), None)


def _rules(rules: Ruleset) -> Ruleset:
    """The rules of the event, over soon: after one round, some turns, or one timeout."""
    short = {"match_end": "single_round", "max_turns_per_round": str(TURNS), "max_timeouts": "1"}
    try:
        return ruleset(rules.preset, dict(rules.overrides()) | short)
    except RulesetError:
        return rules


def _seats(rules: Ruleset, table_size: int) -> int:
    """Two, or as many as the event's tables have where the rules do not allow so few."""
    try:
        check_players(rules, 2)
    except RulesetError:
        return table_size
    return 2
