"""The cheater knows deals again where it says so, and gains by it: else its figures would prove nothing."""

import math
from collections import Counter

import numpy as np
import pytest

from bench.memory import bot
from bench.memory.bot import Cheater
from bench.memory.knowledge import PLAIN, RENAMINGS, Deal, Sight, _chance, inverse, recognised, renamed
from bench.memory.play import OPEN, Setting, play
from lastcard.rules import events as ev
from lastcard.rules.cards import FACES, classic_deck
from lastcard.rules.events import DrawCause
from lastcard.rules.ruleset import ruleset

DECK = classic_deck()
CLOSED = OPEN._replace(closed=True)


def faces(text: str) -> tuple[int, ...]:
    return tuple(FACES[word] for word in text.split())


def sight(hand: str, *, seat: int = 0, start: str = "R1") -> Sight:
    made = Sight(seat, 2)
    made.see([ev.RoundStarted(1, 1, b"", (7, 7), ((seat, faces(hand)),)), ev.StartCardTurned(FACES[start], False)])
    return made


def played(seat: int, card: str) -> ev.CardPlayed:
    return ev.CardPlayed(seat, FACES[card], 0, None, False, False, 0, 1, 0)


HAND = "R1 R5 Y5 G2 B9 BS W"
OTHER = "R2 R3 R4 Y7 G7 GD B0"


def test_a_hand_that_was_seen_whole_is_known_again_and_another_is_not() -> None:
    deal = Deal.unknown(1, 2, FACES["R1"], 1)
    deal.learn(sight(HAND), PLAIN)
    again = recognised(sight(HAND), [deal], DECK, canonical=False, unseen=8)
    assert again is not None
    assert again.deal is deal
    assert recognised(sight(OTHER), [deal], DECK, canonical=False, unseen=8) is None
    assert recognised(sight(HAND, start="R2"), [deal], DECK, canonical=False, unseen=8) is None


def test_cards_that_a_seat_played_before_it_drew_are_known_again_in_its_hand() -> None:
    earlier = sight(OTHER)
    earlier.see([played(1, card) for card in ("R1", "R5", "Y5")])
    earlier.see([ev.CardsDrawn(1, 1, DrawCause.PENALTY, ()), played(1, "Y0")])
    deal = Deal.unknown(1, 2, FACES["R1"], 1)
    deal.learn(earlier, PLAIN)
    assert deal.hands[1] == Counter(faces("R1 R5 Y5"))
    assert recognised(sight(HAND, seat=1), [deal], DECK, canonical=False, unseen=8) is not None
    assert recognised(sight("R1 R5 Y6 G2 B9 BS W", seat=1), [deal], DECK, canonical=False, unseen=8) is None


@pytest.mark.parametrize("names", [RENAMINGS[7], RENAMINGS[23]])
def test_renamed_colours_are_seen_through_by_who_tries_them_and_by_nobody_else(names: tuple[int, ...]) -> None:
    deal = Deal.unknown(1, 2, FACES["R1"], 1)
    deal.learn(sight(HAND), PLAIN)
    made = Sight(0, 2)
    hand = tuple(sorted(renamed(face, names) for face in faces(HAND)))
    made.see([ev.RoundStarted(1, 1, b"", (7, 7), ((0, hand),)), ev.StartCardTurned(renamed(FACES["R1"], names), False)])
    assert recognised(made, [deal], DECK, canonical=False, unseen=8) is None
    match = recognised(made, [deal], DECK, canonical=True, unseen=8)
    assert match is not None
    assert match.names == inverse(names)


def test_what_a_seat_played_that_was_not_dealt_to_it_it_had_drawn() -> None:
    earlier = sight(OTHER)
    earlier.see([ev.CardsDrawn(1, 2, DrawCause.PENALTY, ()), played(1, "R1"), played(1, "B7"), played(1, "R5")])
    deal = Deal.unknown(1, 2, FACES["R1"], 1)
    deal.learn(earlier, PLAIN)
    deal.note_hand(1, Counter(faces(HAND)))
    assert deal.draws[1] == {0: FACES["B7"]}
    assert deal.piled == {0: FACES["B7"]}


def test_the_odds_of_chance_are_those_of_a_random_hand() -> None:
    """A known card in the hand tells as much as it is rare: of 108 cards 7 are in the hand, two of which are R5."""
    held = Counter(DECK)
    assert math.isclose(_chance(Counter(faces("R5")), 7, held), 2 * 7 / 108)
    assert math.isclose(_chance(Counter(), 7, held), 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "knows", "gains"),
    [
        (OPEN, True, True),
        (OPEN._replace(disguise=True), True, True),
        (OPEN._replace(disguise=True, canonical=False), False, False),
        (CLOSED._replace(disguise=True, scattered=True), True, False),
    ],
    ids=["open", "disguised", "disguised, not renaming", "all"],
)
def test_the_cheater_knows_deals_again_but_where_it_cannot(
    setting: Setting, knows: bool, gains: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot, "PLANS", 12)
    found = play(setting._replace(trials=24), 12, 3, honest=False)
    assert found.again == 12
    assert found.wrong == 0
    assert (found.right >= 10) if knows else (found.right <= 3)
    if gains:
        double = play(setting._replace(trials=24), 12, 3, honest=True)
        assert np.mean(found.shares) > np.mean(double.shares) + 0.05


def test_without_memory_it_plays_like_its_honest_double() -> None:
    setting = OPEN._replace(trials=24, disguise=True, canonical=False, closed=True)
    found, double = (play(setting, 2, 5, honest=honest) for honest in (False, True))
    assert found.right == 0
    assert found.shares == double.shares


def test_what_it_forgets_is_a_deal_that_was_played_in_all_its_rotations() -> None:
    cheater = Cheater(ruleset(), 2, draws="pile", canonical=False, trials=24, unseen=8)
    for seat in (0, 1):
        cheater.begin(seat)
        cheater.see(
            [ev.RoundStarted(1, 1, b"", (7, 7), ((seat, faces(HAND)),)), ev.StartCardTurned(FACES["R1"], False)]
        )
        cheater.see([played(1 - seat, card) for card in ("R1", "R5", "Y5", "G2", "B9", "BS")])
        cheater.end(None)
    assert cheater.kept == 1
    assert not cheater._deals
