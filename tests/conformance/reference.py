"""The algorithms of README.md in as few lines as they take, written from that document alone.

It imports nothing of lastcard, so that the vectors prove the document: whoever ports the rules to another language may
start from here.
"""

import hmac
import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

# ------------------------------------------------------------------ chance


def words(seed: bytes, purpose: str) -> Iterator[int]:
    """The words of a purpose under a seed, without end."""
    block = 0
    while True:
        message = purpose.encode("utf-8") + b"\0" + block.to_bytes(4, "big")
        digest = hmac.new(seed, message, "sha256").digest()
        for at in range(0, 32, 2):
            yield digest[at] * 256 + digest[at + 1]
        block += 1


def below(n: int, source: Iterator[int]) -> int:
    """A number below n from the next words."""
    limit = 65536 - 65536 % n
    while True:
        word = next(source)
        if word < limit:
            return word % n


def number(seed: bytes, purpose: str, n: int) -> int:
    """A number below n for a purpose."""
    return below(n, words(seed, purpose))


def shuffled(seed: bytes, purpose: str, items: Iterable[int]) -> list[int]:
    """The items in the order that a purpose gives."""
    order = list(items)
    source = words(seed, purpose)
    for i in range(len(order) - 1, 0, -1):
        j = below(i + 1, source)
        order[i], order[j] = order[j], order[i]
    return order


# ------------------------------------------------------------------ keys


def commitment(seed: bytes, salt: bytes) -> bytes:
    """What is published about a seed before it is revealed."""
    return sha256(b"lastcard/commitment\0" + seed + salt).digest()


def event_key(number_text: str) -> bytes:
    """The key of an event whose tournament file has a seed."""
    return sha256(b"lastcard/event\0" + number_text.encode()).digest()


def deal_key(event: bytes, deal: str) -> bytes:
    """The key of a deal."""
    return hmac.new(event, b"lastcard/deal\0" + deal.encode("utf-8"), "sha256").digest()


def round_seed(deal: bytes, round_number: int) -> bytes:
    """The seed of a round on a deal."""
    return hmac.new(deal, b"lastcard/round\0" + round_number.to_bytes(4, "big"), "sha256").digest()


def game_salt(event: bytes, game: str) -> bytes:
    """The salt of a game."""
    return hmac.new(event, b"lastcard/salt\0" + game.encode("utf-8"), "sha256").digest()


# ------------------------------------------------------------------ disguise


def disguise_key(seed: bytes, salt: bytes) -> bytes:
    """What the names of the colours in a disguised round are drawn from."""
    return hmac.new(salt, b"lastcard/disguise\0" + seed, "sha256").digest()


class Disguise:
    """What colours and cards become; `deck` are the cards' texts by id."""

    def __init__(self, seed: bytes, salt: bytes, deck: list[str]) -> None:
        key = disguise_key(seed, salt)
        self.names = {letter: letter for letter in "RYGB"}
        for letter in "RYGB":
            group = [one for one in "RYGB" if _held(deck, one) == _held(deck, letter)]
            if group[0] == letter:
                numbers = ["RYGB".index(one) + 1 for one in group]
                order = shuffled(key, f"colors/{numbers[0]}", numbers)
                self.names.update((one, "RYGB"[other - 1]) for one, other in zip(group, order, strict=True))
        self.cards = []
        for card, text in enumerate(deck):
            k = deck[:card].count(text)
            other = self.names.get(text[0], "") + text[1:] if text[0] in "RYGB" else text
            self.cards.append([at for at, one in enumerate(deck) if one == other][k])

    def shuffled(self, seed: bytes, purpose: str, items: Iterable[int]) -> list[int]:
        """The items in the order that a purpose gives in the disguised round."""
        plain = sorted(self.cards.index(card) for card in items)
        return [self.cards[card] for card in shuffled(seed, purpose, plain)]

    def named(self, seed: bytes, turn: int) -> int:
        """The colour that the server names, from 1."""
        letter = "RYGB"[number(seed, f"color/{turn}", 4)]
        return "RYGB".index(self.names[letter]) + 1


def _held(deck: list[str], letter: str) -> list[str]:
    return sorted(text[1:] for text in deck if text[0] == letter)


# ------------------------------------------------------------------ deals


class Dealt:
    """A first round dealt to `players`: hands, start cards and pile, as ids.

    `deck` are the cards' texts by id; `put_back` says of a text whether the rules put it back as start card.
    """

    def __init__(
        self,
        deck: list[str],
        players: int,
        hand_size: int,
        *,
        seed: bytes,
        draws: str,
        put_back: Callable[[str], bool],
        disguise: Disguise | None = None,
    ) -> None:
        self.deck, self.seed, self.draws = deck, seed, draws
        shuffle = shuffled if disguise is None else disguise.shuffled
        self.shuffle = shuffle
        dealt = players * hand_size
        attempt = 0
        while True:
            order = shuffle(seed, "deal" if attempt == 0 else f"redeal/{attempt}", range(len(deck)))
            if any(not put_back(deck[card]) for card in order[dealt:]):
                break
            attempt += 1
        self.hands = [sorted(order[seat:dealt:players]) for seat in range(players)]
        rest = order[dealt:]
        self.start_cards = []
        while True:
            self.start_cards.append(rest[0])
            if not put_back(deck[rest[0]]):
                break
            rest = shuffle(seed, f"flip/{len(self.start_cards)}", sorted(rest))
        self.pile = rest[1:]
        self.orders: dict[int, list[int]] = {}

    def draw(self, seat: int) -> int:
        """The card that a seat draws next from the first pile."""
        if self.draws == "pile":
            return self.pile.pop(0)
        if seat not in self.orders:
            self.orders[seat] = self.shuffle(self.seed, f"seat/1/{seat}", range(len(self.deck)))
        card = next(card for card in self.orders[seat] if card in self.pile)
        self.pile.remove(card)
        return card


def high_card_dealer(deck: list[str], players: int, seed: bytes) -> int:
    """The first dealer under `first_dealer: high_card`."""
    seats = list(range(players))
    draw = 1
    while len(seats) > 1 and draw < 1000:
        order = shuffled(seed, f"high-card/{draw}", range(len(deck)))
        values = {seat: _number_on(deck[card]) for seat, card in zip(seats, order, strict=False)}
        seats = [seat for seat in seats if values[seat] == max(values.values())]
        draw += 1
    return seats[0]


def _number_on(card: str) -> int:
    """The number of a number card, 0 for a card with a symbol: `R7` is 7, `RS` and `W4` are 0."""
    return int(card[1]) if card[0] in "RYGB" and card[1] in "0123456789" else 0


# ------------------------------------------------------------------ records


def first_wrong_line(lines: list[str]) -> int | None:
    """The first line that is wrong as to syntax, place, numbers, chain or commitments; the game is not replayed."""
    values = []
    for at, line in enumerate(lines, 1):
        try:
            values.append(json.loads(line))
        except ValueError:
            return at
        if json.dumps(values[-1], separators=(",", ":")) != line:
            return at
    return _misplaced(values) or _broken_chain(lines, values) or _wrong_commitment(values)


def _misplaced(values: list[Any]) -> int | None:
    """Header, events numbered from 1, closing line with their number, reveal: the first line that is none of that."""
    place, events = "nothing", 0
    for at, value in enumerate(values, 1):
        kind = next(kind for kind in ("header", "event", "closing", "reveal") if kind in value)
        if (place, kind) not in _FOLLOWS:
            return at
        if kind == "event":
            events += 1
            if value["event"]["sequence"] != events:
                return at
        if kind == "closing" and value["closing"]["events"] != events:
            return at
        place = kind
    return None if place in ("closing", "reveal") else len(values) + 1


_FOLLOWS = {
    ("nothing", "header"),
    ("header", "event"),
    ("header", "closing"),
    ("event", "event"),
    ("event", "closing"),
    ("closing", "reveal"),
}


def _broken_chain(lines: list[str], values: list[Any]) -> int | None:
    hashes = [sha256(line.encode("ascii")).hexdigest() for line in lines]
    broken = [at for at in range(2, len(lines) + 1) if values[at - 1]["previous"] != hashes[at - 2]]
    if not broken:
        return None
    at = broken[0]
    return at if at + 1 in broken or at == len(lines) else at - 1


def _wrong_commitment(values: list[Any]) -> int | None:
    """Only whether seeds and salt give what was committed to, for a record with a reveal."""
    reveal = values[-1].get("reveal")
    if reveal is None:
        return None
    salt = bytes.fromhex(reveal["salt"])
    started = [value["event"]["round_started"] for value in values if "round_started" in value.get("event", {})]
    for seed, event in zip(reveal["seeds"], started, strict=True):
        encoded = b64encode(commitment(bytes.fromhex(seed), salt)).decode()
        if encoded != event["commitment"]:
            return len(values)
    return None
