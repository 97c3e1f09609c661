"""Portable chance: known answers, an independent reading of the algorithm, no bias, independent purposes."""

import hashlib
import hmac

import pytest

from lastcard.rules import purposes
from lastcard.rules.shuffle import (
    SeededChance,
    commitment,
    deal_key,
    event_key,
    game_salt,
    round_seed,
)

SEED = bytes(range(32))
SALT = bytes(range(32, 64))


def by_the_book(seed: bytes, purpose: str, size: int) -> list[int]:
    """The shuffle as the docstring of `shuffle` tells it, word by word."""
    digest = hmac.new(seed, purpose.encode() + bytes(5), hashlib.sha256).digest()
    block, at, order = 0, 0, list(range(size))
    for i in range(size - 1, 0, -1):
        while True:
            if at == 32:
                block, at = block + 1, 0
                digest = hmac.new(seed, purpose.encode() + b"\0" + block.to_bytes(4, "big"), hashlib.sha256).digest()
            word = int.from_bytes(digest[at : at + 2], "big")
            at += 2
            if word < 65536 - 65536 % (i + 1):
                break
        j = word % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 16, 17, 18, 108, 1000])
@pytest.mark.parametrize("purpose", ["deal", "flip/1", "rebuild/12", "seat/3/9", "color/2000"])
def test_shuffle_is_what_its_description_says(purpose: str, size: int) -> None:
    assert SeededChance(SEED, SALT).shuffled(purpose, range(size)) == by_the_book(SEED, purpose, size)


def test_known_answers() -> None:
    chance = SeededChance(SEED, SALT)
    assert chance.shuffled("deal", range(8)) == [6, 3, 2, 7, 5, 1, 4, 0]
    assert [chance.uniform(f"color/{turn}", 4) for turn in range(1, 11)] == [3, 0, 1, 0, 2, 1, 1, 2, 1, 0]
    assert chance.commitment == hashlib.sha256(b"lastcard/commitment\0" + SEED + SALT).digest()
    assert round_seed(SEED, 258) == hmac.new(SEED, b"lastcard/round\0\0\0\x01\x02", "sha256").digest()
    assert deal_key(SEED, "7") == hmac.new(SEED, b"lastcard/deal\x007", "sha256").digest()
    assert game_salt(SEED, "g1") == hmac.new(SEED, b"lastcard/salt\0g1", "sha256").digest()
    assert event_key(20261129) == hashlib.sha256(b"lastcard/event\x0020261129").digest()


def test_items_are_kept_and_not_touched() -> None:
    items = [5, 5, 7, 1, 0]
    shuffled = SeededChance(SEED, SALT).shuffled("deal", items)
    assert sorted(shuffled) == sorted(items)
    assert items == [5, 5, 7, 1, 0]


def test_same_purpose_same_order_and_other_purposes_other_orders() -> None:
    chance = SeededChance(SEED, SALT)
    names = [
        purposes.DEAL,
        purposes.FIRST_DEALER,
        purposes.FIRST_PLAYER,
        purposes.redeal(1),
        purposes.flip(1),
        purposes.rebuild(1),
        purposes.seat_order(1, 0),
        purposes.seat_order(1, 1),
        purposes.seat_order(2, 0),
        purposes.seat_order(11, 0),
        purposes.seat_order(1, 10),
        purposes.high_card(1),
        purposes.color(1),
    ]
    orders = [tuple(chance.shuffled(name, range(108))) for name in names]
    assert len(set(orders)) == len(names)
    assert orders == [tuple(chance.shuffled(name, range(108))) for name in names]


def test_the_salt_hides_the_seed_and_changes_no_card() -> None:
    one, other = SeededChance(SEED, SALT), SeededChance(SEED, SEED)
    assert one.shuffled("deal", range(108)) == other.shuffled("deal", range(108))
    assert one.commitment != other.commitment
    assert commitment(SEED, SALT) == one.commitment


@pytest.mark.slow
def test_a13_every_card_is_equally_often_at_every_place() -> None:
    shuffles, cards = 200_000, 8
    counts = [[0] * cards for _ in range(cards)]
    for number in range(shuffles):
        seed = number.to_bytes(32, "big")
        for place, card in enumerate(SeededChance(seed, SALT).shuffled("deal", range(cards))):
            counts[card][place] += 1
    expected = shuffles // cards
    assert all(abs(count - expected) < 740 for row in counts for count in row)  # 5 σ


@pytest.mark.slow
def test_a13_every_order_is_equally_likely() -> None:
    seen: dict[tuple[int, ...], int] = {}
    for number in range(60_000):
        order = tuple(SeededChance(number.to_bytes(32, "big"), SALT).shuffled("deal", range(5)))
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 120
    assert all(abs(count - 500) < 5 * 500**0.5 for count in seen.values())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 10, 65535, 65536])
def test_numbers_below_n(n: int) -> None:
    numbers = [SeededChance(SEED, SALT).uniform(f"color/{turn}", n) for turn in range(300)]
    assert all(0 <= number < n for number in numbers)
    assert n > 10 or set(numbers) == set(range(n))


def test_a_word_over_the_limit_is_passed_over() -> None:
    # 65536 mod 40000 = 25536: more than a third of all words must be rejected, and no number may be favoured.
    numbers = [SeededChance(SEED, SALT).uniform(f"color/{turn}", 40_000) for turn in range(2_000)]
    low = sum(number < 25_536 for number in numbers)
    assert abs(low - 2_000 * 25_536 / 40_000) < 5 * (2_000 * 0.638 * 0.362) ** 0.5


@pytest.mark.parametrize("n", [0, -1, 65537])
def test_numbers_out_of_range_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match=f"from 1 to 65536, not {n}"):
        SeededChance(SEED, SALT).uniform("color/1", n)


def test_bad_keys_and_draw_orders_are_refused() -> None:
    with pytest.raises(ValueError, match="A seed has 32 bytes, not 31"):
        SeededChance(SEED[1:], SALT)
    with pytest.raises(ValueError, match="A salt has 32 bytes, not 0"):
        SeededChance(SEED, b"")
    with pytest.raises(ValueError, match="one of pile, per_seat, not 'table'"):
        SeededChance(SEED, SALT, "table")
    with pytest.raises(ValueError, match="A key has 32 bytes, not 3"):
        deal_key(b"abc", "1")


def test_a51_deals_depend_on_key_and_round_alone_and_differ() -> None:
    key = deal_key(event_key(42), "1")
    deals = [SeededChance(round_seed(key, number), SALT).shuffled(purposes.DEAL, range(108)) for number in range(1, 11)]
    again = [SeededChance(round_seed(key, number), SEED).shuffled(purposes.DEAL, range(108)) for number in range(1, 11)]
    assert deals == again
    assert len({tuple(deal) for deal in deals}) == 10
    assert deal_key(event_key(42), "2") != key
    assert deal_key(event_key(43), "1") != key
