// Calls of UNO and catches: by themselves, and with a play.

import { type CardPlayed, DrawCause, type SeatAccused } from "../src/gen/lastcard/v1/event.js";
import type { Board, Turn } from "./board.js";
import { Wrong } from "./deal.js";
import { draw } from "./drawing.js";
import { type Course, next, same, type Told, words } from "./telling.js";

/** Calls and catches apart from a play. */
export function* aside(board: Board, told: Told, toAct: number | undefined, state?: Turn): Course<undefined> {
  if (told.$case === "unoCalled") {
    yield* callApart(board, told.value.seat, toAct, state);
  } else if (told.$case === "seatAccused") {
    yield* accuse(board, told.value);
  } else {
    throw new Wrong(`${words(told.$case)} has no place here`);
  }
  return undefined;
}

function* callApart(board: Board, seat: number, toAct: number | undefined, state: Turn | undefined): Course<void> {
  const price = board.rules.number("false_uno_penalty");
  if (board.hands.owes(seat)) {
    board.hands.settle(seat);
  } else if (seat === toAct && board.hands.count(seat) === 2) {
    if (state !== undefined) {
      state.early = true;
    }
  } else if (price && board.table.active.includes(seat)) {
    yield* draw(board, yield* next(), seat, DrawCause.FALSE_UNO, price);
  } else {
    throw new Wrong(`seat ${seat} has nothing to call, with ${board.hands.count(seat)} cards`);
  }
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
export function* callsOf(board: Board, { seat, unoCalled, handCount }: CardPlayed, early: boolean): Course<void> {
  const left = board.hands.count(seat);
  if (left === 1 && !unoCalled && !early) {
    board.hands.owe(seat);
  }
  const price = board.rules.number("false_uno_penalty");
  if (price && left > 1 && handCount !== 1 && (unoCalled || early)) {
    yield* draw(board, yield* next(), seat, DrawCause.FALSE_UNO, price);
  }
  board.hands.prune();
}
