// What a session asks for: messages to send, decisions to think about, hooks to call.
//
// Here: plain values, which can be sent from thread to thread, and packing messages into frames. Not here: who makes them
// (`session`), who acts on them (`connection`, `mind`).

import type { Hook, Question, Refusal } from "./bot.js";
import { ClientMessage } from "./gen/lastcard/v1/play_service.js";

/** A decision: its table and its id. */
export interface Key {
  readonly tableId: string;
  readonly decisionId: number;
}

/** Let the bot think, and give its answer to `Session.answered`; with a refusal, correct the former answer. */
export interface Ask {
  readonly type: "ask";
  readonly key: Key;
  readonly decision: Question;
  readonly refusal?: Refusal | undefined;
  /** Indices into `legalActions` that were refused at this decision. */
  readonly refused: readonly number[];
}

/** The bot need not think about a decision any more. */
export interface Withdraw {
  readonly type: "withdraw";
  readonly key: Key;
}

/** Call a hook of the bot. */
export interface Tell {
  readonly type: "tell";
  readonly hook: Hook;
  readonly arguments: readonly unknown[];
}

/** What concerns the bot itself. */
export type Thought = Ask | Withdraw | Tell;

/** Something a bot author should know; `serious` when it points to a fault. */
export interface Log {
  readonly type: "log";
  readonly text: string;
  readonly serious: boolean;
}

/** The stream is open; `maxFrameBytes` and `heartbeatS` hold from now on (0: not stated). */
export interface Welcomed {
  readonly type: "welcomed";
  readonly botName: string;
  readonly serverVersion: string;
  readonly maxFrameBytes: number;
  readonly heartbeatS: number;
}

export type Output =
  | Thought
  | Log
  | Welcomed
  /** Send a message, with whatever else is ready in the same frame. */
  | { readonly type: "send"; readonly message: ClientMessage }
  /** Wait, then call `Session.resend(tableId)` and send what it returns. */
  | { readonly type: "sendLater"; readonly seconds: number; readonly tableId: string }
  /** The server is about to end the stream; reconnect then. */
  | { readonly type: "drain"; readonly secondsLeft: number }
  /** Break the stream off and come back: something that should have come on it did not. */
  | { readonly type: "resume" }
  /** The server speaks a protocol that this client does not know. */
  | { readonly type: "fail"; readonly sentence: string };

/** A message to be sent. */
export function sending(message: NonNullable<ClientMessage["message"]>): Output {
  return { type: "send", message: { message } };
}

/** A hook to be called. */
export function telling(hook: Hook, ...args: unknown[]): Output {
  return { type: "tell", hook, arguments: args };
}

/** A line for the log. */
export function saying(text: string, serious = false): Output {
  return { type: "log", text, serious };
}

/** One text for each decision, to look it up by. */
export function keyText(key: Key): string {
  return `${key.decisionId} of table ${key.tableId}`;
}

/** Messages in as few frames as fit into `maxBytes` each (0: no limit); a single larger one gets its own. */
export function frames(messages: readonly ClientMessage[], maxBytes: number): ClientMessage[][] {
  if (!maxBytes || messages.length < 2) {
    return messages.length ? [[...messages]] : [];
  }
  const packed: ClientMessage[][] = [];
  let size = 0;
  for (const message of messages) {
    const own = ClientMessage.encode(message).finish().length + 6; // tag and length of the repeated field
    const last = packed.at(-1);
    if (last === undefined || size + own > maxBytes) {
      packed.push([message]);
      size = own;
    } else {
      last.push(message);
      size += own;
    }
  }
  return packed;
}
