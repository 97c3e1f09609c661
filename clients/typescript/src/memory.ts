// What a session remembers of tables and decisions, over all its streams.
//
// Not here: what is made of it (`session`).

import type { Question } from "./bot.js";
import type { Act } from "./gen/lastcard/v1/table.js";

/** Answers and receipts of closed decisions that are remembered for each table in case the server repeats one. */
export const KEPT_ANSWERS = 64;
/** Closed tables that are remembered in case the server repeats their end. */
export const KEPT_TABLES = 1024;

/** A decision that is not closed: `act` is unset while the bot thinks. */
export class Open {
  act: Act | undefined;
  /** How often `act` was sent and is not judged yet. */
  unjudged = 0;
  /** Indices that were refused. */
  refused: readonly number[] = [];
  /** Calls and catches by themselves so far. */
  apart = 0;

  constructor(
    public decision: Question,
    public stream: number,
  ) {}
}

/** What is remembered of a table. */
export class Table {
  seat: number | undefined;
  cursor: number | undefined;
  /** The last event before one that did not come; it has been asked for once by coming back. */
  gap: number | undefined;
  readonly open = new Map<number, Open>();
  readonly answers = new Recent<number, Act>(KEPT_ANSWERS);
  readonly receipts = new Recent<number, true>(KEPT_ANSWERS);
}

/** A map of bounded size that forgets what was set longest ago. */
export class Recent<K, V> {
  private readonly entries = new Map<K, V>();

  constructor(private readonly most: number) {}

  has(key: K): boolean {
    return this.entries.has(key);
  }

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.most) {
        break;
      }
      this.entries.delete(oldest);
    }
  }

  clear(): void {
    this.entries.clear();
  }
}
