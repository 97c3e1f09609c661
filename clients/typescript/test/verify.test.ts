// The verifier as a program, and records that no vector holds.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { RecordVectors } from "../src/gen/lastcard/conformance/v1/vectors.js";
import { sha256 } from "../verify/chance.js";
import { verifyFile, verifyLines } from "../verify/record.js";
import { Rules } from "../verify/rules.js";
import { vectors } from "./vectors.js";

const { records } = vectors(RecordVectors, "records");
const RIGHT = records.find((record) => record.name === "right and revealed")?.lines ?? [];
const FORGED = records.find((record) => record.name === "forged: another card drawn")?.lines ?? [];

/** The lines with every hash computed anew. */
function chained(lines: readonly string[]): string[] {
  const done: string[] = [];
  for (const line of lines) {
    const before = done.at(-1);
    const hash = before === undefined ? "" : sha256(Buffer.from(before)).toString("hex");
    done.push(line.replace(/"previous":"[0-9a-f]{64}"\}$/, `"previous":"${hash}"}`));
  }
  return done;
}

function withHeader(from: string | RegExp, to: string): string[] {
  const [header = "", ...rest] = RIGHT;
  assert.notEqual(header.replace(from, to), header);
  return chained([header.replace(from, to), ...rest]);
}

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const path = new URL("../cli/verify.js", import.meta.url).pathname;
  return spawnSync(process.execPath, [path, ...args], { encoding: "utf8" });
}

function saved(context: TestContext, name: string, bytes: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "lastcard-"));
  context.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}

const file = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

test("a right record exits with status 0, and says what was checked and the record hash", (context) => {
  const { status, stdout } = run(saved(context, "game.jsonl", file(RIGHT)));
  const hash = sha256(Buffer.from(RIGHT.at(-2) ?? "")).toString("hex");
  assert.equal(status, 0);
  assert.match(stdout, /: right; checked: lines and their chain, 50 events by the rules, commitments, deals and every/);
  assert.ok(stdout.endsWith(`record hash ${hash}\n`));
});

test("a wrong record exits with status 1 and names the line, also when it is compressed", (context) => {
  const wrong = saved(context, "game.jsonl.gz", gzipSync(file(FORGED)));
  const { status, stdout } = run(saved(context, "game.jsonl", file(RIGHT)), wrong);
  assert.equal(status, 1);
  assert.match(stdout, /game.jsonl.gz: line 20 is wrong: by the seed Y8 comes next, not [A-Z0-9]+\n$/);
});

test("what cannot be read exits with status 2, and so does nothing", () => {
  assert.equal(run("nowhere.jsonl").status, 2);
  assert.match(run("nowhere.jsonl").stderr, /nowhere.jsonl: cannot be read: /);
  assert.equal(run().status, 2);
});

test("a record before its reveal says what could not be checked", () => {
  const { fault, unchecked } = verifyLines(RIGHT.slice(0, -1));
  assert.equal(fault, undefined);
  assert.deepEqual(unchecked, ["the chance: it is not revealed yet"]);
});

test("the last line must be ended by a line feed, and nothing may follow it", () => {
  assert.equal(verifyFile(Buffer.from(file(RIGHT))).fault, undefined);
  assert.equal(verifyFile(Buffer.from(file(RIGHT).slice(0, -1))).fault?.line, RIGHT.length);
  assert.equal(verifyFile(Buffer.from(`${file(RIGHT)}\n`)).fault?.line, RIGHT.length + 1);
  assert.equal(verifyFile(Buffer.from("")).fault?.line, 1);
});

test("names are written with escapes, and labels ordered by their code points", () => {
  assert.equal(verifyLines(withHeader('"bot-0"', '"b\\u00f6t\\n"')).fault, undefined);
  assert.equal(verifyLines(withHeader('"bot-0"', '"b\u00f6t"')).fault?.line, 1);
  assert.equal(verifyLines(withHeader('{"game":"1"}', '{"10":"a","9":"b"}')).fault, undefined);
  assert.equal(verifyLines(withHeader('{"game":"1"}', '{"9":"b","10":"a"}')).fault?.line, 1);
});

const HEADERS: [string | RegExp, string, RegExp][] = [
  ['"format":1', '"format":2', /disguise must be true, not left out/],
  ['"format":1', '"format":3', /format must be 1 or 2, not 3/],
  ['"pile"', '"heap"', /draws must be "pile" or "per_seat", not "heap"/],
  ['"official"', '"oficial"', /'oficial' is no preset; there are official, /],
  ['"match_rounds"', '"match_round"', /option match_round cannot be '2'/],
  ['"hand_size":"3"', '"hand_size":"03"', /option hand_size cannot be '03'/],
  ['"hand_size":"3"', '"hand_size":"7"', /option hand_size is '7' in the preset official too/],
  ['["bot-0","bot-1"]', '["bot-0"]', /1 bots cannot play by these rules/],
  [/"commitment":"[0-9a-f]{64}"/, '"commitment":""', /the commitment must be that of the first round/],
];

for (const [from, to, sentence] of HEADERS) {
  test(`a header with ${to} is wrong`, () => {
    const { fault } = verifyLines(withHeader(from, to));
    assert.equal(fault?.line, 1);
    assert.match(fault?.sentence ?? "", sentence);
  });
}

test("a deck of its own is what its counts say", () => {
  const rules = new Rules("official", { deck: "custom", deck_counts: "1=1,R1=2,W4=1", card_points: "1=5,R1=7" });
  assert.deepEqual(rules.deck, [14, 17, 17, 33, 49, 65]);
  assert.equal(rules.points(rules.deck), 50 + 7 + 7 + 5 + 5 + 5);
});

test("a record cannot write to the terminal", (context) => {
  const lines = withHeader('"preset":"official"', '"preset":"\\u001b]0;owned\\u0007"');
  const { status, stdout } = run(saved(context, "game.jsonl", file(lines)));
  assert.equal(status, 1);
  assert.match(stdout, /line 1 is wrong: '\\u\{1b\}\]0;owned/);
});

test("options have only their values", () => {
  const wrong: Record<string, string>[] = [
    { deck: "custom" },
    { deck_counts: "W=4" },
    { deck: "custom", deck_counts: "0=50,1=50" },
    { deck: "custom", deck_counts: "W=4294967295" },
    { deck: "custom", deck_counts: "1=20,W=4,W=4" },
    { card_points: "W=501" },
    { match_end: "time+target" },
    { match_end: "time+time" },
  ];
  for (const options of wrong) {
    assert.throws(() => new Rules("official", options), RangeError, JSON.stringify(options));
  }
  assert.equal(new Rules("official", { deck: "custom", deck_counts: "1=20,W=4" }).deck.length, 84);
});

test("a commitment that differs is the header's fault, unless the line of the round is wrong", () => {
  const hidden = records.find((record) => record.name === "right, not yet revealed")?.lines ?? [];
  const [header = "", started = "", ...rest] = hidden;
  const other = header.replace(/"commitment":"./, (text) => `${text.slice(0, -1)}${text.endsWith("0") ? 1 : 0}`);
  assert.equal(verifyLines(chained([other, started, ...rest])).fault?.line, 1);
  const changed = started.replace(/"commitment":"./, (text) => `${text.slice(0, -1)}${text.endsWith("A") ? "B" : "A"}`);
  assert.equal(verifyLines([header, changed, ...rest]).fault?.line, 2);
});

test("what is compressed is known by its bytes, and what is too large is not read", (context) => {
  assert.equal(run(saved(context, "game.jsonl", gzipSync(file(RIGHT)))).status, 0);
  const huge = saved(context, "huge.jsonl", "");
  truncateSync(huge, 2 ** 28 + 1);
  const { status, stderr } = run(huge);
  assert.equal(status, 2);
  assert.match(stderr, /huge.jsonl: cannot be read: it has more than 268435456 bytes, so it is no record\n$/);
});
