// Whole matches of the vectors, whose events the rules of the verifier must give.

import assert from "node:assert/strict";
import test from "node:test";
import { GameVectors, type Match as Played } from "../src/gen/lastcard/conformance/v1/vectors.js";
import { DrawOrder } from "../src/gen/lastcard/v1/table.js";
import { RoundChance } from "../verify/chance.js";
import { Match } from "../verify/match.js";
import { Rules } from "../verify/rules.js";
import { bytes, vectors } from "./vectors.js";

const { games } = vectors(GameVectors, "games");

/** A match of the vectors, its chance revealed or not. */
function matchOf({ preset, options, players, draws, disguise, salt, seeds }: Played, revealed: boolean): Match {
  const rules = new Rules(preset, options);
  const chance = (round: number) =>
    revealed
      ? new RoundChance(bytes(seeds[round - 1] ?? ""), rules.deck, disguise ? bytes(salt) : undefined)
      : undefined;
  return new Match({ rules, seats: players, perSeat: draws === DrawOrder.PER_SEAT, chance });
}

for (const { match: played, events } of games) {
  for (const revealed of [true, false]) {
    test(`${played?.name}${revealed ? "" : ", not revealed"}`, () => {
      assert.ok(played);
      const match = matchOf(played, revealed);
      for (const { sequence, event } of events) {
        assert.ok(event);
        try {
          match.take(event);
        } catch (error) {
          assert.fail(`event ${sequence}: ${error instanceof Error ? error.stack : error}`);
        }
      }
      assert.equal(match.over, events.at(-1)?.event?.$case === "matchEnded");
    });
  }
}
