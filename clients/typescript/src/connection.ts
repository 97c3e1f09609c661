// The stream: dials in, keeps it alive, comes back after every disturbance, ends cleanly.
//
// Here: one call of `Play` at a time, its reader, writer and watchdog. Not here: what the messages mean
// (`session`), the bot's thinking (`mind`), what the end of a call means (`endings`).

import { type ChannelOptions, type ClientDuplexStream, credentials, Metadata, type StatusObject } from "@grpc/grpc-js";
import { Backoff } from "./backoff.js";
import { EVENT_HOOKS, type Hook } from "./bot.js";
import { causeOf, type Ending, judge } from "./endings.js";
import {
  type ClientMessage,
  type Hello,
  type PlayRequest,
  type PlayResponse,
  PlayServiceClient,
} from "./gen/lastcard/v1/play_service.js";
import type { Act } from "./gen/lastcard/v1/table.js";
import type { LogSink } from "./log.js";
import type { Mind } from "./mind.js";
import { frames, type Key, type Output, type Welcomed } from "./outputs.js";
import { Session } from "./session.js";
import { BotError, type Settings } from "./settings.js";
import { CLIENT_NAME, CLIENT_VERSION, PROTOCOL_VERSION } from "./version.js";

type Call = ClientDuplexStream<PlayRequest, PlayResponse>;

/** A channel lasts as long as its stream, so that only the waits of `Backoff` count. */
const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
  "grpc.use_local_subchannel_pool": 1,
  // A bot dials the server that it is told, whatever the environment has for browsers.
  "grpc.enable_http_proxy": 0,
};
/** Heartbeats that may fail to come before a stream is given up. */
const MISSED_HEARTBEATS = 3;
/** How long the server may take to welcome the bot before a stream is given up. */
const WELCOME_S = 30;
/** A stream that lasted this long was no failed attempt: the waits begin anew. */
const HELD_S = 10;
/** A bot that has not once connected after so long says what to check. */
const CHECK_S = 10;
/** How long the server may take to end the stream after we have, on the way out. */
const FLUSH_S = 1;

/** What the connection has to know of a bot. */
export interface Profile {
  readonly version: string;
  readonly maxTables: number;
  readonly maxOpenDecisions: number;
  /** The hooks that it has; it is sent events only if it has one for them. */
  readonly hooks: readonly Hook[];
}

/** The passing of time, so that tests need not wait for it. */
export interface Clock {
  /** Seconds of a clock that never goes back. */
  now(): number;
  /** Calls back after so many seconds, unless what is returned is called before. */
  after(seconds: number, callback: () => void): () => void;
}

export const REAL_CLOCK: Clock = {
  now: () => performance.now() / 1000,
  after(seconds, callback) {
    const timer = setTimeout(callback, seconds * 1000);
    return () => clearTimeout(timer);
  },
};

/** A bot's connection to an arena, over as many streams as it takes. */
export class Connection {
  private readonly session: Session;
  private outbox: ClientMessage[] = [];
  private call: Call | undefined;
  private writing = false;
  /** Whether a frame is being taken, whose answers are to leave in one. */
  private reading = false;
  private stopped = false;
  /** Ends the present wait before an attempt. */
  private wake: (() => void) | undefined;
  private known = false;
  private toldToCheck = false;
  private maxFrameBytes = 0;
  private framesRead = 0;
  private failure: string | undefined;
  private endWatch: (() => void) | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly profile: Profile,
    private readonly mind: Mind,
    private readonly log: LogSink,
    private readonly clock: Clock = REAL_CLOCK,
  ) {
    const hello: Hello = {
      protocolVersion: PROTOCOL_VERSION,
      botName: settings.name,
      botVersion: profile.version,
      clientName: CLIENT_NAME,
      clientVersion: CLIENT_VERSION,
      maxTables: profile.maxTables,
      maxOpenDecisions: profile.maxOpenDecisions,
      decisionsOnly: !profile.hooks.some((hook) => EVENT_HOOKS.has(hook)),
      cursors: [],
    };
    this.session = new Session(hello);
  }

  /** Ends the connection: what is ready is still sent, then the stream is closed. */
  stop(): void {
    this.stopped = true;
    this.wake?.();
    const call = this.call;
    if (call !== undefined) {
      this.flush();
      const disarm = this.clock.after(FLUSH_S, () => call.cancel());
      call.once("status", disarm);
    }
  }

  /** Leaves a table for good. */
  leave(tableId: string): void {
    this.post(this.session.leave(tableId));
  }

  /** Takes the bot's answer to a decision. */
  answered(key: Key, act: Act): void {
    this.post(this.session.answered(key, act));
  }

  /** Plays until stopped or until the server is done with the bot; throws `BotError` when it cannot go on. */
  async run(): Promise<void> {
    try {
      this.log("info", `ended: ${await this.play()}`);
    } finally {
      await this.mind.close();
    }
  }

  /** Opens one stream after the other; the sentence with which it ended well. */
  private async play(): Promise<string> {
    const backoff = new Backoff();
    let lastWelcome = this.clock.now();
    while (!this.stopped) {
      const begun = this.clock.now();
      const ending = await this.stream();
      if (this.stopped) {
        break;
      }
      if (ending.next === "finish") {
        return ending.sentence;
      }
      if (ending.next === "fail") {
        throw new BotError(ending.sentence);
      }
      const now = this.clock.now();
      if (this.session.welcomed) {
        lastWelcome = now;
      }
      if (ending.next === "forget") {
        this.perform(this.session.forget());
      }
      if (now - begun >= HELD_S) {
        backoff.reset();
      }
      await this.pause(backoff.nextS(), now - lastWelcome, ending);
    }
    return "stopped";
  }

  /** Waits before the next attempt, or gives up. */
  private async pause(seconds: number, awayS: number, ending: Ending): Promise<void> {
    const { server, giveUpS } = this.settings;
    if (awayS + seconds > giveUpS) {
      throw new BotError(
        `no connection to ${server} for ${awayS.toFixed(0)} s; last: ${ending.sentence}. ` +
          "Is the server running, and is the address right?",
      );
    }
    this.log("warning", `${ending.sentence}; next attempt in ${seconds.toFixed(1)} s`);
    if (awayS >= CHECK_S && !(this.known || this.toldToCheck)) {
      this.toldToCheck = true;
      const left = (giveUpS - awayS).toFixed(0);
      const question = "is an arena running there, and is the address right?";
      this.log("warning", `not connected to ${server} yet; ${question} Giving up in ${left} s`);
    }
    await new Promise<void>((resolve) => {
      const disarm = this.clock.after(seconds, resolve);
      this.wake = () => {
        disarm();
        resolve();
      };
    });
    this.wake = undefined;
  }

  /** Runs one call of `Play` to its end, and judges that. */
  private async stream(): Promise<Ending> {
    const { token } = this.settings;
    const withSecret = !token && this.session.secret !== "";
    const metadata = new Metadata();
    if (token || withSecret) {
      metadata.set("authorization", `Bearer ${token || this.session.secret}`);
    }
    // A channel of its own: a call on that of a stream on which nothing came would go out on the same dead connection.
    const client = new PlayServiceClient(this.settings.server, credentials.createInsecure(), CHANNEL_OPTIONS);
    const call = client.play(metadata);
    this.call = call;
    this.failure = undefined;
    this.writing = false;
    this.outbox = [this.session.openStream()];
    this.watch(call, WELCOME_S / MISSED_HEARTBEATS);
    const over = ended(call);
    call.on("data", (frame: PlayResponse) => this.read(call, frame));
    this.flush();
    const { code, details, metadata: trailing } = await over;
    this.call = undefined;
    this.endWatch?.();
    client.close();
    if (this.failure !== undefined) {
      return { next: "fail", sentence: this.failure };
    }
    const { farewell, draining } = this.session;
    return judge({
      code,
      text: farewell?.text || details,
      cause: causeOf(trailing) ?? farewell?.cause,
      withToken: token !== "",
      withSecret,
      known: this.known,
      draining,
    });
  }

  /** Takes a frame of the server; what is ready when all its messages were taken leaves in one frame. */
  private read(call: Call, frame: PlayResponse): void {
    this.framesRead += 1;
    this.reading = true;
    for (const message of frame.messages) {
      this.perform(this.session.receive(message));
      if (this.failure !== undefined) {
        call.cancel();
        break;
      }
    }
    this.reading = false;
    this.flush();
  }

  private post(outputs: readonly Output[]): void {
    this.perform(outputs);
    this.flush();
  }

  /** Does what the session says. */
  private perform(outputs: readonly Output[]): void {
    for (const output of outputs) {
      switch (output.type) {
        case "send":
          this.outbox.push(output.message);
          break;
        case "ask":
        case "withdraw":
          this.mind.take(output);
          break;
        case "tell":
          if (this.profile.hooks.includes(output.hook)) {
            this.mind.take(output);
          }
          break;
        case "log":
          this.log(output.serious ? "warning" : "info", output.text);
          break;
        case "sendLater":
          this.clock.after(output.seconds, () => this.post(this.session.resend(output.tableId)));
          break;
        case "welcomed":
          this.welcome(output);
          break;
        case "resume":
          this.call?.cancel();
          break;
        case "drain": {
          const left = output.secondsLeft.toFixed(0);
          this.log("warning", `the server shuts down within ${left} s; reconnecting when the stream ends`);
          break;
        }
        case "fail":
          this.failure = output.sentence;
          return;
      }
    }
  }

  /** The stream is open. */
  private welcome({ botName, serverVersion, maxFrameBytes, heartbeatS }: Welcomed): void {
    this.known = true;
    this.maxFrameBytes = maxFrameBytes;
    this.log("info", `connected to ${this.settings.server} (server ${serverVersion}) as ${botName}`);
    if (this.call !== undefined) {
      this.watch(this.call, heartbeatS);
    }
  }

  /** Writes whatever is ready, packed into as few frames as fit; half-closes the stream when stopped. */
  private flush(): void {
    const call = this.call;
    if (call === undefined || this.writing || this.reading) {
      return; // what comes meanwhile leaves with the next frame
    }
    const ready = frames(this.outbox, this.maxFrameBytes);
    this.outbox = [];
    ready.forEach((messages, index) => {
      if (index < ready.length - 1) {
        call.write({ messages });
        return;
      }
      this.writing = true;
      // An error of a write is the end of the call, which is judged by its status.
      call.write({ messages }, () => {
        if (this.call === call) {
          this.writing = false;
          this.flush();
        }
      });
    });
    if (this.stopped && !ready.length) {
      call.end();
    }
  }

  /** Gives a call up when nothing has come for several heartbeats, from now on at this interval (0: not at all).
   *
   * Counts its own rounds, not the time: after a pause of the whole process it gives the reader a chance first.
   */
  private watch(call: Call, heartbeatS: number): void {
    this.endWatch?.();
    this.endWatch = undefined;
    if (!heartbeatS) {
      return;
    }
    let seen = this.framesRead;
    let missed = 0;
    const round = (): void => {
      missed = this.framesRead === seen ? missed + 1 : 0;
      seen = this.framesRead;
      if (missed < MISSED_HEARTBEATS) {
        this.endWatch = this.clock.after(heartbeatS, round);
        return;
      }
      this.log("warning", `nothing came from the server for ${(missed * heartbeatS).toFixed(0)} s`);
      call.cancel();
    };
    this.endWatch = this.clock.after(heartbeatS, round);
  }
}

/** How a call ended, once everything that came before was read. */
function ended(call: Call): Promise<StatusObject> {
  return new Promise((resolve) => {
    let outcome: StatusObject | undefined;
    let read = false;
    const check = (): void => {
      if (outcome !== undefined && read) {
        resolve(outcome);
      }
    };
    call.on("status", (finished: StatusObject) => {
      outcome = finished;
      check();
    });
    for (const last of ["end", "close"]) {
      call.on(last, () => {
        read = true;
        check();
      });
    }
    // Without a listener the error would end the program; the status that follows says the same.
    call.on("error", () => {});
  });
}
