import assert from "node:assert/strict";
import test from "node:test";
import { actionText, cardText, colorCounts, colorOf, isWild, rankOf } from "../src/cards.js";
import { ActionKind } from "../src/gen/lastcard/v1/action.js";
import { Card, Color } from "../src/gen/lastcard/v1/card.js";
import { card, cards, play } from "./positions.js";

test("cards have colour and rank", () => {
  assert.equal(colorOf(Card.GREEN_SKIP), Color.GREEN);
  assert.equal(rankOf(Card.GREEN_SKIP), 10);
  assert.equal(colorOf(Card.WILD_DRAW_FOUR), Color.UNSPECIFIED);
  assert.deepEqual(
    ["W", "W4", "R0", "BD"].map((text) => isWild(card(text))),
    [true, true, false, false],
  );
});

test("cards are written as in records", () => {
  const written = [
    Card.RED_5,
    Card.YELLOW_SKIP,
    Card.GREEN_REVERSE,
    Card.BLUE_DRAW_TWO,
    Card.WILD,
    Card.WILD_DRAW_FOUR,
  ];
  assert.equal(written.map(cardText).join(" "), "R5 YS GV BD W W4");
  assert.equal([0, 15, 29, 99].map(cardText).join(" "), "?0 ?15 ?29 ?99");
});

test("colours are counted without wilds", () => {
  const counts = colorCounts(cards("R5 R7 GS W W4"));
  assert.deepEqual(
    [...counts],
    [
      [Color.RED, 2],
      [Color.YELLOW, 0],
      [Color.GREEN, 1],
      [Color.BLUE, 0],
    ],
  );
});

test("actions are written as in records", () => {
  const written = [
    play("R5"),
    play("W", { color: Color.GREEN }),
    play("R7", { target: 0 }),
    play("R6", { kind: ActionKind.JUMP_IN }),
    { kind: ActionKind.DRAW },
    { kind: ActionKind.CHOOSE_COLOR, color: Color.GREEN },
    { kind: ActionKind.CATCH, target: 2 },
    { kind: ActionKind.UNO },
    { kind: 77 },
  ];
  assert.deepEqual(written.map(actionText), [
    "R5",
    "W/G",
    "R7>0",
    "jump R6",
    "draw",
    "color G",
    "catch 2",
    "uno",
    "?77",
  ]);
});
