// How a bot is made to think: calling its methods, and turning whatever happens into an answer.
//
// Not here: what is asked and when (`session`, `connection`), the thread of the stream (`thread`).
//
// A bot that throws or returns nonsense still answers: the fault is logged and another legal action taken, since a defect
// in one position should not cost a match.

import { actFor, BadReplyError, fallback } from "./answers.js";
import { type Bot, ownRefusal, type Reply } from "./bot.js";
import type { Act } from "./gen/lastcard/v1/table.js";
import type { LogSink } from "./log.js";
import { type Ask, type Key, keyText, type Tell, type Thought } from "./outputs.js";

/** How long a bot may take, when its connection has ended, with what it was told before: the end of its last table. */
const CLOSE_S = 1;

/** Lets one bot think. */
export interface Mind {
  /** Takes a decision to be thought about, one to be thought about no more, or a hook to be called; in this order. */
  take(thought: Thought): void;
  /** Ends all thinking, after the hooks that were called for before. */
  close(): Promise<void>;
}

/** Takes an answer. */
export type Answered = (key: Key, act: Act) => void;

/** Calls a bot in this thread: hooks one after the other, decisions as their turn comes. */
export class LocalMind implements Mind {
  private readonly jobs: (Ask | Tell)[] = [];
  /** Decisions not answered yet. */
  private readonly waiting = new Map<string, { ask: Ask; abort: AbortController }>();
  private busy = false;
  private dropped = false;
  private idle: (() => void) | undefined;

  /**
   * `between` is called before each job: news that came meanwhile may withdraw it. With it the program is given a breath
   * after each decision, so that it hears of signals.
   */
  constructor(
    private readonly bot: Bot,
    private readonly answered: Answered,
    private readonly log: LogSink,
    private readonly between?: () => void,
  ) {}

  take(thought: Thought): void {
    this.note(thought);
    this.work();
  }

  /** Takes a thought without beginning to work on it. */
  note(thought: Thought): void {
    if (thought.type === "withdraw") {
      const name = keyText(thought.key);
      this.waiting.get(name)?.abort.abort();
      this.waiting.delete(name);
      return;
    }
    if (thought.type === "ask") {
      if (this.dropped) {
        return;
      }
      this.waiting.set(keyText(thought.key), { ask: thought, abort: new AbortController() });
    }
    this.jobs.push(thought);
  }

  /** Thinks about no decision any more, now or later; hooks are called as before. */
  drop(): void {
    this.dropped = true;
    for (const { abort } of this.waiting.values()) {
      abort.abort();
    }
    this.waiting.clear();
  }

  async close(): Promise<void> {
    this.drop();
    if (this.busy || this.jobs.length) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.idle = resolve;
        timer = setTimeout(resolve, CLOSE_S * 1000);
        this.work();
      });
      clearTimeout(timer);
    }
  }

  /** Does what is to be done until a hook has to be waited for. */
  work(): void {
    if (this.busy) {
      return;
    }
    this.busy = true;
    for (;;) {
      this.between?.();
      const job = this.jobs.shift();
      if (job === undefined) {
        break;
      }
      if (job.type === "ask") {
        this.think(job);
        if (this.between !== undefined) {
          setImmediate(() => this.goOn());
          return;
        }
        continue;
      }
      const told = this.call(job);
      if (told !== undefined) {
        void told.then(() => this.goOn());
        return;
      }
    }
    this.busy = false;
    this.idle?.();
  }

  private goOn(): void {
    this.busy = false;
    this.work();
  }

  private think(ask: Ask): void {
    const name = keyText(ask.key);
    const thought = this.waiting.get(name);
    if (thought?.ask !== ask) {
      return; // withdrawn before its turn
    }
    run(this.deliberate(ask, thought.abort.signal), (act) => {
      if (this.waiting.get(name) === thought) {
        this.waiting.delete(name);
        this.answered(ask.key, act);
      }
    });
  }

  /** Calls a hook; a promise when it has to be waited for. */
  private call({ hook, arguments: args }: Tell): Promise<void> | undefined {
    const failed = (error: unknown) => this.log("error", `${this.name} threw in ${hook}: ${trace(error)}`);
    try {
      const told = (this.bot[hook] as (...args: readonly unknown[]) => unknown).apply(this.bot, [...args]);
      return isThenable(told) ? Promise.resolve(told).then(() => {}, failed) : undefined;
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /** The bot's answer to a decision, or a legal one in its place. */
  private *deliberate(ask: Ask, signal: AbortSignal): Thinking<Act> {
    let reply: Reply;
    try {
      reply = yield* this.firstReply(ask, signal);
    } catch (error) {
      if (!signal.aborted) {
        const what = `${this.name} threw at decision ${keyText(ask.key)}; another legal action is taken`;
        this.log("error", `${what}: ${trace(error)}`);
      }
      reply = fallback(ask.decision, ask.refused);
    }
    try {
      return actFor(ask.decision, reply, this.bot);
    } catch (error) {
      if (!(error instanceof BadReplyError)) {
        throw error;
      }
      this.log("error", `${this.name} at decision ${keyText(ask.key)}: ${error.message}`);
      return yield* this.corrected(ask, error.message);
    }
  }

  /** What the bot says: to the decision, or to the refusal of its former answer. */
  private *firstReply(ask: Ask, signal: AbortSignal): Thinking<Reply> {
    if (ask.refusal === undefined) {
      return (yield this.bot.decide(ask.decision, signal)) as Reply;
    }
    const reply = yield this.bot.onRefused(ask.decision, ask.refusal);
    return (reply ?? fallback(ask.decision, ask.refused)) as Reply;
  }

  /** The bot's second attempt after a bad reply, or the fallback. */
  private *corrected(ask: Ask, sentence: string): Thinking<Act> {
    try {
      const reply = (yield this.bot.onRefused(ask.decision, ownRefusal(sentence))) as Reply | undefined;
      if (reply !== undefined && reply !== null) {
        return actFor(ask.decision, reply, this.bot);
      }
    } catch (error) {
      const what = `${this.name} could not correct its answer at decision ${keyText(ask.key)}`;
      this.log("error", `${what}: ${trace(error)}`);
    }
    return actFor(ask.decision, fallback(ask.decision, ask.refused), this.bot);
  }

  private get name(): string {
    return this.bot.constructor.name;
  }
}

/** Steps that yield what may be a promise and go on with what it becomes. */
type Thinking<T> = Generator<unknown, T, unknown>;

/**
 * Runs steps to their end and hands their result on: at once as long as nothing has to be waited for, so that a blocking
 * bot's answer is on its way before the next decision is thought about.
 */
function run<T>(steps: Thinking<T>, done: (result: T) => void): void {
  const goOn = (next: () => IteratorResult<unknown, T>): void => {
    let step = next();
    while (!step.done) {
      const value = step.value;
      if (isThenable(value)) {
        value.then(
          (result) => goOn(() => steps.next(result)),
          (error) => goOn(() => steps.throw(error)),
        );
        return;
      }
      step = steps.next(value);
    }
    done(step.value);
  };
  goOn(() => steps.next());
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function trace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
