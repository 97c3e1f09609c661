"""Hypothesis strategies for every type of event, with any values that its type allows."""

from hypothesis import strategies as st

from lastcard.rules import events
from lastcard.rules.actions import LeaveCause
from lastcard.rules.cards import COLORS, NO_COLOR, TEXT
from lastcard.rules.events import DrawCause, Event, MatchCause, RoundCause

SEATS = st.integers(0, 9)
NUMBERS = st.integers(0, 2**32 - 1)
FACES = st.sampled_from(sorted(TEXT))
CARDS = st.lists(FACES, max_size=6).map(tuple)
COLOR = st.sampled_from((NO_COLOR, *COLORS))
NUMBER_LISTS = st.lists(NUMBERS, max_size=4).map(tuple)
HANDS = st.lists(st.tuples(SEATS, CARDS), max_size=4).map(tuple)

OF_TYPE: dict[type, st.SearchStrategy[Event]] = {
    events.RoundStarted: st.builds(events.RoundStarted, NUMBERS, SEATS, st.binary(max_size=32), NUMBER_LISTS, HANDS),
    events.StartCardTurned: st.builds(events.StartCardTurned, FACES, st.booleans()),
    events.TurnStarted: st.builds(events.TurnStarted, SEATS, NUMBERS),
    events.CardPlayed: st.builds(
        events.CardPlayed,
        SEATS,
        FACES,
        COLOR,
        st.none() | SEATS,
        st.booleans(),
        st.booleans(),
        NUMBERS,
        st.sampled_from((1, -1)),
        NUMBERS,
    ),
    events.CardsDrawn: st.builds(events.CardsDrawn, SEATS, NUMBERS, st.sampled_from(DrawCause), CARDS),
    events.CardKept: st.builds(events.CardKept, SEATS),
    events.PenaltyAccepted: st.builds(events.PenaltyAccepted, SEATS),
    events.ChallengeResolved: st.builds(events.ChallengeResolved, SEATS, SEATS, st.booleans(), CARDS),
    events.ColorChosen: st.builds(events.ColorChosen, SEATS, COLOR, st.booleans()),
    events.SeatSkipped: st.builds(events.SeatSkipped, SEATS),
    events.HandsMoved: st.builds(events.HandsMoved, NUMBER_LISTS, NUMBER_LISTS, HANDS),
    events.PileRebuilt: st.builds(events.PileRebuilt, NUMBERS),
    events.UnoCalled: st.builds(events.UnoCalled, SEATS),
    events.SeatAccused: st.builds(events.SeatAccused, SEATS, SEATS, st.booleans()),
    events.TimedOut: st.builds(events.TimedOut, SEATS, NUMBERS),
    events.SeatLeft: st.builds(events.SeatLeft, SEATS, st.sampled_from(LeaveCause), NUMBERS, NUMBERS, CARDS),
    events.RoundEnded: st.builds(
        events.RoundEnded,
        NUMBERS,
        st.sampled_from(RoundCause),
        st.none() | SEATS,
        NUMBER_LISTS,
        NUMBER_LISTS,
        HANDS,
    ),
    events.MatchEnded: st.builds(events.MatchEnded, st.sampled_from(MatchCause), NUMBER_LISTS, NUMBER_LISTS),
}
"""A strategy for each event type."""

EVENTS: st.SearchStrategy[Event] = st.one_of(*OF_TYPE.values())
"""Any event."""
