import assert from "node:assert/strict";
import test from "node:test";
import { Backoff } from "../src/backoff.js";

function waits(backoff: Backoff, count: number): number[] {
  return Array.from({ length: count }, () => backoff.nextS());
}

test("waits double up to five seconds", () => {
  assert.deepEqual(waits(new Backoff(0.2, 5, () => 0), 7), [0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]);
});

test("chance shortens a wait by up to half", () => {
  assert.deepEqual(waits(new Backoff(0.2, 5, () => 1), 3), [0.1, 0.2, 0.4]);
});

test("after a connection that held the shortest wait comes again", () => {
  const backoff = new Backoff(0.2, 5, () => 0);
  waits(backoff, 4);
  backoff.reset();
  assert.equal(backoff.nextS(), 0.2);
});
