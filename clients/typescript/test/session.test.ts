import assert from "node:assert/strict";
import test from "node:test";
import type { ActionKind } from "../src/gen/lastcard/v1/action.js";
import type { Card } from "../src/gen/lastcard/v1/card.js";
import { Event } from "../src/gen/lastcard/v1/event.js";
import {
  Hello,
  MessageRefused,
  Notice,
  type NoticeKind,
  Seated,
  TableClosed,
  TableSnapshot,
  Welcome,
} from "../src/gen/lastcard/v1/play_service.js";
import { ProtocolReason, Reason } from "../src/gen/lastcard/v1/reason.js";
import { Act, ActResult, DecisionKind, FaultKind, MatchResult, Receipt } from "../src/gen/lastcard/v1/table.js";
import type { Output } from "../src/outputs.js";
import { Session } from "../src/session.js";
import { decision, from, UNO } from "./positions.js";

const KEY = { tableId: "T", decisionId: 1 };
const WELCOME = from("welcome", Welcome.fromPartial({ protocolVersion: 1, resumeSecret: "secret" }));
const DECISION = from("decision", decision());
const CHOICE = Act.fromPartial({ ...KEY, answer: { $case: "choice", value: 1 } });

/** A session on its first stream, welcomed. */
function welcomed(hello: Partial<Hello> = {}): Session {
  const session = new Session(Hello.fromPartial({ botName: "fox", decisionsOnly: true, ...hello }));
  session.openStream();
  session.receive(WELCOME);
  return session;
}

test("a decision without legal actions is not put to the bot", () => {
  const text = "the server asked decision 1 of table T without any legal action; it stays unanswered";
  const outputs = welcomed().receive(from("decision", decision({ legalActions: [] })));
  assert.deepEqual(outputs, [{ type: "log", text, serious: true }]);
});

/** The session on a new stream, welcomed again. */
function resumed(session: Session): Session {
  session.openStream();
  session.receive(WELCOME);
  return session;
}

/** What is to be done, in short: messages by their kind, answers with their choice, hooks by their name. */
function brief(outputs: readonly Output[]): string[] {
  return outputs
    .filter((output) => output.type !== "log")
    .map((output) => {
      switch (output.type) {
        case "send": {
          const message = output.message.message;
          return message?.$case === "act" ? `act ${message.value.answer?.value}` : `${message?.$case}`;
        }
        case "tell":
          return output.hook;
        case "ask":
          return output.refusal === undefined ? "ask" : `correct ${output.refused}`;
        default:
          return output.type;
      }
    });
}

function verdict(more: Partial<ActResult>) {
  return from("actResult", ActResult.fromPartial({ ...KEY, ...more }));
}

function closed(reason = Reason.STALE_DECISION) {
  return from("decisionClosed", { ...KEY, reason, receipt: undefined });
}

test("a decision is asked and its answer sent once", () => {
  const session = welcomed();
  assert.deepEqual(brief(session.receive(DECISION)), ["ask"]);
  assert.deepEqual(brief(session.answered(KEY, CHOICE)), ["act 1"]);
  assert.deepEqual(brief(session.answered(KEY, CHOICE)), []);
});

test("a repeated decision gets the same answer and no second thought", () => {
  const session = welcomed();
  session.receive(DECISION);
  assert.deepEqual(brief(session.receive(DECISION)), [], "it is still thought about");
  session.answered(KEY, CHOICE);
  assert.deepEqual(brief(session.receive(DECISION)), ["act 1"]);
  session.receive(verdict({ accepted: true }));
  assert.deepEqual(brief(session.receive(DECISION)), ["act 1"], "even when it was closed");
});

test("an answer to a decision that was closed is not sent", () => {
  const session = welcomed();
  session.receive(DECISION);
  assert.deepEqual(brief(session.receive(closed())), ["withdraw"]);
  assert.deepEqual(brief(session.answered(KEY, CHOICE)), []);
  assert.deepEqual(brief(session.receive(closed())), []);
});

test("an answer found while the line was down is sent when the decision is put again", () => {
  const session = welcomed();
  session.receive(DECISION);
  session.openStream();
  assert.deepEqual(brief(session.answered(KEY, CHOICE)), []);
  session.receive(WELCOME);
  assert.deepEqual(brief(session.receive(DECISION)), ["act 1"]);
});

test("a new decision on a new stream shows that the former one is closed", () => {
  const session = welcomed();
  session.receive(DECISION);
  resumed(session);
  const reaction = decision({ decisionId: 2, kind: DecisionKind.REACTION });
  assert.deepEqual(brief(session.receive(from("decision", reaction))), ["ask"]);
  assert.deepEqual(brief(session.receive(from("decision", decision({ decisionId: 3 })))), ["withdraw", "ask"]);
});

test("a refused answer is corrected, and each refusal counts once", () => {
  const session = welcomed();
  session.receive(DECISION);
  session.answered(KEY, CHOICE);
  const refused = verdict({ reason: Reason.CARD_NOT_PLAYABLE, message: "no", refusalsLeft: 2 });
  assert.deepEqual(brief(session.receive(refused)), ["correct 1"]);
  assert.deepEqual(brief(session.answered(KEY, Act.fromPartial({ answer: { $case: "choice", value: 0 } }))), ["act 0"]);
  assert.deepEqual(brief(session.receive(verdict({ reason: 99 as Reason, refusalsLeft: 1 }))), ["correct 1,0"]);
  session.answered(KEY, CHOICE);
  assert.deepEqual(brief(session.receive(verdict({ reason: Reason.CARD_NOT_PLAYABLE, refusalsLeft: 0 }))), []);
  assert.deepEqual(brief(session.answered(KEY, CHOICE)), [], "the third refusal closed it");
});

test("a verdict on an answer that was sent twice waits for the second one", () => {
  const session = welcomed();
  session.receive(DECISION);
  session.answered(KEY, CHOICE);
  session.receive(DECISION);
  const refused = verdict({ reason: Reason.CARD_NOT_PLAYABLE, refusalsLeft: 2 });
  assert.deepEqual(brief(session.receive(refused)), []);
  assert.deepEqual(brief(session.receive(refused)), ["correct 1"]);
});

test("refusals that nothing can mend drop the decision", () => {
  for (const more of [
    { reason: Reason.STALE_DECISION, refusalsLeft: 2 },
    { reason: Reason.MATCH_OVER, refusalsLeft: 2 },
    { protocolReason: ProtocolReason.UNKNOWN_DECISION, refusalsLeft: 2 },
  ]) {
    const session = welcomed();
    session.receive(DECISION);
    session.answered(KEY, CHOICE);
    assert.deepEqual(brief(session.receive(verdict(more))), []);
    assert.deepEqual(brief(session.answered(KEY, CHOICE)), []);
  }
});

test("an answer that came too fast is said again", () => {
  const session = welcomed();
  session.receive(DECISION);
  session.answered(KEY, CHOICE);
  const refused = session.receive(verdict({ protocolReason: ProtocolReason.TOO_FAST, refusalsLeft: 2 }));
  assert.deepEqual(brief(refused), ["sendLater"]);
  assert.deepEqual(brief(session.resend("T")), ["act 1"]);
  assert.deepEqual(brief(session.resend("T")), [], "until its verdict");
});

test("a call by itself leaves the turn open, but not for ever", () => {
  const session = welcomed();
  session.receive(DECISION);
  const call = Act.fromPartial({ ...KEY, answer: { $case: "action", value: UNO } });
  const rounds = [1, 2, 3].map(() => {
    session.answered(KEY, call);
    return brief(session.receive(verdict({ accepted: true })));
  });
  assert.deepEqual(rounds, [["ask"], ["ask"], ["correct "]]);
  session.answered(KEY, call);
  const receipt = Receipt.fromPartial({ decisionId: 1 });
  assert.deepEqual(brief(session.receive(verdict({ accepted: true, receipt }))), ["onReceipt"], "closed all the same");
});

test("a receipt is told once and closes its decision", () => {
  const session = welcomed();
  session.receive(DECISION);
  const previousReceipt = Receipt.fromPartial({ decisionId: 1 });
  const further = from("decision", decision({ decisionId: 2, previousReceipt }));
  assert.deepEqual(brief(session.receive(further)), ["withdraw", "onReceipt", "ask"]);
  const seated = from("seated", Seated.fromPartial({ tableId: "T", previousReceipt }));
  assert.deepEqual(brief(session.receive(seated)), ["onSeated"]);
});

test("tables are seated and closed once, and every end is acknowledged", () => {
  const session = welcomed();
  const seated = from("seated", Seated.fromPartial({ tableId: "T", seat: 2 }));
  assert.deepEqual(brief(session.receive(seated)), ["onSeated"]);
  assert.deepEqual(brief(session.receive(seated)), []);
  session.receive(DECISION);
  const result = MatchResult.fromPartial({
    points: [1, 2, 3],
    places: [3, 2, 1],
    faults: [{ seat: 2, kind: FaultKind.TIMEOUT, evidence: "slow" }],
  });
  const end = from("tableClosed", TableClosed.fromPartial({ tableId: "T", result }));
  const outputs = session.receive(end);
  assert.deepEqual(brief(outputs), ["withdraw", "onTableClosed", "tableClosedReceived"]);
  const told = outputs.flatMap((output) => (output.type === "log" ? [output.text] : []));
  assert.deepEqual(told, ["table T, fault TIMEOUT: slow", "table T is over: place 1 of 3, 3 points (all: 1 2 3)"]);
  assert.deepEqual(brief(session.receive(end)), ["tableClosedReceived"]);
});

function events(...sequences: number[]) {
  const named = sequences.map((sequence) =>
    Event.fromPartial({ sequence, event: { $case: "cardKept", value: { seat: 0 } } }),
  );
  return from("tableEvents", { tableId: "T", events: named });
}

test("events are told once, in order, and the cursor says how far", () => {
  const session = welcomed({ decisionsOnly: false });
  session.receive(from("seated", Seated.fromPartial({ tableId: "T" })));
  assert.deepEqual(brief(session.receive(events(1, 2))), ["onEvent", "onEvent"]);
  assert.deepEqual(brief(session.receive(events(2, 3))), ["onEvent"]);
  assert.deepEqual(hello(session)?.cursors, [{ tableId: "T", lastSequence: 3 }]);
});

test("events that did not come are had by coming back, once", () => {
  const session = welcomed({ decisionsOnly: false });
  session.receive(from("seated", Seated.fromPartial({ tableId: "T" })));
  assert.deepEqual(brief(session.receive(events(1, 3))), ["onEvent", "resume"]);
  assert.deepEqual(brief(session.receive(events(2))), [], "nothing more is taken from this stream");
  resumed(session);
  assert.deepEqual(brief(session.receive(events(3))), ["onEvent"], "then they never come");
});

test("a snapshot stands for the events before it, and one beyond the end for a new beginning", () => {
  const session = welcomed({ decisionsOnly: false });
  session.receive(from("seated", Seated.fromPartial({ tableId: "T" })));
  const snapshot = (sequence: number) => from("tableSnapshot", TableSnapshot.fromPartial({ tableId: "T", sequence }));
  assert.deepEqual(brief(session.receive(snapshot(5))), ["onSnapshot"]);
  assert.deepEqual(brief(session.receive(snapshot(4))), []);
  assert.deepEqual(brief(session.receive(events(5, 6))), ["onEvent"]);
  const beyond = MessageRefused.fromPartial({ tableId: "T", reason: ProtocolReason.CURSOR_BEYOND_END });
  session.receive(from("messageRefused", beyond));
  assert.deepEqual(brief(session.receive(snapshot(2))), ["onSnapshot"]);
});

/** What the next stream is opened with. */
function hello(session: Session): Hello | undefined {
  const message = session.openStream().message;
  return message?.$case === "hello" ? message.value : undefined;
}

test("a bot without events sends no cursors", () => {
  const session = welcomed();
  session.receive(from("seated", Seated.fromPartial({ tableId: "T" })));
  assert.deepEqual(hello(session)?.cursors, []);
});

test("leaving is said again until the table is over", () => {
  const session = welcomed();
  assert.deepEqual(brief(session.leave("T")), [], "no such table");
  const seated = from("seated", Seated.fromPartial({ tableId: "T" }));
  session.receive(seated);
  assert.deepEqual(brief(session.leave("T")), ["leave"]);
  resumed(session);
  assert.deepEqual(brief(session.receive(seated)), ["leave"]);
  session.receive(from("tableClosed", TableClosed.fromPartial({ tableId: "T" })));
  assert.deepEqual(brief(resumed(session).receive(seated)), ["onSeated"]);
});

test("a server that forgot the session makes the bot forget it too", () => {
  const session = welcomed();
  session.receive(DECISION);
  assert.equal(session.secret, "secret");
  assert.deepEqual(brief(session.forget()), ["withdraw"]);
  assert.equal(session.secret, "");
});

test("an unknown message is ignored, an unknown protocol is not", () => {
  const session = welcomed();
  assert.deepEqual(session.receive({ message: undefined }), []);
  assert.deepEqual(brief(session.receive(from("notice", Notice.fromPartial({ kind: 77 as NoticeKind })))), [
    "onNotice",
  ]);
  session.openStream();
  assert.deepEqual(brief(session.receive(DECISION)), ["fail"]);
  assert.deepEqual(brief(session.receive(from("welcome", Welcome.fromPartial({ protocolVersion: 2 })))), ["fail"]);
});

test("the last message of a stream says why it ends", () => {
  const session = welcomed();
  const refused = MessageRefused.fromPartial({ reason: ProtocolReason.SESSION_REPLACED, message: "gone" });
  session.receive(from("messageRefused", refused));
  assert.equal(session.farewell?.cause.protocolReason, ProtocolReason.SESSION_REPLACED);
  assert.equal(session.farewell?.text, "gone");
  session.receive(from("heartbeat", { number: 1 }));
  assert.equal(session.farewell, undefined, "it was not the last");
  session.receive(from("messageRefused", refused));
  session.openStream();
  assert.equal(session.farewell, undefined, "that was another stream");
});

test("heartbeats are answered with their number, and a shutdown is taken note of", () => {
  const session = welcomed();
  assert.deepEqual(session.receive(from("heartbeat", { number: 7 })), [
    { type: "send", message: { message: { $case: "heartbeatReply", value: { number: 7 } } } },
  ]);
  assert.deepEqual(brief(session.receive(from("draining", { timeLeft: { seconds: 3, nanos: 0 } }))), ["drain"]);
  assert.ok(session.draining);
});

test("a decision of an unknown kind with unknown actions is put to the bot all the same", () => {
  const strange = decision({ kind: 42 as DecisionKind });
  strange.legalActions = [{ kind: 99 as ActionKind, card: 199 as Card, color: 0, target: undefined }];
  assert.deepEqual(brief(welcomed().receive(from("decision", strange))), ["ask"]);
});
