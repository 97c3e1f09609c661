"""The position on the table as the events of a record tell it, without knowing the rules.

Here: `Position`. Not here: the state that the rules keep (`state`), the text of events (`transcript`). Imports `cards`
and `events`. It follows events as they are, so it can show a game that broke the rules, too.
"""

from lastcard.rules import events as ev
from lastcard.rules.cards import NO_CARD, NO_COLOR, color_of
from lastcard.rules.events import Event


class Position:
    """Hands as sorted lists of faces, the top card, the colour in force, direction, pending penalty and turn."""

    def __init__(self, players: int) -> None:
        self.hands: list[list[int]] = [[] for _ in range(players)]
        self.top = NO_CARD
        self.color = NO_COLOR
        self.direction = 1
        self.pending = 0
        self.round = 0
        self.turn = 0

    def follow(self, event: Event) -> None:
        """Takes in the next event, hidden cards included."""
        match event:
            case ev.RoundStarted():
                self._deal(event)
            case ev.StartCardTurned():
                self.top, self.color = event.card, color_of(event.card)
            case ev.TurnStarted():
                self.turn = event.turn
            case ev.CardPlayed():
                self._play(event)
            case ev.CardsDrawn():
                self._hand(event.seat).extend(event.cards)
                self._hand(event.seat).sort()
                if event.cause in (ev.DrawCause.PENALTY, ev.DrawCause.CHALLENGE):
                    self.pending = 0
            case ev.ColorChosen():
                self.color = event.color
            case ev.HandsMoved():
                for seat, cards in event.hands:
                    self._hand(seat)[:] = cards
            case ev.SeatLeft():
                self._hand(event.seat).clear()
            case _:
                pass

    def _deal(self, event: ev.RoundStarted) -> None:
        self.hands = [[] for _ in self.hands]
        for seat, cards in event.hands:
            self._hand(seat)[:] = cards
        self.round, self.turn = event.round, 0
        self.direction, self.pending = 1, 0

    def _play(self, event: ev.CardPlayed) -> None:
        hand = self._hand(event.seat)
        if event.card in hand:
            hand.remove(event.card)
        self.top, self.color = event.card, event.color
        self.direction, self.pending = event.direction, event.pending

    def _hand(self, seat: int) -> list[int]:
        """The hand of a seat; one that nobody has when the table has no such seat."""
        return self.hands[seat] if seat < len(self.hands) else []
