// The thread of the stream: runs a `Connection`, whose mind is in the thread that started it. Not to be imported.

import { workerData } from "node:worker_threads";
import { Connection } from "./connection.js";
import type { Mind } from "./mind.js";
import { BotError } from "./settings.js";
import type { FromStream, Start, ToStream } from "./thread.js";

const { port, settings, profile } = workerData as Start;

function say(message: FromStream): void {
  port.postMessage(message);
}

const mind: Mind = {
  take: say,
  async close() {}, // the other thread lets its bot end
};
const connection = new Connection(settings, profile, mind, (level, text) => say({ type: "logged", level, text }));

port.on("message", (message: ToStream) => {
  switch (message.type) {
    case "answered":
      connection.answered(message.key, message.act);
      break;
    case "leave":
      connection.leave(message.tableId);
      break;
    case "stop":
      connection.stop();
      break;
  }
});

try {
  await connection.run();
  say({ type: "ended" });
} catch (error) {
  if (!(error instanceof BotError)) {
    throw error;
  }
  say({ type: "failed", sentence: error.message });
}
port.close();
