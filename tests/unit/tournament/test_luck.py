from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from lastcard.cli.series import Series
from lastcard.rules.cards import FACES
from lastcard.rules.events import CardPlayed, CardsDrawn, DrawCause, Event, PileRebuilt, RoundStarted, StartCardTurned
from lastcard.rules.ruleset import Ruleset, ruleset
from lastcard.rules.state import new_match
from lastcard.tournament.adjustment import luck_adjusted
from lastcard.tournament.judging import judge
from lastcard.tournament.luck import FITS, luck_of
from lastcard.tournament.schedule import Game
from lastcard.tournament.scoring import Scoring
from lastcard.v1.action_pb2 import Action
from lastcard.v1.view_pb2 import View
from lastcard_bot.bot import AsyncBot, Bot, Reply
from lastcard_bot.bots import make_bot
from random_games import Dice, dice, draw_orders, play_match, seeds, tables

OFFICIAL = ruleset("official", {"match_end": "single_round"})


def game(rules: Ruleset, players: int, seed: bytes, draws: str, rng: Random, *, rounds: int = 2) -> list[Event]:
    state = new_match(rules, players)
    return [event for _, events in play_match(state, seed, draws, rng, rounds) for event in events]


def started(*hands: str) -> RoundStarted:
    dealt = tuple((seat, tuple(FACES[card] for card in hand.split())) for seat, hand in enumerate(hands))
    return RoundStarted(1, 0, b"", tuple(len(hand) for _, hand in dealt), dealt)


def test_luck_is_what_cards_are_worth_beyond_the_mean_of_the_pile() -> None:
    deck = ruleset("official", {"deck": "custom", "deck_counts": "0=1,W=1,W4=1", "hand_size": 1})
    # 6 cards: four zeros worth nothing, a wild worth 5 and a draw four worth 6. Left after start card: Y0, G0, W4.
    events: list[Event] = [started("W", "R0"), StartCardTurned(FACES["B0"], put_back=False)]
    mean = 11 / 6
    assert luck_of(events, deck, 2)[0] == pytest.approx((5 - mean, 0))
    assert luck_of(events, deck, 2)[1] == pytest.approx((-mean, 0))
    # At a turn on a zero, both zeros left would fit by their rank.
    events.append(CardsDrawn(1, 1, DrawCause.TURN, (FACES["G0"],)))
    drawn = FITS - (FITS + FITS + 6) / 3
    assert luck_of(events, deck, 2)[1] == pytest.approx((-mean, drawn))
    # As a penalty nothing fits; then the pile is rebuilt in the middle of a draw.
    events += [
        CardPlayed(0, FACES["W"], 1, None, False, False, 0, 1, 0),
        PileRebuilt(1),
        CardsDrawn(0, 3, DrawCause.PENALTY, (FACES["Y0"], FACES["W4"], FACES["B0"])),
    ]
    assert luck_of(events, deck, 2)[0] == pytest.approx((5 - mean, (0 - 6 / 2) + 0 + 0))


def test_a_card_that_was_not_in_the_pile_is_refused() -> None:
    events: list[Event] = [started("R0", "R1"), CardsDrawn(1, 1, DrawCause.TURN, (FACES["R0"],))]
    with pytest.raises(ValueError, match="where there was none left"):
        luck_of(events, OFFICIAL, 2)
    with pytest.raises(ValueError, match="rebuilt from 5 cards, but there were 0"):
        luck_of([started("R0", "R1"), PileRebuilt(5)], OFFICIAL, 2)


@given(tables(), seeds, draw_orders, dice)
@settings(max_examples=60)
def test_every_game_under_any_rules_can_be_counted(
    table: tuple[Ruleset, int], seed: bytes, draws: str, rng: Dice
) -> None:
    rules, players = table
    events = game(rules, players, seed, draws, rng)
    made = luck_of(events, rules, players)
    assert len(made) == players
    assert made == luck_of(events, rules, players)


@pytest.mark.slow
@pytest.mark.parametrize("draws", ["pile", "per_seat"])
@pytest.mark.parametrize(
    ("rules", "players"),
    [
        (OFFICIAL, 4),
        (
            ruleset("official", {"match_end": "single_round", "draw_mode": "until_playable", "start_wild": "redraw"}),
            3,
        ),
        # Small decks of which most may not start, so that deals are repeated and the pile is rebuilt all the time.
        (
            ruleset(
                "official",
                {
                    "match_end": "single_round", "deck": "custom", "deck_counts": "3=1,V=1,W=2,W4=3", "hand_size": 4,
                    "start_wild": "redraw", "start_reverse": "redraw", "max_turns_per_round": 60,
                },
            ),
            3,
        ),
    ],
)  # fmt: skip
def test_the_mean_luck_is_zero_however_the_game_is_played(draws: str, rules: Ruleset, players: int) -> None:
    rng = Random(1)
    made = np.array(
        [luck_of(game(rules, players, rng.randbytes(32), draws, rng, rounds=1), rules, players) for _ in range(700)]
    )
    errors = made.std(axis=0, ddof=1) / np.sqrt(len(made))
    assert made.std(axis=0).min() > 1
    # Twelve to eighteen means a case: none is further away than four standard errors.
    assert np.abs(made.mean(axis=0) / errors).max() < 4


def test_the_luck_of_games_in_disguise_can_be_counted() -> None:
    deck = {"deck": "custom", "deck_counts": "R0=3,R5=9,Y1=9,G1=9,B2=9,W=5,W4=3,S=2", "hand_size": 5}
    rules = ruleset("official", {"match_end": "single_round", **deck})
    told: dict[int, list[Event]] = {}

    def note(game: Game, events: Sequence[Event]) -> None:
        told.setdefault(game.game, []).extend(events)

    bots: dict[str, Bot | AsyncBot] = {"one": make_bot("random", 1), "two": make_bot("random", 2)}
    series = Series(bots, rules, deals=8, seed=1, draws="per_seat", disguise=True, told=note)
    luck = [luck_of(told[row.game], rules, 2) for row in series.play()]
    assert len(luck) == 16
    assert all(any(drawn for _, drawn in each) for each in luck)


class Careless(Bot):
    """Plays as greedy does, but at random once in five turns, so that it is nearly as good, and different."""

    def __init__(self) -> None:
        super().__init__()
        self._greedy, self._random, self._rng = make_bot("greedy"), make_bot("random"), Random(1)

    def choose(self, view: View, legal_actions: Sequence[Action]) -> Reply:
        return (self._random if self._rng.random() < 0.2 else self._greedy).choose(view, legal_actions)


@pytest.mark.slow
def test_taking_luck_out_of_games_of_shipped_bots_leaves_less_variance() -> None:
    told: dict[int, list[Event]] = {}

    def note(game: Game, events: Sequence[Event]) -> None:
        told.setdefault(game.game, []).extend(events)

    bots: dict[str, Bot | AsyncBot] = {"one": make_bot("greedy"), "two": Careless()}
    series = Series(bots, OFFICIAL, deals=150, seed=1, draws="pile", told=note)
    rows = [replace(row, luck=luck_of(told[row.game], OFFICIAL, 2)) for row in series.play()]
    for made in luck_adjusted(judge(rows, Scoring()), ("one", "two")):
        assert made.variance_ratio is not None
        assert made.variance_ratio < 0.97
