"""The state of a match at one table: everything the rules know, and nothing about clocks or connections.

Here: `Phase`, `State`, `new_match` and who comes next. Not here: how it changes (`deal`, `apply` and what they call).
May import `actions`, `law`, `pile`, `ruleset`.
"""

from enum import IntEnum

from lastcard.rules.law import NO_RANK, Law, law_of
from lastcard.rules.pile import Chance, Pile, SharedPile
from lastcard.rules.ruleset import Ruleset


class Phase(IntEnum):
    """What the seat on turn must decide; the first four are numbered as decision kinds on the wire."""

    NOT_STARTED = 0
    TURN = 1
    DRAWN_CARD = 2
    PENALTY = 3
    COLOR = 4
    ROUND_OVER = 6
    MATCH_OVER = 7


# Looking an enum's member up costs more than comparing it, so the hot paths use these names.
NOT_STARTED, TURN, DRAWN_CARD = Phase.NOT_STARTED, Phase.TURN, Phase.DRAWN_CARD
PENALTY, COLOR = Phase.PENALTY, Phase.COLOR
ROUND_OVER, MATCH_OVER = Phase.ROUND_OVER, Phase.MATCH_OVER


class State:
    """A match in progress; changed only by the functions of this package, read by everybody.

    Shapes: `hands[seat]` is a sorted bytearray of card ids, `faces[id]` the face of a card, `table` the same padded to
    256 for `bytearray.translate`; `discard` has the top card last; `buried` holds the cards of leavers, which lie under
    it. `liable`, `called` and `fresh` are bit sets of seats. `known[viewer][seat]` lists faces that the viewer knows to
    be in that hand.
    """

    __slots__ = (
        "active",
        "benched",
        "buried",
        "called",
        "chance",
        "color",
        "color_next",
        "dealer",
        "direction",
        "discard",
        "drawn",
        "drawn_counts",
        "dry",
        "early_call",
        "extra_round",
        "faces",
        "fresh",
        "frozen",
        "hands",
        "idle_turns",
        "jumpable",
        "known",
        "law",
        "left_order",
        "liable",
        "match_cause",
        "pending",
        "phase",
        "pile",
        "places",
        "players",
        "points_left",
        "progress",
        "rebuilds",
        "round",
        "round_cause",
        "round_scores",
        "rounds_won",
        "rules",
        "strikes",
        "table",
        "time_up",
        "top_rank",
        "totals",
        "turn",
        "turn_number",
        "w4_challengeable",
        "w4_guilty",
        "w4_hand",
        "w4_seat",
        "winner",
    )

    def __init__(self, rules: Ruleset, players: int) -> None:
        self.rules = rules
        self.law: Law = law_of(rules)
        self.players = players
        self.set_deck(self.law.deck)
        self.phase = Phase.NOT_STARTED
        self.active = [True] * players
        self.benched = [False] * players
        """Seats that sit out an extra round between others."""
        self.left_order: list[int] = []
        """Seats that left, the earliest first."""
        self.totals = [0] * players
        self.rounds_won = [0] * players
        self.points_left = [0] * players
        """Points that each seat was caught with, over all rounds."""
        self.strikes = [0] * players
        self.round_scores: list[tuple[int, ...]] = []
        self.round = 0
        self.dealer = -1
        self.winner: int | None = None
        self.round_cause = 0
        self.match_cause = 0
        self.places: tuple[int, ...] = ()
        self.time_up = False
        self.extra_round = False
        """Whether the match goes on only to part those who came out level (C85)."""
        self.clear_round()

    def set_deck(self, faces: tuple[int, ...]) -> None:
        """Fixes the cards in play: faces by card id, at most 256."""
        self.faces = bytes(faces)
        self.table = self.faces.ljust(256, b"\0")

    def clear_round(self) -> None:
        """Forgets the round: empty hands and piles, clockwise, no penalty, no calls, no colour (C28)."""
        players = self.players
        self.hands = [bytearray() for _ in range(players)]
        self.pile: Pile = SharedPile(())
        self.chance: Chance | None = None
        self.rebuilds = 0
        """Draw piles rebuilt in this round."""
        self.discard = bytearray()
        self.buried = bytearray()
        self.color = 0
        self.top_rank = NO_RANK
        self.direction = 1
        self.turn = -1
        self.turn_number = 0
        self.color_next = -1
        """Seat that plays after a colour choice."""
        self.pending = 0
        self.drawn = -1
        self.drawn_counts = [0] * players
        self.frozen: list[int | None] = [None] * players
        """Points of the cards of those who left in this round."""
        self.liable = 0
        self.called = 0
        self.fresh = 0
        """Liable seats since whose play no other seat's turn has begun (C55)."""
        self.early_call = -1
        """Seat that has called before its play in this turn."""
        self.jumpable = False
        """Whether the top card may be jumped on (C68, K2)."""
        self.dry = False
        """Whether a card was needed that `pile_empty: end_round` does not give."""
        self.idle_turns = 0
        self.progress = False
        """Whether a card was played or drawn in this turn (K8)."""
        self.known: dict[int, dict[int, list[int]]] = {}
        self.w4_seat = -1
        self.w4_guilty = False
        self.w4_hand: tuple[int, ...] = ()
        self.w4_challengeable = False

    def clone(self) -> "State":
        """A copy that can be played on without touching this one; rules, law and chance are shared."""
        copy = State.__new__(State)
        for name in _SHARED:
            setattr(copy, name, getattr(self, name))
        for name in _LISTS:
            setattr(copy, name, getattr(self, name)[:])
        copy.hands = [hand[:] for hand in self.hands]
        copy.pile = self.pile.clone()
        copy.known = {viewer: {seat: faces[:] for seat, faces in seen.items()} for viewer, seen in self.known.items()}
        return copy

    def hand_faces(self, seat: int) -> bytes:
        """The faces in a hand, ascending."""
        return bytes(self.hands[seat].translate(self.table))

    def top_face(self) -> int:
        """The face of the top card."""
        return self.faces[self.discard[-1]]

    def active_seats(self) -> list[int]:
        """The seats still playing, ascending."""
        return [seat for seat, playing in enumerate(self.active) if playing]

    def next_seat(self, seat: int) -> int:
        """The next active seat after `seat` in the direction of play; the seat itself when no other is active."""
        players, direction, active = self.players, self.direction, self.active
        for _ in range(players):
            seat = (seat + direction) % players
            if active[seat]:
                return seat
        return seat

    def round_on(self) -> bool:
        """Whether a round is being played."""
        return Phase.TURN <= self.phase <= Phase.COLOR


_LISTS = (
    "active",
    "benched",
    "buried",
    "discard",
    "drawn_counts",
    "frozen",
    "left_order",
    "points_left",
    "round_scores",
    "rounds_won",
    "strikes",
    "totals",
)
_SHARED = tuple(name for name in State.__slots__ if name not in (*_LISTS, "hands", "pile", "known"))


def new_match(rules: Ruleset, players: int) -> State:
    """A match of `players` seats before its first round; the caller has checked `check_players`."""
    return State(rules, players)
