// Where the cards of a round lie: hands, discards and the stock, and which hand owes a call of UNO.

import type { Card } from "../src/gen/lastcard/v1/card.js";
import type { SeatHand } from "../src/gen/lastcard/v1/event.js";
import { ascending, type Stock, Wrong } from "./deal.js";
import { faceText, type Rules } from "./rules.js";

export class Hands {
  /** The cards of each hand, by seat. */
  readonly of: Map<number, number[]>;
  /** The discards, bottom first. */
  discard: number[] = [];
  /** Cards of players who left, under the discards. */
  buried: number[] = [];
  /** Seats that owe a call, and whether another seat's turn has begun since. */
  private readonly owing = new Map<number, boolean>();
  /** Seats whose call for their one card stands. */
  readonly called = new Set<number>();

  constructor(
    private readonly rules: Rules,
    readonly stock: Stock,
    dealt: Map<number, number[]>,
  ) {
    this.of = dealt;
  }

  ids(seat: number): number[] {
    return this.of.get(seat) ?? [];
  }

  count(seat: number): number {
    return this.ids(seat).length;
  }

  faces(seat: number): number[] {
    return ascending(this.ids(seat)).map((id) => this.face(id));
  }

  face(id: number): number {
    return this.rules.deck[id] as number;
  }

  get top(): number {
    return this.face(this.discard.at(-1) as number);
  }

  /** How many cards can be drawn at most. */
  get available(): number {
    return this.stock.size + (this.mayRebuild ? this.rebuildable : 0);
  }

  get mayRebuild(): boolean {
    return this.rules.is("pile_empty", "reshuffle_keep_top");
  }

  /** How many cards a new pile would have. */
  get rebuildable(): number {
    return Math.max(0, this.discard.length - 1) + this.buried.length;
  }

  /** Takes a card out of a hand and plays it; `drawn` is the id of the card just drawn. */
  play(seat: number, face: number, drawn: number | undefined): void {
    const own = drawn !== undefined && this.face(drawn) === face ? drawn : undefined;
    const id = own ?? ascending(this.ids(seat)).find((held) => this.face(held) === face);
    if (id === undefined) {
      throw new Wrong(`seat ${seat} does not hold ${faceText(face)}; it holds ${this.text(seat)}`);
    }
    this.of.set(
      seat,
      this.ids(seat).filter((held) => held !== id),
    );
    this.discard.push(id);
  }

  /** Draws the next card, making a new pile if need be. */
  draw(seat: number, face: number): number {
    if (!this.stock.size && this.mayRebuild) {
      this.stock.rebuild(ascending([...this.discard.slice(0, -1), ...this.buried]));
      this.discard = this.discard.slice(-1);
      this.buried = [];
    }
    const id = this.stock.draw(seat, face);
    this.of.set(seat, [...this.ids(seat), id]);
    this.called.delete(seat);
    return id;
  }

  /** Puts the hand of a seat that leaves under the discards, unless it stays where it is. */
  remove(seat: number): void {
    if (this.rules.is("leaver_cards", "to_discard")) {
      this.buried.push(...this.ids(seat));
      this.of.delete(seat);
    }
  }

  /** Gives each seat the hand of another. */
  move(from: readonly number[]): void {
    const before = new Map(this.of);
    for (const seat of before.keys()) {
      this.of.set(seat, before.get(from[seat] as number) ?? []);
      if (from[seat] !== seat) {
        this.called.delete(seat);
      }
    }
  }

  text(seat: number): string {
    return this.faces(seat).map(faceText).join(" ") || "nothing";
  }

  /** Compares hands as they are recorded with those of these seats. */
  compare(recorded: readonly SeatHand[], seats: readonly number[]): void {
    const named = recorded.map((hand) => hand.seat).join(", ");
    if (named !== seats.join(", ")) {
      throw new Wrong(
        `the hands are those of the seats ${named || "(none)"}; they must be of ${seats.join(", ") || "none"}`,
      );
    }
    for (const { seat, cards } of recorded) {
      this.compareOne(seat, cards);
    }
  }

  compareOne(seat: number, cards: readonly Card[]): void {
    if (cards.join() !== this.faces(seat).join()) {
      throw new Wrong(`seat ${seat} holds ${this.text(seat)}, not ${cards.map(faceText).join(" ") || "nothing"}`);
    }
  }

  // Calls of UNO.

  owes(seat: number): boolean {
    return this.owing.has(seat) && this.count(seat) === 1;
  }

  /** Notes that a seat has one card without having called. */
  owe(seat: number): void {
    if (this.rules.on("uno_required") && !this.rules.is("uno_catch_window", "none")) {
      this.owing.set(seat, false);
      this.called.delete(seat);
    }
  }

  /** A seat has called for its one card. */
  call(seat: number): void {
    this.owing.delete(seat);
    this.called.add(seat);
  }

  settle(seat: number): void {
    this.owing.delete(seat);
  }

  /** A seat plays or draws: that closes windows. */
  act(seat: number): void {
    if (this.rules.is("uno_catch_window", "next_turn_action")) {
      this.owing.clear();
    }
    this.owing.delete(seat);
  }

  /** A turn begins: the window of its own seat closes, unless no other turn lay between. */
  begin(turn: number): void {
    for (const [seat, others] of this.owing) {
      if (seat !== turn) {
        this.owing.set(seat, true);
      } else if (others && this.rules.is("uno_catch_window", "own_next_turn")) {
        this.owing.delete(seat);
      }
    }
  }

  /** Forgets the calls that are owed by hands that are no longer one card. */
  prune(): void {
    for (const seat of this.owing.keys()) {
      if (this.count(seat) !== 1) {
        this.owing.delete(seat);
      }
    }
  }
}
