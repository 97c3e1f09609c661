// A clock on which short waits are over at once and long ones when a test says so.

import type { Clock } from "../src/connection.js";

/** Waits shorter than this are over at once: the first waits before an attempt, and the one with what came too fast. */
const SHORT_S = 0.9;

export class TestClock implements Clock {
  private time = 0;
  private readonly waits = new Set<{ seconds: number; callback: () => void }>();

  now(): number {
    return this.time;
  }

  after(seconds: number, callback: () => void): () => void {
    const wait = { seconds, callback };
    this.waits.add(wait);
    if (seconds < SHORT_S) {
      setImmediate(() => this.end(wait));
    }
    return () => this.waits.delete(wait);
  }

  /** Ends the waits of this length; how many there were. */
  pass(seconds: number): number {
    const over = [...this.waits].filter((wait) => wait.seconds === seconds);
    for (const wait of over) {
      this.end(wait);
    }
    return over.length;
  }

  /** Ends every wait as soon as it begins. */
  hurry(): void {
    this.after = (seconds, callback) => {
      const wait = { seconds, callback };
      this.waits.add(wait);
      setImmediate(() => this.end(wait));
      return () => this.waits.delete(wait);
    };
  }

  private end(wait: { seconds: number; callback: () => void }): void {
    if (this.waits.delete(wait)) {
      this.time += wait.seconds;
      wait.callback();
    }
  }
}
