"""What a seed stands for: tables, bots, lines, and how much goes wrong.

Here: `Scenario`, `draw_scenario`. Not here: how it is played (`world`). Matches are kept short, since what is tested
happens in any of them.
"""

from dataclasses import dataclass, replace
from random import Random

from lastcard.rules.ruleset import RulesetError, check_players
from lastcard.table.greeting import Limits
from lastcard.table.plan import SeatPlan, TablePlan
from lastcard.table.timecontrol import TimeControl
from simulation.setups import draw_rules
from simulation.stack.habits import FLAWLESS, KINDS, Habits
from simulation.stack.network import GOOD, Quality

LINES = (
    GOOD,
    GOOD,
    GOOD,
    GOOD,
    Quality(delay_s=0.02, jitter_s=0.02),
    Quality(delay_s=0.05, jitter_s=0.2),
    Quality(delay_s=0.01, jitter_s=0.05, hiccup=0.05),
    Quality(window=1_024),
)

_ENDS: tuple[dict[str, object], ...] = (
    {"match_end": "single_round"},
    {"match_end": "single_round", "hand_size": 2},
    {"match_end": "single_round", "hand_size": 3},
    {"match_end": "single_round", "hand_size": 3},
    {"match_end": "rounds", "match_rounds": 2, "hand_size": 2},
    {"match_end": "time+rounds", "match_time_s": 60, "match_rounds": 2, "hand_size": 3},
)


@dataclass(frozen=True, slots=True)
class BotPlan:
    """One bot: how it behaves, its line, and its processes, of which each has a token of its own."""

    name: str
    kind: str
    habits: Habits
    quality: Quality
    processes: int
    """How many come at the beginning; 0 for one that has no token and is given a secret."""
    max_open: int
    decisions_only: bool

    @property
    def is_innocent(self) -> bool:
        """Whether nothing may be held against it: it does nothing wrong, and its line is good."""
        return self.habits.is_flawless and self.quality is GOOD


@dataclass(frozen=True, slots=True)
class Scenario:
    """One simulated arena from its first start to its end."""

    seed: int
    tables: tuple[TablePlan, ...]
    bots: tuple[BotPlan, ...]
    spectators: int
    limits: Limits
    store_s: float
    """The most that a commit takes."""
    recovery_grace_ms: int
    faults: int
    """How many times something happens to the server."""


def draw_scenario(seed: int) -> Scenario:
    """The scenario of a seed, always the same."""
    random = Random(f"scenario {seed}")
    is_calm = random.random() < 0.15
    tables = tuple(_draw_table(random, number) for number in range(random.choice((1, 2, 3, 4))))
    names = sorted({seat.bot for table in tables for seat in table.seats if seat.bot is not None})
    return Scenario(
        seed=seed,
        tables=tables,
        bots=tuple(_draw_bot(random, name, is_calm) for name in names),
        spectators=random.choice((0, 0, 0, 0, 1, 2)),
        limits=Limits(
            outbox_bytes=random.choice((2_500, 10_000, 4 << 20)), heartbeat_ms=random.choice((4_000, 10_000))
        ),
        store_s=random.choice((0.0, 0.0, 0.01, 0.2)),
        recovery_grace_ms=random.choice((8_000, 30_000)),
        faults=0 if is_calm else random.choice((0, 0, 1, 1, 2, 4)),
    )


def _draw_table(random: Random, number: int) -> TablePlan:
    while True:
        rules = draw_rules(random, _ENDS, most_turns=random.choice((15, 30, 60)))
        players = random.choice((2, 2, 3, 4)) if random.random() < 0.93 else random.randint(5, 10)
        try:
            check_players(rules, players)
        except RulesetError:
            continue
        break
    seats = tuple(_draw_seat(random, bot) for bot in random.sample(range(10), players))
    has_people = any(seat.bot is None and seat.builtin is None for seat in seats)
    plan = TablePlan(
        rules=rules,
        seats=seats,
        clock=TimeControl(
            limit_ms=3_000 if has_people else random.choice((400, 1_000, 3_000)),
            bank_ms=30_000 if has_people else random.choice((0, 500, 4_000)),
            reaction_ms=random.choice((200, 500)),
            start_up_ms=random.choice((8_000, 20_000)),
            grace_ms=random.choice((0, 2_000, 10_000, 40_000)),
            network_credit_ms=random.choice((0, 60)),
            network_credit_total_ms=random.choice((100, 5_000)),
        ),
        sealed=random.random() < 0.5,
        draws=random.choice(("pile", "per_seat")),
        round_pause_ms=random.choice((0, 0, 1_000)),
        deal_key=random.randbytes(32),
        salt=random.randbytes(32),
        closed=random.random() < 0.1,
        table_id=f"t{number}",
    )
    assert plan.salt is not None
    return replace(plan, disguise=plan.salt[0] % 2 == 1)


def _draw_seat(random: Random, bot: int) -> SeatPlan:
    kind = random.random()
    if kind < 0.8:
        return SeatPlan(bot=f"bot{bot}")
    return SeatPlan(builtin="random") if kind < 0.9 else SeatPlan()


def _draw_bot(random: Random, name: str, is_calm: bool) -> BotPlan:
    kind, habits = ("flawless", FLAWLESS) if is_calm else random.choice(KINDS)
    return BotPlan(
        name=name,
        kind=kind,
        habits=habits,
        quality=GOOD if is_calm else random.choice(LINES),
        processes=random.choice((0, 1, 1, 1, 2)),
        max_open=random.choice((0, 0, 1, 2)),
        decisions_only=random.random() < 0.2,
    )
