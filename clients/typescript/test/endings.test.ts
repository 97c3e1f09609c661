import assert from "node:assert/strict";
import test from "node:test";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { Metadata, status } from "@grpc/grpc-js";
import { causeOf, DETAILS_KEY, type Finished, judge } from "../src/endings.js";
import { ErrorCause, ProtocolReason, Reason } from "../src/gen/lastcard/v1/reason.js";
import { details } from "./arena.js";

function next(code: status, more: Partial<Finished> = {}): string {
  const plain = { text: "", cause: undefined, withToken: false, withSecret: false, known: true, draining: false };
  return judge({ code, ...plain, ...more }).next;
}

function because(name: keyof typeof ProtocolReason): Partial<Finished> {
  return { cause: ErrorCause.create({ protocolReason: ProtocolReason[name] }) };
}

test("a lost connection is come back from", () => {
  for (const code of ["UNAVAILABLE", "CANCELLED", "INTERNAL", "RESOURCE_EXHAUSTED", "UNKNOWN"] as const) {
    assert.equal(next(status[code]), "reconnect", code);
  }
  assert.equal(next(status.UNAVAILABLE, because("DRAINING")), "reconnect");
  assert.equal(next(status.ABORTED, because("READER_TOO_SLOW")), "reconnect");
});

test("an end without a fault is the end, unless the server shuts down", () => {
  assert.equal(next(status.OK), "finish");
  assert.equal(next(status.OK, { draining: true }), "reconnect");
});

test("who was replaced does not fight", () => {
  assert.equal(next(status.ABORTED), "fail");
  assert.equal(next(status.ABORTED, because("SESSION_REPLACED")), "fail");
  assert.equal(next(status.UNKNOWN, because("SESSION_REPLACED")), "fail");
  const cause = ErrorCause.create({ reason: Reason.SESSION_REPLACED });
  assert.equal(next(status.ABORTED, { cause }), "fail");
});

test("a token that was welcomed once and is refused now means that the event is over", () => {
  assert.equal(next(status.UNAUTHENTICATED, { withToken: true }), "finish");
  assert.equal(next(status.UNAUTHENTICATED, { withToken: true, known: false }), "fail");
  assert.equal(next(status.UNKNOWN, { withToken: true, ...because("UNAUTHENTICATED") }), "finish");
});

test("a resume secret that is refused is forgotten, and nothing at all is a failure", () => {
  assert.equal(next(status.UNAUTHENTICATED, { withSecret: true }), "forget");
  assert.equal(next(status.UNAUTHENTICATED), "fail");
});

test("what would be refused again is not tried again", () => {
  for (const code of ["FAILED_PRECONDITION", "INVALID_ARGUMENT", "PERMISSION_DENIED", "UNIMPLEMENTED"] as const) {
    assert.equal(next(status[code]), "fail", code);
  }
  assert.equal(next(status.UNIMPLEMENTED, { known: false }), "fail");
});

test("the cause is read from the details of a status", () => {
  const trailing = new Metadata();
  trailing.set(DETAILS_KEY, details(status.ABORTED, "gone", { protocolReason: ProtocolReason.SESSION_REPLACED }));
  assert.equal(causeOf(trailing)?.protocolReason, ProtocolReason.SESSION_REPLACED);
});

test("details that are missing, of another kind or no message say nothing", () => {
  assert.equal(causeOf(new Metadata()), undefined);
  const other = new BinaryWriter().uint32(10).string("type.googleapis.com/google.rpc.RetryInfo").finish();
  for (const bytes of [new BinaryWriter().uint32(26).bytes(other).finish(), Uint8Array.of(26, 200, 1)]) {
    const trailing = new Metadata();
    trailing.set(DETAILS_KEY, Buffer.from(bytes));
    assert.equal(causeOf(trailing), undefined);
  }
});
