"""A bot that cheats by memory: it knows deals again and uses what it saw of them.

Here: `Cheater`. Not here: how a deal is known again (`knowledge`), worlds that fit what is known (`worlds`), the games
(`__main__`). Where it knows nothing it plays like the shrewd bot of the SDK, so that all it gains is due to memory.
"""

import contextlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from bench.memory.knowledge import (
    PLAIN,
    Deal,
    Match,
    Renaming,
    Sight,
    inverse,
    recognised,
    renamed,
)
from bench.memory.worlds import ANYBODY, InformedWorlds
from lastcard.rules.actions import Action as RulesAction
from lastcard.rules.apply import apply
from lastcard.rules.deal import start_round
from lastcard.rules.events import Event, RoundStarted, StartCardTurned
from lastcard.rules.legality import legal_actions
from lastcard.rules.reasons import Refused
from lastcard.rules.replay import move_of
from lastcard.rules.ruleset import Ruleset
from lastcard.rules.shuffle import KEY_BYTES, SeededChance
from lastcard.rules.state import Phase, State, new_match
from lastcard.v1.action_pb2 import Action
from lastcard.v1.table_pb2 import Decision, DecisionKind
from lastcard.v1.view_pb2 import View
from lastcard_bot.bot import Bot
from lastcard_bot.bots.chance import chance_of
from lastcard_bot.bots.shrewd_bot import ShrewdBot, worthwhile
from lastcard_bot.search.outlook import outlook
from lastcard_bot.search.playout import play_until
from lastcard_bot.search.worlds import WorldError, rules_action

WORLDS = 24
"""Worlds in which an informed decision is tried with two players, where most is known; more than twice as many else."""
MORE_WORLDS = 80
STRETCHES = 3
"""How far they are played on: so many times as far as the shrewd bot plays on at most."""
MOST_NAMINGS = 6
"""Renamings of the colours that are thought of, the likeliest."""
PLANS = 24
"""Ways to go on that are tried in the true state of a game, where it is known."""
FAR = 80
"""Turns after which a plan is given up."""
NOBODY = -1
AHEAD = 10
"""Draws that are foreseen for each seat."""


class Cheater(Bot):
    """Plays one game after the other; who lets it play tells it of each game's beginning, events and end."""

    name = "cheater"
    threaded = False
    max_open_decisions = 0

    def __init__(
        self, rules: Ruleset, players: int, *, draws: str, canonical: bool, trials: int, unseen: float
    ) -> None:
        self._rules = rules
        self._players = players
        self._draws = draws
        self._canonical = canonical
        self._worlds_tried = WORLDS if players == 2 else MORE_WORLDS
        self._unseen = unseen  # a deal that was never seen is so much likelier than each of those that were
        self._honest = ShrewdBot(0, trials)
        self._deals: list[Deal] = []
        self._faces = rules.deck()
        self._sight = Sight(0, players)
        self._events: list[Event] = []
        self._match: Match | None = None
        self._looked_at = -1
        self.kept = 0
        """How many deals it has kept in mind so far, the number of the last."""

    # ------------------------------------------------------------------ memory

    def begin(self, seat: int) -> None:
        """A game begins, in which it sits at `seat`."""
        self._sight = Sight(seat, self._players)
        self._events = []
        self._match, self._looked_at = None, -1

    def see(self, events: Sequence[Event]) -> None:
        """Something happened, told as its seat is told."""
        self._events += events
        self._sight.see(events)

    def end(self, seed: bytes | None) -> Match | None:
        """The game is over; open records give the deal's seed. Gives what it took the deal for; none for a new one."""
        match = self._recognise()
        if match is None:
            self.kept += 1
            deal = self._seen_deal() if seed is None else self._true_deal(seed)
            self._deals.append(deal)
        elif match.deal.seed is None:
            match.deal.learn(self._sight, match.names)
        else:
            match.deal.games += 1
        self._deals = [deal for deal in self._deals if deal.games < self._players]
        return match

    def _seen_deal(self) -> Deal:
        deal = Deal.unknown(self.kept, self._players, self._sight.start, self._sight.dealer)
        deal.learn(self._sight, PLAIN)
        return deal

    def _true_deal(self, seed: bytes) -> Deal:
        state, events = self._dealt(seed)
        start = next(event.card for event in events if isinstance(event, StartCardTurned) and not event.put_back)
        deal = Deal.unknown(self.kept, self._players, start, state.dealer)
        deal.seed = seed
        dealt = next(event for event in events if isinstance(event, RoundStarted))
        deal.hands = [Counter(hand) for _, hand in dealt.hands]
        deal.whole = [True] * self._players
        deal.games = 1
        return deal

    def _dealt(self, seed: bytes) -> tuple[State, list[Event]]:
        state = new_match(self._rules, self._players)
        return state, start_round(state, SeededChance(seed, bytes(KEY_BYTES), self._draws))

    def _recognise(self) -> Match | None:
        """What the present game is taken for, by all that was seen of it."""
        if self._looked_at != len(self._events):
            self._looked_at = len(self._events)
            self._match = recognised(
                self._sight, self._deals, self._faces, canonical=self._canonical, unseen=self._unseen
            )
        return self._match

    # ------------------------------------------------------------------ play

    def choose(self, view: View, legal_actions: Sequence[Action]) -> int:
        """Without a decision's kind it is honest."""
        return self._honest.choose(view, legal_actions)

    def decide(self, decision: Decision) -> int:
        """Answers by what it knows of the deal, if it knows it again."""
        if decision.kind in (DecisionKind.DECISION_KIND_REACTION, DecisionKind.DECISION_KIND_COLOR):
            return self._honest.decide(decision)
        candidates = worthwhile(decision.view, decision.legal_actions)
        if len(candidates) == 1:
            return candidates[0]
        match = self._recognise()
        if match is None:
            return self._honest.decide(decision)
        try:
            return self._best(decision, candidates, match)
        except WorldError:
            return self._honest.decide(decision)

    def _best(self, decision: Decision, candidates: list[int], match: Match) -> int:
        seat = decision.view.seat
        actions = {index: rules_action(decision.legal_actions[index]) for index in candidates}
        values = dict.fromkeys(candidates, 0.0)
        lot = random.Random(decision.view.turn)
        possible = 0
        for names, share in match.namings[:MOST_NAMINGS]:
            with contextlib.suppress(WorldError):
                if match.deal.seed is not None:
                    twin = self._twin(names, match.deal.seed)
                    for index, action in actions.items():
                        values[index] += share * _prospect(twin, seat, _renamed(action, names), lot)
                else:
                    for world in islice(
                        self._worlds(decision, match, names), max(1, round(self._worlds_tried * share))
                    ):
                        for index, action in actions.items():
                            values[index] += _outcome(world.clone(), seat, action)
                possible += 1
        if not possible:
            raise WorldError("what is known of the deal cannot be so")
        return max(values, key=values.__getitem__)

    def _worlds(self, decision: Decision, match: Match, names: Renaming) -> Iterator[State]:
        back = inverse(names)
        sight, deal = self._sight, match.deal
        hand = match.told(sight.hand)
        if hand is not None:
            deal.note_hand(sight.seat, hand)
        hands = {}
        for seat in range(self._players):
            if seat != sight.seat:
                known = deal.hands[seat] + Counter(self._drawn_before(deal, seat))
                here: Counter[int] = Counter()
                for face, count in known.items():
                    here[renamed(face, back)] += count
                hands[seat] = [*(here - sight.played[seat]).elements()]
        script = {} if sight.rebuilt else self._script(deal, back, decision.view.pile_count)
        worlds = InformedWorlds(decision.view, decision.kind, decision.legal_actions, hands, script)
        return worlds.sample(chance_of(decision.view, 0))

    def _script(self, deal: Deal, back: Renaming, left: int) -> dict[int, list[int | None]]:
        """The draws to come, as far as they are known."""
        sight = self._sight
        if self._draws == "pile":
            known = {ANYBODY: [deal.piled.get(len(sight.owners) + index) for index in range(min(left, AHEAD))]}
        else:
            ahead = range(min(AHEAD, left // (self._players + 1)))
            known = {
                seat: [deal.draws[seat].get(sight.drawn[seat] + index) for index in ahead]
                for seat in range(self._players)
            }
        return {
            seat: [None if face is None else renamed(face, back) for face in faces] for seat, faces in known.items()
        }

    def _drawn_before(self, deal: Deal, seat: int) -> list[int]:
        """The cards that a seat has drawn in this game, as far as they are known."""
        sight = self._sight
        if sight.rebuilt:
            return []
        if self._draws == "pile":
            return [deal.piled[at] for at, owner in enumerate(sight.owners) if owner == seat and at in deal.piled]
        return [deal.draws[seat][at] for at in range(sight.drawn[seat]) if at in deal.draws[seat]]

    def _twin(self, names: Renaming, seed: bytes) -> State:
        """The game itself in plain colours: dealt from the seed, and everything done again that has been done."""
        state, given = self._dealt(seed)
        index = len(given)
        while index < len(self._events):
            move = move_of(self._events[index])
            if move is None:
                raise WorldError("an event follows from nothing")
            try:
                index += len(apply(state, move.seat, _renamed(move.action, names), move.call_uno))
            except Refused as refused:
                raise WorldError(str(refused)) from refused
        return state


def _renamed(action: RulesAction, names: Renaming) -> RulesAction:
    return action._replace(card=renamed(action.card, names), color=names[action.color])


def _prospect(twin: State, seat: int, action: RulesAction, lot: random.Random) -> float:
    """What an action leads to in the true state: the best of many ways to go on, and how many of them do well."""
    worth = [_outcome(twin.clone(), seat, action)]
    for _ in range(PLANS):
        state = twin.clone()
        apply(state, seat, action, len(state.hands[seat]) == 2)
        while state.phase < Phase.ROUND_OVER:
            play_until(state, seat)
            if state.phase == Phase.TURN and state.turn == seat:
                options = legal_actions(state, seat)
                plays = [option for option in options if option.card]
                apply(state, seat, lot.choice(plays or options), len(state.hands[seat]) == 2)
            if state.turn_number > twin.turn_number + FAR:
                break
        worth.append(outlook(state, seat))
    return max(worth) + sum(worth) / len(worth)


def _outcome(state: State, seat: int, action: RulesAction) -> float:
    """What comes of an action when the game is played on by rules of thumb."""
    apply(state, seat, action, len(state.hands[seat]) == 2)
    for _ in range(STRETCHES):
        if state.phase >= Phase.ROUND_OVER:
            break
        play_until(state, NOBODY)
    return outlook(state, seat)
