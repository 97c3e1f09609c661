// Chance as the vectors give it: words, numbers, shuffles, keys, disguises and deals.

import assert from "node:assert/strict";
import test from "node:test";
import {
  ChanceVectors,
  type Deal,
  DealVectors,
  DisguiseVectors,
  KeyVectors,
  RefusalVectors,
} from "../src/gen/lastcard/conformance/v1/vectors.js";
import { Reason } from "../src/gen/lastcard/v1/reason.js";
import { DrawOrder } from "../src/gen/lastcard/v1/table.js";
import {
  commitment,
  dealKey,
  disguiseKey,
  eventKey,
  gameSalt,
  RoundChance,
  roundSeed,
  shuffled,
  Words,
} from "../verify/chance.js";
import { highCardDealer, isPutBack, SeededStock, Wrong } from "../verify/deal.js";
import { DRAW_TWO, faceText, Rules, rankOf } from "../verify/rules.js";
import { cards } from "./positions.js";
import { bytes, vectors } from "./vectors.js";

test("words, numbers and shuffles follow from seed and purpose", () => {
  const { words, numbers, shuffles } = vectors(ChanceVectors, "chance");
  assert.ok(words.length && numbers.length && shuffles.length);
  for (const { seed, purpose, words: right } of words) {
    const drawn = new Words(bytes(seed), purpose);
    assert.deepEqual(
      right.map(() => drawn.next()),
      right,
      purpose,
    );
  }
  for (const { seed, purpose, n, number } of numbers) {
    assert.equal(new Words(bytes(seed), purpose).below(n), number, `${purpose} below ${n}`);
  }
  for (const { seed, purpose, items, order } of shuffles) {
    assert.deepEqual(shuffled(bytes(seed), purpose, items), order, purpose);
  }
});

test("commitments and keys follow from what they are made of", () => {
  const { commitments, eventKeys, dealKeys, roundSeeds, salts } = vectors(KeyVectors, "keys");
  assert.ok(commitments.length && eventKeys.length && dealKeys.length && roundSeeds.length && salts.length);
  for (const { seed, salt, commitment: right } of commitments) {
    assert.equal(commitment(bytes(seed), bytes(salt)).toString("hex"), right);
  }
  for (const { number, key } of eventKeys) {
    assert.equal(eventKey(number).toString("hex"), key);
  }
  for (const { eventKey: event, deal, key } of dealKeys) {
    assert.equal(dealKey(bytes(event), deal).toString("hex"), key);
  }
  for (const { dealKey: deal, round, seed } of roundSeeds) {
    assert.equal(roundSeed(bytes(deal), round).toString("hex"), seed);
  }
  for (const { eventKey: event, game, salt } of salts) {
    assert.equal(gameSalt(bytes(event), game).toString("hex"), salt);
  }
});

for (const { name, seed, salt, deck, key, colors, cards: becomes, rebuild, named } of vectors(
  DisguiseVectors,
  "disguises",
).disguises) {
  test(`disguise: ${name}, ${seed.slice(0, 8)}`, () => {
    assert.equal(disguiseKey(bytes(seed), bytes(salt)).toString("hex"), key);
    const chance = new RoundChance(bytes(seed), cards(deck), bytes(salt));
    assert.deepEqual(chance.colors.slice(1), colors);
    assert.deepEqual(chance.cards, becomes);
    assert.ok(rebuild);
    assert.deepEqual(chance.shuffle("rebuild/1", rebuild.items), rebuild.order);
    assert.deepEqual(
      named.map((_, turn) => chance.color(turn + 1)),
      named,
    );
  });
}

const { deals } = vectors(DealVectors, "deals");
test("there are deals", () => assert.ok(deals.length > 20));

for (const deal of deals) {
  test(`deal: ${deal.name}, ${deal.seed.slice(0, 8)}`, () => checkDeal(deal));
}

function checkDeal(deal: Deal): void {
  const rules = new Rules(deal.preset, deal.options);
  assert.equal(rules.deck.map(faceText).join(" "), deal.deck);
  assert.equal(commitment(bytes(deal.seed), bytes(deal.salt)).toString("hex"), deal.commitment);
  const chance = new RoundChance(bytes(deal.seed), rules.deck, deal.disguise ? bytes(deal.salt) : undefined);
  const stock = new SeededStock(rules, chance, deal.draws === DrawOrder.PER_SEAT);
  const seats = [...Array(deal.players).keys()];
  const lot = chance.below("first-dealer", deal.players);
  assert.equal(rules.is("first_dealer", "random") ? lot : highCardDealer(rules, chance, seats), deal.dealer);
  const hands = stock.deal(seats);
  const starts = cards(deal.startCards);
  for (const card of starts) {
    stock.turn(card, isPutBack(rules, card));
  }
  const start = starts.at(-1) as number;
  if (start >= 16 && rankOf(start) === DRAW_TWO && rules.is("start_draw_two", "apply")) {
    const first = rules.is("first_player", "random")
      ? chance.below("first-player", deal.players)
      : (deal.dealer + 1) % deal.players;
    const dealt = hands.get(first) ?? [];
    const more = deal.hands[first]?.ids.filter((id) => !dealt.includes(id)) ?? [];
    assert.equal(more.length, 2);
    hands.set(first, [...dealt, ...more.map(() => drawOneOf(stock, rules, first, more))]);
  }
  const sorted = (ids: readonly number[]): number[] => [...ids].sort((one, other) => one - other);
  assert.deepEqual(
    seats.map((seat) => sorted(hands.get(seat) ?? [])),
    deal.hands.map(({ ids }) => sorted(ids)),
  );
  assert.deepEqual(stock.left, deal.pile);
  for (const [seat, { ids }] of deal.orders.entries()) {
    assert.deepEqual(stock.order(seat), ids);
  }
  assert.deepEqual(
    deal.drawnBy.map((seat, place) => stock.draw(seat, rules.deck[deal.drawn[place] as number] as number)),
    deal.drawn,
  );
}

/** Draws a card, which must be one of these; the next one is not known beforehand. */
function drawOneOf(stock: SeededStock, rules: Rules, seat: number, ids: readonly number[]): number {
  for (const id of ids.filter((one) => stock.left.includes(one))) {
    try {
      return stock.draw(seat, rules.deck[id] as number);
    } catch (error) {
      assert.ok(error instanceof Wrong);
    }
  }
  throw new Error(`seat ${seat} draws none of ${ids}`);
}

test("refusals are read with these stubs too", () => {
  const { games } = vectors(RefusalVectors, "refusals");
  const reasons = games.flatMap(({ positions }) =>
    positions.flatMap(({ refused }) => refused.map(({ reason }) => reason)),
  );
  assert.ok(reasons.includes(Reason.CARD_NOT_PLAYABLE));
  assert.ok(!reasons.includes(Reason.UNRECOGNIZED));
});

test("cards that all count the same part nobody: the lowest seat deals", () => {
  const rules = new Rules("official", { deck: "custom", deck_counts: "S=3,W=4" });
  assert.equal(highCardDealer(rules, new RoundChance(Buffer.alloc(32, 1), rules.deck, undefined), [2, 3, 5]), 2);
});
