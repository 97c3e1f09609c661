// A bot whose thought lasts until a line comes on stdin: it says `thinking` on stdout and holds its whole thread.

import { readSync, writeSync } from "node:fs";
import { Bot, run } from "lastcard-bot";

class Blocking extends Bot {
  override maxOpenDecisions = 0;

  override choose(): number {
    writeSync(1, "thinking\n");
    readSync(0, Buffer.alloc(1));
    return 1;
  }
}

await run(new Blocking());
