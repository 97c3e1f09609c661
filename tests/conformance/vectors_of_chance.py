"""Vectors of the specified chance: words, numbers, shuffles, keys, commitments, deals in both orders of draws."""

from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

from lastcard.rules.cards import text_of
from lastcard.rules.deal import start_round
from lastcard.rules.disguise import Disguise, chance_of, disguise_key
from lastcard.rules.events import StartCardTurned
from lastcard.rules.purposes import seat_order
from lastcard.rules.ruleset import ruleset
from lastcard.rules.shuffle import SeededChance, commitment, deal_key, event_key, game_salt, round_seed
from lastcard.rules.state import new_match


def key(name: str) -> bytes:
    """32 bytes that a name stands for."""
    return sha256(name.encode()).digest()


SALT = key("salt")
PURPOSES = ("deal", "seat/1/0", "rebuild/12", "")
DRAWS = {"pile": "DRAW_ORDER_PILE", "per_seat": "DRAW_ORDER_PER_SEAT"}
"""The orders of draws by their names on the wire."""

NUMBERS = (1, 2, 3, 4, 10, 52, 107, 108, 255, 256, 257, 1_000, 32_769, 40_000, 65_535, 65_536)


def chance() -> dict[str, Any]:
    """Words, numbers and shuffles of some seeds."""
    seeds = (bytes(32), b"\xff" * 32, key("one"), key("two"))
    return {
        "about": "README.md, Chance: words of a purpose under a seed, numbers below n, shuffles of a list",
        "words": [
            {"seed": seed.hex(), "purpose": purpose, "words": _words(seed, purpose)}
            for seed in seeds
            for purpose in PURPOSES
        ],
        "numbers": [
            {"seed": seed.hex(), "purpose": "first-player", "n": n, "number": _chance(seed).uniform("first-player", n)}
            for seed in seeds
            for n in NUMBERS
        ],
        "shuffles": [
            {"seed": seed.hex(), "purpose": "deal", "items": items, "order": _chance(seed).shuffled("deal", items)}
            for seed in seeds
            for items in ([], [7], [1, 2], [5, 5, 9], list(range(20)), list(range(108)))
        ],
    }


def _chance(seed: bytes, draws: str = "pile") -> SeededChance:
    return SeededChance(seed, SALT, draws)


def _words(seed: bytes, purpose: str) -> list[int]:
    return list(islice(_chance(seed)._words(purpose), 40))


def keys() -> dict[str, Any]:
    """Commitments, and all that is derived from an event's key."""
    numbers = (0, 1, 20261129, 2**64)
    event = event_key(20261129)
    deal = deal_key(event, "7")
    return {
        "about": "README.md, Keys: commitments, keys of events and deals, seeds of rounds, salts of games",
        "commitments": [
            {"seed": seed.hex(), "salt": salt.hex(), "commitment": commitment(seed, salt).hex()}
            for seed in (bytes(32), key("one"))
            for salt in (bytes(32), SALT)
        ],
        "event_keys": [{"number": str(number), "key": event_key(number).hex()} for number in numbers],
        "deal_keys": [
            {"event_key": event.hex(), "deal": text, "key": deal_key(event, text).hex()} for text in ("1", "7", "ä")
        ],
        "round_seeds": [
            {"deal_key": deal.hex(), "round": number, "seed": round_seed(deal, number).hex()} for number in (1, 2, 300)
        ],
        "salts": [
            {"event_key": event.hex(), "game": text, "salt": game_salt(event, text).hex()} for text in ("1", "28")
        ],
    }


_UNLIKE = {"deck": "custom", "deck_counts": "1=2,V=1,R1=1,Y1=1,BS=3,W=4,W4=1", "hand_size": 2}
_DECKS: dict[str, dict[str, object]] = {
    "four colours alike": {},
    "red and yellow alike": _UNLIKE,
    "each colour different": {"deck": "custom", "deck_counts": "R1=4,Y2=4,G3=4,B4=4,W=2", "hand_size": 2},
}


def disguises() -> dict[str, Any]:
    """What colours and cards become in disguised rounds, and an order and a colour of such rounds."""
    cases = []
    for name, options in _DECKS.items():
        faces = ruleset("official", options).deck()
        for number in range(4):
            seed, salt = key(f"{name}/{number}"), key(f"salt of {name}/{number}")
            disguise = Disguise(disguise_key(seed, salt), faces)
            chance = chance_of(seed, salt, "pile", faces, disguised=True)
            cases.append(
                {
                    "name": name,
                    "seed": seed.hex(),
                    "salt": salt.hex(),
                    "deck": text_of(faces),
                    "key": disguise_key(seed, salt).hex(),
                    "colors": disguise.colors[1:],
                    "cards": disguise.cards,
                    "rebuild": {"items": list(range(3, 15)), "order": chance.shuffled("rebuild/1", range(3, 15))},
                    "named": [chance.uniform(f"color/{turn}", 4) + 1 for turn in range(1, 9)],
                }
            )
    return {
        "about": "README.md, Disguise: what colours 1 to 4 and the cards of a deck become, and chance that follows",
        "disguises": cases,
    }


class Deal(NamedTuple):
    """What a round is dealt with."""

    name: str
    preset: str
    options: dict[str, object]
    players: int
    draws: str = "pile"
    disguise: bool = False


_SMALL = {"deck": "custom", "deck_counts": "0=1,1=2,5=1,S=1,W4=2", "hand_size": 3}
_WILDS = {"deck": "custom", "deck_counts": "1=2,W=8,W4=8", "hand_size": 1}
_LAST_ONE = {"deck": "custom", "deck_counts": "R1=1,W=6,W4=6", "hand_size": 5}
_DEALS = (
    Deal("two players, one pile", "official", {}, 2),
    Deal("four players, one pile", "official", {}, 4),
    Deal("four players, an order a seat", "official", {}, 4, "per_seat"),
    Deal("ten players, an order a seat", "danish", {}, 10, "per_seat"),
    Deal("first dealer and first player by lot", "german", {"first_player": "random"}, 5),
    Deal("wilds are put back", "german", _WILDS, 2),
    Deal("wilds are put back, an order a seat", "german", _WILDS, 2, "per_seat"),
    Deal("dealt again while no start card is left", "german", _LAST_ONE, 2),
    Deal("small deck and hands", "official", _SMALL, 3, "per_seat"),
    Deal("two players, one pile, disguised", "official", {}, 2, "pile", disguise=True),
    Deal("four players, an order a seat, disguised", "official", {}, 4, "per_seat", disguise=True),
    Deal("wilds are put back, disguised", "german", _WILDS, 2, "pile", disguise=True),
    Deal("red and yellow alike, disguised", "german", _UNLIKE, 3, "per_seat", disguise=True),
)


def deals() -> dict[str, Any]:
    """Whole deals, and the pile drawn to its end."""
    cases = [_deal(setting, key(f"{setting.name}/{number}")) for setting in _DEALS for number in range(3)]
    return {
        "about": "README.md, Deals: hands, start cards, and the pile drawn to its end by the seats in `drawn_by`",
        "deals": cases,
    }


def _deal(setting: Deal, seed: bytes) -> dict[str, Any]:
    name, preset, options, players, draws, disguised = setting
    rules = ruleset(preset, options)
    state = new_match(rules, players)
    faces = state.faces
    chance = chance_of(seed, SALT, draws, faces, disguised=disguised)
    events = start_round(state, chance)
    starts = [event.card for event in events if isinstance(event, StartCardTurned)]
    hands = [list(hand) for hand in state.hands]
    case: dict[str, Any] = {
        "name": name,
        "preset": preset,
        "options": dict(rules.overrides()),
        "players": players,
        "draws": DRAWS[draws],
        "disguise": disguised,
        "seed": seed.hex(),
        "salt": SALT.hex(),
        "commitment": state.chance.commitment.hex(),
        "deck": text_of(faces),
        "dealer": state.dealer,
        "hands": [{"ids": hand, "text": text_of(faces[card] for card in hand)} for hand in hands],
        "start_cards": text_of(starts),
        "pile": state.pile.ids(),
    }
    if draws == "per_seat":
        orders = [chance.shuffled(seat_order(1, seat), range(len(faces))) for seat in range(players)]
        case["orders"] = [{"ids": order} for order in orders]
    # An uneven pattern, so that seats take different numbers of cards from the pile.
    drawn_by = [(turn * turn + turn // 3) % players for turn in range(len(state.pile))]
    case["drawn_by"] = drawn_by
    case["drawn"] = [state.pile.draw(seat) for seat in drawn_by]
    return case
