// A card is played, in turn or out of it, and what follows from it.

import { type CardPlayed, DrawCause, RoundCause } from "../src/gen/lastcard/v1/event.js";
import { type Board, type Penalty, type Situation, type Turn, turn } from "./board.js";
import { callsOf, closeTurn } from "./calls.js";
import { Wrong } from "./deal.js";
import { draw } from "./drawing.js";
import { isHonest, isPlayable, mayBeStacked, mayJump, penaltyOf, stacks } from "./legality.js";
import { colorOf, faceText, REVERSE, rankOf, SKIP, WILD_DRAW_FOUR } from "./rules.js";
import { type Course, expect, next, same } from "./telling.js";

/** Throws when a card of the hand may not be played in turn. */
export function checkPlay(board: Board, hand: readonly number[], card: number): void {
  if (hand.includes(card) && !isPlayable(board.rules, board.position, hand, card)) {
    const { top, color, pending } = board.position;
    const on = `${faceText(top)}, colour ${".RYGB"[color]}${pending ? `, ${pending} cards pending` : ""}`;
    throw new Wrong(`${faceText(card)} may not be played on ${on} from ${hand.map(faceText).join(" ")}`);
  }
}

/** A card is played, in the turn `state` or out of turn: checks the event, and tells what comes then. */
export function* played(board: Board, value: CardPlayed, state: Turn | undefined): Course<Situation> {
  const { seat, card } = value;
  const before = board.position;
  const hand = board.hands.faces(seat);
  const only = board.rules.is("after_draw_play", "drawn_only");
  board.hands.play(seat, card, only ? state?.drawn : undefined);
  board.hands.act(seat);
  board.moved = true;
  board.open = true;
  const left = board.hands.count(seat);
  same("hand_count", value.handCount, left);
  // A reverse that is jumped on is cancelled, and the same card played again: the direction stays.
  board.direction *= rankOf(card) === REVERSE && card >= 16 && !value.jumpIn ? -1 : 1;
  same("direction", value.direction, board.direction);
  board.pending = (value.jumpIn ? carried(board, card) : board.pending) + penaltyOf(card);
  same("pending", value.pending, board.pending);
  checkColor(board, value, left);
  yield* moveHands(board, value, left);
  yield* callsOf(board, value);
  if (board.dry) {
    return board.blocked();
  }
  const out = board.hands.count(seat) ? board.table.active.find((other) => !board.hands.count(other)) : seat;
  if (out !== undefined) {
    return yield* goesOut(board, out, seat);
  }
  if ((yield* closeTurn(board)) || board.dry) {
    return board.blocked();
  }
  return consequence(board, seat, card, card === WILD_DRAW_FOUR && !isHonest(board.rules, before, hand), hand);
}

function checkColor(board: Board, { card, color }: CardPlayed, left: number): void {
  if (card >= 16) {
    same("the colour in force", color, colorOf(card));
  } else if (left === 0) {
    same("the colour after a last card", color, 0);
  } else if (color < 1 || color > 4) {
    throw new Wrong(`${faceText(card)} needs a colour, from COLOR_RED to COLOR_BLUE`);
  }
  board.color = color;
}

function* moveHands(board: Board, { seat, card, target }: CardPlayed, left: number): Course<void> {
  const effect = card >= 16 && (left > 0 || board.rules.is("last_card_hand_effect", "apply"));
  const seats = [...Array(board.seats).keys()];
  let from = seats;
  if (effect && rankOf(card) === 0 && board.rules.on("zero_rotate")) {
    from = seats.map((to) => (board.table.active.includes(to) ? board.before(to) : to));
  } else if (effect && rankOf(card) === 7 && board.rules.on("seven_swap") && maySwap(board, seat, target)) {
    from = seats.map((to) => (to === seat ? (target as number) : to === target ? seat : to));
  } else if (target !== undefined) {
    throw new Wrong(`${faceText(card)} has no target`);
  } else {
    return;
  }
  const counts = seats.map((other) => board.hands.count(other));
  const told = yield* expect("handsMoved");
  same("from_seats", told.fromSeats, from);
  board.hands.move(from);
  const after = seats.map((other) => board.hands.count(other));
  same("hand_counts", told.handCounts, after);
  board.hands.compare(
    told.hands,
    seats.filter((to) => from[to] !== to),
  );
  if (board.rules.is("passive_uno", "required")) {
    for (const other of board.table.active.filter((one) => one !== seat && after[one] === 1 && counts[one] !== 1)) {
      board.hands.owe(other);
    }
  }
}

function maySwap(board: Board, seat: number, target: number | undefined): boolean {
  const isProtected = (other: number): boolean => board.rules.on("swap_uno_protected") && board.hands.called.has(other);
  const others = board.table.active.filter((other) => other !== seat && !isProtected(other));
  if (target === undefined) {
    if (!others.length) {
      return false;
    }
    throw new Wrong("a seven that swaps hands needs a target");
  }
  if (!others.includes(target)) {
    throw new Wrong(`seat ${target} cannot be swapped with; these can: ${others.join(", ") || "none"}`);
  }
  return true;
}

function* goesOut(board: Board, winner: number, seat: number): Course<Situation> {
  if (board.pending && board.rules.is("last_card_draw", "draw_then_score")) {
    yield* draw(board, yield* next(), board.after(seat), DrawCause.PENALTY, board.pending);
  }
  return { kind: "ended", cause: RoundCause.OUT, winner };
}

function consequence(board: Board, seat: number, card: number, bluff: boolean, hand: readonly number[]): Situation {
  const target = board.after(seat);
  if (board.pending) {
    const challenged = card === WILD_DRAW_FOUR && board.rules.is("w4_challenge", "next_player");
    const asked = challenged || !board.rules.is("jump_in", "off") || mayBeStacked(board.rules, card, board.pending);
    const rest = [...hand];
    rest.splice(rest.indexOf(card), 1);
    return {
      kind: "penalty",
      target,
      played: challenged ? { seat, hand: rest, bluff } : undefined,
      asked,
      losesTurn: losesTurn(board, card),
    };
  }
  const two = board.table.active.length === 2 && board.rules.is("reverse_two_players", "skip");
  if (card >= 16 && (rankOf(card) === SKIP || (rankOf(card) === REVERSE && two))) {
    return board.skipping(target, () => turn(board.after(target)));
  }
  return turn(target);
}

/** Whether who draws for a card loses the turn. */
export function losesTurn(board: Board, card: number): boolean {
  return board.rules.on(card === WILD_DRAW_FOUR ? "w4_target_loses_turn" : "draw_two_target_loses_turn");
}

/** A card is played out of turn. */
export function* jumpIn(board: Board, value: CardPlayed, during: Turn | Penalty): Course<Situation> {
  const { seat, card } = value;
  const onTurn = during.kind === "turn" && seat === during.seat;
  if (onTurn || !board.table.active.includes(seat) || !board.open || !mayJump(board.rules, board.hands.top, card)) {
    throw new Wrong(`seat ${seat} may not jump in with ${faceText(card)} on ${faceText(board.hands.top)}`);
  }
  return yield* played(board, value, undefined);
}

/** What is left of a pending penalty when its card is jumped on. */
function carried(board: Board, card: number): number {
  const { top, pending } = board.position;
  return board.rules.is("jump_in_effect", "accumulate") && stacks(board.rules, { top, pending }, card) ? pending : 0;
}
