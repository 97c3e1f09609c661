// Calls of UNO and catches: by themselves, and with a play.

import { type CardPlayed, DrawCause, type SeatAccused } from "../src/gen/lastcard/v1/event.js";
import type { Board } from "./board.js";
import { Wrong } from "./deal.js";
import { draw } from "./drawing.js";
import { type Course, next, same, type Told, words } from "./telling.js";

/** Calls and catches apart from a play; `turn` is the seat whose turn it is, none while another thing is asked. */
export function* aside(board: Board, told: Told, turn?: number): Course<undefined> {
  if (told.$case === "unoCalled") {
    yield* callApart(board, told.value.seat, turn);
  } else if (told.$case === "seatAccused") {
    yield* accuse(board, told.value);
  } else {
    throw new Wrong(`${words(told.$case)} has no place here`);
  }
  return undefined;
}

function* callApart(board: Board, seat: number, turn: number | undefined): Course<void> {
  if (board.hands.owes(seat)) {
    board.hands.call(seat);
  } else if (seat === turn && board.hands.count(seat) === 2 && board.early !== seat) {
    board.early = seat;
  } else if (board.rules.number("false_uno_penalty") && board.table.active.includes(seat)) {
    yield* punish(board, seat);
  } else {
    throw new Wrong(`seat ${seat} has nothing to call, with ${board.hands.count(seat)} cards`);
  }
}

/** What a wrong call costs. */
function* punish(board: Board, seat: number): Course<void> {
  const price = board.rules.number("false_uno_penalty");
  if (price && board.table.active.includes(seat)) {
    yield* draw(board, yield* next(), seat, DrawCause.FALSE_UNO, price);
  }
}

/** The end of a turn: a call before a play that did not come is punished; true when the round ends, for want of moves. */
export function* closeTurn(board: Board): Course<boolean> {
  const { early } = board;
  board.early = undefined;
  if (early !== undefined) {
    yield* punish(board, early);
  }
  return board.isStale;
}

function* accuse(board: Board, { accuser, target, caught }: SeatAccused): Course<void> {
  const { active } = board.table;
  if (!active.includes(accuser) || !active.includes(target) || accuser === target) {
    throw new Wrong(`seat ${accuser} cannot accuse seat ${target}`);
  }
  same("caught", caught, board.hands.owes(target));
  board.hands.settle(target);
  const price = board.rules.number(caught ? "uno_penalty" : "false_catch_penalty");
  if (!caught && !price) {
    throw new Wrong(`seat ${target} owes no call`);
  }
  const cause = caught ? DrawCause.CAUGHT : DrawCause.FALSE_CATCH;
  yield* draw(board, yield* next(), caught ? target : accuser, cause, price);
}

/** Whether the play owes a call, and what a wrong one costs. */
export function* callsOf(board: Board, { seat, unoCalled, handCount }: CardPlayed): Course<void> {
  const early = board.early === seat && handCount === 1;
  board.early = early ? undefined : board.early;
  const left = board.hands.count(seat);
  if (left === 1 && (unoCalled || early)) {
    board.hands.call(seat);
  } else if (left === 1) {
    board.hands.owe(seat);
  } else if (unoCalled && handCount > 1) {
    yield* punish(board, seat);
  }
  board.hands.prune();
}
