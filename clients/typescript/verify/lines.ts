// The lines of a record: what each holds, whether it is written as it must be, and the chain of their hashes.
//
// As server/docs/record.md says. Not here: the game that they tell (`match`).

import type { JsonValue } from "@bufbuild/protobuf";
import type { Event } from "../src/gen/lastcard/v1/event.js";
import { sha256 } from "./chance.js";
import { Wrong } from "./deal.js";
import { Rules } from "./rules.js";
import { canonicalEvent, eventOf } from "./schema.js";

export interface Header {
  readonly rules: Rules;
  readonly perSeat: boolean;
  readonly disguise: boolean;
  readonly bots: readonly string[];
  /** The first round's commitment, hexadecimal. */
  readonly commitment: string;
}

export interface Reveal {
  readonly salt: Uint8Array;
  readonly seeds: readonly Uint8Array[];
}

/** What the lines of a record hold, as far as they can be read. */
export interface Content {
  readonly header: Header | undefined;
  readonly events: readonly Event[];
  readonly closing: { events: number; complete: boolean } | undefined;
  readonly reveal: Reveal | undefined;
}

/** A wrong line, counted from 1, and what is wrong with it. */
export interface Fault {
  readonly line: number;
  readonly sentence: string;
}

interface Parsed {
  readonly kind: "header" | "event" | "closing" | "reveal";
  readonly value: Record<string, JsonValue>;
  readonly previous: string | undefined;
}

const HASH = /^[0-9a-f]{64}$/;

/** Reads lines without their line feeds, up to the first that is wrong. */
export function read(lines: readonly string[]): { content: Content; fault: Fault | undefined } {
  const reader = new Reader();
  for (const [index, line] of lines.entries()) {
    try {
      reader.take(line);
    } catch (error) {
      return { content: reader, fault: { line: index + 1, sentence: sentenceOf(error) } };
    }
  }
  const fault = reader.closing ? undefined : { line: lines.length + 1, sentence: "the closing line is missing" };
  return { content: reader, fault };
}

/**
 * The line that breaks the chain, if one does; `alone` is a line that is wrong by itself.
 *
 * The least line whose `previous` is not the hash of the line before was changed itself, if the next link is broken too,
 * if it is the last, or if it is wrong by itself; otherwise it was the line before.
 */
export function brokenLink(lines: readonly string[], alone: number | undefined): Fault | undefined {
  const broken = (index: number): boolean => {
    const right = sha256(Buffer.from(lines[index - 1] as string, "latin1")).toString("hex");
    return previousOf(lines[index] as string) !== right;
  };
  for (let index = 1; index < lines.length; index += 1) {
    if (broken(index)) {
      const itself = index + 1 === lines.length || index + 1 === alone || broken(index + 1);
      const line = itself ? index + 1 : index;
      return { line, sentence: `the chain of hashes breaks: line ${line} is not what it was when it was written` };
    }
  }
  return undefined;
}

function previousOf(line: string): string | undefined {
  return /,"previous":"([0-9a-f]{64})"\}$/.exec(line)?.[1];
}

/** JSON as records write it: ASCII without blanks. The order of a map is its own, also that of names like `10` and `9`. */
export function written(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(written).join()}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return `{${entries.map(([name, one]) => `${written(name)}:${written(one)}`).join()}}`;
  }
  return JSON.stringify(value).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function sentenceOf(error: unknown): string {
  if (error instanceof Wrong || error instanceof RangeError) {
    return error.message;
  }
  throw error;
}

class Reader implements Content {
  header: Header | undefined;
  readonly events: Event[] = [];
  closing: { events: number; complete: boolean } | undefined;
  reveal: Reveal | undefined;

  take(line: string): void {
    const { kind, value, previous } = parsed(line);
    if ((kind === "header") !== (previous === undefined)) {
      throw new Wrong(kind === "header" ? "a header has no `previous`" : `${kind} needs a \`previous\` of 64 digits`);
    }
    this.checkPlace(kind);
    const canonical = this.takeValue(kind, value);
    const right = written({ [kind]: canonical, ...(previous === undefined ? {} : { previous }) });
    if (line !== right) {
      throw new Wrong("the line is not written as records are: no blanks, all fields, in their order");
    }
  }

  private checkPlace(kind: Parsed["kind"]): void {
    const wanted =
      this.header === undefined ? ["header"] : this.closing === undefined ? ["event", "closing"] : ["reveal"];
    if (this.reveal !== undefined || !wanted.includes(kind)) {
      const valid = this.reveal === undefined ? wanted.join(" or ") : "nothing";
      throw new Wrong(`${kind} stands where there must be ${valid}`);
    }
  }

  /** Takes what a line holds; how it must be written. */
  private takeValue(kind: Parsed["kind"], value: Record<string, JsonValue>): unknown {
    switch (kind) {
      case "header":
        return this.takeHeader(value);
      case "event":
        return this.takeEvent(value);
      case "closing":
        return this.takeClosing(value);
      case "reveal":
        return this.takeReveal(value);
    }
  }

  private takeHeader(value: Record<string, JsonValue>): unknown {
    const { format, preset, draws, disguise, reactions, commitment } = value;
    const options = texts(value.options, "options");
    const labels = texts(value.labels, "labels");
    const bots = value.bots;
    oneOf("format", format, [1, 2]);
    oneOf("draws", draws, ["pile", "per_seat"]);
    oneOf("reactions", reactions, ["sealed", "open"]);
    oneOf("disguise", disguise, format === 2 ? [true] : [undefined]);
    if (typeof preset !== "string" || !Array.isArray(bots) || bots.some((name) => typeof name !== "string")) {
      throw new Wrong("the header needs a preset and the names of the bots");
    }
    if (typeof commitment !== "string" || !(commitment === "" || HASH.test(commitment))) {
      throw new Wrong("the commitment must be 64 hexadecimal digits, or empty");
    }
    const rules = new Rules(preset, options);
    const cards = bots.length * rules.number("hand_size") + 1;
    if (bots.length < rules.number("min_players") || bots.length > rules.number("max_players")) {
      throw new Wrong(`${bots.length} bots cannot play by these rules`);
    }
    if (cards > rules.deck.length) {
      throw new Wrong(`${cards} cards would have to be dealt, of ${rules.deck.length}`);
    }
    const names = bots.map(String);
    this.header = { rules, perSeat: draws === "per_seat", disguise: format === 2, bots: names, commitment };
    return {
      format: format as number,
      preset,
      options: ordered(options),
      draws: draws as string,
      ...(format === 2 ? { disguise: true } : {}),
      reactions: reactions as string,
      bots: names,
      labels: ordered(labels),
      commitment,
    };
  }

  private takeEvent(value: JsonValue): JsonValue {
    let canonical: JsonValue;
    try {
      canonical = canonicalEvent(value);
    } catch (error) {
      throw new Wrong(`this is no event: ${error instanceof Error ? error.message : error}`);
    }
    const event = eventOf(canonical);
    if (event.event === undefined) {
      throw new Wrong("the event tells nothing");
    }
    if (event.sequence !== this.events.length + 1) {
      throw new Wrong(`event ${this.events.length + 1} must stand here, not ${event.sequence}`);
    }
    this.events.push(event);
    return canonical;
  }

  private takeClosing({ events, complete }: Record<string, JsonValue>): JsonValue {
    oneOf("events", events, [this.events.length]);
    oneOf("complete", complete, [this.events.at(-1)?.event?.$case === "matchEnded"]);
    this.closing = { events: events as number, complete: complete as boolean };
    return { events: events as number, complete: complete as boolean };
  }

  private takeReveal({ salt, seeds }: Record<string, JsonValue>): JsonValue {
    if (!isHex(salt) || !Array.isArray(seeds) || !seeds.every(isHex)) {
      throw new Wrong("salt and seeds must be 64 hexadecimal digits each");
    }
    this.reveal = { salt: Buffer.from(salt, "hex"), seeds: seeds.map((seed) => Buffer.from(seed, "hex")) };
    return { salt, seeds };
  }
}

function parsed(line: string): Parsed {
  let value: JsonValue;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Wrong("the line is no JSON");
  }
  if (isObject(value)) {
    for (const kind of ["header", "event", "closing", "reveal"] as const) {
      const content = Object.hasOwn(value, kind) ? value[kind] : undefined;
      if (isObject(content)) {
        const { previous } = value;
        return { kind, value: content, previous: isHex(previous) ? previous : undefined };
      }
    }
  }
  throw new Wrong("the line is no header, event, closing line or reveal");
}

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHex(value: JsonValue | undefined): value is string {
  return typeof value === "string" && HASH.test(value);
}

function texts(value: JsonValue | undefined, what: string): Record<string, string> {
  if (!isObject(value) || Object.values(value).some((text) => typeof text !== "string")) {
    throw new Wrong(`${what} must be texts by name`);
  }
  return value as Record<string, string>;
}

function oneOf(what: string, value: unknown, valid: readonly unknown[]): void {
  if (!valid.includes(value)) {
    const shown = (one: unknown): string => (one === undefined ? "left out" : written(one));
    throw new Wrong(`${what} must be ${valid.map(shown).join(" or ")}, not ${shown(value)}`);
  }
}

/** By name, in the order of their code points. */
function ordered(named: Record<string, string>): ReadonlyMap<string, string> {
  const byCodePoints = ([one]: [string, string], [other]: [string, string]): number =>
    Buffer.compare(Buffer.from(one, "utf8"), Buffer.from(other, "utf8"));
  return new Map(Object.entries(named).sort(byCodePoints));
}
