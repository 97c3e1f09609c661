"""What practice over a bad line showed, as text and as JSON.

Here: `Clock`, `text`, `as_json`. Not here: the figures (`limits`, `timing`). Imports those and `durations`; no input or
output, no clock.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

from lastcard.practice.limits import SURE, lost_reactions, under, unseen_share, within
from lastcard.practice.line import Conditions
from lastcard.practice.timing import REACTION, Timed
from lastcard.tournament.durations import duration_text

LIMITS_MS = (100, 250, 500, 1_000, 2_000, 5_000)
SHARES = (0.9, 0.99, 0.999)
SLOWEST = 5
ENOUGH = 200
"""Decisions below which the report says that they are few."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock that is asked about, as a tournament has it; milliseconds."""

    limit_ms: int = 2_000
    bank_ms: int = 60_000
    reaction_ms: int = 500
    network_credit_ms: int = 100
    network_credit_total_ms: int = 10_000


def lost(decisions: Sequence[Timed], clock: Clock) -> int:
    """How many decisions the clock would have lost, reactions included."""
    turns = under(decisions, clock.limit_ms, clock.bank_ms)
    return turns.lost + lost_reactions(decisions, clock.reaction_ms)


def text(decisions: Sequence[Timed], games: int, conditions: Conditions, clock: Clock) -> list[str]:
    """The report, line by line."""
    turns = [decision for decision in decisions if decision.kind != REACTION]
    line = (
        f"{len(decisions)} decisions in {_counted(games, 'game')} over a line with a round trip of "
        f"{conditions.delay_ms} ms, up to {conditions.jitter_ms} ms more by chance, {_percent(conditions.loss)} of the "
        "packets lost each way"
    )
    return [
        line,
        "",
        *_times(decisions),
        "",
        *_limits(decisions, turns, clock),
        *_reactions(decisions, clock),
        "",
        *_safe(turns),
        "",
        *_credit(decisions, turns, clock),
    ]


def as_json(decisions: Sequence[Timed], games: int, conditions: Conditions, clock: Clock) -> dict[str, Any]:
    """All figures, and every decision."""
    turns = [decision for decision in decisions if decision.kind != REACTION]
    limits = [{"limit_ms": limit, **asdict(under(decisions, limit, clock.bank_ms))} for limit in _limits_asked(clock)]
    credit = under(decisions, clock.limit_ms, clock.bank_ms, clock.network_credit_ms, clock.network_credit_total_ms)
    return {
        "games": games,
        "line": asdict(conditions),
        "clock": asdict(clock),
        "lost": lost(decisions, clock),
        "lost_reactions": lost_reactions(decisions, clock.reaction_ms),
        "limits": limits,
        "with_network_credit": asdict(credit),
        "safe_limits_ms": {f"{share:g}": within(turns, share) for share in (*SHARES, 1.0)},
        "share_above_longest_at_most": unseen_share(len(turns)),
        "decisions": [asdict(decision) for decision in decisions],
    }


def _times(decisions: Sequence[Timed]) -> list[str]:
    """What decisions took, and who took it."""
    took: list[float] = [decision.took_ms for decision in decisions]
    line = [decision.line_ms for decision in decisions if decision.line_ms is not None]
    bot = [decision.bot_ms for decision in decisions if decision.bot_ms is not None]
    lines = [f"{'':30}{'median':>10}{'90 %':>10}{'99 %':>10}{'longest':>10}"]
    for name, values in (("a decision, there and back", took), ("  of it the line", line), ("  of it the bot", bot)):
        if values:
            cuts = quantiles(values, n=100, method="inclusive") if len(values) > 1 else values * 99
            shown = (cuts[49], cuts[89], cuts[98], max(values))
            lines.append(f"{name:30}" + "".join(f"{value:>7.0f} ms" for value in shown))
    slowest = sorted(decisions, key=lambda decision: -decision.took_ms)[:SLOWEST]
    lines += ["", "the slowest:"]
    for decision in slowest:
        of_it = "never answered"
        if decision.answered:
            # The machine may be too busy to tell which of what was carried belonged to it.
            unknown = decision.bot_ms is None
            of_it = "the bot's part is not known" if unknown else f"the bot {decision.bot_ms:.0f} ms of it"
        where = f"game {decision.game}, decision {decision.decision}, {decision.kind}"
        lines.append(f"  {where:36}{decision.took_ms:>7} ms, {of_it}")
    return lines


def _limits_asked(clock: Clock) -> list[int]:
    return sorted({*LIMITS_MS, clock.limit_ms})


def _limits(decisions: Sequence[Timed], turns: Sequence[Timed], clock: Clock) -> list[str]:
    banked_head = f"lost with {duration_text(clock.bank_ms)} of bank"
    lines = [f"{'limit':>8}{'above it':>16}{'lost without bank':>20}{banked_head:>23}{'most of it used in a game':>28}"]
    for limit in _limits_asked(clock):
        bare, banked = under(decisions, limit, 0), under(decisions, limit, clock.bank_ms)
        share = f"{banked.over} ({_percent(banked.over / len(turns))})" if turns else "0"
        mark = "  <- asked about" if limit == clock.limit_ms else ""
        used = f"{banked.bank_used_ms / 1e3:.1f} s"
        lines.append(f"{duration_text(limit):>8}{share:>16}{bare.lost:>20}{banked.lost:>23}{used:>28}{mark}")
    return lines


def _reactions(decisions: Sequence[Timed], clock: Clock) -> list[str]:
    count = sum(decision.kind == REACTION for decision in decisions)
    if not count:
        return ["no reactions were asked; rules with jump_in ask many"]
    missed = lost_reactions(decisions, clock.reaction_ms)
    return [f"of {count} reactions {missed} would have been missed within {duration_text(clock.reaction_ms)}"]


def _safe(turns: Sequence[Timed]) -> list[str]:
    lines = []
    for share in SHARES:
        limit = within(turns, share)
        if limit is not None and len(turns) * (1 - share) >= 1 - 1e-9:
            lines.append(f"a limit of {limit} ms would have been enough for {_percent(share)} of them, without a bank")
    longest = within(turns, 1.0)
    if longest is None:
        lines.append("no limit would have been enough for all: some were never answered")
    else:
        lines.append(
            f"a limit of {longest} ms would have been enough for all {len(turns)}; it is {_percent(SURE)} sure that "
            f"fewer than {_percent(unseen_share(len(turns)))} of further ones take longer"
        )
    if len(turns) < ENOUGH:
        lines.append("these are few; play more games (--games) before you rely on it")
    return lines


def _credit(decisions: Sequence[Timed], turns: Sequence[Timed], clock: Clock) -> list[str]:
    known = max((decision.credit_ms for decision in turns), default=0)
    limit = duration_text(clock.limit_ms)
    if not known:
        return ["network credit would give nothing: the bot answered no four heartbeats in a row"]
    without = under(decisions, clock.limit_ms, clock.bank_ms)
    if not without.over:
        return [f"network credit would change nothing at a limit of {limit}: no decision took longer"]
    most, total = clock.network_credit_ms, clock.network_credit_total_ms
    credited = under(decisions, clock.limit_ms, clock.bank_ms, most, total)
    sentence = (
        f"with network_credit = {duration_text(most)} a limit of {limit} would have taken at most "
        f"{credited.bank_used_ms / 1e3:.1f} s of the bank in a game instead of {without.bank_used_ms / 1e3:.1f} s, and "
        f"{credited.lost} decisions instead of {without.lost} would have been lost; it moves no deadline. "
        f"Up to {known} ms of a decision were known to be the network's"
    )
    return [sentence]


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
