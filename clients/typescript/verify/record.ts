// Verifying a whole record, and saying in words what was checked and what was not.

import { commitment, RoundChance } from "./chance.js";
import { SeededStock, Wrong } from "./deal.js";
import { brokenLink, type Content, type Fault, type Header, type Reveal, read, sentenceOf } from "./lines.js";
import { Match } from "./match.js";

/** What came of verifying a record. */
export interface Verdict {
  /** The first wrong line; nothing when all is right. */
  readonly fault: Fault | undefined;
  /** What was checked, and what could not be, in words. */
  readonly checked: readonly string[];
  readonly unchecked: readonly string[];
}

/** Verifies the bytes of a record file. */
export function verifyFile(bytes: Uint8Array): Verdict {
  const text = Buffer.from(bytes).toString("latin1");
  const lines = text.split("\n");
  if (lines.pop() !== "") {
    const sentence = "the line is not ended by a line feed";
    return faulty(first(verifyLines(lines).fault, { line: lines.length + 1, sentence }) as Fault);
  }
  return verifyLines(lines);
}

/** Verifies the lines of a record, without their line feeds. */
export function verifyLines(lines: readonly string[]): Verdict {
  const { content, fault: alone } = read(lines);
  const { header, reveal } = content;
  const replayed = replay(content, () => undefined);
  const chance = header && reveal && proof(content, header, reveal);
  const found = [alone, brokenLink(lines, alone?.line), replayed, chance];
  const fault = first(...found, headed(content, found));
  if (fault !== undefined) {
    return faulty(fault);
  }
  const checked = ["lines and their chain", `${content.events.length} events by the rules`];
  const unchecked: string[] = [];
  if (header?.rules.listsCards) {
    unchecked.push("whether the options list cards in the shortest way");
  }
  if (reveal === undefined) {
    unchecked.push("the chance: it is not revealed yet");
  } else {
    checked.push("commitments, deals and every card drawn");
  }
  return { fault, checked, unchecked };
}

function faulty(fault: Fault): Verdict {
  return { fault, checked: [], unchecked: [] };
}

function first(...faults: (Fault | undefined)[]): Fault | undefined {
  const found = faults.filter((fault) => fault !== undefined);
  return found.sort((one, other) => one.line - other.line)[0];
}

/** Plays the events again; the first that the rules do not give. */
function replay(
  { header, events, closing }: Content,
  chance: (round: number) => RoundChance | undefined,
): Fault | undefined {
  if (header === undefined) {
    return undefined;
  }
  const { rules, bots, perSeat } = header;
  const match = new Match({ rules, seats: bots.length, perSeat, chance });
  for (const [index, { event }] of events.entries()) {
    try {
      if (event !== undefined) {
        match.take(event);
      }
    } catch (error) {
      return { line: index + 2, sentence: sentenceOf(error) };
    }
  }
  if (closing && !match.over && !match.isResting) {
    return { line: events.length + 2, sentence: "the events end where more must follow" };
  }
  return undefined;
}

/**
 * Holds the header's commitment against that of the first round. Where they differ the header is wrong, unless that
 * round's line is, or seed and salt give what the header says.
 */
function headed(
  { header, events, closing, reveal }: Content,
  found: readonly (Fault | undefined)[],
): Fault | undefined {
  const round = events.find(({ event }) => event?.$case === "roundStarted")?.event;
  const line = events.findIndex(({ event }) => event?.$case === "roundStarted") + 2;
  const told = round?.$case === "roundStarted" ? Buffer.from(round.value.commitment).toString("hex") : "";
  const seed = reveal?.seeds[0];
  const proved = reveal && seed && commitment(seed, reveal.salt).toString("hex");
  const isWrong = round !== undefined && found.some((fault) => fault?.line === line);
  if (header === undefined || [told, proved].includes(header.commitment) || isWrong || !(round || closing)) {
    return undefined;
  }
  return { line: 1, sentence: `the commitment must be that of the first round, '${told}', not '${header.commitment}'` };
}

/** Holds seeds and salt against commitments and cards. */
function proof(content: Content, header: Header, reveal: Reveal): Fault | undefined {
  const last = content.events.length + 3;
  const begun = content.events.flatMap(({ sequence, event }) =>
    event?.$case === "roundStarted" ? [{ line: sequence + 1, value: event.value }] : [],
  );
  if (begun.length !== reveal.seeds.length) {
    return { line: last, sentence: `${begun.length} rounds began, and ${reveal.seeds.length} seeds are revealed` };
  }
  const chances = reveal.seeds.map(
    (seed) => new RoundChance(seed, header.rules.deck, header.disguise ? reveal.salt : undefined),
  );
  const fits = begun.map(({ value }, index) => ({
    commitment: commitment(reveal.seeds[index] as Uint8Array, reveal.salt).equals(value.commitment),
    hands: givesHands(header, chances[index] as RoundChance, value),
  }));
  const neither = fits.findIndex((fit) => !fit.commitment && !fit.hands);
  if (neither >= 0) {
    return { line: last, sentence: `the seed of round ${neither + 1} gives neither its commitment nor its hands` };
  }
  const promised = reveal.seeds[0] && commitment(reveal.seeds[0], reveal.salt).toString("hex");
  if (fits.length && fits.every((fit) => !fit.commitment) && promised !== header.commitment) {
    return { line: last, sentence: "the salt fits no commitment" };
  }
  const wrong = fits.findIndex((fit) => !fit.commitment);
  const line = begun[wrong]?.line;
  const committed = line && { line, sentence: "seed and salt do not give this commitment" };
  return first(
    committed || undefined,
    replay(content, (round) => chances[round - 1]),
  );
}

function givesHands(
  header: Header,
  chance: RoundChance,
  value: { handCounts: number[]; hands: { seat: number; cards: number[] }[] },
): boolean {
  const active = value.handCounts.flatMap((count, seat) => (count ? [seat] : []));
  try {
    const dealt = new SeededStock(header.rules, chance, header.perSeat).deal(active);
    return value.hands.every(({ seat, cards }) => {
      const faces = (dealt.get(seat) ?? []).map((id) => header.rules.deck[id] as number);
      return faces.sort((one, other) => one - other).join() === cards.join();
    });
  } catch (error) {
    if (error instanceof Wrong) {
      return false;
    }
    throw error;
  }
}
