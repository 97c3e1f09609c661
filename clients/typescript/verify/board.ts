// A round as it stands: whose turn, direction, colour, pending cards, and who has left.
//
// Here: the state that all rules of a round share, and the order of seats. Not here: the rules themselves (`start`,
// `round`, `plays`, `penalties`, `calls`, `drawing`).

import { LeaveCause, RoundCause, type SeatLeft, type TimedOut } from "../src/gen/lastcard/v1/event.js";
import { Wrong } from "./deal.js";
import type { Hands } from "./hands.js";
import type { Rules } from "./rules.js";
import { type Course, expect, same, type Told, words } from "./telling.js";

/** A seat's turn; the seat is not known where a lot that is not revealed decides it. */
export interface Turn {
  readonly kind: "turn";
  seat: number | undefined;
  /** Whether it has drawn, and the card that may be played now. */
  drew: boolean;
  drawn: number | undefined;
  /** Whether something could be played when it had drawn, so that it was asked once more. */
  asked: boolean;
}

/** A penalty that waits for its target. */
export interface Penalty {
  readonly kind: "penalty";
  readonly target: number | undefined;
  /** The wild draw four that may be challenged: who played it, from which hand, and whether it was a bluff. */
  readonly played: { seat: number; hand: readonly number[]; bluff: boolean } | undefined;
  /** Whether the target is asked; otherwise it draws at once. */
  readonly asked: boolean;
  readonly losesTurn: boolean;
}

/** A colour that waits to be named, and what comes then. */
export interface Naming {
  readonly kind: "color";
  chooser: number | undefined;
  readonly afterwards: () => Situation;
}

export interface Ended {
  readonly kind: "ended";
  readonly cause: RoundCause;
  readonly winner: number | undefined;
}

export type Situation = Turn | Penalty | Naming | Ended;

/** What a round needs of the match. */
export interface Table {
  readonly rules: Rules;
  /** The seats that play this round, ascending; who leaves is taken out. */
  readonly active: number[];
  readonly strikes: number[];
  readonly dealer: number;
  /** Takes a seat out of the match. */
  leave(seat: number, points: number): void;
  /** Takes a seat out of the match that sits out this round; false when there is none. */
  leaveBench(value: SeatLeft): boolean;
}

export class Board {
  direction = 1;
  color = 0;
  pending = 0;
  turns = 0;
  /** Turns in a row in which no card was played or drawn. */
  idle = 0;
  /** Whether a card was played or drawn since a turn began or ended. */
  moved = false;
  /** Whether a card was wanted that could not be had, so that the round ends. */
  dry = false;
  /** The seat that called UNO before its play. */
  early: number | undefined;
  /** Whether the top card may be jumped on. */
  open = false;
  /** Who named the colour of the start card. */
  lastChooser: number | undefined;
  /** The seat that is skipped before the next turn, and what comes then. */
  skipped: { seat: number | undefined; afterwards: () => Situation } | undefined;
  /** The seat that is to be removed for its timeouts. */
  removing: number | undefined;

  constructor(
    readonly table: Table,
    readonly hands: Hands,
  ) {}

  /** Whether a turn that would begin now ends the round instead. */
  get isBlocked(): boolean {
    return this.dry || this.turns >= this.rules.number("max_turns_per_round");
  }

  /** Counts a turn that ends; true when nothing moved for so long that the round ends. */
  get isStale(): boolean {
    this.idle = this.moved ? 0 : this.idle + 1;
    this.moved = false;
    return this.idle >= this.rules.number("stalemate_turns") * this.table.active.length;
  }

  blocked(): Situation {
    return { kind: "ended", cause: RoundCause.BLOCKED, winner: undefined };
  }

  /** Checks a seat; where a lot that is not revealed decides it, any active one is right. */
  checkSeat(what: string, told: number, right: number | undefined): void {
    if (right !== undefined) {
      same(what, told, right);
    } else if (!this.table.active.includes(told)) {
      throw new Wrong(`${what} cannot be ${told}; these play: ${this.table.active.join(", ")}`);
    }
  }

  get position() {
    return { top: this.hands.top, color: this.color, pending: this.pending };
  }

  get rules(): Rules {
    return this.table.rules;
  }

  get seats(): number {
    return this.table.strikes.length;
  }

  /** The next active seat after another one in the direction of play. */
  after(seat: number): number {
    return this.neighbour(seat, this.direction);
  }

  before(seat: number): number {
    return this.neighbour(seat, -this.direction);
  }

  neighbour(seat: number, step: number): number {
    let place = seat;
    do {
      place = (place + step + this.seats) % this.seats;
    } while (!this.table.active.includes(place));
    return place;
  }

  strike({ seat, strikes }: TimedOut, asked: number | undefined): void {
    this.checkSeat("the seat that timed out", seat, asked);
    const right = (this.table.strikes[seat] ?? 0) + 1;
    this.table.strikes[seat] = right;
    same("strikes", strikes, right);
    const most = this.rules.number("max_timeouts");
    if (most && strikes >= most && !this.forfeits) {
      this.removing = seat;
    }
  }

  /** Whether a timeout costs the match at once. */
  get forfeits(): boolean {
    return this.rules.is("timeout_action", "forfeit");
  }

  checkRemoval(told: Told): void {
    if (this.removing === undefined) {
      return;
    }
    if (told.$case !== "seatLeft" || told.value.seat !== this.removing || told.value.cause !== LeaveCause.TIMEOUTS) {
      throw new Wrong(`seat_left must follow, of seat ${this.removing} for its timeouts, not ${words(told.$case)}`);
    }
    this.removing = undefined;
  }

  /** A seat leaves; the end of the round when only one is left. */
  left(value: SeatLeft): Ended | undefined {
    const { seat } = value;
    const { active } = this.table;
    if (this.table.leaveBench(value)) {
      return undefined;
    }
    if (!active.includes(seat)) {
      throw new Wrong(`seat ${seat} is not in the match`);
    }
    this.early = this.early === seat ? undefined : this.early;
    same("hand_count", value.handCount, this.hands.count(seat));
    this.hands.compareOne(seat, value.cards);
    const points = this.rules.points(this.hands.faces(seat));
    same("points", value.points, points);
    this.hands.remove(seat);
    this.table.leave(seat, points);
    if (active.length === 1) {
      return { kind: "ended", cause: RoundCause.LEFT, winner: active[0] };
    }
    return undefined;
  }

  skipping(seat: number | undefined, afterwards: () => Situation): Situation {
    this.skipped = { seat, afterwards };
    return turn(undefined);
  }
}

export function* forfeit(seat: number): Course<SeatLeft> {
  const value = yield* expect("seatLeft");
  same("the seat that is removed", value.seat, seat);
  same("cause", LeaveCause[value.cause], LeaveCause[LeaveCause.TIMEOUTS]);
  return value;
}

export function turn(seat: number | undefined): Turn {
  return { kind: "turn", seat, drew: false, drawn: undefined, asked: false };
}
