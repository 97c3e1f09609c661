"""Renamed colours: another look of the same round, which only who knows the salt can undo."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.rules import events as ev
from lastcard.rules.actions import TIMEOUT, Action, leave
from lastcard.rules.apply import apply
from lastcard.rules.cards import COLORS, FACES, NO_COLOR, RED, WILD, YELLOW, classic_deck, color_of, rank_of
from lastcard.rules.deal import start_round
from lastcard.rules.disguise import Disguise, DisguisedChance, chance_of, disguise_key
from lastcard.rules.events import Event
from lastcard.rules.legality import legal_actions
from lastcard.rules.ruleset import Ruleset, ruleset
from lastcard.rules.shuffle import SeededChance, commitment
from lastcard.rules.state import Phase, State, new_match
from lastcard.rules.verify import verify
from record_games import HOUSE_RULES, SALT, Game, play_game

KEYS = st.binary(min_size=32, max_size=32)
CLASSIC = classic_deck()


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


@given(KEYS)
def test_a_disguise_exchanges_the_colours_of_a_deck_and_keeps_ranks_and_wilds(secret: bytes) -> None:
    disguise = Disguise(secret, CLASSIC)
    assert sorted(disguise.colors) == [NO_COLOR, *COLORS]
    assert disguise.colors[NO_COLOR] == NO_COLOR
    assert sorted(disguise.cards) == list(range(len(CLASSIC)))
    for card, other in enumerate(disguise.cards):
        assert CLASSIC[other] == disguise.face(CLASSIC[card])
        assert rank_of(CLASSIC[other]) == rank_of(CLASSIC[card])
        assert color_of(CLASSIC[other]) == disguise.colors[color_of(CLASSIC[card])]
    assert disguise.plain(disguise.cards[10:20]) == list(range(10, 20))


def test_every_renaming_of_the_four_colours_is_equally_likely() -> None:
    count = 4_800
    found = Counter(tuple(Disguise(key(number), CLASSIC).colors) for number in range(count))
    assert len(found) == 24
    assert all(140 <= times <= 265 for times in found.values()), found


def test_only_colours_of_which_the_deck_holds_the_same_cards_change_names() -> None:
    counts = "1=2,R1=1,Y1=1,B5=1,W=4"
    deck = ruleset("official", {"deck": "custom", "deck_counts": counts, "hand_size": 3}).deck()
    held = Counter(deck)
    assert held[FACES["R1"]] == held[FACES["Y1"]] != held[FACES["G1"]]
    names = set()
    for number in range(50):
        disguise = Disguise(key(number), deck)
        names.add(tuple(disguise.colors))
        assert Counter(map(disguise.face, deck)) == held
    assert names == {(0, 1, 2, 3, 4), (0, 2, 1, 3, 4)}


DECKS: tuple[dict[str, object], ...] = (
    {"deck": "custom", "deck_counts": "1=4,3=3,V=2,S=2,D=2,W=6,W4=3", "hand_size": 4},
    {"deck": "custom", "deck_counts": "2=4,5=4,R7=4,Y7=4,BD=6,W=4", "hand_size": 3},
)
"""Decks of which all colours may change names, and of which red may with yellow alone."""


def renamed(event: Event, disguise: Disguise) -> Event:
    """The event with its colours renamed."""

    def faces(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(disguise.face, cards))

    def hands(pairs: ev.Hands) -> ev.Hands:
        return tuple((seat, tuple(sorted(faces(cards)))) for seat, cards in pairs)

    match event:
        case ev.RoundStarted() | ev.HandsMoved() | ev.RoundEnded():
            return event._replace(hands=hands(event.hands))
        case ev.StartCardTurned():
            return event._replace(card=disguise.face(event.card))
        case ev.CardPlayed():
            return event._replace(card=disguise.face(event.card), color=disguise.colors[event.color])
        case ev.CardsDrawn():
            return event._replace(cards=faces(event.cards))
        case ev.SeatLeft():
            return event._replace(cards=tuple(sorted(faces(event.cards))))
        case ev.ChallengeResolved():
            return event._replace(hand=tuple(sorted(faces(event.hand))))
        case ev.ColorChosen():
            return event._replace(color=disguise.colors[event.color])
        case _:
            return event


def some_move(state: State, lot: random.Random) -> tuple[int, Action]:
    """A turn's action, now and then a timeout or a leaving; plays are likelier, so that rounds end."""
    if lot.random() < 0.05 or (state.phase == Phase.COLOR and lot.random() < 0.5):
        return state.turn, TIMEOUT
    if lot.random() < 0.004:
        return lot.choice(state.active_seats()), leave()
    actions = legal_actions(state, state.turn)
    plays = [action for action in actions if action.card]
    return state.turn, lot.choice(plays if plays and lot.random() < 0.8 else actions)


@pytest.mark.slow
@given(
    st.integers(0, 10_000),
    st.sampled_from((*HOUSE_RULES, *DECKS)),
    st.sampled_from(["german", "danish", "official"]),
    st.sampled_from(["pile", "per_seat"]),
)
def test_the_same_moves_in_renamed_colours_give_the_same_events_in_renamed_colours(
    number: int, options: dict[str, object], preset: str, draws: str
) -> None:
    """Deals, start cards, draws, rebuilt piles, lots and the server's colours are those of the plain game."""
    rules = ruleset(preset, options)
    lot = random.Random(number)
    players = lot.randint(2, min(5, rules.max_players))
    plain, disguised = new_match(rules, players), new_match(rules, players)
    salt = key(number)
    for round_number in (1, 2):
        if plain.phase == Phase.MATCH_OVER:
            break
        seed = key(1_000_000 * round_number + number)
        disguise = Disguise(disguise_key(seed, salt), plain.faces)
        events = start_round(plain, SeededChance(seed, salt, draws))
        assert start_round(disguised, DisguisedChance(seed, salt, draws, plain.faces)) == [
            renamed(event, disguise) for event in events
        ]
        while plain.round_on():
            seat, action = some_move(plain, lot)
            given = apply(plain, seat, action)
            same = action._replace(card=disguise.face(action.card), color=disguise.colors[action.color])
            assert apply(disguised, seat, same) == [renamed(event, disguise) for event in given]


def test_the_server_names_a_renamed_colour() -> None:
    salts = [key(number) for number in range(60)]
    names = {DisguisedChance(key(1), salt, "pile", CLASSIC).uniform("color/3", 4) for salt in salts}
    assert names == {0, 1, 2, 3}
    plain = SeededChance(key(1), key(0)).uniform("color/3", 4)
    for salt in salts:
        colors = Disguise(disguise_key(key(1), salt), CLASSIC).colors
        assert DisguisedChance(key(1), salt, "pile", CLASSIC).uniform("color/3", 4) == colors[plain + 1] - 1
        assert DisguisedChance(key(1), salt, "pile", CLASSIC).uniform("first-player", 4) == SeededChance(
            key(1), salt
        ).uniform("first-player", 4)


@pytest.mark.parametrize("options", DECKS)
@pytest.mark.parametrize("draws", ["pile", "per_seat"])
def test_records_of_disguised_games_with_other_decks_verify(options: dict[str, object], draws: str) -> None:
    for seed in range(6):
        game = play_game(seed, options=options, players=3, draws=draws, rounds=2, disguise=True)
        for revealed in (False, True):
            found = verify(game.record(revealed=revealed))
            assert (found.line, found.problem) == (None, None)
        # Told as a plain game it is another one.
        plain = replace(game, disguise=False)
        assert not verify(plain.record(revealed=True)).ok or _is_identity(game)


def _is_identity(game: Game) -> bool:
    return all(
        Disguise(disguise_key(seed, SALT), game.rules.deck()).colors == [NO_COLOR, *COLORS] for seed in game.seeds
    )


def test_two_games_and_two_rounds_on_a_deal_are_disguised_differently() -> None:
    games = {tuple(Disguise(disguise_key(key(1), key(salt)), CLASSIC).colors) for salt in range(100)}
    rounds = {tuple(Disguise(disguise_key(key(seed), key(1)), CLASSIC).colors) for seed in range(100)}
    assert len(games) > 20
    assert len(rounds) > 20


def test_a_disguised_round_has_the_same_commitment_and_the_same_draw_order() -> None:
    rules: Ruleset = ruleset()
    chance = chance_of(key(1), key(2), "per_seat", rules.deck(), disguised=True)
    assert (chance.commitment, chance.draws) == (commitment(key(1), key(2)), "per_seat")
    assert isinstance(chance_of(key(1), key(2), "pile", rules.deck(), disguised=False), SeededChance)


def test_a_face_keeps_its_rank() -> None:
    disguise = next(one for one in (Disguise(key(n), CLASSIC) for n in range(99)) if one.colors[RED] == YELLOW)
    assert disguise.face(FACES["R7"]) == FACES["Y7"]
    assert disguise.face(FACES["RD"]) == FACES["YD"]
    assert disguise.face(WILD) == WILD
