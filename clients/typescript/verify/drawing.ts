// Cards drawn: how many there must be, whether the pile is rebuilt, and when drawing ends.

import { type CardsDrawn, DrawCause } from "../src/gen/lastcard/v1/event.js";
import type { Board } from "./board.js";
import { Wrong } from "./deal.js";
import { isPlayable } from "./legality.js";
import { faceText } from "./rules.js";
import { type Course, next, same, type Told, words } from "./telling.js";

/**
 * Cards that a seat draws, by id: so many, or until one can be played; fewer when no more can be had, which may end the
 * round.
 */
export function* draw(
  board: Board,
  first: Told,
  seat: number,
  cause: DrawCause,
  owed: number | undefined,
): Course<number[]> {
  const { stock } = board.hands;
  const before = stock.size;
  let told = first;
  let rebuilt: number | undefined;
  if (told.$case === "pileRebuilt") {
    rebuilt = told.value.count;
    same("the cards in the new pile", rebuilt, board.hands.rebuildable);
    told = yield* next();
  }
  if (told.$case !== "cardsDrawn") {
    throw new Wrong(`cards_drawn must follow, not ${words(told.$case)}`);
  }
  const { value } = told;
  same("the seat that draws", value.seat, seat);
  same("cause", DrawCause[value.cause], DrawCause[cause]);
  same("count", value.count, value.cards.length);
  const available = board.hands.available;
  const most = Math.min(owed ?? available, available);
  const needsPile = value.count > before && board.hands.rebuildable > 0 && board.hands.mayRebuild;
  same("whether the pile is rebuilt", rebuilt !== undefined, needsPile);
  const ids = takeCards(board, value, cause === DrawCause.TURN && owed !== 1 ? most : undefined);
  if (cause !== DrawCause.TURN || owed === 1) {
    same("count", value.count, most);
  }
  board.moved ||= value.count > 0;
  board.hands.prune();
  const wanting =
    cause === DrawCause.TURN && owed !== 1 ? !endsDrawing(board, seat, value, owed) : value.count < (owed ?? 1);
  board.dry ||= !board.hands.mayRebuild && wanting;
  return ids;
}

/** Whether the last card drawn ended the drawing, and not the want of another. */
function endsDrawing(board: Board, seat: number, { cards }: CardsDrawn, limit: number | undefined): boolean {
  const last = cards.at(-1);
  const fits = last !== undefined && isPlayable(board.rules, board.position, board.hands.faces(seat), last);
  return fits || cards.length === limit;
}

/** Takes the cards; with `most`, drawing ends with the first that can be played, or with so many. */
function takeCards(board: Board, { seat, cards }: CardsDrawn, most: number | undefined): number[] {
  const ids: number[] = [];
  cards.forEach((face, place) => {
    ids.push(board.hands.draw(seat, face));
    if (most === undefined) {
      return;
    }
    const fits = isPlayable(board.rules, board.position, board.hands.faces(seat), face);
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
