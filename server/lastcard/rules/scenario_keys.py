"""Reading the keys that describe a scenario's position, and checking that the position is possible.

Here: what each key may hold. Not here: the position itself (`scenario_position`), files and their other keys
(`scenario_file`). May import `cards`, `notation`, `purposes`, `ruleset`, `scenario_position`, `shuffle`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TypeVar

from lastcard.rules import purposes
from lastcard.rules.cards import COLOR_LETTERS, DRAW_TWO, NO_COLOR, TEXT, WILD_DRAW_FOUR, is_wild, rank_of
from lastcard.rules.notation import NotationError, read_card, read_color, read_face
from lastcard.rules.ruleset import Ruleset, RulesetError, check_players
from lastcard.rules.scenario_position import Card, Position, PositionError
from lastcard.rules.shuffle import KEY_BYTES, SeededChance

POSITION_KEYS = (
    "players",
    "out",
    "hands",
    "pile",
    "discard",
    "flip",
    "color",
    "turn",
    "direction",
    "dealer",
    "pending",
    "totals",
)
"""The keys of a scenario that describe its position."""

_PENALTY = {DRAW_TWO: 2, WILD_DRAW_FOUR: 4}

_T = TypeVar("_T")


def read_position(keys: Mapping[str, object], rules: Ruleset, scenario_id: str) -> Position:
    """The position of a scenario's keys; unknown keys are the caller's to refuse.

    Raises:
        PositionError: a key cannot be read, or the position is not possible.
    """
    hands = _hand_texts(keys)
    seats = len(hands)
    try:
        check_players(rules, seats)
    except RulesetError as error:
        raise PositionError("hands", str(error)) from None
    out = _seats(keys, seats)
    active = [seat for seat in range(seats) if seat not in out]
    if len(active) < 2:
        raise PositionError("out", f"only {len(active)} of {seats} seats would be active; at least 2 must be.")
    discard, flip = _discard_and_flip(keys)
    named_hands, wanted = _read_hands(hands, out)
    pile, open_ended = _read_pile(keys)
    chance = SeededChance(sha256(scenario_id.encode()).digest(), bytes(KEY_BYTES))
    named = [("hands", hand) for hand in named_hands]
    named += [("discard", tuple(face for face, _ in discard)), ("flip", flip), ("pile", pile)]
    rest = _rest(rules, named, chance)
    filled, rest = _fill(named_hands, wanted, rest)
    return Position(
        rules=rules,
        out=out,
        hands=filled,
        pile=pile,
        rest=rest if open_ended else (),
        discard=discard,
        flip=flip,
        turn=_seat(keys, "turn", 0, active),
        direction=_direction(keys),
        dealer=_seat(keys, "dealer", active[-1], active),
        pending=_pending(keys, discard),
        totals=_totals(keys, seats),
        chance=chance,
    )


def _hand_texts(keys: Mapping[str, object]) -> list[str]:
    hands = keys.get("hands")
    if not isinstance(hands, list) or not all(isinstance(hand, str) for hand in hands):
        raise PositionError("hands", 'it must be a list with a text for each seat, as in ["R5 B2", "*7"].')
    players = keys.get("players", len(hands))
    if players != len(hands) or isinstance(players, bool):
        raise PositionError("players", f"{players!r} does not fit {len(hands)} hands; each seat has an entry in hands.")
    return hands


def _seats(keys: Mapping[str, object], seats: int) -> tuple[int, ...]:
    out = keys.get("out", [])
    if not isinstance(out, list):
        raise PositionError("out", f"{out!r} is no list of seats, as in [1].")
    for seat in out:
        if not isinstance(seat, int) or isinstance(seat, bool) or not 0 <= seat < seats:
            raise PositionError("out", f"there is no seat {seat!r}; valid are 0 to {seats - 1}.")
        if out.count(seat) > 1:
            raise PositionError("out", f"seat {seat} stands there twice.")
    return tuple(out)


def _seat(keys: Mapping[str, object], key: str, default: int, active: list[int]) -> int:
    seat = keys.get(key, default)
    if not isinstance(seat, int) or isinstance(seat, bool) or seat not in active:
        valid = ", ".join(str(one) for one in active)
        raise PositionError(key, f"{seat!r} is no active seat; valid are {valid}.")
    return seat


def _direction(keys: Mapping[str, object]) -> int:
    direction = keys.get("direction", 1)
    if not isinstance(direction, int) or isinstance(direction, bool) or direction not in (1, -1):
        raise PositionError("direction", f"{direction!r} is no direction; valid are 1 (clockwise) and -1.")
    return direction


def _totals(keys: Mapping[str, object], seats: int) -> tuple[int, ...]:
    totals = keys.get("totals", [0] * seats)
    if not isinstance(totals, list) or len(totals) != seats:
        raise PositionError("totals", f"{totals!r} must be a list of {seats} numbers, one for each seat.")
    for total in totals:
        if not isinstance(total, int) or isinstance(total, bool) or not 0 <= total <= 1_000_000_000:
            raise PositionError("totals", f"{total!r} is no number of points; valid is a whole number from 0.")
    return tuple(totals)


def _pending(keys: Mapping[str, object], discard: tuple[Card, ...]) -> int:
    pending = keys.get("pending", 0)
    if not isinstance(pending, int) or isinstance(pending, bool) or pending < 0:
        raise PositionError("pending", f"{pending!r} is no number of cards; valid is a whole number from 0.")
    if not pending:
        return 0
    least = _PENALTY.get(rank_of(discard[-1][0])) if discard else None
    if least is None:
        top = TEXT[discard[-1][0]] if discard else "a card turned up by flip"
        raise PositionError(
            "pending", f"it is {pending} with {top} on top; only a draw two or a W4 leaves any pending."
        )
    if pending < least or pending % 2:
        raise PositionError("pending", f"{pending} cannot be; with this top card it is an even number from {least}.")
    return pending


def _discard_and_flip(keys: Mapping[str, object]) -> tuple[tuple[Card, ...], tuple[int, ...]]:
    if ("discard" in keys) == ("flip" in keys):
        raise PositionError("discard", "either discard or flip must be given, and not both.")
    if "flip" in keys:
        return (), _flip(keys)
    cards = [_colored(*_read("discard", read_card, word)) for word in _words(keys, "discard")]
    if not cards:
        raise PositionError("discard", 'it must hold at least the top card, as in "G1 R5".')
    cards[-1] = (cards[-1][0], _top_color(keys, *cards[-1]))
    return tuple(cards), ()


def _flip(keys: Mapping[str, object]) -> tuple[int, ...]:
    opens = {"color": None, "turn": None, "direction": 1, "pending": 0}
    for key, harmless in opens.items():
        if key in keys and keys[key] != harmless:
            raise PositionError(key, "it cannot be given with flip, which starts a round.")
    faces = tuple(_read("flip", read_face, word) for word in _words(keys, "flip"))
    if not faces:
        raise PositionError("flip", 'it must hold at least one card, as in "W4 R7".')
    return faces


def _colored(face: int, chosen: int) -> Card:
    return face, chosen if is_wild(face) else face >> 4


def _top_color(keys: Mapping[str, object], face: int, own: int) -> int:
    """The colour in force: that of the top card, or of `color`, which may not contradict each other."""
    if "color" not in keys:
        if own == NO_COLOR:
            raise PositionError(
                "color", f'the top card {TEXT[face]} needs a colour, as in {TEXT[face]}/G or color = "G".'
            )
        return own
    color = keys["color"]
    given = _read("color", read_color, color if isinstance(color, str) else repr(color))
    if own not in (NO_COLOR, given):
        raise PositionError("color", f"{color} contradicts the top card, whose colour is {COLOR_LETTERS[own]}.")
    return given


def _words(keys: Mapping[str, object], key: str) -> list[str]:
    text = keys.get(key, "*")
    if not isinstance(text, str):
        raise PositionError(key, f'{text!r} is no text of cards, as in "G1 R5".')
    return text.split()


def _read_hands(texts: list[str], out: tuple[int, ...]) -> tuple[list[tuple[int, ...]], list[int]]:
    """The cards named in each hand, and how many more it holds."""
    hands, wanted = [], []
    for seat, text in enumerate(texts):
        words = text.split()
        if bool(words) == (seat in out):
            what = "is out and holds no card" if words else "is active and must hold a card"
            raise PositionError("hands", f"seat {seat} {what}.")
        named = [word for word in words if not word.startswith("*")]
        hands.append(tuple(_read("hands", read_face, word) for word in named))
        wanted.append(sum(_wildcard(word) for word in words if word.startswith("*")))
    return hands, wanted


def _wildcard(word: str) -> int:
    digits = word[1:]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 3 and int(digits) > 0):
        raise PositionError("hands", f"{word!r} is not readable; any seven cards are written *7.")
    return int(digits)


def _read_pile(keys: Mapping[str, object]) -> tuple[tuple[int, ...], bool]:
    """The named cards of the pile, and whether all other cards follow."""
    words = _words(keys, "pile")
    open_ended = bool(words) and words[-1] == "*"
    if open_ended:
        words.pop()
    if any(word.startswith("*") for word in words):
        raise PositionError("pile", "a * may stand once, at the end, for all cards not named elsewhere.")
    return tuple(_read("pile", read_face, word) for word in words), open_ended


def _rest(rules: Ruleset, named: Sequence[tuple[str, Iterable[int]]], chance: SeededChance) -> tuple[int, ...]:
    """The cards of the deck that are named nowhere, in an order of no meaning; `named` are pairs of key and faces."""
    deck = Counter(rules.deck())
    held: Counter[int] = Counter()
    for key, faces in named:
        held.update(faces)
        over = sorted(face for face in held if held[face] > deck[face])
        if over:
            face = over[0]
            raise PositionError(key, f"{TEXT[face]} is named {held[face]} times, but the deck holds {deck[face]}.")
    return tuple(chance.shuffled(purposes.SCENARIO, sorted((deck - held).elements())))


def _fill(
    hands: list[tuple[int, ...]], wanted: list[int], rest: tuple[int, ...]
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    if sum(wanted) > len(rest):
        raise PositionError("hands", f"{sum(wanted)} cards are wanted with *, but only {len(rest)} are named nowhere.")
    filled = []
    for named, count in zip(hands, wanted, strict=True):
        filled.append((*named, *rest[:count]))
        rest = rest[count:]
    return tuple(filled), rest


def _read(key: str, reader: Callable[[str], _T], word: str) -> _T:
    try:
        return reader(word)
    except NotationError as error:
        raise PositionError(key, str(error)) from None
