"""Portable chance: shuffles and lots that any language can compute from a seed, and the derivation of seeds.

Here: `SeededChance`, the commitment, the keys of events, deals, rounds and games. Not here: what chance is used for
(`purposes`), the cards (`state`). Imports nothing of ours; hashes from the standard library.

The algorithm, in full:

- `HMAC` is HMAC-SHA-256. `text` is UTF-8, `u32` is an unsigned 32-bit number, big-endian, `‖` joins bytes.
- *Words.* The words of a purpose under a seed are the blocks `HMAC(seed, purpose ‖ 0x00 ‖ u32 i)` for i = 0, 1, 2, …,
  each read as sixteen unsigned 16-bit numbers, big-endian.
- *A number below n* (1 ≤ n ≤ 65536) takes the next word w; while w ≥ 65536 − 65536 mod n it takes the next one
  instead; the number is w mod n. It takes a word for n = 1 too.
- *A shuffle* of a list a of N items (Fisher–Yates): for i = N − 1 down to 1, j is a number below i + 1, and a[i] and
  a[j] change places. Each call starts at the first word of its purpose.
- *The commitment* to a seed is `SHA-256("lastcard/commitment" ‖ 0x00 ‖ seed ‖ salt)`; seed and salt are 32 bytes each.
- *Keys.* An event's key from a number is `SHA-256("lastcard/event" ‖ 0x00 ‖ decimal digits)`; a deal's key is
  `HMAC(event key, "lastcard/deal" ‖ 0x00 ‖ deal)`; a round's seed `HMAC(deal key, "lastcard/round" ‖ 0x00 ‖ u32 round)`
  with rounds from 1; a game's salt `HMAC(event key, "lastcard/salt" ‖ 0x00 ‖ game)`. Deal and game are texts.
"""

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, count
from struct import Struct

KEY_BYTES = 32
"""Length of every seed, salt and key."""

DRAW_ORDERS = ("pile", "per_seat")
"""One order of the pile for all seats, or an order of its own for each seat (architecture.md section 4)."""

_WORDS = Struct(">16H")
_U32 = Struct(">I")
_RANGE = 1 << 16


class SeededChance:
    """The chance of one round, from a seed; `salt` only hides the seed in the commitment."""

    __slots__ = ("_seed", "commitment", "draws")

    def __init__(self, seed: bytes, salt: bytes, draws: str = "pile") -> None:
        _check_key("seed", seed)
        _check_key("salt", salt)
        if draws not in DRAW_ORDERS:
            raise ValueError(f"draws must be one of {', '.join(DRAW_ORDERS)}, not {draws!r}.")
        self._seed = seed
        self.draws = draws
        self.commitment = commitment(seed, salt)

    def shuffled(self, purpose: str, items: Sequence[int]) -> list[int]:
        """The items in an order drawn for the purpose; every order is equally likely over all seeds."""
        words = self._words(purpose)
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            n = last + 1
            word = next(words)
            while word >= _RANGE - _RANGE % n:
                word = next(words)
            place = word % n
            order[last], order[place] = order[place], order[last]
        return order

    def uniform(self, purpose: str, n: int) -> int:
        """A number from 0 to n − 1 drawn for the purpose; n is 1 to 65536, else `ValueError`."""
        if not 1 <= n <= _RANGE:
            raise ValueError(f"n must be from 1 to {_RANGE}, not {n}.")
        limit = _RANGE - _RANGE % n
        return next(word for word in self._words(purpose) if word < limit) % n

    def _words(self, purpose: str) -> Iterator[int]:
        prefix, seed = purpose.encode() + b"\0", self._seed
        blocks = (_WORDS.unpack(hmac.digest(seed, prefix + _U32.pack(block), "sha256")) for block in count())
        return chain.from_iterable(blocks)


def commitment(seed: bytes, salt: bytes) -> bytes:
    """What binds a seed before it is revealed; 32 bytes."""
    return sha256(b"lastcard/commitment\0" + seed + salt).digest()


def event_key(seed: int) -> bytes:
    """The key of an event that a number makes reproducible, and open to all who know the number."""
    return sha256(b"lastcard/event\0" + str(seed).encode()).digest()


def deal_key(event: bytes, deal: str) -> bytes:
    """The key of one deal of an event: all games on the deal share it, no other deal's key follows from it."""
    return _derived(event, "lastcard/deal", deal.encode())


def round_seed(deal: bytes, round_number: int) -> bytes:
    """The seed of a round, counted from 1, of the games on a deal."""
    return _derived(deal, "lastcard/round", _U32.pack(round_number))


def game_salt(event: bytes, game: str) -> bytes:
    """The salt of one game of an event, so that two games on one deal cannot be recognised by their commitments."""
    return _derived(event, "lastcard/salt", game.encode())


def _derived(key: bytes, purpose: str, message: bytes) -> bytes:
    _check_key("key", key)
    return hmac.digest(key, purpose.encode() + b"\0" + message, "sha256")


def _check_key(name: str, key: bytes) -> None:
    if len(key) != KEY_BYTES:
        raise ValueError(f"A {name} has {KEY_BYTES} bytes, not {len(key)}.")
