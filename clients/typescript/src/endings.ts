// What the end of a stream means: come back, come back as somebody new, stop, or give up.
//
// Here: reading the status of a finished call. Not here: acting on it (`connection`).

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type Metadata, status } from "@grpc/grpc-js";
import { ErrorCause, ProtocolReason, Reason } from "./gen/lastcard/v1/reason.js";

export const DETAILS_KEY = "grpc-status-details-bin";
const CAUSE_TYPE = "lastcard.v1.ErrorCause";

/**
 * What to do next and why, in a sentence: `reconnect`; `forget` the resume secret, which the server does not know any
 * more, and reconnect; `finish`, the server being done with this bot; `fail`, since it would fail again, or somebody else
 * plays in our place.
 */
export interface Ending {
  readonly next: "reconnect" | "forget" | "finish" | "fail";
  readonly sentence: string;
}

/** A finished call: its status, and what else is needed to judge it. */
export interface Finished {
  readonly code: status;
  readonly text: string;
  readonly cause: ErrorCause | undefined;
  /** Whether the bot identified itself by a token. */
  readonly withToken: boolean;
  /** Whether it identified itself by a resume secret. */
  readonly withSecret: boolean;
  /** Whether the server has welcomed this bot before, on this stream or an earlier one. */
  readonly known: boolean;
  /** Whether the server said that it shuts down. */
  readonly draining: boolean;
}

/** Codes after which the same `Hello` would be refused again. */
const HOPELESS: ReadonlySet<status> = new Set([
  status.FAILED_PRECONDITION,
  status.INVALID_ARGUMENT,
  status.PERMISSION_DENIED,
  status.UNIMPLEMENTED,
]);

/** Judges the end of a stream. */
export function judge({ code, text, cause, withToken, withSecret, known, draining }: Finished): Ending {
  const reason = cause?.protocolReason ?? ProtocolReason.UNSPECIFIED;
  const replaced = cause?.reason === Reason.SESSION_REPLACED || reason === ProtocolReason.SESSION_REPLACED;
  if (replaced || (code === status.ABORTED && cause === undefined)) {
    return { next: "fail", sentence: `another program with the same identity took the session over: ${text}` };
  }
  if (code === status.OK) {
    return draining
      ? { next: "reconnect", sentence: "the server has shut down" }
      : { next: "finish", sentence: "the server ended the session" };
  }
  if (code === status.UNAUTHENTICATED || reason === ProtocolReason.UNAUTHENTICATED) {
    return unauthenticated(text, withToken, withSecret, known);
  }
  if (code === status.UNIMPLEMENTED && !known) {
    return { next: "fail", sentence: `what answers at this address is no arena that this client knows: ${text}` };
  }
  if (HOPELESS.has(code)) {
    return { next: "fail", sentence: `the server refused the bot: ${text}` };
  }
  const lost = known ? "connection lost" : "no connection";
  return { next: "reconnect", sentence: `${lost} (${status[code] ?? code}: ${text})` };
}

function unauthenticated(text: string, withToken: boolean, withSecret: boolean, known: boolean): Ending {
  if (withToken) {
    return known
      ? { next: "finish", sentence: `the token is not valid any more, so the event is over: ${text}` }
      : { next: "fail", sentence: `the server does not accept the token: ${text}` };
  }
  if (withSecret) {
    return { next: "forget", sentence: `the server does not know this session any more: ${text}` };
  }
  return { next: "fail", sentence: `the server wants a token (set LASTCARD_TOKEN): ${text}` };
}

/** The `ErrorCause` in the details of a status; nothing when there is none or it cannot be read. */
export function causeOf(trailing: Metadata): ErrorCause | undefined {
  const bytes = trailing.get(DETAILS_KEY).find((value) => typeof value !== "string");
  if (bytes === undefined) {
    return undefined;
  }
  try {
    for (const detail of fieldsOf(bytes, 3)) {
      const type = fieldsOf(detail, 1).at(-1);
      if (type !== undefined && new TextDecoder().decode(type).split("/").at(-1) === CAUSE_TYPE) {
        return ErrorCause.decode(fieldsOf(detail, 2).at(-1) ?? new Uint8Array());
      }
    }
  } catch {
    // Details that are no `google.rpc.Status` say nothing; the code and the text of the status still do.
  }
  return undefined;
}

/**
 * The values of a length-delimited field of a message: enough to read `google.rpc.Status` (details are field 3) and
 * `google.protobuf.Any` (type 1, value 2), which need no stubs for it.
 */
function fieldsOf(message: Uint8Array, number: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const values: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === number && wire === WireType.LengthDelimited) {
      values.push(reader.bytes());
    } else {
      reader.skip(wire, field);
    }
  }
  return values;
}
