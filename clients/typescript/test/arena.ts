// A `PlayService` on a real port that does exactly what a test tells it: the other end for tests of the SDK.

import assert from "node:assert/strict";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, type status } from "@grpc/grpc-js";
import { DETAILS_KEY } from "../src/endings.js";
import {
  type ClientMessage,
  type Hello,
  type PlayRequest,
  type PlayResponse,
  PlayServiceService,
  type ServerMessage,
  Welcome,
} from "../src/gen/lastcard/v1/play_service.js";
import { ErrorCause, ProtocolReason } from "../src/gen/lastcard/v1/reason.js";

type Told = NonNullable<ClientMessage["message"]>;
type Case<C extends Told["$case"]> = Extract<Told, { $case: C }>["value"];

/** Longest that a test waits for anything; far above what is ever needed, so that it only bounds failures. */
const BOUND_MS = 120_000;

/** Things that come one after the other, and may be waited for. */
export class Queue<T> {
  private readonly items: T[] = [];
  private readonly takers: ((item: T) => void)[] = [];

  put(item: T): void {
    const taker = this.takers.shift();
    if (taker === undefined) {
      this.items.push(item);
    } else {
      taker(item);
    }
  }

  take(what: string): Promise<T> {
    if (this.items.length) {
      return Promise.resolve(this.items.shift() as T);
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${what} within ${BOUND_MS} ms`)), BOUND_MS);
      this.takers.push((item) => {
        clearTimeout(timer);
        resolve(item);
      });
    });
  }

  get empty(): boolean {
    return this.items.length === 0;
  }
}

/** One call of `Play` as the test sees it. */
export class Stream {
  readonly frames: PlayRequest[] = [];
  readonly metadata: Record<string, unknown>;
  /** Resolves when the bot has half-closed or broken off the stream. */
  readonly over: Promise<void>;
  private readonly received = new Queue<Told | undefined>();

  constructor(private readonly call: ServerDuplexStream<PlayRequest, PlayResponse>) {
    this.metadata = call.metadata.getMap();
    call.on("data", (frame: PlayRequest) => {
      this.frames.push(frame);
      for (const { message } of frame.messages) {
        this.received.put(message);
      }
    });
    this.over = new Promise((resolve) => {
      for (const end of ["end", "cancelled"]) {
        call.on(end, () => {
          this.received.put(undefined);
          resolve();
        });
      }
    });
    call.on("error", () => {}); // a stream that the bot breaks off
  }

  /** The next message of the bot; nothing when it has half-closed or cancelled the stream. */
  next(): Promise<Told | undefined> {
    return this.received.take("message of the bot");
  }

  /** The next message of the bot, which must be of this kind. */
  async expect<C extends Told["$case"]>($case: C): Promise<Case<C>> {
    const message = await this.next();
    assert.equal(message?.$case, $case, `${JSON.stringify(message)} instead of a ${$case}`);
    return message?.value as Case<C>;
  }

  /** Takes the `Hello` and welcomes the bot; further messages go out in the same frame. */
  async open(more: Partial<Welcome> = {}, ...messages: ServerMessage[]): Promise<Hello> {
    const hello = await this.expect("hello");
    const value = Welcome.fromPartial({ sessionId: "s", botName: hello.botName, protocolVersion: 1, ...more });
    this.send({ message: { $case: "welcome", value } }, ...messages);
    return hello;
  }

  /** The next answers: table, decision and choice of each. */
  async acts(count: number): Promise<unknown[][]> {
    const acts = [];
    for (let number = 0; number < count; number += 1) {
      const act = await this.expect("act");
      acts.push([act.tableId, act.decisionId, act.answer?.value]);
    }
    return acts;
  }

  /** Sends messages in one frame. */
  send(...messages: ServerMessage[]): void {
    this.call.write({ messages });
  }

  /** Ends the stream well. */
  end(): void {
    this.call.end();
  }

  /** Ends the stream for a reason of the transport. */
  endFor(code: status, reason?: keyof typeof ProtocolReason, text = "because"): void {
    const metadata = new Metadata();
    if (reason !== undefined) {
      metadata.set(DETAILS_KEY, details(code, text, { protocolReason: ProtocolReason[reason] }));
    }
    this.call.emit("error", { code, details: text, metadata });
  }
}

/** A `google.rpc.Status` with an `ErrorCause`. */
export function details(code: status, text: string, cause: Partial<ErrorCause>): Buffer {
  const bytes = ErrorCause.encode(ErrorCause.fromPartial(cause)).finish();
  const any = new BinaryWriter().uint32(10).string("type.googleapis.com/lastcard.v1.ErrorCause");
  any.uint32(18).bytes(bytes);
  return Buffer.from(
    new BinaryWriter().uint32(8).int32(code).uint32(18).string(text).uint32(26).bytes(any.finish()).finish(),
  );
}

/** The server: `address`, and the streams in the order in which bots opened them. */
export class ScriptedArena {
  address = "";
  private readonly streams = new Queue<Stream>();
  private readonly server = new Server({ "grpc.max_receive_message_length": 64 * 1024 * 1024 });

  async start(port = 0): Promise<this> {
    this.server.addService(PlayServiceService, {
      play: (call: ServerDuplexStream<PlayRequest, PlayResponse>) => this.streams.put(new Stream(call)),
    });
    const bound = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) =>
        error ? reject(error) : resolve(at),
      );
    });
    this.address = `127.0.0.1:${bound}`;
    return this;
  }

  /** The next stream that a bot opens. */
  stream(): Promise<Stream> {
    return this.streams.take("stream");
  }

  /** Whether no further stream was opened. */
  get quiet(): boolean {
    return this.streams.empty;
  }

  /** Vanishes, with all connections. */
  stop(): void {
    this.server.forceShutdown();
  }
}
