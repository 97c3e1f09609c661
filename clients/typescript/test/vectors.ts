// The conformance vectors, read with this client's own stubs.

import { readFileSync } from "node:fs";

/** A file of vectors, as one of the messages of `lastcard.conformance.v1`. */
export function vectors<T>(message: { fromJSON(value: unknown): T }, name: string): T {
  const path = new URL(`../../../../tests/conformance/vectors/${name}.json`, import.meta.url);
  return message.fromJSON(JSON.parse(readFileSync(path, "utf8")));
}

export function bytes(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
