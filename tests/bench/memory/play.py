"""Series in which a cheater sits, and the same series with its honest double.

Here: `Setting`, `play`. Not here: the cheater (`bot`), what is printed (`__main__`).
"""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from bench.memory.bot import Cheater
from lastcard.cli.series import Series
from lastcard.rules.events import Event, MatchEnded
from lastcard.rules.ruleset import ruleset
from lastcard.rules.shuffle import deal_key, event_key, round_seed
from lastcard.rules.view import redact
from lastcard.tournament.formats.contract import Stage
from lastcard.tournament.schedule import BLOCK_SETS, Game, Schedule, stage_key
from lastcard_bot.bots import make_bot
from lastcard_bot.bots.shrewd_bot import ShrewdBot

CHEATER = "cheater"


class Setting(NamedTuple):
    """What protects a series; a cheater that is not `canonical` knows cards only by their own colours."""

    players: int
    draws: str
    disguise: bool
    scattered: bool
    closed: bool
    canonical: bool = True
    block: int = BLOCK_SETS
    """Sets in whose games those of one set are scattered."""
    opponent: str = "greedy"
    trials: int = 120


OPEN = Setting(players=2, draws="per_seat", disguise=False, scattered=False, closed=False)
"""A series in which nothing is protected."""


class Outcome(NamedTuple):
    """The cheater's share of the wins in each set; games on a deal that it has seen, and how it took them.

    `right` counts those that it knew again, `wrong` all games that it took for a deal that they are not on.
    """

    shares: tuple[float, ...]
    again: int
    right: int
    wrong: int


def play(setting: Setting, sets: int, seed: int, *, honest: bool) -> Outcome:
    """Plays some sets; an `honest` cheater remembers nothing."""
    names = (CHEATER, *(f"{setting.opponent}-{number}" for number in range(1, setting.players)))
    rules = ruleset("official", {"match_end": "single_round"})
    key = event_key(seed)
    schedule = Schedule(Stage((names,), sets), key=stage_key(key, 0))
    games = sorted(schedule, key=lambda game: (game.set, game.rotation))
    if setting.scattered:
        games = _scattered(games, setting.block, schedule)
    # Numbers stay as they are, whatever the order: the names of the colours follow from them.
    cheater = Cheater(
        rules,
        setting.players,
        draws=setting.draws,
        canonical=setting.canonical and setting.disguise,
        trials=setting.trials,
        unseen=setting.block,
    )
    me = ShrewdBot(0, setting.trials) if honest else cheater
    bots = {CHEATER: me} | {name: make_bot(setting.opponent) for name in names[1:]}
    true_deals: dict[int, int] = {}
    counts: Counter[bool] = Counter()
    present: list[Game] = []

    def told(game: Game, events: Sequence[Event]) -> None:
        seat = game.seats.index(CHEATER)
        if present != [game]:
            present[:] = [game]
            cheater.begin(seat)
        cheater.see([redact(event, seat, rules, not setting.closed) for event in events])
        if isinstance(events[-1], MatchEnded):
            match = cheater.end(None if setting.closed else round_seed(deal_key(key, str(game.deal)), 1))
            if match is None:
                true_deals[cheater.kept] = game.deal
            else:
                counts[true_deals[match.deal.number] == game.deal] += 1

    series = Series(
        bots,
        rules,
        deals=sets,
        seed=seed,
        draws=setting.draws,
        disguise=setting.disguise,
        games=games,
        told=None if honest else told,
    )
    by_set: defaultdict[int, list[float]] = defaultdict(list)
    for row in series.play():
        winners = row.places.count(1)
        by_set[row.set].append((row.places[row.seats.index(CHEATER)] == 1) / winners)
    shares = tuple(sum(won) / len(won) for _, won in sorted(by_set.items()))
    return Outcome(shares, len(games) - sets, counts[True], counts[False])


def _scattered(games: list[Game], block: int, schedule: Schedule) -> list[Game]:
    """The games as the schedule scatters them, or by chance in blocks of another size."""
    if block == BLOCK_SETS:
        return list(schedule)
    lot = random.Random(len(games))
    return sorted(games, key=lambda game: ((game.set - 1) // block, lot.random()))
