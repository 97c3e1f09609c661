// Events as protobuf-JSON, as records write them, by the description of the messages that the build makes.

import { readFileSync } from "node:fs";
import { createFileRegistry, type DescMessage, fromBinary, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Event } from "../src/gen/lastcard/v1/event.js";

const DESCRIPTION = new URL("../lastcard.binpb", import.meta.url);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTION)));

function described(name: string): DescMessage {
  const message = registry.getMessage(name);
  if (message === undefined) {
    throw new Error(`the description of the messages has no ${name}; build anew`);
  }
  return message;
}

const EVENT = described("lastcard.v1.Event");

/** The one way in which a record writes an event; throws for what is none. */
export function canonicalEvent(value: JsonValue): JsonValue {
  return canonical(EVENT, value);
}

/** A message of a described type with original names, all fields in the order of their numbers. */
function canonical(message: DescMessage, value: JsonValue): JsonValue {
  const read = fromJson(message, value, { registry });
  return toJson(message, read, { registry, alwaysEmitImplicit: true, useProtoFieldName: true });
}

/** The event that JSON tells. */
export function eventOf(value: JsonValue): Event {
  return Event.fromJSON(value);
}
