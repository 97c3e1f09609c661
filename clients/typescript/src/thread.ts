// The stream in a thread of its own, so that it stays alive while the bot thinks.
//
// Here: the main thread's side, and the messages between the two. `transport` is the other side.

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Bot } from "./bot.js";
import type { Profile } from "./connection.js";
import type { Act } from "./gen/lastcard/v1/table.js";
import type { Level, LogSink } from "./log.js";
import { LocalMind } from "./mind.js";
import type { Key, Thought } from "./outputs.js";
import type { Player } from "./player.js";
import { BotError, type Settings } from "./settings.js";

/** What the thread of the stream is started with. */
export interface Start {
  readonly port: MessagePort;
  readonly settings: Settings;
  readonly profile: Profile;
}

/** What the thread of the stream says. */
export type FromStream =
  | Thought
  | { readonly type: "logged"; readonly level: Level; readonly text: string }
  | { readonly type: "ended" }
  | { readonly type: "failed"; readonly sentence: string };

/** What the bot's thread says. */
export type ToStream =
  | { readonly type: "answered"; readonly key: Key; readonly act: Act }
  | { readonly type: "leave"; readonly tableId: string }
  | { readonly type: "stop" };

/** Plays a bot of this thread over a stream in another one. */
export class ThreadedPlayer implements Player {
  private readonly port: MessagePort;
  private readonly worker: Worker;
  private readonly mind: LocalMind;

  constructor(
    bot: Bot,
    settings: Settings,
    profile: Profile,
    private readonly log: LogSink,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const start: Start = { port: port2, settings, profile };
    this.worker = new Worker(new URL("./transport.js", import.meta.url), { workerData: start, transferList: [port2] });
    this.mind = new LocalMind(
      bot,
      (key, act) => this.say({ type: "answered", key, act }),
      log,
      () => this.catchUp(),
    );
  }

  /** What came and is not handled yet; the end of the stream stays here until all before it is. */
  private end: FromStream | undefined;
  private due = false;
  private settle: ((end: FromStream) => void) | undefined;

  run(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const settle = async (outcome: () => void): Promise<void> => {
        await this.mind.close();
        this.port.close();
        await this.worker.terminate(); // a connection that is dead may not end by itself
        outcome();
      };
      this.settle = (end) => {
        this.settle = undefined;
        void settle(() => (end.type === "failed" ? reject(new BotError(end.sentence)) : resolve()));
      };
      this.port.on("message", (message: FromStream) => {
        this.hear(message);
        this.workSoon();
      });
      this.worker.on("error", (error) => void settle(() => reject(error)));
    });
  }

  stop(): void {
    this.mind.drop();
    this.say({ type: "stop" });
  }

  leave(tableId: string): void {
    this.say({ type: "leave", tableId });
  }

  private say(message: ToStream): void {
    this.port.postMessage(message);
  }

  /** Lets the bot think, after signals that came together with the news: they are heard before a thought holds all up. */
  private workSoon(): void {
    if (this.due) {
      return;
    }
    this.due = true;
    setImmediate(() => {
      this.due = false;
      this.mind.work();
      if (this.end !== undefined) {
        this.settle?.(this.end);
      }
    });
  }

  /** Takes what came while the bot was thinking: a decision may have been withdrawn before its turn. */
  private catchUp(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.port);
      if (received === undefined) {
        return;
      }
      this.hear(received.message as FromStream);
    }
  }

  private hear(message: FromStream): void {
    switch (message.type) {
      case "logged":
        this.log(message.level, message.text);
        break;
      case "ended":
      case "failed":
        this.end = message;
        this.workSoon();
        break;
      default:
        this.mind.note(message);
    }
  }
}
