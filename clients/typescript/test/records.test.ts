import assert from "node:assert/strict";
import test from "node:test";
import { RecordVectors } from "../src/gen/lastcard/conformance/v1/vectors.js";
import { verifyLines } from "../verify/record.js";
import { vectors } from "./vectors.js";

const { records } = vectors(RecordVectors, "records");

test("there are records, right and wrong", () => {
  assert.ok(records.filter((record) => record.line === undefined).length > 3);
  assert.ok(records.filter((record) => record.line !== undefined).length > 10);
});

for (const { name, line, lines } of records) {
  test(name, () => {
    const { fault } = verifyLines(lines);
    assert.equal(fault?.line, line, fault?.sentence);
  });
}
