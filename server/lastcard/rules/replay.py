"""Playing a record's events again through the rules, to see whether the rules give the same.

Here: which action an event stands for, and the comparison of what the rules give with what was recorded. Not here:
lines and hashes (`record_reader`), seeds and verdicts (`verify`). Imports `actions`, `apply`, `cards`, `deal`,
`difference`, `events`, `notation`, `pile`, `reasons`, `record_json`, `recorded_chance`, `score` and `state`.

Events that tell what a seat did (or the server for it) stand for an action; all others follow from one, and the rules
must give exactly them, in this order.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from lastcard.rules import events as ev
from lastcard.rules.actions import (
    ACCEPT,
    CHALLENGE,
    CHOOSE_COLOR,
    DRAW,
    KEEP,
    NO_TARGET,
    TIMEOUT,
    UNO,
    Action,
    Kind,
    LeaveCause,
    catch,
    leave,
)
from lastcard.rules.apply import apply
from lastcard.rules.cards import COLORS
from lastcard.rules.deal import start_round
from lastcard.rules.difference import difference
from lastcard.rules.events import Event
from lastcard.rules.notation import Move, move_text
from lastcard.rules.pile import Chance
from lastcard.rules.reasons import Refused
from lastcard.rules.record_json import kind_of
from lastcard.rules.recorded_chance import RecordedChance
from lastcard.rules.score import note_time_up
from lastcard.rules.state import Phase, State


class Mismatch(NamedTuple):
    """The first event that the rules do not give: its index `at` from 0, and one sentence that says why."""

    at: int
    sentence: str


ChanceOf = Callable[[State, int], Chance | None]
"""The chance of a round by its number from 1, for the state that it is dealt from; none where it is not revealed."""


def move_of(event: Event) -> Move | None:
    """The action that an event stands for; none for events that follow from others."""
    match event:
        case ev.CardPlayed():
            kind = Kind.JUMP_IN if event.jump_in else Kind.PLAY
            target = NO_TARGET if event.target is None else event.target
            color = event.color if event.card < 16 else 0
            return Move(event.seat, Action(kind, event.card, color, target), event.uno_called)
        case ev.CardsDrawn() if event.cause == ev.DrawCause.TURN:
            return Move(event.seat, DRAW)
        case ev.ChallengeResolved():
            return Move(event.challenger, CHALLENGE)
        case ev.ColorChosen() if not event.by_server and event.color in COLORS:
            return Move(event.seat, CHOOSE_COLOR[event.color])
        case ev.SeatAccused():
            return Move(event.accuser, catch(event.target))
        case ev.SeatLeft() if event.cause in tuple(LeaveCause):
            return Move(event.seat, leave(LeaveCause(event.cause)))
        case ev.CardKept() | ev.PenaltyAccepted() | ev.UnoCalled() | ev.TimedOut():
            return Move(event.seat, _PLAIN[type(event)])
        case _:
            return None


_PLAIN: dict[type, Action] = {
    ev.CardKept: KEEP,
    ev.PenaltyAccepted: ACCEPT,
    ev.UnoCalled: UNO,
    ev.TimedOut: TIMEOUT,
}


def _may_end_by_time(state: State) -> bool:
    return not state.time_up and "time" in state.rules.match_end.split("+")


class TimeUp(Enum):
    """When in a part of the match the agreed time was over, which no event tells."""

    NOT_NOW = 0
    IN_THE_ROUND = 1
    AFTER_THE_ROUND = 2


class Replay:
    """The replay of one match's events from `state`, which has seen no round; nothing given is changed.

    Rounds whose chance is not given are dealt as recorded. The match is replayed in parts: what comes before the first
    round, then each round with what follows it.
    """

    def __init__(self, state: State, events: Sequence[Event], draws: str, chance_of: ChanceOf) -> None:
        self._events = events
        self._draws = draws
        self._chance_of = chance_of
        self._start = state
        starts = [index for index, event in enumerate(events) if isinstance(event, ev.RoundStarted)]
        self._bounds = [0, *starts, len(events)]

    def run(self) -> Mismatch | None:
        """The first event that the rules do not give, if there is one.

        Every time at which the agreed time may have been over is tried, and the course that leads furthest counts.
        """
        furthest: Mismatch | None = None
        courses = [(0, self._start)]
        while courses:
            part, before = courses.pop()
            if part == len(self._bounds) - 1:
                return None
            ends = []
            for time_up in self._time_up_choices(part, before):
                state, mismatch = self._best_course(part, before, time_up)
                if mismatch is None:
                    ends.append((part + 1, state))
                elif furthest is None or mismatch.at >= furthest.at:
                    furthest = mismatch
            courses += reversed(ends)
        return furthest

    def _time_up_choices(self, part: int, state: State) -> Sequence[TimeUp]:
        return tuple(TimeUp) if part > 0 and _may_end_by_time(state) else (TimeUp.NOT_NOW,)

    def _best_course(self, part: int, before: State, time_up: TimeUp) -> tuple[State, Mismatch | None]:
        """One part of the match, with the lots that lead furthest."""
        best: tuple[State, Mismatch] | None = None
        for first_player in self._first_player_choices(part, before):
            state = before.clone()
            mismatch = self._play(part, state, first_player, time_up)
            if mismatch is None:
                return state, None
            if best is None or mismatch.at > best[1].at:
                best = state, mismatch
        assert best is not None
        return best

    def _first_player_choices(self, part: int, state: State) -> range:
        unknown = part > 0 and state.rules.first_player == "random" and self._chance_of(state, part) is None
        return range(state.players if unknown else 1)

    def _play(self, part: int, state: State, first_player: int, time_up: TimeUp) -> Mismatch | None:
        index, end = self._bounds[part], self._bounds[part + 1]
        while index < end:
            try:
                if isinstance(self._events[index], ev.RoundStarted):
                    after = "the deal"
                    given = self._deal(part, state, first_player, time_up)
                else:
                    after, given = self._act(state, index)
                mismatch = self._compare(index, given, after)
            except _Impossible as error:
                return Mismatch(index, str(error))
            if mismatch is not None:
                return mismatch
            index += len(given)
        if time_up is TimeUp.AFTER_THE_ROUND and state.phase == Phase.ROUND_OVER:
            return self._compare(index, note_time_up(state), "the end of the agreed time")
        return None

    def _deal(self, part: int, state: State, first_player: int, time_up: TimeUp) -> list[Event]:
        chance = self._chance_of(state, part)
        if chance is None:
            events = self._events[self._bounds[part] : self._bounds[part + 1]]
            chance = RecordedChance(state, events, self._draws, first_player)
        try:
            given = start_round(state, chance)
        except ValueError as error:
            raise _Impossible(f"no round can start here: {error}.") from error
        if time_up is TimeUp.IN_THE_ROUND:
            note_time_up(state)
        return given

    def _act(self, state: State, index: int) -> tuple[str, list[Event]]:
        """What follows from the action that the event at `index` stands for, and the action as text."""
        event = self._events[index]
        # A draw that needs a new pile is told after it.
        move = Move(state.turn, DRAW) if isinstance(event, ev.PileRebuilt) else move_of(event)
        if move is not None:
            text = repr(move_text(*move))
            try:
                return text, apply(state, *move)
            except Refused as refused:
                raise _Impossible(f"{text} is refused ({refused.reason.name}): {refused.sentence}.") from refused
        if isinstance(event, ev.MatchEnded) and state.phase == Phase.ROUND_OVER and _may_end_by_time(state):
            given = note_time_up(state)
            if given:
                return "the end of the agreed time", given
        raise _Impossible(f"{kind_of(event)} follows from nothing that came before it.")

    def _compare(self, index: int, given: Sequence[Event], after: str) -> Mismatch | None:
        for offset, event in enumerate(given):
            if index + offset == len(self._events):
                return Mismatch(index + offset, f"the events end where {kind_of(event)} must follow {after}.")
            recorded = self._events[index + offset]
            if recorded != event or type(recorded) is not type(event):
                return Mismatch(index + offset, difference(recorded, event, after))
        return None


class _Impossible(Exception):
    """The rules cannot get to the next event at all; the text is the sentence that says why."""
