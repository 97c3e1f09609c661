// One round, event by event: its turns, from the start card to what ends it.
//
// Not here: where cards come from (`deal`), which card fits on which (`legality`), the match around it (`match`).

import { DrawCause, RoundCause, type SeatLeft } from "../src/gen/lastcard/v1/event.js";
import { type Board, type Ended, forfeit, type Situation, type Turn, turn } from "./board.js";
import { aside, closeTurn } from "./calls.js";
import { Wrong } from "./deal.js";
import { draw } from "./drawing.js";
import { isHonest, isPlayable } from "./legality.js";
import { penalty } from "./penalties.js";
import { checkPlay, jumpIn, played } from "./plays.js";
import { faceText, WILD_DRAW_FOUR } from "./rules.js";
import { naming, startCards } from "./start.js";
import { awaited, type Course, expect, next, same, type Told } from "./telling.js";

/** A round, from its first start card to what ends it. */
export function* playRound(board: Board): Course<Ended> {
  let situation: Situation = yield* startCards(board);
  while (situation.kind !== "ended") {
    situation = yield* goOn(board, situation);
    if (board.dry && situation.kind !== "ended") {
      return { kind: "ended", cause: RoundCause.BLOCKED, winner: undefined };
    }
  }
  return situation;
}

function* goOn(board: Board, situation: Situation): Course<Situation> {
  switch (situation.kind) {
    case "turn":
      return yield* takeTurn(board, situation);
    case "penalty":
      return yield* penalty(board, situation);
    case "color":
      return yield* naming(board, situation);
    default:
      return situation;
  }
}

function* takeTurn(board: Board, state: Turn): Course<Situation> {
  if (board.skipped !== undefined) {
    const { seat, afterwards } = board.skipped;
    board.skipped = undefined;
    const told = (yield* expect("seatSkipped")).seat;
    board.checkSeat("the seat that is skipped", told, seat);
    return seat === undefined ? turn(board.after(told)) : afterwards();
  }
  if (board.isBlocked) {
    return board.blocked();
  }
  const started = yield* expect("turnStarted");
  const { seat } = started;
  board.checkSeat("the seat to act", seat, state.seat);
  state.seat = seat;
  board.turns += 1;
  same("turn", started.turn, board.turns);
  board.hands.begin(seat);
  // What was drawn before this turn, by a penalty for example, is not of this turn.
  board.idle = board.moved ? 0 : board.idle;
  board.moved = false;
  for (;;) {
    const after = yield* action(board, state, seat);
    if (after !== undefined || board.dry) {
      return after ?? board.blocked();
    }
  }
}

/** One thing that happens in a turn; nothing when the turn goes on. */
export function* action(board: Board, state: Turn, seat: number): Course<Situation | undefined> {
  const told = yield* board.removing === undefined ? awaited() : next();
  board.checkRemoval(told);
  switch (told.$case) {
    case "cardPlayed":
      if (told.value.jumpIn) {
        return yield* jumpIn(board, told.value, state);
      }
      same("the seat that plays", told.value.seat, seat);
      checkTurnPlay(board, state, told.value.card);
      return yield* played(board, told.value, state);
    case "pileRebuilt":
    case "cardsDrawn":
      return yield* ownDraw(board, told, state, seat);
    case "cardKept":
      same("the seat that keeps its card", told.value.seat, seat);
      if (!state.asked || mustPlay(board, state)) {
        throw new Wrong("no card was drawn that may be kept");
      }
      return yield* pass(board, seat);
    case "timedOut":
      board.strike(told.value, seat);
      return yield* timeout(board, state, seat);
    case "seatLeft":
      return leftInTurn(board, told.value, seat);
    default:
      return yield* aside(board, told, seat);
  }
}

function leftInTurn(board: Board, value: SeatLeft, seat: number): Situation | undefined {
  return board.left(value) ?? (value.seat === seat ? turn(board.after(seat)) : undefined);
}

function checkTurnPlay(board: Board, state: Turn, card: number): void {
  const hand = board.hands.faces(state.seat as number);
  const only = board.rules.is("after_draw_play", "drawn_only") || board.rules.is("drawn_card", "never");
  if (state.drew && (!state.asked || (only && card !== board.hands.face(state.drawn as number)))) {
    throw new Wrong(`after drawing, ${faceText(card)} may not be played`);
  }
  checkPlay(board, hand, card);
}

/** Whether, after a draw, there is a card that may be played. */
function offered(board: Board, state: Turn): boolean {
  if (state.drawn === undefined || board.rules.is("drawn_card", "never")) {
    return false;
  }
  const hand = board.hands.faces(state.seat as number);
  const cards = board.rules.is("after_draw_play", "any_card") ? hand : [board.hands.face(state.drawn)];
  return cards.some((card) => isPlayable(board.rules, board.position, hand, card));
}

/** Whether the drawn card may not be kept. */
function mustPlay(board: Board, { drawn, seat }: Turn): boolean {
  const hand = board.hands.faces(seat as number);
  const isForced = board.rules.is("drawn_card", "must_play") && drawn !== undefined;
  return isForced && isPlayable(board.rules, board.position, hand, board.hands.face(drawn));
}

function* ownDraw(board: Board, told: Told, state: Turn, seat: number): Course<Situation | undefined> {
  if (state.drew) {
    throw new Wrong("the seat has drawn in this turn");
  }
  const hand = board.hands.faces(seat);
  if (board.rules.is("voluntary_draw", "forbidden")) {
    // Nobody must bluff rather than draw.
    const bluffs = (card: number): boolean => card === WILD_DRAW_FOUR && !isHonest(board.rules, board.position, hand);
    const fits = hand.find((card) => isPlayable(board.rules, board.position, hand, card) && !bluffs(card));
    if (fits !== undefined) {
      throw new Wrong(`seat ${seat} may not draw: it can play ${faceText(fits)}`);
    }
  }
  const ids = yield* draw(board, told, seat, DrawCause.TURN, drawLimit(board));
  board.hands.act(seat);
  state.drew = true;
  state.drawn = ids.at(-1);
  state.asked = offered(board, state) && !board.dry;
  return state.asked ? undefined : yield* pass(board, seat);
}

function drawLimit(board: Board): number | undefined {
  switch (board.rules.text("draw_mode")) {
    case "one":
      return 1;
    case "up_to_n":
      return board.rules.number("draw_limit");
    default:
      return undefined;
  }
}

/** The end of a turn without a play. */
export function* pass(board: Board, seat: number): Course<Situation> {
  return (yield* closeTurn(board)) ? board.blocked() : turn(board.after(seat));
}

export function* timeout(board: Board, state: Turn, seat: number): Course<Situation> {
  if (board.forfeits) {
    return leftInTurn(board, yield* forfeit(seat), seat) as Situation;
  }
  if (state.drew) {
    same("the seat that keeps its card", (yield* expect("cardKept")).seat, seat);
    return yield* pass(board, seat);
  }
  yield* draw(board, yield* next(), seat, DrawCause.TIMEOUT, 1);
  board.hands.act(seat);
  return yield* pass(board, seat);
}
