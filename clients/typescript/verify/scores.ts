// Scores of rounds, the end of a match, and places.

import { MatchCause, RoundCause } from "../src/gen/lastcard/v1/event.js";
import type { Rules } from "./rules.js";

/** How a round stands at its end. */
export interface Outcome {
  readonly cause: RoundCause;
  readonly winner: number | undefined;
  /** What the hands of the active seats count, by seat. */
  readonly hands: ReadonlyMap<number, number>;
  /** What the cards of those counted who left in this round, by seat. */
  readonly left: ReadonlyMap<number, number>;
}

/** The seat that wins a blocked round: the single lowest hand, if that counts. */
export function lowestHand(rules: Rules, hands: ReadonlyMap<number, number>): number | undefined {
  const least = Math.min(...hands.values());
  const lowest = [...hands].filter(([, points]) => points === least);
  return lowest.length === 1 && rules.is("stalemate_result", "lowest_hand") ? lowest[0]?.[0] : undefined;
}

/** Points that a round gives each seat; nothing where the rules, as far as they are written down, leave it open. */
export function scoresOf(rules: Rules, seats: number, outcome: Outcome): number[] | undefined {
  const { cause, winner, hands, left } = outcome;
  const scores = Array<number>(seats).fill(0);
  switch (rules.text("scoring")) {
    case "winner_takes_sum":
      if (winner !== undefined) {
        const own = cause === RoundCause.BLOCKED ? (hands.get(winner) ?? 0) : 0;
        const others = [...hands].filter(([seat]) => seat !== winner);
        scores[winner] = sum(others.map(([, points]) => points - own)) + sum(left.values());
      }
      return scores;
    case "each_keeps_own":
      if (!(cause === RoundCause.BLOCKED && rules.is("stalemate_result", "void"))) {
        for (const [seat, points] of [...hands, ...left]) {
          scores[seat] = cause === RoundCause.LEFT && seat === winner ? 0 : points;
        }
      }
      return scores;
    case "round_wins":
      if (winner !== undefined) {
        scores[winner] = 1;
      }
      return scores;
    default:
      if (cause === RoundCause.BLOCKED && rules.is("stalemate_result", "void")) {
        return undefined;
      }
      for (const [seat, points] of hands) {
        const worse = seat === winner ? hands.size - 1 : [...hands.values()].filter((other) => other > points).length;
        scores[seat] = worse + left.size;
      }
      return scores;
  }
}

/** Whether fewest points win. */
export function fewestWin(rules: Rules): boolean {
  return rules.is("scoring", "each_keeps_own");
}

/** The conditions that end the match after a round; `TIME` may be met or not. */
export function endings(rules: Rules, rounds: number, totals: readonly number[]): Set<MatchCause> {
  const ends = rules.text("match_end").split("+");
  const met = new Set<MatchCause>();
  if (ends.includes("target") && Math.max(...totals) >= rules.number("target_points")) {
    met.add(MatchCause.TARGET);
  }
  if (ends.includes("rounds") && rounds >= rules.number("match_rounds")) {
    met.add(MatchCause.ROUNDS);
  }
  if (ends.includes("single_round")) {
    met.add(MatchCause.SINGLE_ROUND);
  }
  return met;
}

/** The active seats that share the best total. */
export function leaders(rules: Rules, active: readonly number[], totals: readonly number[]): number[] {
  const own = active.map((seat) => totals[seat] ?? 0);
  const best = fewestWin(rules) ? Math.min(...own) : Math.max(...own);
  return active.filter((seat) => totals[seat] === best);
}

/** What a match came to, by seat. */
export interface Standing {
  readonly totals: readonly number[];
  /** Points that were left in the hands at the ends of rounds. */
  readonly pointsLeft: readonly number[];
  readonly roundsWon: readonly number[];
  /**
   * The seats that come before all others, whatever the totals: the winner of the single round of a match, or those who
   * played a round more.
   */
  readonly before: readonly number[];
}

/** The place of each seat: first the active ones, equal ones shared; then those who left, the last one first. */
export function placesOf(
  rules: Rules,
  active: readonly number[],
  leftInOrder: readonly number[],
  standing: Standing,
): number[] {
  const places: number[] = [];
  for (const seat of active) {
    places[seat] = active.filter((other) => lead(rules, standing, other, seat) > 0).length + 1;
  }
  [...leftInOrder].reverse().forEach((seat, behind) => {
    places[seat] = active.length + behind + 1;
  });
  return places;
}

/** By how much a seat is ahead of another; 0 when they share a place. */
function lead(rules: Rules, { totals, pointsLeft, roundsWon, before }: Standing, one: number, other: number): number {
  const more = (of: readonly number[]): number => (of[one] ?? 0) - (of[other] ?? 0);
  const first = Number(before.includes(one)) - Number(before.includes(other));
  const total = fewestWin(rules) ? -more(totals) : more(totals);
  const tie = rules.is("match_tie", "fewest_points_left")
    ? -more(pointsLeft)
    : rules.is("match_tie", "round_wins")
      ? more(roundsWon)
      : 0;
  return first || total || tie;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) {
    total += number;
  }
  return total;
}
