import assert from "node:assert/strict";
import test from "node:test";
import { actFor, afterApart, BadReplyError, fallback, isApart, leavesOneCard } from "../src/answers.js";
import { defaultReaction, type Question, type Reply } from "../src/bot.js";
import { Action, ActionKind } from "../src/gen/lastcard/v1/action.js";
import { Color } from "../src/gen/lastcard/v1/card.js";
import { DecisionKind } from "../src/gen/lastcard/v1/table.js";
import { DRAW, decision, PASS, play, rules, UNO, view } from "./positions.js";

/** What is sent for a reply: the choice, the call and the catches. */
function sent(reply: unknown, question: Question = decision(), more = {}) {
  const act = actFor(question, reply as Reply, more);
  return [act.answer?.value, act.callUno, act.catchSeats];
}

test("an index, an action and an Answer with either mean the same", () => {
  for (const reply of [1, play("R7"), { choice: 1 }, { choice: play("R7") }]) {
    assert.deepEqual(sent(reply), [1, false, []]);
  }
});

test("an action needs no more of colour and target than it is about", () => {
  const question = decision({
    legalActions: [play("W", { color: Color.RED }), play("W", { color: Color.BLUE }), DRAW],
  });
  assert.deepEqual(sent(play("W", { color: Color.BLUE }), question), [1, false, []]);
  assert.deepEqual(sent({ kind: ActionKind.DRAW }, question), [2, false, []]);
  assert.throws(
    () => sent({ kind: ActionKind.PLAY, card: 13 }, question),
    /W is not a legal action; valid are W\/R, W\/B/,
  );
});

const NONSENSE: [unknown, RegExp][] = [
  [3, /choice 3 is no index into legalActions; valid are 0 to 2/],
  [-1, /choice -1 is no index/],
  [0.5, /choice 0.5 is no index/],
  [Number.NaN, /choice NaN is no index/],
  [undefined, /a reply must be an index from 0 to 2, an action or an Answer, not undefined undefined/],
  ["1", /not string "1"/],
  [true, /not boolean true/],
  [{}, /not object \[object Object\]/],
  [play("B1"), /B1 is not a legal action; valid are R5, R7, draw/],
  [{ kind: ActionKind.CATCH, target: 3 }, /catch 3 is not a legal action/],
  [{ choice: 0, callUno: 1 }, /callUno must be true, false or left out/],
  [{ choice: 0, catchSeats: 1 }, /catchSeats must be an array of seats from 0 to 2, not 1/],
  [{ choice: 0, catchSeats: [3] }, /catchSeats names 3; valid are seats from 0 to 2/],
  [{ choice: 0, catchSeats: ["1"] }, /catchSeats names "1"/],
];

for (const [reply, sentence] of NONSENSE) {
  test(`${JSON.stringify(reply) ?? reply} answers nothing`, () => {
    assert.throws(
      () => sent(reply),
      (error) => error instanceof BadReplyError && sentence.test(error.message),
    );
  });
}

test("UNO is called with a play that leaves one card", () => {
  const two = decision({ view: view("R5 G2"), legalActions: [play("R5"), DRAW] });
  assert.deepEqual(sent(0, two), [0, true, []]);
  assert.deepEqual(sent(1, two), [1, false, []]);
  assert.deepEqual(sent(0, decision()), [0, false, []]);
  assert.deepEqual(sent({ choice: 0, callUno: false }, two), [0, false, []]);
  assert.deepEqual(sent(0, two, { autoUno: false }), [0, false, []]);
  assert.deepEqual(sent({ choice: 1, callUno: true }, two, { autoUno: false }), [1, true, []]);
});

test("a seven that swaps hands is called for by the hand that comes", () => {
  const swaps = rules({ seven_swap: "true" });
  const seven = play("R7", { target: 1 });
  assert.equal(leavesOneCard(view("R7 G2", { handCounts: [2, 1, 4], ...swaps }), seven), true);
  assert.equal(leavesOneCard(view("R7 G2", { handCounts: [2, 5, 4], ...swaps }), seven), false);
  assert.equal(leavesOneCard(view("R7 G2 G3", { handCounts: [3, 1, 4], ...swaps }), seven), true);
  assert.equal(leavesOneCard(view("R7 G2", { handCounts: [2, 5, 4] }), play("R7")), true);
});

test("a zero that rotates hands is called for by the hand of the seat before", () => {
  const rotates = rules({ zero_rotate: "true" });
  assert.equal(leavesOneCard(view("R0 G2", { handCounts: [2, 4, 1], ...rotates }), play("R0")), true);
  assert.equal(leavesOneCard(view("R0 G2", { handCounts: [2, 1, 4], direction: -1, ...rotates }), play("R0")), true);
  assert.equal(leavesOneCard(view("R0 G2", { handCounts: [2, 1, 4], ...rotates }), play("R0")), false);
});

test("the last card has its effect on hands only where the rules apply it", () => {
  const last = { handCounts: [1, 4, 1] };
  assert.equal(leavesOneCard(view("R0", { ...last, ...rules({ zero_rotate: "true" }) }), play("R0")), false);
  const applied = rules({ last_card_hand_effect: "apply", zero_rotate: "true" });
  assert.equal(leavesOneCard(view("R0", { ...last, ...applied }), play("R0")), true);
});

test("who forgot to call is caught where that costs nothing", () => {
  const open = decision({ view: view("R5 R7 G2", { catchableSeats: [0, 2] }) });
  assert.deepEqual(sent(0, open), [0, false, [2]]);
  assert.deepEqual(sent({ choice: 0, catchSeats: [1, 1] }, open), [0, false, [1]]);
  assert.deepEqual(sent({ choice: 0, catchSeats: [] }, open), [0, false, []]);
  assert.deepEqual(sent(0, open, { autoCatch: false }), [0, false, []]);
  const dear = view("R5 R7 G2", { catchableSeats: [2], ...rules({ false_catch_penalty: "2" }) });
  assert.deepEqual(sent(0, decision({ view: dear })), [0, false, []]);
});

test("a call or catch by itself leaves the turn open, and the view knows of it", () => {
  const open = decision({ view: view("R5 R7", { catchableSeats: [1, 2] }) });
  const call = actFor(open, { kind: ActionKind.UNO });
  assert.ok(isApart(call));
  assert.deepEqual(afterApart(open, call).view.calledSeats, [0]);
  const caught = actFor(open, { kind: ActionKind.CATCH, target: 1 });
  assert.deepEqual(afterApart(open, caught).view.catchableSeats, [2]);
  assert.deepEqual(open.view.catchableSeats, [1, 2]);
  assert.ok(!isApart(actFor(open, 0)));
});

test("in a reaction a call that is not legal is refused", () => {
  const reaction = decision({ kind: DecisionKind.REACTION, legalActions: [play("R5"), PASS] });
  assert.throws(() => sent({ kind: ActionKind.UNO }, reaction), /uno is not a legal action/);
});

test("the safe reaction calls, else catches for nothing, else passes", () => {
  const catching = Action.fromPartial({ kind: ActionKind.CATCH, target: 1 });
  const jump = play("R5", { kind: ActionKind.JUMP_IN });
  const plain = view("R5 R6");
  assert.equal(defaultReaction(plain, [jump, UNO, catching, PASS]), 1);
  assert.equal(defaultReaction(plain, [jump, catching, PASS]), 1);
  assert.equal(defaultReaction(plain, [jump, catching, PASS], false), 2);
  assert.equal(defaultReaction(view("R5", rules({ false_catch_penalty: "1" })), [jump, catching, PASS]), 2);
  assert.equal(defaultReaction(plain, [jump, Action.fromPartial({ kind: 99 as ActionKind })]), 1);
});

test("in place of a bad answer a legal one is taken that was not refused", () => {
  assert.equal(fallback(decision()), 0);
  assert.equal(fallback(decision(), [0, 1]), 2);
  assert.equal(fallback(decision(), [0, 1, 2]), 0);
  assert.equal(fallback(decision({ kind: DecisionKind.REACTION })), 2);
});
