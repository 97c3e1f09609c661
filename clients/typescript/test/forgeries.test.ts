// Games of the vectors with one thing changed that no record of the vectors changes: it must be found where it stands.

import assert from "node:assert/strict";
import test from "node:test";
import { GameVectors } from "../src/gen/lastcard/conformance/v1/vectors.js";
import { Event } from "../src/gen/lastcard/v1/event.js";
import type { Case, Value } from "../verify/telling.js";
import { matchOf } from "./matches.js";
import { vectors } from "./vectors.js";

const { games } = vectors(GameVectors, "games");

/** The number of the first event that a match of this name does not take. */
function firstWrong(name: string, events: readonly Event[]): number | undefined {
  const played = games.find(({ match }) => match?.name === name)?.match;
  assert.ok(played);
  const match = matchOf(played, false);
  for (const { sequence, event } of events) {
    assert.ok(event);
    try {
      match.take(event);
    } catch {
      return sequence;
    }
  }
  return undefined;
}

/** Changes each event of a kind for which `change` does not say no, and expects it to be found. */
function forge<C extends Case>($case: C, what: string, change: (value: Value<C>) => boolean): void {
  test(what, () => {
    let forged = 0;
    for (const { match, events } of games) {
      for (const place of events.keys()) {
        const copies = events.map((event) => Event.fromPartial(event));
        const told = copies[place]?.event;
        if (told?.$case === $case && change(told.value as Value<C>)) {
          forged += 1;
          assert.equal(firstWrong(match?.name ?? "", copies), place + 1, `${match?.name}, event ${place + 1}`);
        }
      }
    }
    assert.ok(forged, "nothing was forged");
  });
}

forge("roundEnded", "points that nobody has won", ({ scores, totals }) => {
  scores[0] = (scores[0] ?? 0) + 1;
  totals[0] = (totals[0] ?? 0) + 1;
  return true;
});

forge("challengeResolved", "the other verdict on a challenge", (value) => {
  value.guilty = !value.guilty;
  return true;
});

forge("seatAccused", "the other verdict on an accusation", (value) => {
  value.caught = !value.caught;
  return true;
});

forge("cardPlayed", "a jump with another card", (value) => {
  value.card += 1;
  return value.jumpIn;
});

forge("seatLeft", "other points of who leaves", (value) => {
  value.points += 1;
  return true;
});

forge("timedOut", "a timeout more than there were", (value) => {
  value.strikes += 1;
  return true;
});

forge("handsMoved", "hands that went elsewhere", (value) => {
  value.fromSeats.reverse();
  return value.fromSeats.join() !== [...value.fromSeats].reverse().join();
});

test("a call after its window has closed", () => {
  const name = "low score";
  const events = games.find(({ match }) => match?.name === name)?.events ?? [];
  const call = events.findIndex(({ event }) => event?.$case === "unoCalled");
  const moved = [...events];
  moved.splice(call + 2, 0, ...moved.splice(call, 1)); // behind the next play and the turn that begins with it
  assert.equal(firstWrong(name, events), undefined);
  assert.equal(firstWrong(name, moved), call + 1, "the call after the next play");
});
