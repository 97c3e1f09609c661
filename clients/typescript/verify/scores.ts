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

/** Points that a round gives each seat. */
export function scoresOf(rules: Rules, seats: number, outcome: Outcome): number[] {
  const { cause, winner, hands, left } = outcome;
  const scores = Array<number>(seats).fill(0);
  if (cause === RoundCause.BLOCKED && rules.is("stalemate_result", "void")) {
    return scores;
  }
  switch (rules.text("scoring")) {
    case "winner_takes_sum":
      if (winner !== undefined) {
        const own = cause === RoundCause.BLOCKED ? (hands.get(winner) ?? 0) : 0;
        const others = [...hands].filter(([seat]) => seat !== winner);
        scores[winner] = sum(others.map(([, points]) => points - own)) + sum(left.values());
      }
      return scores;
    case "each_keeps_own":
      for (const [seat, points] of [...hands, ...left]) {
        scores[seat] = cause === RoundCause.LEFT && seat === winner ? 0 : points;
      }
      return scores;
    case "round_wins":
      if (winner !== undefined) {
        scores[winner] = 1;
      }
      return scores;
    default:
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

/**
 * Why the match may end after a round, and whether it must: the first condition met counts, and whether the time is up
 * is in no record.
 */
export function endings(
  rules: Rules,
  rounds: number,
  totals: readonly number[],
): { causes: ReadonlySet<MatchCause>; isSure: boolean } {
  const ends = rules.text("match_end").split("+");
  if (ends.includes("target") && Math.max(...totals) >= rules.number("target_points")) {
    return { causes: new Set([MatchCause.TARGET]), isSure: true };
  }
  if (ends.includes("rounds") && rounds >= rules.number("match_rounds")) {
    return { causes: new Set([MatchCause.ROUNDS]), isSure: true };
  }
  const causes = new Set<MatchCause>();
  if (ends.includes("time")) {
    causes.add(MatchCause.TIME);
  }
  if (ends.includes("single_round")) {
    causes.add(MatchCause.SINGLE_ROUND);
  }
  return { causes, isSure: ends.includes("single_round") };
}

/** The active seats that share the first place. */
export function leaders(rules: Rules, active: readonly number[], standing: Standing): number[] {
  return active.filter((seat) => active.every((other) => lead(rules, standing, other, seat) <= 0));
}

/** What a match came to, by seat. */
export interface Standing {
  readonly totals: readonly number[];
  /** Points that were left in the hands at the ends of rounds. */
  readonly pointsLeft: readonly number[];
  readonly roundsWon: readonly number[];
  /** The winner of the last round, who settles a tie where a match has a single round. */
  readonly winner: number | undefined;
}

/** The place of each seat: first the active ones, then those who sat out, equal ones shared; then who left, last first. */
export function placesOf(
  rules: Rules,
  active: readonly number[],
  benched: readonly number[],
  leftInOrder: readonly number[],
  standing: Standing,
): number[] {
  const places: number[] = [];
  let taken = 0;
  for (const group of [active, benched, ...[...leftInOrder].reverse().map((seat) => [seat])]) {
    for (const seat of group) {
      places[seat] = taken + group.filter((other) => lead(rules, standing, other, seat) > 0).length + 1;
    }
    taken += group.length;
  }
  return places;
}

/** By how much a seat is ahead of another; 0 when they share a place. */
function lead(rules: Rules, { totals, pointsLeft, roundsWon, winner }: Standing, one: number, other: number): number {
  const more = (of: readonly number[]): number => (of[one] ?? 0) - (of[other] ?? 0);
  const total = fewestWin(rules) ? -more(totals) : more(totals);
  if (total) {
    return total;
  }
  switch (rules.text("match_tie")) {
    case "fewest_points_left":
      return -more(pointsLeft);
    case "round_wins":
      return more(roundsWon);
    default:
      return rules.text("match_end").split("+").includes("single_round")
        ? Number(one === winner) - Number(other === winner)
        : 0;
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) {
    total += number;
  }
  return total;
}
