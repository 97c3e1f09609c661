// One bot's side of the protocol as a state machine: server messages in, things to do out.
//
// Here: handshake, cursors, open decisions, answers and their repetition, refusals, receipts, ends of tables. Not here:
// the network, threads and clocks (`connection`), what a reply means (`answers`). No input or output and no clock, so
// that every disturbance of a network is a unit test.
//
// A stream is one call of `Play`; a session outlives streams. A decision is thought about once. Its answer is sent each
// time that the server puts the decision, on whatever stream, and is the same each time unless it was refused.

import { afterApart, isApart } from "./answers.js";
import { ownRefusal } from "./bot.js";
import type { Duration } from "./gen/google/protobuf/duration.js";
import {
  type ClientMessage,
  type Hello,
  type MessageRefused,
  type Notice,
  NoticeKind,
  type Seated,
  type ServerMessage,
  type TableClosed,
  type TableEvents,
  type TableSnapshot,
  type Welcome,
} from "./gen/lastcard/v1/play_service.js";
import { ErrorCause, ProtocolReason, Reason } from "./gen/lastcard/v1/reason.js";
import { type Act, type ActResult, type Decision, DecisionKind, type Receipt } from "./gen/lastcard/v1/table.js";
import { View } from "./gen/lastcard/v1/view.js";
import { KEPT_TABLES, Open, Recent, Table } from "./memory.js";
import { type Key, keyText, type Output, saying, sending, telling } from "./outputs.js";
import { PROTOCOL_VERSION } from "./version.js";
import { faultTexts, protocolReasonName, reasonName, resultText, seatText } from "./words.js";

/** Calls and catches by themselves at one decision, after which the bot is told to play: it could go on for ever. */
const APART_MOST = 3;
/** How long to wait with an answer that came too fast; the server's allowance is full again within a few times that. */
const TOO_FAST_S = 0.2;

/** Refusals that no other answer can mend. After all others, also unknown ones, the decision is still open. */
const FINAL: ReadonlySet<Reason> = new Set([
  Reason.NOT_YOUR_TURN,
  Reason.STALE_DECISION,
  Reason.TURN_EXPIRED,
  Reason.ROUND_OVER,
  Reason.MATCH_OVER,
  Reason.FORBIDDEN,
  Reason.SESSION_REPLACED,
]);

/** Refusals by the transport that no other answer can mend. */
const NO_SUCH_DECISION: ReadonlySet<ProtocolReason> = new Set([
  ProtocolReason.UNKNOWN_TABLE,
  ProtocolReason.UNKNOWN_DECISION,
]);

/** The state of a bot's session, over all its streams. */
export class Session {
  /** Whether the server has welcomed the bot on the present stream. */
  welcomed = false;
  /** The resume secret, once the server gave one. */
  secret = "";
  /** Whether the server said on the present stream that it shuts down. */
  draining = false;
  /** Why the server ends the present stream, if it said so in its last message. */
  farewell: { cause: ErrorCause; text: string } | undefined;

  private stream = 0;
  private readonly tables = new Map<string, Table>();
  private readonly closed = new Recent<string, true>(KEPT_TABLES);
  private readonly leaving = new Set<string>();
  /** Whether something is missing on the present stream, so that nothing more is taken from it. */
  private broken = false;

  /** `hello` is the opening message without cursors. */
  constructor(private readonly hello: Hello) {}

  /** Begins a stream: the `Hello` for it, with a cursor for each table of which events were seen. */
  openStream(): ClientMessage {
    this.stream += 1;
    this.welcomed = this.draining = this.broken = false;
    this.farewell = undefined;
    const cursors = [];
    for (const [tableId, table] of this.tables) {
      for (const entry of table.open.values()) {
        entry.unjudged = 0;
      }
      if (table.cursor !== undefined && !this.hello.decisionsOnly) {
        cursors.push({ tableId, lastSequence: table.cursor });
      }
    }
    return { message: { $case: "hello", value: { ...this.hello, cursors } } };
  }

  /** Begins anew after the server has lost the session: all tables are dropped, and so is the secret. */
  forget(): Output[] {
    const outputs = [...this.tables].flatMap(([tableId, table]) => withdrawals(tableId, table));
    this.tables.clear();
    this.closed.clear();
    this.leaving.clear();
    this.secret = "";
    return outputs;
  }

  /** What is to be done about one message of the server, in order. Unknown messages are ignored. */
  receive({ message }: ServerMessage): Output[] {
    this.farewell = undefined;
    if (message === undefined || this.broken) {
      return [];
    }
    if (message.$case === "welcome") {
      return this.onWelcome(message.value);
    }
    if (!this.welcomed && message.$case !== "messageRefused") {
      const sentence = `the server opened the stream with '${message.$case}'; it must begin with 'welcome'`;
      return [{ type: "fail", sentence }];
    }
    switch (message.$case) {
      case "seated":
        return this.onSeated(message.value);
      case "decision":
        return this.onDecision(message.value);
      case "actResult":
        return this.onActResult(message.value);
      case "decisionClosed":
        return this.onDecisionClosed(message.value, message.value.receipt);
      case "tableEvents":
        return this.onTableEvents(message.value);
      case "tableSnapshot":
        return this.onTableSnapshot(message.value);
      case "notice":
        return this.onNotice(message.value);
      case "tableClosed":
        return this.onTableClosed(message.value);
      case "heartbeat":
        return [sending({ $case: "heartbeatReply", value: { number: message.value.number } })];
      case "draining":
        this.draining = true;
        return [{ type: "drain", secondsLeft: seconds(message.value.timeLeft) }];
      case "messageRefused":
        return this.onMessageRefused(message.value);
    }
  }

  /** Takes the bot's answer to a decision; nothing is sent when it was closed, or not put again on this stream. */
  answered(key: Key, act: Act): Output[] {
    const entry = this.entry(key);
    if (entry === undefined || entry.act !== undefined) {
      return [];
    }
    entry.act = act;
    this.tables.get(key.tableId)?.answers.set(key.decisionId, act);
    return entry.stream === this.stream && this.welcomed ? put(entry) : [];
  }

  /** Leaves a table for good; said again after a reconnect, until the table is over for the bot. */
  leave(tableId: string): Output[] {
    if (!this.tables.has(tableId)) {
      return [];
    }
    this.leaving.add(tableId);
    return this.welcomed ? [leaving(tableId)] : [];
  }

  /** Says again at a table (all tables when empty) what came too fast: leaving, and answers without a verdict. */
  resend(tableId: string): Output[] {
    if (!this.welcomed) {
      return [];
    }
    const outputs: Output[] = [];
    for (const name of tableId ? [tableId] : this.tables.keys()) {
      if (this.leaving.has(name)) {
        outputs.push(leaving(name));
      }
      for (const entry of this.tables.get(name)?.open.values() ?? []) {
        if (!entry.unjudged && entry.stream === this.stream) {
          outputs.push(...put(entry));
        }
      }
    }
    return outputs;
  }

  private onWelcome(welcome: Welcome): Output[] {
    if (welcome.protocolVersion !== PROTOCOL_VERSION) {
      const sentence =
        `the server speaks protocol version ${welcome.protocolVersion}; ` +
        `this client speaks ${PROTOCOL_VERSION}: install a matching lastcard`;
      return [{ type: "fail", sentence }];
    }
    this.welcomed = true;
    this.secret = welcome.resumeSecret || this.secret;
    const { botName, serverVersion, maxFrameBytes } = welcome;
    return [
      { type: "welcomed", botName, serverVersion, maxFrameBytes, heartbeatS: seconds(welcome.heartbeatInterval) },
    ];
  }

  private onSeated(seated: Seated): Output[] {
    const table = this.table(seated.tableId);
    const outputs: Output[] = [];
    if (table.cursor === undefined && !seated.lastSequence) {
      table.cursor = 0; // nothing has happened yet, so that all events can be had from now on
    }
    if (table.seat === undefined) {
      table.seat = seated.seat;
      outputs.push(saying(`seated at ${seatText(seated)}`), telling("onSeated", seated));
    }
    outputs.push(...this.receipt(seated.tableId, seated.previousReceipt));
    if (this.leaving.has(seated.tableId)) {
      outputs.push(leaving(seated.tableId));
    }
    return outputs;
  }

  private onDecision(decision: Decision): Output[] {
    const { tableId, decisionId } = decision;
    const table = this.table(tableId);
    const outputs = this.receipt(tableId, decision.previousReceipt);
    const entry = table.open.get(decisionId);
    if (entry !== undefined) {
      entry.stream = this.stream;
      return [...outputs, ...put(entry)];
    }
    const former = table.answers.get(decisionId);
    if (former !== undefined) {
      return [...outputs, sending({ $case: "act", value: former })];
    }
    outputs.push(...this.outdated(decision));
    if (!decision.legalActions.length) {
      const text = `the server asked decision ${keyText(decision)} without any legal action; it stays unanswered`;
      return [...outputs, saying(text, true)];
    }
    const question = { ...decision, view: decision.view ?? View.create() };
    table.open.set(decisionId, new Open(question, this.stream));
    return [...outputs, { type: "ask", key: { tableId, decisionId }, decision: question, refused: [] }];
  }

  /**
   * Drops what a new decision shows to be closed, the news of it having been lost with an earlier stream.
   *
   * A seat is asked one question of its turn at a time, and beside it one for a reaction.
   */
  private outdated({ tableId, kind }: Decision): Output[] {
    const outputs: Output[] = [];
    for (const [decisionId, entry] of this.table(tableId).open) {
      const alike = (entry.decision.kind === DecisionKind.REACTION) === (kind === DecisionKind.REACTION);
      if (alike && entry.stream !== this.stream) {
        outputs.push(...this.drop({ tableId, decisionId }));
      }
    }
    return outputs;
  }

  private onActResult(result: ActResult): Output[] {
    const key = { tableId: result.tableId, decisionId: result.decisionId };
    const outputs: Output[] = result.refusedCatches.map((refused) =>
      saying(`catch of seat ${refused.seat} at decision ${keyText(key)} refused: ${refused.message}`),
    );
    const entry = this.entry(key);
    if (entry?.act !== undefined) {
      entry.unjudged = Math.max(0, entry.unjudged - 1);
      if (result.accepted) {
        outputs.push(...this.accepted(key, entry, entry.act, result));
      } else if (!entry.unjudged) {
        // otherwise a verdict on what was sent before; that on the present answer follows
        outputs.push(...this.refused(key, entry, entry.act, result));
      }
    }
    return [...outputs, ...this.receipt(result.tableId, result.receipt)];
  }

  /** A call or catch apart from the turn leaves it open; everything else closes the decision. */
  private accepted(key: Key, entry: Open, act: Act, result: ActResult): Output[] {
    if (!isApart(act) || result.receipt !== undefined) {
      this.close(key);
      return [];
    }
    entry.decision = afterApart(entry.decision, act);
    entry.act = undefined;
    entry.apart += 1;
    const ask = { type: "ask", key, decision: entry.decision } as const;
    if (entry.apart < APART_MOST) {
      return [{ ...ask, refused: [] }];
    }
    const text = `${entry.apart} calls and catches by themselves at decision ${keyText(key)}; choose from legalActions`;
    return [saying(text, true), { ...ask, refusal: ownRefusal(text), refused: entry.refused }];
  }

  private refused(key: Key, entry: Open, act: Act, result: ActResult): Output[] {
    const { reason, protocolReason, message, refusalsLeft } = result;
    const name = reason ? reasonName(reason) : protocolReasonName(protocolReason);
    const text = `answer at decision ${keyText(key)} refused, ${name}: ${message}`;
    if (protocolReason === ProtocolReason.TOO_FAST) {
      return [saying(text, true), { type: "sendLater", seconds: TOO_FAST_S, tableId: key.tableId }];
    }
    if (FINAL.has(reason) || NO_SUCH_DECISION.has(protocolReason) || !refusalsLeft) {
      this.close(key);
      return [saying(text, !FINAL.has(reason) && !NO_SUCH_DECISION.has(protocolReason))];
    }
    if (act.answer?.$case === "choice") {
      entry.refused = [...entry.refused, act.answer.value];
    }
    entry.act = undefined;
    const refusal = { message, reason, protocolReason, refusalsLeft };
    return [saying(text, true), { type: "ask", key, decision: entry.decision, refusal, refused: entry.refused }];
  }

  private onDecisionClosed(closed: Key & { reason: Reason }, receipt: Receipt | undefined): Output[] {
    const key = { tableId: closed.tableId, decisionId: closed.decisionId };
    const outputs = this.drop(key);
    if (outputs.length && closed.reason === Reason.TURN_EXPIRED) {
      outputs.push(saying(`no answer in time at decision ${keyText(key)}`, true));
    }
    return [...outputs, ...this.receipt(key.tableId, receipt)];
  }

  private onTableEvents({ tableId, events }: TableEvents): Output[] {
    const table = this.table(tableId);
    const outputs: Output[] = [];
    for (const event of events) {
      const seen = table.cursor ?? 0;
      if (event.sequence <= seen) {
        continue;
      }
      if (table.cursor !== undefined && event.sequence !== seen + 1) {
        const gap = `events ${seen + 1} to ${event.sequence - 1} at table ${tableId}`;
        if (table.gap !== seen) {
          table.gap = seen;
          this.broken = true;
          return [...outputs, saying(`${gap} did not come; reconnecting to have them`, true), { type: "resume" }];
        }
        outputs.push(saying(`${gap} never came`, true));
      }
      table.cursor = event.sequence;
      if (event.event !== undefined) {
        outputs.push(telling("onEvent", tableId, event));
      }
    }
    return outputs;
  }

  private onTableSnapshot(snapshot: TableSnapshot): Output[] {
    const table = this.table(snapshot.tableId);
    if (table.cursor !== undefined && snapshot.sequence < table.cursor) {
      return [];
    }
    table.cursor = snapshot.sequence;
    return [telling("onSnapshot", snapshot)];
  }

  private onNotice(notice: Notice): Output[] {
    const recovered = notice.kind === NoticeKind.RECOVERED;
    const said = recovered ? [saying(`the server was restarted and goes on with table ${notice.tableId}`)] : [];
    return [...said, telling("onNotice", notice)];
  }

  private onTableClosed(closed: TableClosed): Output[] {
    const { tableId } = closed;
    const outputs = this.closed.has(tableId) ? [] : this.receipt(tableId, closed.previousReceipt);
    const table = this.tables.get(tableId);
    outputs.push(...this.dropTable(tableId));
    if (!this.closed.has(tableId)) {
      outputs.push(...faultTexts(closed, table?.seat).map((text) => saying(text, true)));
      outputs.push(saying(resultText(closed, table?.seat)), telling("onTableClosed", closed));
    }
    this.closed.set(tableId, true);
    return [...outputs, sending({ $case: "tableClosedReceived", value: { tableId } })];
  }

  private onMessageRefused(refused: MessageRefused): Output[] {
    const { tableId, reason, message } = refused;
    if (!tableId) {
      // The last message of a stream that the server ends says why; its status may be lost to a failed write.
      this.farewell = { cause: ErrorCause.create({ protocolReason: reason }), text: message };
    }
    const about = tableId ? ` about table ${tableId}` : "";
    const outputs = [saying(`message${about} refused, ${protocolReasonName(reason)}: ${message}`, true)];
    const table = this.tables.get(tableId);
    if (reason === ProtocolReason.CURSOR_BEYOND_END && table !== undefined) {
      table.cursor = undefined;
    } else if (reason === ProtocolReason.UNKNOWN_TABLE && table !== undefined) {
      outputs.push(...this.dropTable(tableId));
    } else if (refused.retryAfter !== undefined) {
      outputs.push({ type: "sendLater", seconds: seconds(refused.retryAfter), tableId });
    }
    return outputs;
  }

  // What the handlers share.

  private table(tableId: string): Table {
    const known = this.tables.get(tableId);
    const table = known ?? new Table();
    if (known === undefined) {
      this.tables.set(tableId, table);
    }
    return table;
  }

  private dropTable(tableId: string): Output[] {
    const table = this.tables.get(tableId);
    this.tables.delete(tableId);
    this.leaving.delete(tableId);
    return table === undefined ? [] : withdrawals(tableId, table);
  }

  private entry({ tableId, decisionId }: Key): Open | undefined {
    return this.tables.get(tableId)?.open.get(decisionId);
  }

  /** Forgets an open decision; whether there was one. */
  private close({ tableId, decisionId }: Key): boolean {
    return this.tables.get(tableId)?.open.delete(decisionId) ?? false;
  }

  /** Closes a decision about which the bot may still think. */
  private drop(key: Key): Output[] {
    return this.close(key) ? [{ type: "withdraw", key }] : [];
  }

  /** Tells a receipt once, however often the server repeats it; its decision needs no thought any more. */
  private receipt(tableId: string, receipt: Receipt | undefined): Output[] {
    if (receipt === undefined || (this.closed.has(tableId) && !this.tables.has(tableId))) {
      return [];
    }
    const told = this.table(tableId).receipts;
    if (told.has(receipt.decisionId)) {
      return [];
    }
    told.set(receipt.decisionId, true);
    return [...this.drop({ tableId, decisionId: receipt.decisionId }), telling("onReceipt", tableId, receipt)];
  }
}

/** Sends the answer of an open decision, if there is one. */
function put(entry: Open): Output[] {
  if (entry.act === undefined) {
    return [];
  }
  entry.unjudged += 1;
  return [sending({ $case: "act", value: entry.act })];
}

function withdrawals(tableId: string, table: Table): Output[] {
  return [...table.open.keys()].map((decisionId) => ({ type: "withdraw", key: { tableId, decisionId } }));
}

function leaving(tableId: string): Output {
  return sending({ $case: "leave", value: { tableId } });
}

function seconds(duration: Duration | undefined): number {
  return duration === undefined ? 0 : duration.seconds + duration.nanos / 1e9;
}
