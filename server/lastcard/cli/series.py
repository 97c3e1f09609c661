"""A series of games in one process, without network and clocks: bots answer as they would on a stream, but at once.

Here: `Series`, which plays the games of a schedule at table machines. Not here: the ranking (`tournament.statistics`),
the command (`match_command`). May import `table`, `tournament` and `services.wire`.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from lastcard.cli.errors import CommandError
from lastcard.rules.actions import Action
from lastcard.rules.events import Event, MatchCause
from lastcard.rules.ruleset import Ruleset
from lastcard.rules.shuffle import deal_key, event_key, game_salt, round_seed
from lastcard.rules.view import view_of
from lastcard.services.wire.decisions import decision_body
from lastcard.services.wire.rulesets import ruleset_body
from lastcard.services.wire.views import ViewWriter
from lastcard.table.commands import Answer, Command, NextRound, Occupy
from lastcard.table.effects import Ask, Happened, SeedWanted, Verdict, Withdraw
from lastcard.table.machine import Table
from lastcard.table.setup import SeatRequest, TableSetup
from lastcard.tournament.formats import Stage
from lastcard.tournament.ledger import Row
from lastcard.tournament.schedule import Game, Schedule, stage_key
from lastcard.v1.table_pb2 import Act, Decision
from lastcard_bot.answers import BadReplyError, act_for, fallback, is_apart
from lastcard_bot.bot import AsyncBot, Bot, Reply

APART_MOST = 3
"""Calls and catches by themselves at one decision, after which the series answers for the bot."""


@dataclass(slots=True)
class Conduct:
    """How a bot behaved over a series: seconds thought for each decision, and what was wrong with its replies."""

    seconds: list[float] = field(default_factory=list)
    bad_replies: int = 0
    first_complaint: str = ""


class Series:
    """Plays duplicate deals in every rotation of the seats and gives a ledger's rows.

    Other `games` may be given than those of the schedule; `told` is called with all that happens, hidden cards too.
    """

    def __init__(
        self,
        bots: Mapping[str, Bot | AsyncBot],
        rules: Ruleset,
        *,
        deals: int,
        seed: int,
        draws: str,
        disguise: bool = False,
        games: Sequence[Game] | None = None,
        told: Callable[[Game, Sequence[Event]], None] | None = None,
    ) -> None:
        self.conduct = {name: Conduct() for name in bots}
        self._bots = bots
        self._rules = rules
        self._draws = draws
        self._disguise = disguise
        self._told = told
        self._key = event_key(seed)
        self._views = ViewWriter(ruleset_body(rules))
        schedule = Schedule(Stage((tuple(bots),), deals), key=stage_key(self._key, 0))
        self._games: Schedule | Sequence[Game] = schedule if games is None else games
        self._loop = asyncio.new_event_loop()

    def __len__(self) -> int:
        """How many games the series has."""
        return len(self._games)

    def play(self) -> Iterator[Row]:
        """Plays the games one after the other.

        Raises:
            CommandError: a bot raised an exception.
        """
        try:
            for game in self._games:
                yield self._play(game)
        finally:
            self._loop.close()

    def _play(self, game: Game) -> Row:
        table = Table(
            TableSetup(
                rules=self._rules,
                seats=tuple(SeatRequest(bot=name) for name in game.seats),
                salt=game_salt(self._key, str(game.game)),
                sealed=True,
                draws=self._draws,
                disguise=self._disguise,
            )
        )
        waiting: deque[Command] = deque(Occupy(seat, name) for seat, name in enumerate(game.seats))
        asked: dict[int, Ask] = {}
        apart: Counter[int] = Counter()
        while table.closed is None:
            command = waiting.popleft() if waiting else self._answer(game, table, asked.popitem()[1], apart)
            for effect in table.handle(command, 0):
                if isinstance(effect, Ask):
                    asked[effect.decision_id] = effect
                elif isinstance(effect, Withdraw):
                    asked.pop(effect.decision_id, None)
                elif isinstance(effect, Happened) and self._told is not None:
                    self._told(game, effect.events)
                elif isinstance(effect, SeedWanted):
                    waiting.append(NextRound(round_seed(deal_key(self._key, str(game.deal)), effect.round)))
                elif isinstance(effect, Verdict) and effect.receipt is None:
                    # A call or catch by itself leaves the decision open.
                    still_open = table.open_decisions(effect.seat)
                    asked.update((ask.decision_id, ask) for ask in still_open if ask.decision_id == effect.decision_id)
        closed = table.closed
        return Row(
            **game._asdict(),
            points=closed.points,
            places=closed.places,
            cause=MatchCause(closed.match_cause).name.lower(),
            faults=(),
            record="",
            record_hash="",
        )

    def _answer(self, game: Game, table: Table, ask: Ask, apart: Counter[int]) -> Answer:
        name = game.seats[ask.seat]
        view = self._views.body(view_of(table.state, ask.seat))
        decision = Decision.FromString(decision_body(b"", ask, table.last_sequence, view, b""))
        act = self._reply(name, decision)
        choice, action = act.choice, None
        if is_apart(act):
            apart[ask.decision_id] += 1
            if apart[ask.decision_id] > APART_MOST:
                self._complain(
                    name, f"it called or caught {apart[ask.decision_id]} times at one decision and did not play"
                )
                choice = fallback(decision)
            else:
                action = Action(act.action.kind, target=act.action.target)
        return Answer(
            ask.seat,
            ask.decision_id,
            None if action else choice,
            action,
            act.call_uno,
            tuple(act.catch_seats),
            0,
        )

    def _complain(self, name: str, sentence: str) -> None:
        conduct = self.conduct[name]
        conduct.bad_replies += 1
        conduct.first_complaint = conduct.first_complaint or sentence

    def _reply(self, name: str, decision: Decision) -> Act:
        """What the bot answers; a bad reply is counted and replaced by a legal one."""
        bot, conduct = self._bots[name], self.conduct[name]
        began = perf_counter()
        try:
            reply: Reply = (
                bot.decide(decision) if isinstance(bot, Bot) else self._loop.run_until_complete(bot.decide(decision))
            )
        except (Exception, SystemExit) as error:
            raise CommandError(f"{name} failed: {type(error).__name__}: {error} ({place_of(error)})") from error
        conduct.seconds.append(perf_counter() - began)
        try:
            return act_for(decision, reply, auto_uno=bot.auto_uno, auto_catch=bot.auto_catch)
        except BadReplyError as error:
            self._complain(name, str(error))
            return act_for(decision, fallback(decision), auto_uno=bot.auto_uno, auto_catch=bot.auto_catch)


def place_of(error: BaseException) -> str:
    """File and line where an exception was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


def as_names(texts: Sequence[str]) -> list[str]:
    """Names for the bots of a series: as given, numbered where one is given twice."""
    names: list[str] = []
    for text in texts:
        copy = sum(1 for name in names if name.partition("#")[0] == text)
        names.append(f"{text}#{copy + 1}" if copy else text)
    return names
