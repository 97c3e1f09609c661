"""A game as text: each event in the notation of scenario.md, with what followed from it.

Here: the text of one event. Not here: layout (`lastcard.cli`). Imports `actions`, `cards`, `events`, `notation` and
`replay`. Events may be those of a record or those that one viewer gets: cards that are hidden are left out.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from lastcard.rules import events as ev
from lastcard.rules.actions import LeaveCause
from lastcard.rules.cards import COLOR_LETTERS, TEXT, text_of
from lastcard.rules.events import DrawCause, Event, MatchCause, RoundCause
from lastcard.rules.notation import move_text
from lastcard.rules.replay import move_of


class EventText(NamedTuple):
    """One event: the `move` that a seat made, in notation, empty when none did; and a `note` with the rest."""

    move: str
    note: str


_DRAW_TEXT = {
    DrawCause.TURN: "",
    DrawCause.PENALTY: "penalty",
    DrawCause.CHALLENGE: "challenge",
    DrawCause.CAUGHT: "caught",
    DrawCause.FALSE_CATCH: "nobody to catch",
    DrawCause.FALSE_UNO: "wrong call",
    DrawCause.TIMEOUT: "time ran out",
}
_LEAVE_TEXT = {
    LeaveCause.LEFT: "by its own will",
    LeaveCause.TIMEOUTS: "removed after too many timeouts",
    LeaveCause.DISCONNECTED: "did not come back in time",
    LeaveCause.START_UP: "did not start in time",
    LeaveCause.REMOVED: "removed by the organiser",
}
_ROUND_TEXT = {
    RoundCause.OUT: "out of cards",
    RoundCause.BLOCKED: "blocked",
    RoundCause.LEFT: "one seat left",
}
MATCH_TEXT: dict[int, str] = {
    MatchCause.TARGET: "target reached",
    MatchCause.ROUNDS: "all rounds played",
    MatchCause.TIME: "time over",
    MatchCause.SINGLE_ROUND: "one round played",
    MatchCause.LAST_SEAT: "one seat left",
}
"""Why a match ended, in words."""


def event_text(event: Event) -> EventText:
    """The text of an event; both parts are empty for the beginning of a turn."""
    move = move_of(event)
    note = _NOTES.get(type(event), _no_note)(event)
    return EventText("" if move is None else move_text(*move), note)


def hand_text(faces: tuple[int, ...] | list[int]) -> str:
    """A hand in notation, or that it is empty."""
    return text_of(faces) or "no cards"


def _no_note(event: Event) -> str:  # noqa: ARG001 - one signature for all notes
    return ""


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _round_started(event: ev.RoundStarted) -> str:
    return f"round {event.round}, dealer {event.dealer}"


def _start_card_turned(event: ev.StartCardTurned) -> str:
    return f"start card {TEXT.get(event.card, '?')}" + (" put back" if event.put_back else "")


def _card_played(event: ev.CardPlayed) -> str:
    parts = []
    if event.hand_count <= 1:
        parts.append("last card" if event.hand_count == 0 else "1 card left")
    if event.pending:
        parts.append(f"{event.pending} pending")
    return ", ".join(parts)


def _cards_drawn(event: ev.CardsDrawn) -> str:
    cause = _DRAW_TEXT[DrawCause(event.cause)]
    drawn = f": {text_of(event.cards)}" if event.cards else ""
    if event.cause == DrawCause.TURN:
        return f"{_cards(event.count)}{drawn}"
    return f"{event.seat} draws {_cards(event.count)} ({cause}){drawn}"


def _challenge_resolved(event: ev.ChallengeResolved) -> str:
    verdict = "guilty" if event.guilty else "not guilty"
    return f"{event.offender} is {verdict}" + (f", it held {text_of(event.hand)}" if event.hand else "")


def _color_chosen(event: ev.ColorChosen) -> str:
    return f"the server names {COLOR_LETTERS[event.color]} for {event.seat}" if event.by_server else ""


def _seat_skipped(event: ev.SeatSkipped) -> str:
    return f"{event.seat} is skipped"


def _hands_moved(event: ev.HandsMoved) -> str:
    moved = [f"{seat} has the hand of {origin}" for seat, origin in enumerate(event.from_seats) if seat != origin]
    return ", ".join(moved)


def _pile_rebuilt(event: ev.PileRebuilt) -> str:
    return f"the discards become a pile of {_cards(event[0])}"


def _seat_accused(event: ev.SeatAccused) -> str:
    return "rightly" if event.caught else "wrongly"


def _timed_out(event: ev.TimedOut) -> str:
    return f"strike {event.strikes}"


def _seat_left(event: ev.SeatLeft) -> str:
    held = f": {text_of(event.cards)}" if event.cards else ""
    why = _LEAVE_TEXT[LeaveCause(event.cause)]
    return f"{why}, {_cards(event.hand_count)} worth {event.points}{held}"


def _round_ended(event: ev.RoundEnded) -> str:
    why = _ROUND_TEXT[RoundCause(event.cause)]
    winner = "nobody wins" if event.winner is None else f"{event.winner} wins"
    return f"round over ({why}), {winner}; points {_by_seat(event.scores)}, totals {_by_seat(event.totals)}"


def _match_ended(event: ev.MatchEnded) -> str:
    why = MATCH_TEXT[event.cause]
    return f"match over ({why}); places {_by_seat(event.places)}, totals {_by_seat(event.totals)}"


def _by_seat(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))


_NOTES: dict[type, Callable[[Any], str]] = {
    ev.RoundStarted: _round_started,
    ev.StartCardTurned: _start_card_turned,
    ev.CardPlayed: _card_played,
    ev.CardsDrawn: _cards_drawn,
    ev.ChallengeResolved: _challenge_resolved,
    ev.ColorChosen: _color_chosen,
    ev.SeatSkipped: _seat_skipped,
    ev.HandsMoved: _hands_moved,
    ev.PileRebuilt: _pile_rebuilt,
    ev.SeatAccused: _seat_accused,
    ev.TimedOut: _timed_out,
    ev.SeatLeft: _seat_left,
    ev.RoundEnded: _round_ended,
    ev.MatchEnded: _match_ended,
}
