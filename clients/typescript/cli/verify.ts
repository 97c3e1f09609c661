#!/usr/bin/env node
// Verifies records of games: `lastcard-verify RECORD…`. Exit status 0 when all are right, 1 when one is not, 2 when one
// cannot be read.

import { readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { sha256 } from "../verify/chance.js";
import { verifyFile } from "../verify/record.js";

const USAGE = "usage: lastcard-verify RECORD…    (files NAME.jsonl or NAME.jsonl.gz)";

/** The size of the largest record that is read, so that a compressed one cannot fill the memory. */
const LARGEST = 2 ** 28;

/** Verifies a file, says what came of it, and returns the exit status. */
function verify(path: string): number {
  let bytes: Buffer;
  try {
    if (statSync(path).size > LARGEST) {
      throw new Error(`it has more than ${LARGEST} bytes, so it is no record`);
    }
    bytes = readFileSync(path);
    const isPacked = path.endsWith(".gz") || (bytes[0] === 0x1f && bytes[1] === 0x8b);
    bytes = isPacked ? gunzipSync(bytes, { maxOutputLength: LARGEST }) : bytes;
  } catch (error) {
    console.error(printable(`${path}: cannot be read: ${error instanceof Error ? error.message : error}`));
    return 2;
  }
  const { fault, checked, unchecked } = verifyFile(bytes);
  if (fault !== undefined) {
    console.log(printable(`${path}: line ${fault.line} is wrong: ${fault.sentence}`));
    return 1;
  }
  const not = unchecked.length ? `; not checked: ${unchecked.join(", ")}` : "";
  console.log(`${path}: right; checked: ${checked.join(", ")}${not}; record hash ${recordHash(bytes)}`);
  return 0;
}

/** A record that somebody tampered with must not write to the terminal: signs that are not for reading are escaped. */
function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The SHA-256 of the closing line, to be compared with the ledger or with what a bot was told. */
function recordHash(bytes: Buffer): string {
  const closing = bytes
    .toString("latin1")
    .split("\n")
    .find((line) => line.startsWith('{"closing":'));
  return sha256(Buffer.from(closing ?? "", "latin1")).toString("hex");
}

const paths = process.argv.slice(2);
if (!paths.length || paths.some((path) => path.startsWith("-"))) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = Math.max(...paths.map(verify));
}
