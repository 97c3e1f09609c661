// Where the cards of a round come from: the deal, start cards and piles, by the seed or as they are recorded.
//
// As tests/conformance/README.md says (Deals). A card is its id, the place of its face in the deck.

import type { RoundChance } from "./chance.js";
import { DRAW_TWO, faceText, isNumber, REVERSE, type Rules, rankOf, SKIP, WILD, WILD_DRAW_FOUR } from "./rules.js";

/** Something in a record is not what it must be. */
export class Wrong extends Error {}

/** The cards of a round that lie in no hand and not on the discards. */
export interface Stock {
  /** Deals to the active seats, ascending: each its cards; `faces` are those recorded. */
  deal(active: readonly number[], faces: ReadonlyMap<number, readonly number[]>): Map<number, number[]>;
  /** Turns a card up, which is recorded as `face`; a card that was put back is turned no more before a shuffle. */
  turn(face: number, putBack: boolean): number;
  /** How many cards are left in the pile. */
  readonly size: number;
  /** The next card of a seat, which is recorded as `face`. */
  draw(seat: number, face: number): number;
  /** Makes a new pile of cards, given ascending, the old one being used up. */
  rebuild(ids: readonly number[]): void;
  /** Which of the active seats it is, where a lot decides; nothing when that cannot be known. */
  lot(purpose: string, count: number): number | undefined;
  /** The colour that the server names before a turn; nothing when that cannot be known. */
  color(turn: number): number | undefined;
}

/** What the rules do to a start card: put it back, or not. */
export function isPutBack(rules: Rules, face: number): boolean {
  const option = START_OPTIONS.get(rankOf(face));
  return !isNumber(face) && option !== undefined && rules.is(option, "redraw");
}

export const START_OPTIONS: ReadonlyMap<number, string> = new Map([
  [SKIP, "start_skip"],
  [REVERSE, "start_reverse"],
  [DRAW_TWO, "start_draw_two"],
  [WILD, "start_wild"],
  [WILD_DRAW_FOUR, "start_wild_draw_four"],
]);

/** Cards as a seed deals them. */
export class SeededStock implements Stock {
  /** The pile, next card first; with an order a seat, ascending. */
  private pile: number[] = [];
  private orders = new Map<number, number[]>();
  private piles = 1;
  private flips = 0;

  constructor(
    private readonly rules: Rules,
    private readonly chance: RoundChance,
    private readonly perSeat: boolean,
  ) {}

  deal(active: readonly number[]): Map<number, number[]> {
    const all = [...this.rules.deck.keys()];
    const dealt = active.length * this.rules.number("hand_size");
    let order = this.chance.shuffle("deal", all);
    for (let again = 1; order.slice(dealt).every((id) => isPutBack(this.rules, this.face(id))); again += 1) {
      bounded(again, "a card that may start");
      order = this.chance.shuffle(`redeal/${again}`, all);
    }
    const hands = active.map((seat, place): [number, number[]] => [
      seat,
      order.slice(0, dealt).filter((_, card) => card % active.length === place),
    ]);
    this.pile = order.slice(dealt);
    return new Map(hands);
  }

  turn(face: number, putBack: boolean): number {
    const id = this.pile[0] as number;
    this.compare(id, face, "is turned up");
    if (putBack) {
      this.flips += 1;
      this.pile = this.chance.shuffle(`flip/${this.flips}`, ascending(this.pile));
    } else {
      this.pile = this.pile.slice(1);
    }
    return id;
  }

  get size(): number {
    return this.pile.length;
  }

  draw(seat: number, face: number): number {
    const id = this.perSeat ? this.nextOf(seat) : (this.pile[0] as number);
    this.compare(id, face, "comes next");
    this.pile = this.pile.filter((other) => other !== id);
    return id;
  }

  rebuild(ids: readonly number[]): void {
    this.pile = this.perSeat ? [...ids] : this.chance.shuffle(`rebuild/${this.piles}`, ids);
    this.piles += 1;
    this.orders.clear();
  }

  lot(purpose: string, count: number): number {
    return this.chance.below(purpose, count);
  }

  color(turn: number): number {
    return this.chance.color(turn);
  }

  /** The cards of the pile, ascending. */
  get left(): number[] {
    return ascending(this.pile);
  }

  /** The order of a seat for the present pile. */
  order(seat: number): number[] {
    const known = this.orders.get(seat);
    const order = known ?? this.chance.shuffle(`seat/${this.piles}/${seat}`, [...this.rules.deck.keys()]);
    this.orders.set(seat, order);
    return order;
  }

  private nextOf(seat: number): number {
    const left = new Set(this.pile);
    return this.order(seat).find((id) => left.has(id)) as number;
  }

  private compare(id: number, face: number, how: string): void {
    if (this.face(id) !== face) {
      throw new Wrong(`by the seed ${faceText(this.face(id))} ${how}, not ${faceText(face)}`);
    }
  }

  private face(id: number): number {
    return this.rules.deck[id] as number;
  }
}

/** Cards as they are recorded, as far as the deck holds them. */
export class RecordedStock implements Stock {
  private pile: Set<number>;

  constructor(private readonly rules: Rules) {
    this.pile = new Set(rules.deck.keys());
  }

  deal(active: readonly number[], faces: ReadonlyMap<number, readonly number[]>): Map<number, number[]> {
    return new Map(active.map((seat) => [seat, (faces.get(seat) ?? []).map((face) => this.take(face))]));
  }

  turn(face: number, putBack: boolean): number {
    const id = this.take(face);
    if (putBack) {
      this.pile.add(id);
    }
    return id;
  }

  get size(): number {
    return this.pile.size;
  }

  draw(_seat: number, face: number): number {
    return this.take(face);
  }

  rebuild(ids: readonly number[]): void {
    this.pile = new Set(ids);
  }

  lot(): undefined {}

  color(): undefined {}

  private take(face: number): number {
    for (const id of this.pile) {
      if (this.rules.deck[id] === face) {
        this.pile.delete(id);
        return id;
      }
    }
    throw new Wrong(`no ${faceText(face)} is left in the pile`);
  }
}

/** A record must not make its reader try for ever. */
function bounded(attempts: number, what: string): void {
  if (attempts > 1000) {
    throw new Wrong(`the seed gives no deal with ${what} in a thousand`);
  }
}

export function ascending(ids: readonly number[]): number[] {
  return [...ids].sort((one, other) => one - other);
}

/**
 * The seat that deals the first round by its highest card: they draw anew until one of them is left. Cards that all count
 * the same part nobody; the lowest of the level seats deals then.
 */
export function highCardDealer(rules: Rules, chance: RoundChance, active: readonly number[]): number {
  let seats = active;
  for (let attempt = 1; attempt < 1000 && seats.length > 1; attempt += 1) {
    const order = chance.shuffle(`high-card/${attempt}`, [...rules.deck.keys()]);
    const values = seats.map((_, place) => {
      const face = rules.deck[order[place] as number] as number;
      return isNumber(face) ? rankOf(face) : 0;
    });
    const highest = Math.max(...values);
    seats = seats.filter((_, place) => values[place] === highest);
  }
  return seats[0] as number;
}
