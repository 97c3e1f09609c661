// A bot that listens to every event and thinks about all its decisions at once, each for a while.

import { setTimeout } from "node:timers/promises";
import { type Action, Bot, type Event, run, type TableClosed, type View } from "lastcard-bot";

const THINKS_MS = 300;

class ListeningBot extends Bot {
  override maxOpenDecisions = 0;
  /** How many cards each seat has played, by table. */
  private readonly played = new Map<string, number[]>();

  override async choose(view: View, legalActions: readonly Action[], signal: AbortSignal): Promise<number> {
    await setTimeout(THINKS_MS, undefined, { signal }); // a model's server, another process, …
    const cards = view.handCounts.reduce((sum, count) => sum + count, 0);
    return cards % legalActions.length;
  }

  override onEvent(tableId: string, { event }: Event): void {
    if (event?.$case === "cardPlayed") {
      const counts = this.played.get(tableId) ?? [];
      counts[event.value.seat] = (counts[event.value.seat] ?? 0) + 1;
      this.played.set(tableId, counts);
    }
  }

  override onTableClosed({ tableId }: TableClosed): void {
    console.log(`${tableId} is over; cards played by seat: ${JSON.stringify(this.played.get(tableId) ?? [])}`);
    this.played.delete(tableId);
  }
}

await run(new ListeningBot());
