// One round, event by event: whose turn it is, what may be played, and what must follow.
//
// Here: turns, penalties, colours, calls, leavers; as the rules of the table say. Not here: where cards come from
// (`deal`), which card fits on which (`legality`), the match around it (`match`).

import {
  type CardPlayed,
  type CardsDrawn,
  type ChallengeResolved,
  DrawCause,
  LeaveCause,
  RoundCause,
  type SeatAccused,
  type SeatLeft,
  type TimedOut,
} from "../src/gen/lastcard/v1/event.js";
import { isPutBack, START_OPTIONS, Wrong } from "./deal.js";
import type { Hands } from "./hands.js";
import { isHonest, isPlayable, mayBeStacked, mayJump, penaltyOf } from "./legality.js";
import { colorOf, faceText, isNumber, REVERSE, type Rules, rankOf, SKIP, WILD_DRAW_FOUR } from "./rules.js";
import { type Course, expect, next, same, type Told, words } from "./telling.js";

/** A seat's turn; the seat is not known where a lot that is not revealed decides it. */
interface Turn {
  readonly kind: "turn";
  seat: number | undefined;
  /** Whether it has drawn, and the card that may be played now. */
  drew: boolean;
  drawn: number | undefined;
  /** Whether UNO was called before the play. */
  early: boolean;
}

/** A penalty that waits for its target. */
interface Penalty {
  readonly kind: "penalty";
  readonly target: number | undefined;
  /** The wild draw four that may be challenged: who played it, from which hand, and whether it was a bluff. */
  readonly played: { seat: number; hand: readonly number[]; bluff: boolean } | undefined;
  /** Whether the target is asked: by the rules, never, or perhaps. */
  readonly asked: boolean | "perhaps";
  readonly losesTurn: boolean;
}

/** A colour that waits to be named, and what comes then. */
interface Naming {
  readonly kind: "color";
  chooser: number | undefined;
  readonly afterwards: () => Situation;
}

interface Ended {
  readonly kind: "ended";
  readonly cause: RoundCause;
  readonly winner: number | undefined;
}

type Situation = Turn | Penalty | Naming | Ended;

/** What a round needs of the match. */
export interface Table {
  readonly rules: Rules;
  /** The seats that play this round, ascending; who leaves is taken out. */
  readonly active: number[];
  readonly strikes: number[];
  readonly dealer: number;
  /** Takes a seat out of the match. */
  leave(seat: number, points: number): void;
}

export class Round {
  private direction = 1;
  private color = 0;
  private pending = 0;
  private turns = 0;
  /** Turns in a row in which no card was played or drawn. */
  private idle = 0;
  private moved = false;
  /** The seat that is to be removed for its timeouts. */
  private removing: number | undefined;
  /** Whether the top card may be jumped on. */
  private open = false;

  constructor(
    private readonly table: Table,
    private readonly hands: Hands,
  ) {}

  /** The round, from its first start card to what ends it. */
  *play(): Course<Ended> {
    let situation: Situation = yield* this.start();
    while (situation.kind !== "ended") {
      situation = yield* this.go(situation);
    }
    return situation;
  }

  private *go(situation: Situation): Course<Situation> {
    switch (situation.kind) {
      case "turn":
        return yield* this.turn(situation);
      case "penalty":
        return yield* this.penalty(situation);
      case "color":
        return yield* this.naming(situation);
      default:
        return situation;
    }
  }

  // The start.

  private *start(): Course<Situation> {
    for (;;) {
      const { card, putBack } = yield* expect("startCardTurned");
      same("put_back", putBack, isPutBack(this.rules, card));
      const id = this.hands.stock.turn(card, putBack);
      if (!putBack) {
        this.hands.discard = [id];
        this.color = colorOf(card);
        return this.startEffect(card);
      }
    }
  }

  private startEffect(card: number): Situation {
    const { dealer } = this.table;
    const first = this.firstSeat();
    const second = (): Situation => turn(first === undefined ? undefined : this.after(first));
    const option = isNumber(card) ? undefined : START_OPTIONS.get(rankOf(card));
    switch (option && this.rules.text(option)) {
      case "apply":
        return rankOf(card) === SKIP ? this.skipping(first, second) : this.charge(first, card, true);
      case "draw_only":
        return this.charge(first, card, false);
      case "dealer_first":
      case "right_of_dealer": {
        this.direction = -1;
        const two = this.table.active.length === 2;
        return turn(two || this.rules.is("start_reverse", "dealer_first") ? dealer : this.after(dealer));
      }
      case "first_player_chooses":
        return { kind: "color", chooser: first, afterwards: () => turn(this.lastChooser) };
      case "dealer_chooses":
        return { kind: "color", chooser: dealer, afterwards: () => turn(this.stillActive(first)) };
      case "dealer_chooses_apply":
        return { kind: "color", chooser: dealer, afterwards: () => this.charge(this.stillActive(first), card, true) };
      default:
        return turn(first);
    }
  }

  private lastChooser: number | undefined;
  /** The turn of which a skip takes the place. */
  private skipped: { seat: number | undefined; afterwards: () => Situation } | undefined;

  private skipping(seat: number | undefined, afterwards: () => Situation): Situation {
    this.skipped = { seat, afterwards };
    return turn(undefined);
  }

  private charge(target: number | undefined, card: number, losesTurn: boolean): Situation {
    this.pending = penaltyOf(card);
    const asked = mayBeStacked(this.rules, card) || !this.rules.is("jump_in", "off") ? "perhaps" : false;
    return { kind: "penalty", target, played: undefined, asked, losesTurn: losesTurn && this.losesTurn(card) };
  }

  private firstSeat(): number | undefined {
    const { active, dealer } = this.table;
    if (this.rules.is("first_player", "left_of_dealer")) {
      return this.after(dealer);
    }
    const lot = this.hands.stock.lot("first-player", active.length);
    return lot === undefined ? undefined : active[lot];
  }

  private stillActive(seat: number | undefined): number | undefined {
    return seat === undefined || this.table.active.includes(seat) ? seat : this.after(seat);
  }

  // Turns.

  private *turn(state: Turn): Course<Situation> {
    if (this.skipped !== undefined) {
      const { seat, afterwards } = this.skipped;
      this.skipped = undefined;
      const told = (yield* expect("seatSkipped")).seat;
      this.checkSeat("the seat that is skipped", told, seat);
      return seat === undefined ? turn(this.after(told)) : afterwards();
    }
    if (this.isBlocked) {
      return this.blocked();
    }
    const started = yield* expect("turnStarted");
    const { seat } = started;
    this.checkSeat("the seat to act", seat, state.seat);
    state.seat = seat;
    this.turns += 1;
    same("turn", started.turn, this.turns);
    this.hands.begin(seat);
    this.moved = false;
    for (;;) {
      const after = yield* this.action(state, seat);
      if (after !== undefined) {
        return after;
      }
    }
  }

  /** One thing that happens in a turn; nothing when the turn goes on. */
  private *action(state: Turn, seat: number): Course<Situation | undefined> {
    const told = yield* next();
    this.checkRemoval(told);
    switch (told.$case) {
      case "cardPlayed":
        if (told.value.jumpIn) {
          return yield* this.jump(told.value, state);
        }
        same("the seat that plays", told.value.seat, seat);
        this.checkTurnPlay(state, told.value.card);
        return yield* this.played(told.value, state);
      case "pileRebuilt":
      case "cardsDrawn":
        return yield* this.ownDraw(told, state, seat);
      case "cardKept":
        same("the seat that keeps its card", told.value.seat, seat);
        if (!this.offered(state) || this.rules.is("drawn_card", "must_play")) {
          throw new Wrong("no card was drawn that may be kept");
        }
        return yield* this.pass(state);
      case "timedOut":
        this.strike(told.value, seat);
        return yield* this.timeout(state, seat);
      case "seatLeft":
        return this.leftInTurn(told.value, seat);
      default:
        return yield* this.aside(told, seat, state);
    }
  }

  private leftInTurn(value: SeatLeft, seat: number): Situation | undefined {
    return this.left(value) ?? (value.seat === seat ? turn(this.after(seat)) : undefined);
  }

  private checkTurnPlay(state: Turn, card: number): void {
    const hand = this.hands.faces(state.seat as number);
    const only = this.rules.is("after_draw_play", "drawn_only") || this.rules.is("drawn_card", "never");
    if (state.drew && (!this.offered(state) || (only && card !== this.hands.face(state.drawn as number)))) {
      throw new Wrong(`after drawing, ${faceText(card)} may not be played`);
    }
    this.checkPlay(hand, card);
  }

  private checkPlay(hand: readonly number[], card: number): void {
    if (hand.includes(card) && !isPlayable(this.rules, this.position, hand, card)) {
      const { top, color, pending } = this.position;
      const on = `${faceText(top)}, colour ${".RYGB"[color]}${pending ? `, ${pending} cards pending` : ""}`;
      throw new Wrong(`${faceText(card)} may not be played on ${on} from ${hand.map(faceText).join(" ")}`);
    }
  }

  /** Whether, after a draw, there is a card that may be played. */
  private offered(state: Turn): boolean {
    if (state.drawn === undefined || this.rules.is("drawn_card", "never")) {
      return false;
    }
    const hand = this.hands.faces(state.seat as number);
    const cards = this.rules.is("after_draw_play", "any_card") ? hand : [this.hands.face(state.drawn)];
    return cards.some((card) => isPlayable(this.rules, this.position, hand, card));
  }

  private *ownDraw(told: Told, state: Turn, seat: number): Course<Situation | undefined> {
    if (state.drew) {
      throw new Wrong("the seat has drawn in this turn");
    }
    const hand = this.hands.faces(seat);
    if (this.rules.is("voluntary_draw", "forbidden")) {
      const fits = hand.find((card) => isPlayable(this.rules, this.position, hand, card));
      if (fits !== undefined) {
        throw new Wrong(`seat ${seat} may not draw: it can play ${faceText(fits)}`);
      }
    }
    const { short, ids } = yield* this.draw(told, seat, DrawCause.TURN, this.drawLimit);
    this.acted(seat);
    state.drew = true;
    state.drawn = ids.at(-1);
    if (short) {
      return this.blocked();
    }
    return this.offered(state) ? undefined : yield* this.pass(state);
  }

  private get drawLimit(): number | undefined {
    switch (this.rules.text("draw_mode")) {
      case "one":
        return 1;
      case "up_to_n":
        return this.rules.number("draw_limit");
      default:
        return undefined;
    }
  }

  /** The end of a turn without a play. */
  private *pass(state: Turn): Course<Situation> {
    const seat = state.seat as number;
    const price = this.rules.number("false_uno_penalty");
    if (state.early && price) {
      yield* this.draw(yield* next(), seat, DrawCause.FALSE_UNO, price);
    }
    this.idle = this.moved ? 0 : this.idle + 1;
    return turn(this.after(seat));
  }

  private *timeout(state: Turn, seat: number): Course<Situation> {
    if (this.forfeits) {
      return this.leftInTurn(yield* this.forfeit(seat), seat) as Situation;
    }
    if (state.drew) {
      same("the seat that keeps its card", (yield* expect("cardKept")).seat, seat);
      return yield* this.pass(state);
    }
    const { short } = yield* this.draw(yield* next(), seat, DrawCause.TIMEOUT, 1);
    this.acted(seat);
    return short ? this.blocked() : yield* this.pass(state);
  }

  private strike({ seat, strikes }: TimedOut, asked: number | undefined): void {
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
  private get forfeits(): boolean {
    return this.rules.is("timeout_action", "forfeit");
  }

  private *forfeit(seat: number): Course<SeatLeft> {
    const value = yield* expect("seatLeft");
    same("the seat that is removed", value.seat, seat);
    same("cause", LeaveCause[value.cause], LeaveCause[LeaveCause.TIMEOUTS]);
    return value;
  }

  private checkRemoval(told: Told): void {
    if (this.removing === undefined) {
      return;
    }
    if (told.$case !== "seatLeft" || told.value.seat !== this.removing || told.value.cause !== LeaveCause.TIMEOUTS) {
      throw new Wrong(`seat_left must follow, of seat ${this.removing} for its timeouts, not ${words(told.$case)}`);
    }
    this.removing = undefined;
  }

  // Plays.

  private *played(value: CardPlayed, state: Turn | undefined): Course<Situation> {
    const { seat, card } = value;
    const before = this.position;
    const hand = this.hands.faces(seat);
    this.hands.play(seat, card, state?.drawn);
    this.acted(seat);
    this.idle = 0;
    this.open = true;
    const left = this.hands.count(seat);
    same("hand_count", value.handCount, left);
    // A reverse that is jumped on is cancelled, and the same card played again: the direction stays.
    this.direction *= rankOf(card) === REVERSE && card >= 16 && !value.jumpIn ? -1 : 1;
    same("direction", value.direction, this.direction);
    this.pending = (value.jumpIn ? this.carried(card) : this.pending) + penaltyOf(card);
    same("pending", value.pending, this.pending);
    this.checkColor(value, left);
    yield* this.moveHands(value, left);
    yield* this.calls(value, state?.early ?? false);
    const out = this.hands.count(seat) ? this.table.active.find((other) => !this.hands.count(other)) : seat;
    if (out !== undefined) {
      return yield* this.out(out, seat);
    }
    return this.consequence(seat, card, card === WILD_DRAW_FOUR && !isHonest(this.rules, before, hand), hand);
  }

  private checkColor({ card, color }: CardPlayed, left: number): void {
    if (card >= 16) {
      same("the colour in force", color, colorOf(card));
    } else if (left === 0) {
      same("the colour after a last card", color, 0);
    } else if (color < 1 || color > 4) {
      throw new Wrong(`${faceText(card)} needs a colour, from COLOR_RED to COLOR_BLUE`);
    }
    this.color = color;
  }

  private *moveHands({ seat, card, target }: CardPlayed, left: number): Course<void> {
    const effect = card >= 16 && (left > 0 || this.rules.is("last_card_hand_effect", "apply"));
    const seats = [...Array(this.seats).keys()];
    let from = seats;
    if (effect && rankOf(card) === 0 && this.rules.on("zero_rotate")) {
      from = seats.map((to) => (this.table.active.includes(to) ? this.before(to) : to));
    } else if (effect && rankOf(card) === 7 && this.rules.on("seven_swap") && this.maySwap(seat, target)) {
      from = seats.map((to) => (to === seat ? (target as number) : to === target ? seat : to));
    } else if (target !== undefined) {
      throw new Wrong(`${faceText(card)} has no target`);
    } else {
      return;
    }
    const counts = seats.map((other) => this.hands.count(other));
    const told = yield* expect("handsMoved");
    same("from_seats", told.fromSeats, from);
    this.hands.move(from);
    const after = seats.map((other) => this.hands.count(other));
    same("hand_counts", told.handCounts, after);
    this.hands.compare(
      told.hands,
      seats.filter((to) => from[to] !== to),
    );
    if (this.rules.is("passive_uno", "required")) {
      for (const other of this.table.active.filter((one) => one !== seat && after[one] === 1 && counts[one] !== 1)) {
        this.hands.owe(other);
      }
    }
  }

  private maySwap(seat: number, target: number | undefined): boolean {
    const others = this.table.active.filter((other) => other !== seat);
    if (target === undefined) {
      if (this.rules.on("swap_uno_protected") && others.every((other) => this.hands.count(other) === 1)) {
        return false;
      }
      throw new Wrong("a seven that swaps hands needs a target");
    }
    if (!others.includes(target)) {
      throw new Wrong(`seat ${target} cannot be swapped with; these can: ${others.join(", ")}`);
    }
    return true;
  }

  /** Whether the play owes a call, and what a wrong one costs. */
  private *calls({ seat, unoCalled, handCount }: CardPlayed, early: boolean): Course<void> {
    const left = this.hands.count(seat);
    if (left === 1 && !unoCalled && !early) {
      this.hands.owe(seat);
    }
    const price = this.rules.number("false_uno_penalty");
    if (price && left > 1 && handCount !== 1 && (unoCalled || early)) {
      yield* this.draw(yield* next(), seat, DrawCause.FALSE_UNO, price);
    }
    this.hands.prune();
  }

  private *out(winner: number, seat: number): Course<Situation> {
    if (this.pending && this.rules.is("last_card_draw", "draw_then_score")) {
      yield* this.draw(yield* next(), this.after(seat), DrawCause.PENALTY, this.pending);
    }
    return { kind: "ended", cause: RoundCause.OUT, winner };
  }

  private consequence(seat: number, card: number, bluff: boolean, hand: readonly number[]): Situation {
    const target = this.after(seat);
    if (this.pending) {
      const challenged = card === WILD_DRAW_FOUR && this.rules.is("w4_challenge", "next_player");
      const asked = challenged || !this.rules.is("jump_in", "off") || (mayBeStacked(this.rules, card) && "perhaps");
      const rest = [...hand];
      rest.splice(rest.indexOf(card), 1);
      return {
        kind: "penalty",
        target,
        played: challenged ? { seat, hand: rest, bluff } : undefined,
        asked,
        losesTurn: this.losesTurn(card),
      };
    }
    const two = this.table.active.length === 2 && this.rules.is("reverse_two_players", "skip");
    if (card >= 16 && (rankOf(card) === SKIP || (rankOf(card) === REVERSE && two))) {
      return this.skipping(target, () => turn(this.after(target)));
    }
    return turn(target);
  }

  /** Whether who draws for a card loses the turn. */
  private losesTurn(card: number): boolean {
    return this.rules.on(card === WILD_DRAW_FOUR ? "w4_target_loses_turn" : "draw_two_target_loses_turn");
  }

  private *jump(value: CardPlayed, during: Turn | Penalty): Course<Situation> {
    const { seat, card } = value;
    const onTurn = during.kind === "turn" && seat === during.seat;
    if (onTurn || !this.table.active.includes(seat) || !this.open || !mayJump(this.rules, this.hands.top, card)) {
      throw new Wrong(`seat ${seat} may not jump in with ${faceText(card)} on ${faceText(this.hands.top)}`);
    }
    const price = this.rules.number("false_uno_penalty");
    const situation = yield* this.played(value, undefined);
    if (during.kind === "turn" && during.early && price) {
      yield* this.draw(yield* next(), during.seat as number, DrawCause.FALSE_UNO, price);
    }
    return situation;
  }

  /** What is left of a pending penalty when its card is jumped on. */
  private carried(card: number): number {
    return this.rules.is("jump_in_effect", "accumulate") && penaltyOf(card) && mayBeStacked(this.rules, card)
      ? this.pending
      : 0;
  }

  // Penalties.

  private *penalty(state: Penalty): Course<Situation> {
    const told = yield* next();
    this.checkRemoval(told);
    const drawing = told.$case === "cardsDrawn" || told.$case === "pileRebuilt";
    if (state.asked === false || (state.asked === "perhaps" && drawing)) {
      return yield* this.serve(told, state, state.target);
    }
    switch (told.$case) {
      case "penaltyAccepted":
        this.checkSeat("the seat that accepts", told.value.seat, state.target);
        return yield* this.serve(yield* next(), state, told.value.seat);
      case "timedOut":
        this.strike(told.value, state.target);
        if (this.forfeits) {
          return this.leftInPenalty(yield* this.forfeit(told.value.seat), state);
        }
        same("the seat that accepts", (yield* expect("penaltyAccepted")).seat, told.value.seat);
        return yield* this.serve(yield* next(), state, told.value.seat);
      case "challengeResolved":
        return yield* this.challenge(told.value, state);
      case "cardPlayed":
        if (told.value.jumpIn) {
          return yield* this.jump(told.value, state);
        }
        this.checkSeat("the seat that plays", told.value.seat, state.target);
        this.checkPlay(this.hands.faces(told.value.seat), told.value.card);
        return yield* this.played(told.value, undefined);
      case "seatLeft":
        return this.leftInPenalty(told.value, state);
      default:
        yield* this.aside(told, state.target);
        return state;
    }
  }

  private leftInPenalty(value: SeatLeft, state: Penalty): Situation {
    const ended = this.left(value);
    if (ended !== undefined || value.seat !== state.target) {
      return ended ?? state;
    }
    this.pending = 0;
    return turn(this.after(value.seat));
  }

  private *serve(told: Told, state: Penalty, target: number | undefined): Course<Situation> {
    const seat = target ?? (told.$case === "cardsDrawn" ? told.value.seat : 0);
    this.checkSeat("the seat that draws", seat, target);
    const owed = this.pending;
    this.pending = 0;
    this.open = false;
    const { short } = yield* this.draw(told, seat, DrawCause.PENALTY, owed);
    if (short) {
      return this.blocked();
    }
    return turn(state.losesTurn ? this.after(seat) : seat);
  }

  private *challenge(value: ChallengeResolved, state: Penalty): Course<Situation> {
    const { played, target } = state;
    if (played === undefined) {
      throw new Wrong("there is nothing to challenge");
    }
    same("challenger", value.challenger, target);
    same("offender", value.offender, played.seat);
    same("guilty", value.guilty, played.bluff);
    same("the hand at the play", value.hand.map(faceText), played.hand.map(faceText));
    const base = this.pending - 4;
    this.pending = 0;
    this.open = false;
    const seat = target as number;
    if (!played.bluff) {
      const owed = base + this.rules.number("challenge_innocent_draws");
      const { short } = yield* this.draw(yield* next(), seat, DrawCause.CHALLENGE, owed);
      return short ? this.blocked() : turn(this.after(seat));
    }
    if (this.table.active.includes(played.seat)) {
      const owed = base + this.rules.number("challenge_guilty_draws");
      const { short } = yield* this.draw(yield* next(), played.seat, DrawCause.CHALLENGE, owed);
      if (short) {
        return this.blocked();
      }
    }
    return turn(this.rules.is("challenge_success_turn", "challenger_plays") ? seat : this.after(seat));
  }

  // Colours of a wild that opened the round.

  private *naming(state: Naming): Course<Situation> {
    let told = yield* next();
    this.checkRemoval(told);
    const timedOut = told.$case === "timedOut";
    if (told.$case === "timedOut") {
      const { seat } = told.value;
      this.strike(told.value, state.chooser);
      told = this.forfeits ? { $case: "seatLeft", value: yield* this.forfeit(seat) } : yield* next();
    }
    if (told.$case === "seatLeft") {
      const { seat } = told.value;
      const ended = this.left(told.value);
      if (ended === undefined && seat === state.chooser) {
        state.chooser = this.after(seat);
      }
      return ended ?? state;
    }
    if (told.$case !== "colorChosen") {
      throw new Wrong(`color_chosen must follow, not ${words(told.$case)}`);
    }
    const { seat, color, byServer } = told.value;
    this.checkSeat("the seat that names the colour", seat, state.chooser);
    same("by_server", byServer, timedOut);
    if (color < 1 || color > 4) {
      throw new Wrong("the colour must be one from COLOR_RED to COLOR_BLUE");
    }
    const lot = byServer ? this.hands.stock.color(this.turns + 1) : undefined;
    if (lot !== undefined) {
      same("the colour by lot", color, lot);
    }
    this.color = color;
    this.lastChooser = seat;
    return state.afterwards();
  }

  // What may happen at any time.

  /** Calls and catches apart from a play. */
  private *aside(told: Told, toAct: number | undefined, state?: Turn): Course<undefined> {
    if (told.$case === "unoCalled") {
      yield* this.call(told.value.seat, toAct, state);
    } else if (told.$case === "seatAccused") {
      yield* this.accuse(told.value);
    } else {
      throw new Wrong(`${words(told.$case)} has no place here`);
    }
    return undefined;
  }

  private *call(seat: number, toAct: number | undefined, state: Turn | undefined): Course<void> {
    const price = this.rules.number("false_uno_penalty");
    if (this.hands.owes(seat)) {
      this.hands.settle(seat);
    } else if (seat === toAct && this.hands.count(seat) === 2) {
      if (state !== undefined) {
        state.early = true;
      }
    } else if (price && this.table.active.includes(seat)) {
      yield* this.draw(yield* next(), seat, DrawCause.FALSE_UNO, price);
    } else {
      throw new Wrong(`seat ${seat} has nothing to call, with ${this.hands.count(seat)} cards`);
    }
  }

  private *accuse({ accuser, target, caught }: SeatAccused): Course<void> {
    const { active } = this.table;
    if (!active.includes(accuser) || !active.includes(target) || accuser === target) {
      throw new Wrong(`seat ${accuser} cannot accuse seat ${target}`);
    }
    same("caught", caught, this.hands.owes(target));
    this.hands.settle(target);
    const price = this.rules.number(caught ? "uno_penalty" : "false_catch_penalty");
    if (!caught && !price) {
      throw new Wrong(`seat ${target} owes no call`);
    }
    const cause = caught ? DrawCause.CAUGHT : DrawCause.FALSE_CATCH;
    yield* this.draw(yield* next(), caught ? target : accuser, cause, price);
  }

  /** A seat leaves; the end of the round when only one is left. */
  private left(value: SeatLeft): Ended | undefined {
    const { seat } = value;
    const { active } = this.table;
    if (!active.includes(seat)) {
      throw new Wrong(`seat ${seat} is not in the match`);
    }
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

  // Cards drawn.

  /**
   * Cards that a seat draws: so many, or until one can be played; fewer when no more can be had.
   *
   * `short` tells that the round is over for want of cards.
   */
  private *draw(
    first: Told,
    seat: number,
    cause: DrawCause,
    owed: number | undefined,
  ): Course<{ ids: number[]; short: boolean }> {
    const { stock } = this.hands;
    const before = stock.size;
    let told = first;
    let rebuilt: number | undefined;
    if (told.$case === "pileRebuilt") {
      rebuilt = told.value.count;
      same("the cards in the new pile", rebuilt, this.hands.rebuildable);
      told = yield* next();
    }
    if (told.$case !== "cardsDrawn") {
      throw new Wrong(`cards_drawn must follow, not ${words(told.$case)}`);
    }
    const { value } = told;
    same("the seat that draws", value.seat, seat);
    same("cause", DrawCause[value.cause], DrawCause[cause]);
    same("count", value.count, value.cards.length);
    const available = this.hands.available;
    const most = Math.min(owed ?? available, available);
    const needsPile = value.count > before && this.hands.rebuildable > 0 && this.hands.mayRebuild;
    same("whether the pile is rebuilt", rebuilt !== undefined, needsPile);
    const ids = this.take(value, cause === DrawCause.TURN && owed !== 1 ? most : undefined);
    if (cause !== DrawCause.TURN || owed === 1) {
      same("count", value.count, most);
    }
    this.moved ||= value.count > 0;
    this.hands.prune();
    const wanting =
      cause === DrawCause.TURN && owed !== 1 ? !this.endsDrawing(seat, value, owed) : value.count < (owed ?? 1);
    return { ids, short: !this.hands.mayRebuild && wanting };
  }

  /** Whether the last card drawn ended the drawing, and not the want of another. */
  private endsDrawing(seat: number, { cards }: CardsDrawn, limit: number | undefined): boolean {
    const last = cards.at(-1);
    const fits = last !== undefined && isPlayable(this.rules, this.position, this.hands.faces(seat), last);
    return fits || cards.length === limit;
  }

  /** Takes the cards; with `most`, drawing ends with the first that can be played, or with so many. */
  private take({ seat, cards }: CardsDrawn, most: number | undefined): number[] {
    const ids: number[] = [];
    cards.forEach((face, place) => {
      ids.push(this.hands.draw(seat, face));
      if (most === undefined) {
        return;
      }
      const fits = isPlayable(this.rules, this.position, this.hands.faces(seat), face);
      const ends = fits || place + 1 === most;
      if (ends !== (place + 1 === cards.length)) {
        throw new Wrong(`drawing must ${ends ? "end" : "go on"} after ${faceText(face)}`);
      }
    });
    if (most !== undefined && !cards.length && most) {
      throw new Wrong("a card must be drawn");
    }
    return ids;
  }

  // The order of seats.

  /** Whether a turn that would begin now ends the round instead. */
  private get isBlocked(): boolean {
    const { active } = this.table;
    const stalemate = this.idle >= this.rules.number("stalemate_turns") * active.length;
    return stalemate || this.turns >= this.rules.number("max_turns_per_round");
  }

  private blocked(): Situation {
    return { kind: "ended", cause: RoundCause.BLOCKED, winner: undefined };
  }

  private acted(seat: number): void {
    this.hands.act(seat);
    this.moved = true;
  }

  /** Checks a seat; where a lot that is not revealed decides it, any active one is right. */
  private checkSeat(what: string, told: number, right: number | undefined): void {
    if (right !== undefined) {
      same(what, told, right);
    } else if (!this.table.active.includes(told)) {
      throw new Wrong(`${what} cannot be ${told}; these play: ${this.table.active.join(", ")}`);
    }
  }

  private get position() {
    return { top: this.hands.top, color: this.color, pending: this.pending };
  }

  private get rules(): Rules {
    return this.table.rules;
  }

  private get seats(): number {
    return this.table.strikes.length;
  }

  /** The next active seat after another one in the direction of play. */
  private after(seat: number): number {
    return this.neighbour(seat, this.direction);
  }

  private before(seat: number): number {
    return this.neighbour(seat, -this.direction);
  }

  private neighbour(seat: number, step: number): number {
    let place = seat;
    do {
      place = (place + step + this.seats) % this.seats;
    } while (!this.table.active.includes(place));
    return place;
  }
}

function turn(seat: number | undefined): Turn {
  return { kind: "turn", seat, drew: false, drawn: undefined, early: false };
}
