// A pending penalty: drawn, accepted, challenged, stacked, or lapsed with its target.

import { type ChallengeResolved, DrawCause, type SeatLeft } from "../src/gen/lastcard/v1/event.js";
import { type Board, forfeit, type Penalty, type Situation, turn } from "./board.js";
import { aside } from "./calls.js";
import { Wrong } from "./deal.js";
import { draw } from "./drawing.js";
import { checkPlay, jumpIn, played } from "./plays.js";
import { faceText } from "./rules.js";
import { awaited, type Course, expect, next, same, type Told } from "./telling.js";

/** One thing that happens while a penalty waits for its target. */
export function* penalty(board: Board, state: Penalty): Course<Situation> {
  if (!state.asked) {
    return yield* serve(board, yield* next(), state, state.target);
  }
  const told = yield* board.removing === undefined ? awaited() : next();
  board.checkRemoval(told);
  switch (told.$case) {
    case "penaltyAccepted":
      board.checkSeat("the seat that accepts", told.value.seat, state.target);
      return yield* serve(board, yield* next(), state, told.value.seat);
    case "timedOut":
      board.strike(told.value, state.target);
      if (board.forfeits) {
        return leftInPenalty(board, yield* forfeit(told.value.seat), state);
      }
      same("the seat that accepts", (yield* expect("penaltyAccepted")).seat, told.value.seat);
      return yield* serve(board, yield* next(), state, told.value.seat);
    case "challengeResolved":
      return yield* challenge(board, told.value, state);
    case "cardPlayed":
      if (told.value.jumpIn) {
        return yield* jumpIn(board, told.value, state);
      }
      board.checkSeat("the seat that plays", told.value.seat, state.target);
      checkPlay(board, board.hands.faces(told.value.seat), told.value.card);
      return yield* played(board, told.value, undefined);
    case "seatLeft":
      return leftInPenalty(board, told.value, state);
    default:
      yield* aside(board, told);
      return state;
  }
}

function leftInPenalty(board: Board, value: SeatLeft, state: Penalty): Situation {
  const ended = board.left(value);
  if (ended !== undefined || value.seat !== state.target) {
    return ended ?? state;
  }
  board.pending = 0;
  return turn(board.after(value.seat));
}

function* serve(board: Board, told: Told, state: Penalty, target: number | undefined): Course<Situation> {
  const seat = target ?? (told.$case === "cardsDrawn" ? told.value.seat : 0);
  board.checkSeat("the seat that draws", seat, target);
  const owed = board.pending;
  board.pending = 0;
  board.open = false;
  yield* draw(board, told, seat, DrawCause.PENALTY, owed);
  return turn(state.losesTurn ? board.after(seat) : seat);
}

function* challenge(board: Board, value: ChallengeResolved, state: Penalty): Course<Situation> {
  const { played, target } = state;
  if (played === undefined) {
    throw new Wrong("there is nothing to challenge");
  }
  same("challenger", value.challenger, target);
  same("offender", value.offender, played.seat);
  same("guilty", value.guilty, played.bluff);
  same("the hand at the play", value.hand.map(faceText), played.hand.map(faceText));
  const base = board.pending - 4;
  board.pending = 0;
  board.open = false;
  const seat = target as number;
  if (!played.bluff) {
    const owed = base + board.rules.number("challenge_innocent_draws");
    yield* draw(board, yield* next(), seat, DrawCause.CHALLENGE, owed);
    return turn(board.after(seat));
  }
  if (board.table.active.includes(played.seat)) {
    const owed = base + board.rules.number("challenge_guilty_draws");
    yield* draw(board, yield* next(), played.seat, DrawCause.CHALLENGE, owed);
  }
  return turn(board.rules.is("challenge_success_turn", "challenger_plays") ? seat : board.after(seat));
}
