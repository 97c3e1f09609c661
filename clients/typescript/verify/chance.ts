// Chance: words, numbers and shuffles of a seed, commitments, keys, and the names of colours in a disguised round.
//
// As tests/conformance/README.md says (Chance, Keys, Disguise).

import { createHash, createHmac } from "node:crypto";

/** The words of a purpose under a seed, from the first one on. */
export class Words {
  private block: Buffer = Buffer.alloc(0);
  private blocks = 0;
  private place = 0;

  constructor(
    private readonly seed: Uint8Array,
    private readonly purpose: string,
  ) {}

  next(): number {
    if (this.place === this.block.length) {
      this.block = hmac(this.seed, text(this.purpose), ZERO, u32(this.blocks));
      this.blocks += 1;
      this.place = 0;
    }
    const word = this.block.readUInt16BE(this.place);
    this.place += 2;
    return word;
  }

  /** A number below `count`, which is 1 to 65536. */
  below(count: number): number {
    const end = 65536 - (65536 % count);
    for (;;) {
      const word = this.next();
      if (word < end) {
        return word % count;
      }
    }
  }
}

/** The order that a list takes for a purpose. */
export function shuffled<T>(seed: Uint8Array, purpose: string, items: readonly T[]): T[] {
  const order = [...items];
  const words = new Words(seed, purpose);
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = words.below(last + 1);
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}

/** The commitment to a seed. */
export function commitment(seed: Uint8Array, salt: Uint8Array): Buffer {
  return sha256(text("lastcard/commitment"), ZERO, seed, salt);
}

/** The key of an event whose file has this `seed`, a number in decimal. */
export function eventKey(number: string): Buffer {
  return sha256(text("lastcard/event"), ZERO, text(number));
}

export function dealKey(event: Uint8Array, deal: string): Buffer {
  return hmac(event, text("lastcard/deal"), ZERO, text(deal));
}

/** The seed of a round of a deal; rounds count from 1. */
export function roundSeed(deal: Uint8Array, round: number): Buffer {
  return hmac(deal, text("lastcard/round"), ZERO, u32(round));
}

export function gameSalt(event: Uint8Array, game: string): Buffer {
  return hmac(event, text("lastcard/salt"), ZERO, text(game));
}

/** The chance of one round, with the colours under their names in this game. */
export class RoundChance {
  /** What each card becomes, by id. */
  readonly cards: readonly number[];
  /** The new name of each colour, by its number; nothing for 0. */
  readonly colors: readonly number[];

  /** `deck` holds the faces by id; with a `salt` the round is disguised. */
  constructor(
    private readonly seed: Uint8Array,
    deck: readonly number[],
    salt: Uint8Array | undefined,
  ) {
    this.colors = salt === undefined ? [0, 1, 2, 3, 4] : newNames(disguiseKey(seed, salt), deck);
    this.cards = deck.map((face, id) => {
      const becomes = (this.colors[face >> 4] as number) * 16 + (face & 15);
      return deck.indexOf(becomes) + (id - deck.indexOf(face));
    });
  }

  /** Cards, given ascending, in the order of a purpose. */
  shuffle(purpose: string, ids: readonly number[]): number[] {
    const wanted = new Set(ids);
    const before = [...this.cards.keys()].filter((id) => wanted.has(this.cards[id] as number));
    return shuffled(this.seed, purpose, before).map((id) => this.cards[id] as number);
  }

  /** A number below `count` that no disguise concerns. */
  below(purpose: string, count: number): number {
    return new Words(this.seed, purpose).below(count);
  }

  /** The colour that the server names before a turn. */
  color(turn: number): number {
    return this.colors[this.below(`color/${turn}`, 4) + 1] as number;
  }
}

export function disguiseKey(seed: Uint8Array, salt: Uint8Array): Buffer {
  return hmac(salt, text("lastcard/disguise"), ZERO, seed);
}

/** The new names of the colours: those change names of which the deck holds the same cards. */
function newNames(key: Uint8Array, deck: readonly number[]): number[] {
  const groups = new Map<string, number[]>();
  for (const color of [1, 2, 3, 4]) {
    const ranks = deck.filter((face) => face >> 4 === color).map((face) => face & 15);
    const cards = ranks.sort((one, other) => one - other).join();
    groups.set(cards, [...(groups.get(cards) ?? []), color]);
  }
  const names = [0];
  for (const group of groups.values()) {
    const order = shuffled(key, `colors/${group[0]}`, group);
    group.forEach((color, place) => {
      names[color] = order[place] as number;
    });
  }
  return names;
}

const ZERO = Buffer.of(0);

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(part);
  }
  return hash.digest();
}

function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHmac("sha256", key);
  for (const part of parts) {
    hash.update(part);
  }
  return hash.digest();
}

function text(value: string): Buffer {
  return Buffer.from(value, "utf8");
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
