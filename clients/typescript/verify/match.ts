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
import { endings, leaders, lowestHand, placesOf, type Standing, scoresOf } from "./scores.js";
import { awaited, type Course, expect, next, same, type Told, words } from "./telling.js";

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
  /** The seats that sit out while those who share the first place play one round more. */
  private readonly benched: number[] = [];
  /** Why the match ends, once that is settled: now, or after the round of those who are tied. */
  private ends: { causes: ReadonlySet<MatchCause>; isNow: boolean } | undefined;
  /** Whether the last round may have been that round more, with nobody sitting out. */
  private mayBeExtra = false;
  over = false;
  /** Whether the events may break off here. */
  isResting = true;
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
    const { value, done } = this.course.next(told);
    this.over = done ?? false;
    this.isResting = value ?? false;
  }

  private get rules(): Rules {
    return this.setting.rules;
  }

  private *play(): Course<void> {
    for (;;) {
      const removing = this.board?.removing;
      const told = yield* removing === undefined ? awaited() : next();
      this.board?.checkRemoval(told);
      if (told.$case === "seatLeft") {
        this.leaveBetween(told.value);
      } else if (told.$case === "roundStarted") {
        yield* this.takeRound(told.value);
        this.settle();
      } else if (told.$case === "matchEnded" && this.round && (this.ends?.causes ?? this.timeCauses).size) {
        this.checkEnd(told.value, this.ends?.causes ?? this.timeCauses);
        return;
      } else {
        throw new Wrong(`a round must start, not ${words(told.$case)}`);
      }
      const isOver = this.active.length === 1 || (told.$case === "roundStarted" && this.ends?.isNow);
      if (isOver) {
        const lastSeat = new Set([MatchCause.LAST_SEAT]);
        const isLast = this.active.length === 1 && !this.benched.length;
        this.checkEnd(yield* expect("matchEnded"), isLast ? lastSeat : (this.ends?.causes ?? lastSeat));
        return;
      }
    }
  }

  /** Settles after a round whether the match ends, or those who are tied play one round more. */
  private settle(): void {
    if (this.ends !== undefined) {
      this.ends = { ...this.ends, isNow: true };
      return;
    }
    const { causes, isSure } = endings(this.rules, this.round, this.totals);
    if (isSure && !this.isTied) {
      this.ends = { causes: new Set([...causes, ...(this.mayBeExtra ? [MatchCause.TIME] : [])]), isNow: true };
    } else if (isSure && !this.mayBeExtra) {
      this.ends = { causes, isNow: false };
      this.bench(this.leaders);
    }
  }

  /**
   * Why the match may end between rounds. All are tied perhaps, and the round that was played may have been that among
   * the tied for all that a record tells, since nobody sat out.
   */
  private get timeCauses(): ReadonlySet<MatchCause> {
    const { causes } = endings(this.rules, this.round, this.totals);
    return this.isTied && !this.mayBeExtra ? new Set() : causes;
  }

  private get leaders(): number[] {
    return leaders(this.rules, this.active, this.standing);
  }

  private get isTied(): boolean {
    return this.rules.is("match_tie", "extra_round") && this.leaders.length > 1;
  }

  private bench(playing: readonly number[]): void {
    this.benched.push(...this.active.filter((seat) => !playing.includes(seat)));
    this.active.splice(0, this.active.length, ...playing);
  }

  private get standing(): Standing {
    const { totals, pointsLeft, roundsWon, winner } = this;
    return { totals, pointsLeft, roundsWon, winner };
  }

  private checkEnd(
    value: { cause: MatchCause; places: number[]; totals: number[] },
    causes: ReadonlySet<MatchCause>,
  ): void {
    if (!causes.has(value.cause)) {
      const valid = [...causes].map((cause) => MatchCause[cause]).join(" or ");
      throw new Wrong(`the cause must be ${valid}, not ${MatchCause[value.cause]}`);
    }
    same("totals", value.totals, this.totals);
    same("places", value.places, placesOf(this.rules, this.active, this.benched, this.gone, this.standing));
  }

  private leaveBetween(value: SeatLeft): void {
    if (![...this.active, ...this.benched].includes(value.seat)) {
      throw new Wrong(`seat ${value.seat} is not in the match`);
    }
    same("hand_count", value.handCount, 0);
    same("points", value.points, 0);
    same("cards", value.cards, "");
    this.leave(value.seat);
  }

  private leave(seat: number): void {
    const group = this.active.includes(seat) ? this.active : this.benched;
    group.splice(group.indexOf(seat), 1);
    this.gone.push(seat);
  }

  // Rounds.

  private *takeRound(value: RoundStarted): Course<void> {
    this.seeExtraRound(value);
    this.round += 1;
    same("round", value.round, this.round);
    const playing = [...this.active];
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
      leaveBench: (value: SeatLeft) => {
        const isBenched = this.benched.includes(value.seat);
        if (isBenched) {
          this.leaveBetween(value);
        }
        return isBenched;
      },
    };
    this.board = new Board(table, hands);
    const { cause, winner } = yield* playRound(this.board);
    this.endRound(yield* expect("roundEnded"), cause, winner, hands, playing);
  }

  /** The time may have been up with the first place shared: then those who share it play one round more. */
  private seeExtraRound({ handCounts }: RoundStarted): void {
    if (this.ends !== undefined || !this.round) {
      return;
    }
    const { causes } = endings(this.rules, this.round, this.totals);
    const { leaders, isTied } = this;
    this.mayBeExtra = isTied && causes.has(MatchCause.TIME) && leaders.length === this.active.length;
    const areDealtTo = this.active.every((seat) => leaders.includes(seat) === Boolean(handCounts[seat]));
    if (isTied && causes.size && areDealtTo && !this.mayBeExtra) {
      this.ends = { causes, isNow: false };
      this.bench(leaders);
    }
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
          return playing[0];
        case "random":
          return chance && playing[chance.below("first-dealer", playing.length)];
        default:
          return chance && highCardDealer(this.rules, chance, playing);
      }
    }
    const rotation = this.rules.text("dealer_rotation");
    const next = playing.find((seat) => seat > last) ?? playing[0];
    if (rotation === "winner" && this.winner !== undefined && playing.includes(this.winner)) {
      return this.winner;
    }
    return rotation !== "clockwise" && playing.includes(last) ? last : next;
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
    same("scores", value.scores, scores);
    this.totals = this.totals.map((total, seat) => total + (scores[seat] ?? 0));
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
