// Whole matches of the vectors, whose events the rules of the verifier must give.

import assert from "node:assert/strict";
import test from "node:test";
import { GameVectors } from "../src/gen/lastcard/conformance/v1/vectors.js";
import { matchOf } from "./matches.js";
import { vectors } from "./vectors.js";

const { games } = vectors(GameVectors, "games");

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
