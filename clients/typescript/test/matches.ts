// Matches of the vectors, and moves of their notation as the events that they stand for.

import type { Match as Played } from "../src/gen/lastcard/conformance/v1/vectors.js";
import { DrawCause, Event, LeaveCause } from "../src/gen/lastcard/v1/event.js";
import { DrawOrder } from "../src/gen/lastcard/v1/table.js";
import type { Board } from "../verify/board.js";
import { RoundChance } from "../verify/chance.js";
import { penaltyOf } from "../verify/legality.js";
import { Match } from "../verify/match.js";
import { colorOf, REVERSE, Rules, rankOf } from "../verify/rules.js";
import type { Told } from "../verify/telling.js";
import { card } from "./positions.js";
import { bytes } from "./vectors.js";

/** A match of the vectors, its chance revealed or not. */
export function matchOf({ preset, options, players, draws, disguise, salt, seeds }: Played, revealed: boolean): Match {
  const rules = new Rules(preset, options);
  const chance = (round: number) =>
    revealed
      ? new RoundChance(bytes(seeds[round - 1] ?? ""), rules.deck, disguise ? bytes(salt) : undefined)
      : undefined;
  return new Match({ rules, seats: players, perSeat: draws === DrawOrder.PER_SEAT, chance });
}

/** Where in the events each move begins; what follows from a move counts with it. */
export function movesIn(events: readonly Event[]): number[] {
  return [...events.keys()].filter((place) => {
    const told = events[place]?.event;
    const before = events[place - 1]?.event;
    return told !== undefined && isMove(told, before, events[place + 1]?.event);
  });
}

function isMove(told: Told, before: Told | undefined, after: Told | undefined): boolean {
  switch (told.$case) {
    case "pileRebuilt":
      return after?.$case === "cardsDrawn" && after.value.cause === DrawCause.TURN;
    case "cardsDrawn":
      return told.value.cause === DrawCause.TURN && before?.$case !== "pileRebuilt";
    case "penaltyAccepted":
    case "cardKept":
      return before?.$case !== "timedOut";
    case "colorChosen":
      return !told.value.byServer;
    case "seatLeft":
      return told.value.cause === LeaveCause.LEFT;
    default:
      return MOVES.has(told.$case);
  }
}

const MOVES: ReadonlySet<string> = new Set([
  "roundStarted",
  "cardPlayed",
  "challengeResolved",
  "unoCalled",
  "seatAccused",
  "timedOut",
]);

/** The event that a move would begin with, all else being as it must be; nothing for a move that has none. */
export function eventFor(board: Board, move: string): Told | undefined {
  const [seatText = "", ...words] = move.split(" ");
  const seat = Number(seatText);
  const [word = "", argument = ""] = words;
  switch (word) {
    case "draw": {
      const cards = inPile(board).slice(0, 1);
      return told({ cardsDrawn: { seat, count: cards.length, cause: DrawCause.TURN, cards } });
    }
    case "keep":
      return told({ cardKept: { seat } });
    case "accept":
      return told({ penaltyAccepted: { seat } });
    case "uno":
      return told({ unoCalled: { seat } });
    case "catch":
      return told({ seatAccused: { accuser: seat, target: Number(argument), caught: true } });
    case "jump":
      return played(board, seat, argument, true);
    default:
      return /^[RYGBW]/.test(word) ? played(board, seat, word, false) : undefined;
  }
}

/** The faces of the cards that lie neither in a hand nor on the discards. */
function inPile({ hands, rules }: Board): number[] {
  const elsewhere = new Set([...[...hands.of.values()].flat(), ...hands.discard, ...hands.buried]);
  return [...rules.deck.keys()].filter((id) => !elsewhere.has(id)).map((id) => rules.deck[id] as number);
}

function played(board: Board, seat: number, text: string, jumpIn: boolean): Told {
  const [, name = "", colorLetter, target] = /^([^/>!]+)(?:\/(.))?(?:>(\d+))?!?$/.exec(text) ?? [];
  const face = card(name);
  const turned = face >= 16 && rankOf(face) === REVERSE && !jumpIn;
  return told({
    cardPlayed: {
      seat,
      card: face,
      color: colorOf(face) || (colorLetter ? ".RYGB".indexOf(colorLetter) : 0),
      target: target === undefined ? undefined : Number(target),
      handCount: board.hands.count(seat) - 1,
      direction: turned ? -board.direction : board.direction,
      pending: (jumpIn ? 0 : board.pending) + penaltyOf(face),
      jumpIn,
    },
  });
}

function told(event: Record<string, object>): Told {
  const [[$case, value]] = Object.entries(event) as [[string, object]];
  const found = Event.fromPartial({ event: { $case, value } as never }).event;
  if (found === undefined) {
    throw new Error(`${$case} is no event`);
  }
  return found;
}
