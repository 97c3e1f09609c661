// Which card may be played on which.

import { colorOf, DRAW_TWO, isNumber, type Rules, rankOf, WILD, WILD_DRAW_FOUR } from "./rules.js";

/** A position as far as it says what may be played. */
export interface Position {
  readonly top: number;
  readonly color: number;
  readonly pending: number;
}

/** Whether a card may be played in turn from a hand that holds it. */
export function isPlayable(rules: Rules, position: Position, hand: readonly number[], face: number): boolean {
  if (!mayBeLast(rules, hand.length, face)) {
    return false;
  }
  if (face === WILD_DRAW_FOUR && rules.is("w4_enforcement", "reject") && !isHonest(rules, position, hand)) {
    return false;
  }
  return position.pending ? stacks(rules, position, face) : matches(rules, position, face);
}

function matches(rules: Rules, { top, color }: Position, face: number): boolean {
  if (face < 16 || colorOf(face) === color) {
    return true;
  }
  if (top < 16 || isNumber(face) !== isNumber(top)) {
    return false;
  }
  if (isNumber(face)) {
    return rankOf(face) === rankOf(top);
  }
  return rules.is("match_symbol", "any_action") || (rankOf(face) === rankOf(top) && !rules.is("match_symbol", "off"));
}

/** Whether a card answers a pending penalty by adding to it. */
export function stacks(rules: Rules, { top, pending }: Omit<Position, "color">, face: number): boolean {
  const adds = penaltyOf(face);
  const most = rules.number("stack_max");
  if (!adds || (most && pending + adds > most)) {
    return false;
  }
  const four = face === WILD_DRAW_FOUR;
  if ((top === WILD_DRAW_FOUR) === four) {
    return rules.is(four ? "stack_w4" : "stack_draw_two", "same");
  }
  return rules.is("stack_cross", "any") || (four && rules.is("stack_cross", "four_on_two"));
}

/** Whether any card answers a pending penalty of so many cards. */
export function mayBeStacked(rules: Rules, top: number, pending: number): boolean {
  return [16 + DRAW_TWO, WILD_DRAW_FOUR].some((face) => stacks(rules, { top, pending }, face));
}

/** How many cards a card makes the next seat draw. */
export function penaltyOf(face: number): number {
  return face === WILD_DRAW_FOUR ? 4 : face >= 16 && rankOf(face) === DRAW_TWO ? 2 : 0;
}

function mayBeLast(rules: Rules, cards: number, face: number): boolean {
  if (cards !== 1) {
    return true;
  }
  switch (rules.text("finish_restriction")) {
    case "no_wild":
      return face >= 16;
    case "no_draw":
      return !penaltyOf(face);
    case "number_only":
      return isNumber(face);
    default:
      return true;
  }
}

/** Whether a wild draw four is legal from a hand that holds it. */
export function isHonest(rules: Rules, position: Position, hand: readonly number[]): boolean {
  const others = [...hand];
  others.splice(others.indexOf(WILD_DRAW_FOUR), 1);
  const colored = others.some((face) => face >= 16 && colorOf(face) === position.color);
  switch (rules.text("w4_legality")) {
    case "anytime":
      return true;
    case "no_color":
      return !colored;
    case "no_color_or_number": {
      const number = (face: number): boolean => isNumber(face) && rankOf(face) === rankOf(position.top);
      return !colored && !(isNumber(position.top) && others.some(number));
    }
    default:
      return !others.some(
        (face) => face !== WILD_DRAW_FOUR && mayBeLast(rules, hand.length, face) && matches(rules, position, face),
      );
  }
}

/** Whether a card may be played out of turn on this one. */
export function mayJump(rules: Rules, top: number, face: number): boolean {
  if (face !== top || face === WILD || rules.is("jump_in", "off")) {
    return false;
  }
  return face !== WILD_DRAW_FOUR || rules.is("jump_in", "identical_incl_w4");
}
