// Events one after the other, as rules that wait for them see them.

import type { Event } from "../src/gen/lastcard/v1/event.js";
import { Wrong } from "./deal.js";

/** What an event tells. */
export type Told = NonNullable<Event["event"]>;
export type Case = Told["$case"];
export type Value<C extends Case> = Extract<Told, { $case: C }>["value"];

/** Rules as a course of events: yields to be given the next one, and whether the events may break off before it. */
export type Course<T> = Generator<boolean, T, Told>;

/** The next event, which must follow. */
export function* next(): Course<Told> {
  return yield false;
}

/** The next event, which somebody brings about; the events may break off before it. */
export function* awaited(): Course<Told> {
  return yield true;
}

/** The next event, which must be of this kind. */
export function* expect<C extends Case>($case: C): Course<Value<C>> {
  const told = yield* next();
  if (told.$case !== $case) {
    throw new Wrong(`${words($case)} must follow, not ${words(told.$case)}`);
  }
  return told.value as Value<C>;
}

export function words($case: Case): string {
  return $case.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Throws unless two values of an event are the same. */
export function same(what: string, told: unknown, right: unknown): void {
  if (String(told) !== String(right)) {
    throw new Wrong(`${what} must be ${String(right)}, not ${String(told)}`);
  }
}
