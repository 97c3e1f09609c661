// A whole match, event by event: rounds, totals, who leaves, and the end.

import {
  MatchCause,
  RoundCause,
  type RoundEnded,
  type RoundStarted,
  type SeatLeft,
} from "../src/gen/lastcard/v1/event.js";
import { Board } from "./board.js";
import type { RoundChance } from "./chance.js";
import { highCardDealer, RecordedStock, SeededStock, Wrong } from "./deal.js";
import { Hands } from "./hands.js";
import { playRound } from "./round.js";
import type { Rules } from "./rules.js";
import { endings, leaders, lowestHand, placesOf, scoresOf } from "./scores.js";
import { type Course, expect, next, same, type Told, words } from "./telling.js";

/** What a match is played with. */
export interface Setting {
  readonly rules: Rules;
  readonly seats: number;
  readonly perSeat: boolean;
  /** The chance of a round, from 1; nothing before the reveal. */
  readonly chance: (round: number) => RoundChance | undefined;
}

/** Reads a match; throws `Wrong` at the first event that the rules do not give. */
export class Match {
  private readonly course: Course<void>;
  private readonly active: number[];
  private readonly strikes: number[];
  private totals: number[];
  private readonly pointsLeft: number[];
  private readonly roundsWon: number[];
  private readonly gone: number[] = [];
  private leftInRound = new Map<number, number>();
  private round = 0;
  private dealer: number | undefined;
  private winner: number | undefined;
  /** The seats that are tied and play one round more. */
  private tied: readonly number[] = [];
  /** What no event tells enough of to be judged, in words. */
  readonly unjudged = new Set<string>();
  over = false;
  /** The round that is on or was last, as it stands. */
  board: Board | undefined;

  constructor(private readonly setting: Setting) {
    this.active = [...Array(setting.seats).keys()];
    this.strikes = this.active.map(() => 0);
    this.totals = this.active.map(() => 0);
    this.pointsLeft = this.active.map(() => 0);
    this.roundsWon = this.active.map(() => 0);
    this.course = this.play();
    this.course.next();
  }

  /** Takes the next event. */
  take(told: Told): void {
    if (this.over) {
      throw new Wrong(`nothing may follow the end of the match, but ${words(told.$case)} does`);
    }
    this.over = this.course.next(told).done ?? false;
  }

  private get rules(): Rules {
    return this.setting.rules;
  }

  private *play(): Course<void> {
    for (;;) {
      const told = yield* next();
      if (told.$case === "seatLeft") {
        this.leaveBetween(told.value);
      } else if (told.$case === "roundStarted") {
        yield* this.takeRound(told.value);
      } else if (
        told.$case === "matchEnded" &&
        this.round &&
        this.rules.text("match_end").split("+").includes("time")
      ) {
        this.checkEnd(told.value, new Set([MatchCause.TIME]));
        return;
      } else {
        throw new Wrong(`a round must start, not ${words(told.$case)}`);
      }
      const causes = this.causes(told.$case === "roundStarted");
      if (causes.size) {
        this.checkEnd(yield* expect("matchEnded"), causes);
        return;
      }
    }
  }

  /** Why the match must end now. */
  private causes(afterRound: boolean): Set<MatchCause> {
    if (this.active.length === 1) {
      return new Set([MatchCause.LAST_SEAT]);
    }
    const met = afterRound ? endings(this.rules, this.round, this.totals) : new Set<MatchCause>();
    const decided = this.tied.length || (this.winner !== undefined && met.has(MatchCause.SINGLE_ROUND));
    const best = leaders(this.rules, this.active, this.totals);
    if (met.size && !decided && best.length > 1 && this.rules.is("match_tie", "extra_round")) {
      this.tied = best;
      met.clear();
    }
    return met;
  }

  private checkEnd(value: { cause: MatchCause; places: number[]; totals: number[] }, causes: Set<MatchCause>): void {
    if (!causes.has(value.cause)) {
      const valid = [...causes].map((cause) => MatchCause[cause]).join(" or ");
      throw new Wrong(`the cause must be ${valid}, not ${MatchCause[value.cause]}`);
    }
    same("totals", value.totals, this.totals);
    const single = value.cause === MatchCause.SINGLE_ROUND && this.winner !== undefined ? [this.winner] : [];
    const before = this.tied.length ? this.tied : single;
    const { totals, pointsLeft, roundsWon } = this;
    same(
      "places",
      value.places,
      placesOf(this.rules, this.active, this.gone, { totals, pointsLeft, roundsWon, before }),
    );
  }

  private leaveBetween(value: SeatLeft): void {
    if (!this.active.includes(value.seat)) {
      throw new Wrong(`seat ${value.seat} is not in the match`);
    }
    same("hand_count", value.handCount, 0);
    same("points", value.points, 0);
    same("cards", value.cards, "");
    this.leave(value.seat);
  }

  private leave(seat: number): void {
    this.active.splice(this.active.indexOf(seat), 1);
    this.gone.push(seat);
  }

  // Rounds.

  private *takeRound(value: RoundStarted): Course<void> {
    this.round += 1;
    same("round", value.round, this.round);
    const playing = this.active.filter((seat) => !this.tied.length || this.tied.includes(seat));
    const chance = this.setting.chance(this.round);
    const dealer = this.checkDealer(value.dealer, chance, playing);
    const stock = chance ? new SeededStock(this.rules, chance, this.setting.perSeat) : new RecordedStock(this.rules);
    const counts = this.totals.map((_, seat) => (playing.includes(seat) ? this.rules.number("hand_size") : 0));
    same("hand_counts", value.handCounts, counts);
    const recorded = new Map(value.hands.map((hand) => [hand.seat, hand.cards]));
    for (const [seat, cards] of recorded) {
      same(`the number of cards in the hand of seat ${seat}`, cards.length, counts[seat]);
    }
    const hands = new Hands(this.rules, stock, stock.deal(playing, recorded));
    hands.compare(value.hands, playing);
    this.leftInRound = new Map();
    const table = {
      rules: this.rules,
      active: playing,
      strikes: this.strikes,
      dealer,
      leave: (seat: number, points: number) => {
        playing.splice(playing.indexOf(seat), 1);
        this.leave(seat);
        this.leftInRound.set(seat, this.rules.is("leaver_points", "void") ? 0 : points);
      },
    };
    this.board = new Board(table, hands);
    const { cause, winner } = yield* playRound(this.board);
    this.endRound(yield* expect("roundEnded"), cause, winner, hands, playing);
  }

  private checkDealer(dealer: number, chance: RoundChance | undefined, playing: readonly number[]): number {
    const right = this.rightDealer(chance, playing);
    if (right !== undefined) {
      same("dealer", dealer, right);
    } else if (!playing.includes(dealer)) {
      throw new Wrong(`seat ${dealer} cannot deal; these play: ${playing.join(", ")}`);
    }
    this.dealer = dealer;
    return dealer;
  }

  /** The seat that must deal; nothing where a lot that is not revealed decides it. */
  private rightDealer(chance: RoundChance | undefined, playing: readonly number[]): number | undefined {
    const last = this.dealer;
    if (last === undefined) {
      switch (this.rules.text("first_dealer")) {
        case "seat0":
          return playing.includes(0) ? 0 : undefined;
        case "random":
          return chance && playing[chance.below("first-dealer", playing.length)];
        default:
          return chance && highCardDealer(this.rules, chance, playing);
      }
    }
    const rotation = this.rules.text("dealer_rotation");
    const next = playing.find((seat) => seat > last) ?? playing[0];
    if (rotation === "winner") {
      return this.winner !== undefined && playing.includes(this.winner) ? this.winner : undefined;
    }
    return rotation === "fixed" && playing.includes(last) ? last : next;
  }

  private endRound(
    value: RoundEnded,
    cause: RoundCause,
    out: number | undefined,
    hands: Hands,
    playing: readonly number[],
  ): void {
    same("round", value.round, this.round);
    same("cause", RoundCause[value.cause], RoundCause[cause]);
    const points = new Map(playing.map((seat) => [seat, this.rules.points(hands.faces(seat))]));
    const winner = cause === RoundCause.BLOCKED ? lowestHand(this.rules, points) : out;
    same("winner", value.winner ?? "nobody", winner ?? "nobody");
    hands.compare(
      value.hands,
      [...this.totals.keys()].filter((seat) => hands.count(seat)),
    );
    const left = this.leftInRound;
    const scores = scoresOf(this.rules, this.setting.seats, { cause, winner, hands: points, left });
    if (scores === undefined) {
      this.unjudged.add(`scores of a round that ended ${RoundCause[cause]}`);
    } else {
      same("scores", value.scores, scores);
    }
    this.totals = this.totals.map((total, seat) => total + (value.scores[seat] ?? 0));
    same("totals", value.totals, this.totals);
    for (const [seat, left] of points) {
      this.pointsLeft[seat] = (this.pointsLeft[seat] ?? 0) + left;
    }
    if (winner !== undefined) {
      this.roundsWon[winner] = (this.roundsWon[winner] ?? 0) + 1;
    }
    this.winner = winner;
  }
}
