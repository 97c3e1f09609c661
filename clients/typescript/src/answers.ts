// From what a bot returned to the message that answers a decision.
//
// Here: checking a reply against the legal actions, the automatic UNO call and catches, the fallback after a bad reply.
// Not here: sending (`session`), calling the bot (`mind`). No input or output, no clock.

import { type ActionLike, type Answer, catchesAreFree, type Question, type Reply } from "./bot.js";
import { actionText, isWild, option, rankOf } from "./cards.js";
import { Action, ActionKind } from "./gen/lastcard/v1/action.js";
import { Color } from "./gen/lastcard/v1/card.js";
import { type Act, DecisionKind } from "./gen/lastcard/v1/table.js";
import type { View } from "./gen/lastcard/v1/view.js";

/** A bot returned something that answers nothing; the sentence says what and what would be valid. */
export class BadReplyError extends Error {
  override readonly name = "BadReplyError";
}

/**
 * The message that gives `reply` to `decision`.
 *
 * Throws `BadReplyError` when the reply is no index into `legalActions` and no action that may be sent, or calls or
 * catches in a way that nobody could understand. Nothing that a program in plain JavaScript returns is taken on trust.
 */
export function actFor(decision: Question, reply: Reply, { autoUno = true, autoCatch = true } = {}): Act {
  const answer: Answer = isAnswer(reply) ? reply : { choice: reply };
  const catches = answer.catchSeats === undefined ? undefined : checkedSeats(answer.catchSeats, decision.view);
  const call = checkedCall(answer.callUno);
  const { chosen, form } = chosenBy(answer.choice, decision);
  return {
    tableId: decision.tableId,
    decisionId: decision.decisionId,
    answer: form,
    callUno: call ?? (autoUno && leavesOneCard(decision.view, chosen)),
    catchSeats: catches ?? (autoCatch && !isCall(chosen.kind) ? freeCatches(decision.view) : []),
  };
}

/** Whether an answer is a call or a catch by itself, which leaves a turn open. */
export function isApart(act: Act): boolean {
  return act.answer?.$case === "action" && isCall(act.answer.value.kind);
}

/**
 * The same decision after a call or catch by itself took effect: the view says so, the legal actions stand.
 *
 * Cards that the caught seat drew are not in it; a server whose legal actions change asks anew.
 */
export function afterApart(decision: Question, act: Act): Question {
  const view = { ...decision.view };
  const action = act.answer?.$case === "action" ? act.answer.value : undefined;
  if (action?.kind === ActionKind.CATCH) {
    view.catchableSeats = view.catchableSeats.filter((seat) => seat !== action.target);
  } else if (view.seat !== undefined && !view.calledSeats.includes(view.seat)) {
    view.calledSeats = [...view.calledSeats, view.seat].sort((one, other) => one - other);
  }
  return { ...decision, view };
}

/** Whether a play leaves the viewer with one card, so that UNO is due (rules.md M19, C63). */
export function leavesOneCard(view: View, action: Action): boolean {
  if (action.kind !== ActionKind.PLAY && action.kind !== ActionKind.JUMP_IN) {
    return false;
  }
  const left = view.hand.length - 1;
  if ((left > 0 || option(view, "last_card_hand_effect") === "apply") && !isWild(action.card)) {
    if (rankOf(action.card) === 7 && action.target !== undefined && option(view, "seven_swap") === "true") {
      return view.handCounts[action.target] === 1;
    }
    if (rankOf(action.card) === 0 && option(view, "zero_rotate") === "true") {
      return view.handCounts[seatBefore(view)] === 1;
    }
  }
  return left === 1;
}

/** The index of a legal action that was not refused yet: passing in a reaction, otherwise the first. */
export function fallback(decision: Question, refused: readonly number[] = []): number {
  const order = [...decision.legalActions.keys()];
  if (decision.kind === DecisionKind.REACTION) {
    order.reverse();
  }
  return order.find((index) => !refused.includes(index)) ?? order[0] ?? 0;
}

function isCall(kind: ActionKind): boolean {
  return kind === ActionKind.UNO || kind === ActionKind.CATCH;
}

function isAnswer(reply: unknown): reply is Answer {
  return typeof reply === "object" && reply !== null && "choice" in reply;
}

/** The action that is meant, and the form in which it is sent. */
function chosenBy(choice: unknown, decision: Question): { chosen: Action; form: NonNullable<Act["answer"]> } {
  const legal = decision.legalActions;
  if (typeof choice === "object" && choice !== null && "kind" in choice) {
    return chosenAction(choice as ActionLike, decision);
  }
  if (typeof choice !== "number") {
    const what = `${typeof choice} ${shown(choice)}`;
    throw new BadReplyError(
      `a reply must be an index from 0 to ${legal.length - 1}, an action or an Answer, not ${what}`,
    );
  }
  const chosen = legal[choice];
  if (chosen === undefined) {
    throw new BadReplyError(`choice ${choice} is no index into legalActions; valid are 0 to ${legal.length - 1}`);
  }
  return { chosen, form: { $case: "choice", value: choice } };
}

/** An action by its index when it is legal, as itself when it is a call or catch in the own turn. */
function chosenAction(action: ActionLike, decision: Question): { chosen: Action; form: NonNullable<Act["answer"]> } {
  const index = decision.legalActions.findIndex((legal) => means(action, legal));
  const chosen = decision.legalActions[index];
  if (chosen !== undefined) {
    return { chosen, form: { $case: "choice", value: index } };
  }
  if (isCall(action.kind) && decision.kind !== DecisionKind.REACTION && canBeSent(action, decision.view)) {
    const sent = Action.fromPartial(action);
    return { chosen: sent, form: { $case: "action", value: sent } };
  }
  const valid = decision.legalActions.map((legal) => actionText(legal)).join(", ");
  throw new BadReplyError(`${actionText(action)} is not a legal action; valid are ${valid}`);
}

/** Whether a call or catch has a target only if that is a seat. */
function canBeSent(action: ActionLike, view: View): boolean {
  return action.target === undefined || view.handCounts[action.target] !== undefined;
}

/** Whether `action` is `legal`, give or take a colour or target that `legal` does not need. */
function means(action: ActionLike, legal: Action): boolean {
  return (
    action.kind === legal.kind &&
    (action.card ?? 0) === legal.card &&
    (legal.color === Color.UNSPECIFIED || action.color === legal.color) &&
    (legal.target === undefined || action.target === legal.target)
  );
}

/** `callUno` as a truth value, or nothing when the SDK is to decide. */
function checkedCall(call: unknown): boolean | undefined {
  if (call === undefined || call === null || typeof call === "boolean") {
    return call ?? undefined;
  }
  throw new BadReplyError(`callUno must be true, false or left out (the SDK decides), not ${shown(call)}`);
}

/** `catchSeats` as seats that exist, each once. */
function checkedSeats(seats: unknown, view: View): number[] {
  const last = view.handCounts.length - 1;
  if (!Array.isArray(seats)) {
    throw new BadReplyError(`catchSeats must be an array of seats from 0 to ${last}, not ${shown(seats)}`);
  }
  for (const seat of seats) {
    if (typeof seat !== "number" || view.handCounts[seat] === undefined) {
      throw new BadReplyError(`catchSeats names ${shown(seat)}; valid are seats from 0 to ${last}`);
    }
  }
  return [...new Set<number>(seats)];
}

/** The seats to be caught along with an answer at no cost. */
function freeCatches(view: View): number[] {
  return catchesAreFree(view) ? view.catchableSeats.filter((seat) => seat !== view.seat) : [];
}

/** The active seat before the viewer in the direction of play, whose hand a rotation brings. */
function seatBefore(view: View): number {
  const active = view.activeSeats;
  const place = active.indexOf(view.seat ?? 0) - (view.direction || 1);
  return active[(place + active.length) % active.length] ?? 0;
}

/** A value as a person would write it. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
