// What is legal and what is refused at positions of matches: the rules of the verifier must take and refuse the same.

import assert from "node:assert/strict";
import test from "node:test";
import {
  GameVectors,
  type Match as Played,
  type Position,
  RefusalVectors,
} from "../src/gen/lastcard/conformance/v1/vectors.js";
import type { Event } from "../src/gen/lastcard/v1/event.js";
import { Wrong } from "../verify/deal.js";
import type { Match } from "../verify/match.js";
import { eventFor, matchOf, movesIn } from "./matches.js";
import { vectors } from "./vectors.js";

const { games } = vectors(GameVectors, "games");

for (const { match: played, positions } of vectors(RefusalVectors, "refusals").games) {
  const game = games.find(({ match }) => match?.name === played?.name);
  test(`${played?.name}: ${positions.length} positions`, () => {
    assert.ok(played && game);
    assert.deepEqual(game.match?.moves, played.moves);
    let tried = 0;
    for (const position of positions) {
      tried += check(played, game.events, position);
    }
    assert.ok(tried > 10, `only ${tried} moves were tried`);
  });
}

/** Holds the rules against a position; how many moves were tried. */
function check(played: Played, events: readonly Event[], position: Position): number {
  const catchable = at(played, events, position.after).board;
  const owing = [...Array(played.players).keys()].filter((seat) => catchable?.hands.owes(seat));
  if (position.turn !== undefined) {
    assert.deepEqual(owing, position.catchable, `after ${position.after} moves`);
  }
  const legal = position.legal.flatMap(({ actions }, seat) => actions.map((action) => `${seat} ${action}`));
  const refused = position.refused.flatMap(({ moves }) => moves.slice(0, 2));
  const legalTried = legal.filter((move) => isTaken(played, events, position, move) !== false);
  assert.deepEqual(legalTried, legal, `after ${position.after} moves`);
  const refusedTaken = refused.filter((move) => isTaken(played, events, position, move) === true);
  assert.deepEqual(refusedTaken, [], `after ${position.after} moves`);
  return legal.length + refused.length;
}

/** The match after so many moves and what follows from them. */
function at(played: Played, events: readonly Event[], after: number): Match {
  const match = matchOf(played, false);
  for (const { event } of events.slice(0, movesIn(events)[after] ?? events.length)) {
    assert.ok(event);
    match.take(event);
  }
  return match;
}

/** Whether a move is taken; nothing when no event stands for it alone. */
function isTaken(played: Played, events: readonly Event[], { after }: Position, move: string): boolean | undefined {
  const match = at(played, events, after);
  const event = match.board && eventFor(match.board, move);
  if (event === undefined) {
    return undefined;
  }
  try {
    match.take(event);
    return true;
  } catch (error) {
    assert.ok(error instanceof Wrong, String(error));
    return false;
  }
}
