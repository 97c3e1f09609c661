// What a bot author writes: `Bot`, its settings and hooks, and `Answer`.
//
// Not here: how answers become messages (`answers`), the stream (`session`, `connection`), how a program is run
// (`runner`). A bot has to say one thing, `choose`. Everything else has a default.

import { option } from "./cards.js";
import { type Action, ActionKind } from "./gen/lastcard/v1/action.js";
import type { Event } from "./gen/lastcard/v1/event.js";
import type { Notice, Seated, TableClosed, TableSnapshot } from "./gen/lastcard/v1/play_service.js";
import { ProtocolReason, Reason } from "./gen/lastcard/v1/reason.js";
import { type Decision, DecisionKind, type Receipt } from "./gen/lastcard/v1/table.js";
import type { View } from "./gen/lastcard/v1/view.js";

/** An action as a bot may write it: card, colour and target only where there are any. */
export type ActionLike = Pick<Action, "kind"> & Partial<Action>;

/**
 * An answer with more than a choice.
 *
 * `choice` is an index into `legalActions` or an action. `callUno` and `catchSeats` left out are decided by the SDK
 * (`autoUno`, `autoCatch`); set, they are sent as they are.
 */
export interface Answer {
  choice: number | ActionLike;
  callUno?: boolean | undefined;
  catchSeats?: readonly number[] | undefined;
}

/** What `choose` may return. */
export type Reply = number | ActionLike | Answer;

/** A value, or the promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/**
 * Why an answer did not count: by the game (`reason`), by the transport (`protocolReason`) or, with both unset, by the
 * SDK before it was sent. `refusalsLeft` is how many more the server allows at this decision.
 */
export interface Refusal {
  readonly message: string;
  readonly reason: Reason;
  readonly protocolReason: ProtocolReason;
  readonly refusalsLeft: number;
}

/** A decision with its view, which is always there. */
export type Question = Decision & { view: View };

/** A refusal by the SDK itself. */
export function ownRefusal(message: string): Refusal {
  return {
    message,
    reason: Reason.UNSPECIFIED,
    protocolReason: ProtocolReason.UNSPECIFIED,
    refusalsLeft: 2,
  };
}

/**
 * A bot. Its methods may return values or promises.
 *
 * They run in the program's main thread and the stream in one of its own, which stays alive however long they take. Hooks
 * run one after the other, in order. Several decisions at once are thought about only when `maxOpenDecisions` allows it
 * and the methods return promises.
 */
export abstract class Bot {
  /** Name of the bot; empty for `LASTCARD_BOT`, or else the class's name in lower case. */
  name = "";
  /** Version of the bot, for records. */
  version = "";
  /** Whether UNO is called with every play that leaves one card, unless an `Answer` says otherwise. */
  autoUno = true;
  /** Whether seats that forgot their call are caught when that costs nothing, unless an `Answer` says otherwise. */
  autoCatch = true;
  /** Most tables at once; 0 for as many as the server allows. */
  maxTables = 0;
  /** Most open decisions at once; 0 for no limit. The clocks of further ones wait until one closes. */
  maxOpenDecisions = 1;
  /**
   * Whether the stream is read in a thread of its own. `false` reads it between the bot's methods: faster for bots that
   * answer within a millisecond or wait for others, wrong for those that compute for longer.
   */
  threaded = true;

  private reach: { leave: (tableId: string) => void; stop: () => void } | undefined;

  /** Answers a decision in the bot's own turn: an index into `legalActions`, an action, or an `Answer`. */
  abstract choose(view: View, legalActions: readonly Action[], signal: AbortSignal): Awaitable<Reply>;

  /** Answers a decision out of turn (jump-in, catch, late call); by default calls and catches, never jumps in. */
  react(view: View, legalActions: readonly Action[], _signal: AbortSignal): Awaitable<Reply> {
    return defaultReaction(view, legalActions, this.autoCatch);
  }

  /**
   * Answers any decision; override it to see kind, time left, bank and receipt as well. `signal` is aborted when the
   * decision closes meanwhile; the answer is then dropped.
   */
  decide(decision: Question, signal: AbortSignal): Awaitable<Reply> {
    return decision.kind === DecisionKind.REACTION
      ? this.react(decision.view, decision.legalActions, signal)
      : this.choose(decision.view, decision.legalActions, signal);
  }

  /** Corrects a refused answer; nothing, the default, leaves it to the SDK, which takes another legal action. */
  onRefused(_decision: Question, _refusal: Refusal): Awaitable<Reply | undefined> {
    return undefined;
  }

  /** Is told of a seat at a table. */
  onSeated(_seated: Seated): Awaitable<void> {}

  /** Is told of each numbered event of its tables, once and in order. */
  onEvent(_tableId: string, _event: Event): Awaitable<void> {}

  /** Is told the state of a table in place of events that the server no longer keeps. */
  onSnapshot(_snapshot: TableSnapshot): Awaitable<void> {}

  /** Is told of presence and other things that are not part of the game. */
  onNotice(_notice: Notice): Awaitable<void> {}

  /** Is told the account of each closed decision, once. */
  onReceipt(_tableId: string, _receipt: Receipt): Awaitable<void> {}

  /** Is told the end of a table and its result, once. */
  onTableClosed(_closed: TableClosed): Awaitable<void> {}

  /** Leaves a table for good, while the bot runs. */
  leave(tableId: string): void {
    this.running("leave").leave(tableId);
  }

  /** Ends the run cleanly, while the bot runs. */
  stop(): void {
    this.running("stop").stop();
  }

  /** Tells the bot how to reach the connection that plays it; called by the SDK. */
  attach(leave: (tableId: string) => void, stop: () => void): void {
    this.reach = { leave, stop };
  }

  /** The hooks that this bot has, by name: the others need not be called. */
  hooks(): Hook[] {
    return HOOKS.filter((hook) => this[hook] !== Bot.prototype[hook]);
  }

  private running(method: string) {
    if (this.reach === undefined) {
      throw new Error(`the bot is not running; ${method}() is for a bot that run() has started`);
    }
    return this.reach;
  }
}

const HOOKS = ["onSeated", "onEvent", "onSnapshot", "onNotice", "onReceipt", "onTableClosed"] as const;

/** The name of a hook. */
export type Hook = (typeof HOOKS)[number];

/** The hooks for which the server has to send events. */
export const EVENT_HOOKS: ReadonlySet<Hook> = new Set(["onEvent", "onSnapshot", "onNotice"]);

/**
 * The index of the safe reaction: the own late call, else a catch that costs nothing, else passing.
 *
 * With a penalty for false catches a catch is left out: somebody else may have been faster, and the penalty is ours.
 */
export function defaultReaction(view: View, legalActions: readonly Action[], catches = true): number {
  const wanted = [ActionKind.UNO];
  if (catches && catchesAreFree(view)) {
    wanted.push(ActionKind.CATCH);
  }
  for (const kind of [...wanted, ActionKind.PASS, ActionKind.KEEP]) {
    const index = legalActions.findIndex((action) => action.kind === kind);
    if (index >= 0) {
      return index;
    }
  }
  return legalActions.length - 1;
}

/** Whether a false catch costs nothing under the table's rules (the case in every preset). */
export function catchesAreFree(view: View): boolean {
  return option(view, "false_catch_penalty", "0") === "0";
}
