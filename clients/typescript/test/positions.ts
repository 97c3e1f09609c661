// Decisions and messages for tests, in the notation of records.

import type { Question } from "../src/bot.js";
import { cardText } from "../src/cards.js";
import { Action, ActionKind } from "../src/gen/lastcard/v1/action.js";
import { Card } from "../src/gen/lastcard/v1/card.js";
import type { ServerMessage } from "../src/gen/lastcard/v1/play_service.js";
import { Decision, DecisionKind } from "../src/gen/lastcard/v1/table.js";
import { View } from "../src/gen/lastcard/v1/view.js";

const CARDS = new Map(
  Object.values(Card)
    .filter((card) => typeof card === "number")
    .map((card) => [cardText(card), card]),
);

/** The card of a notation. */
export function card(text: string): Card {
  const found = CARDS.get(text);
  if (found === undefined) {
    throw new Error(`${text} is no card`);
  }
  return found;
}

export function cards(text: string): Card[] {
  return text.split(" ").filter(Boolean).map(card);
}

/** A play. */
export function play(text: string, more: Partial<Action> = {}): Action {
  return Action.fromPartial({ kind: ActionKind.PLAY, card: card(text), ...more });
}

export const DRAW = Action.fromPartial({ kind: ActionKind.DRAW });
export const PASS = Action.fromPartial({ kind: ActionKind.PASS });
export const UNO = Action.fromPartial({ kind: ActionKind.UNO });

export function view(hand: string, more: Partial<View> = {}): View {
  const held = cards(hand);
  return View.fromPartial({
    seat: 0,
    hand: held,
    handCounts: [held.length, 3, 4],
    activeSeats: [0, 1, 2],
    direction: 1,
    ruleset: { preset: "german" },
    ...more,
  });
}

/** Options of rules, as `view` takes them. */
export function rules(options: Record<string, string>): Pick<View, "ruleset"> {
  return {
    ruleset: { preset: "german", options: Object.entries(options).map(([name, value]) => ({ name, value })) },
  };
}

export function decision(more: Partial<Question> = {}): Question {
  return {
    ...Decision.fromPartial({
      tableId: "T",
      decisionId: 1,
      kind: DecisionKind.TURN,
      legalActions: [play("R5"), play("R7"), DRAW],
    }),
    view: view("R5 R7 G2 G3"),
    ...more,
  };
}

/** A message of the server. */
export function from<C extends NonNullable<ServerMessage["message"]>["$case"]>(
  $case: C,
  value: Extract<NonNullable<ServerMessage["message"]>, { $case: C }>["value"],
): ServerMessage {
  return { message: { $case, value } as ServerMessage["message"] };
}
