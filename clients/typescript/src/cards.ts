// Cards, colours and views in a bot author's words: text, colour, rank, counts.
//
// Not here: which cards may be played (that is what `legalActions` is for).

import { type Action, ActionKind } from "./gen/lastcard/v1/action.js";
import { Card, Color } from "./gen/lastcard/v1/card.js";
import type { View } from "./gen/lastcard/v1/view.js";

/** The four colours. */
export const COLORS: readonly Color[] = [Color.RED, Color.YELLOW, Color.GREEN, Color.BLUE];

const LETTERS = ["", "R", "Y", "G", "B"];
const RANKS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "V", "D"];
const WILDS = new Map<number, string>([
  [Card.SHUFFLE_HANDS, "WH"],
  [Card.SWAP_HANDS, "WX"],
  [Card.CUSTOMIZABLE, "WC"],
  [Card.WILD, "W"],
  [Card.WILD_DRAW_FOUR, "W4"],
]);
const WORDS = new Map<number, string>([
  [ActionKind.DRAW, "draw"],
  [ActionKind.KEEP, "keep"],
  [ActionKind.ACCEPT, "accept"],
  [ActionKind.CHALLENGE, "challenge"],
  [ActionKind.UNO, "uno"],
  [ActionKind.PASS, "pass"],
]);

/** The colour of a card; `Color.UNSPECIFIED` for a wild. */
export function colorOf(card: Card): Color {
  return card >> 4;
}

/** The rank of a card: its number, 10 skip, 11 reverse, 12 draw two, 13 wild, 14 wild draw four. */
export function rankOf(card: Card): number {
  return card & 15;
}

/** Whether a card has no colour of its own. */
export function isWild(card: Card): boolean {
  return card < 16;
}

/** How many of the cards have each of the four colours; wilds are not counted. */
export function colorCounts(cards: Iterable<Card>): Map<Color, number> {
  const counts = new Map(COLORS.map((color) => [color, 0]));
  for (const card of cards) {
    if (!isWild(card)) {
      counts.set(colorOf(card), (counts.get(colorOf(card)) ?? 0) + 1);
    }
  }
  return counts;
}

/** A card in the notation of records: `R5`, `YS`, `GV`, `BD`, `W`, `W4`; `?` and its number if unknown. */
export function cardText(card: Card): string {
  const letter = LETTERS[colorOf(card)];
  const rank = RANKS[rankOf(card)];
  return WILDS.get(card) ?? (letter && rank ? letter + rank : `?${card}`);
}

/** An action in the notation of records: `R5`, `W/G`, `R7>2`, `draw`, `color G`, `jump R6`, `catch 2`. */
export function actionText(action: Pick<Action, "kind"> & Partial<Action>): string {
  const { kind, card = Card.UNSPECIFIED, color = Color.UNSPECIFIED, target } = action;
  const word = WORDS.get(kind);
  if (word !== undefined) {
    return word;
  }
  const letter = LETTERS[color] ?? `?${color}`;
  if (kind === ActionKind.CHOOSE_COLOR) {
    return `color ${letter}`;
  }
  if (kind === ActionKind.CATCH) {
    return `catch ${target ?? 0}`;
  }
  if (kind !== ActionKind.PLAY && kind !== ActionKind.JUMP_IN) {
    return `?${kind}`;
  }
  const jump = kind === ActionKind.JUMP_IN ? "jump " : "";
  const named = isWild(card) && color ? `/${letter}` : "";
  return `${jump}${cardText(card)}${named}${target === undefined ? "" : `>${target}`}`;
}

/** The value of a rule option as text if the table departs from its preset in it, otherwise `otherwise`. */
export function option(view: View, name: string, otherwise = ""): string {
  return view.ruleset?.options.find((entry) => entry.name === name)?.value ?? otherwise;
}
