import assert from "node:assert/strict";
import { createServer } from "node:net";
import test, { type TestContext } from "node:test";
import { status } from "@grpc/grpc-js";
import { Bot, type Reply } from "../src/bot.js";
import type { Action } from "../src/gen/lastcard/v1/action.js";
import { Event } from "../src/gen/lastcard/v1/event.js";
import { Seated, TableClosed } from "../src/gen/lastcard/v1/play_service.js";
import { Reason } from "../src/gen/lastcard/v1/reason.js";
import { ActResult } from "../src/gen/lastcard/v1/table.js";
import type { View } from "../src/gen/lastcard/v1/view.js";
import { attach, inlinePlayer } from "../src/player.js";
import { BotError, checked } from "../src/settings.js";
import { CLIENT_VERSION } from "../src/version.js";
import { ScriptedArena } from "./arena.js";
import { TestClock } from "./clock.js";
import { DRAW, decision, from, play } from "./positions.js";

/** Takes the last action, and counts how often it was asked. */
class Last extends Bot {
  asked = 0;
  override threaded = false;
  override maxOpenDecisions = 0;

  override choose(_view: View, legalActions: readonly Action[]): Reply | Promise<Reply> {
    this.asked += 1;
    return legalActions.length - 1;
  }
}

/** A bot that plays at an arena of its own, with a clock of its own. */
async function playing(context: TestContext, bot: Bot = new Last(), { token = "", giveUpS = 300 } = {}) {
  const arena = await new ScriptedArena().start();
  context.after(() => arena.stop());
  const clock = new TestClock();
  const logged: string[] = [];
  const settings = checked({ server: arena.address, token, name: token ? "" : "fox", giveUpS });
  const player = inlinePlayer(bot, settings, (_, text) => logged.push(text), clock);
  attach(bot, player);
  const done = player.run();
  done.catch(() => {}); // each test looks at it itself
  context.after(() => player.stop());
  return { arena, bot, clock, logged, done };
}

test("Hello says who comes and what is wanted", async (context) => {
  const bot = new Last();
  bot.version = "7";
  bot.maxTables = 3;
  const { arena } = await playing(context, bot);
  const stream = await arena.stream();
  const hello = await stream.open();
  assert.equal(stream.metadata.authorization, undefined);
  assert.deepEqual(hello, {
    protocolVersion: 1,
    botName: "fox",
    botVersion: "7",
    clientName: "lastcard-typescript",
    clientVersion: CLIENT_VERSION,
    maxTables: 3,
    maxOpenDecisions: 0,
    decisionsOnly: true,
    cursors: [],
  });
});

test("decisions of many tables in one frame are answered in one frame", async (context) => {
  const { arena } = await playing(context);
  const stream = await arena.stream();
  const tables = ["A", "B", "C"].map((tableId) => from("decision", decision({ tableId })));
  await stream.open({}, ...tables);
  assert.deepEqual(await stream.acts(3), [
    ["A", 1, 2],
    ["B", 1, 2],
    ["C", 1, 2],
  ]);
  assert.equal(stream.frames.length, 2);
});

test("answers never make a frame larger than the server reads", async (context) => {
  const { arena } = await playing(context);
  const stream = await arena.stream();
  const tables = ["A", "B", "C"].map((tableId) => from("decision", decision({ tableId })));
  await stream.open({ maxFrameBytes: 40 }, ...tables);
  await stream.acts(3);
  assert.deepEqual(
    stream.frames.map((frame) => frame.messages.length),
    [1, 2, 1],
  );
});

test("a lost link is resumed with the secret, and the same decision gets the same answer", async (context) => {
  const { arena, bot } = await playing(context);
  const first = await arena.stream();
  await first.open({ resumeSecret: "hush" }, from("decision", decision()));
  await first.acts(1);
  first.endFor(status.UNAVAILABLE);
  const second = await arena.stream();
  const changed = decision({ legalActions: [DRAW] });
  assert.equal((await second.open({}, from("decision", changed))).botName, "fox");
  assert.equal(second.metadata.authorization, "Bearer hush");
  assert.deepEqual(await second.acts(1), [["T", 1, 2]]);
  assert.equal((bot as Last).asked, 1);
});

test("a bot that wants events comes back with the numbers that it saw", async (context) => {
  const told: number[] = [];
  class Listens extends Last {
    override onEvent(_tableId: string, event: Event): void {
      told.push(event.sequence);
    }
  }
  const { arena } = await playing(context, new Listens(), { token: "abc" });
  const first = await arena.stream();
  const events = [1, 2].map((sequence) =>
    Event.fromPartial({ sequence, event: { $case: "cardKept", value: { seat: 0 } } }),
  );
  const seated = from("seated", Seated.fromPartial({ tableId: "T" }));
  const hello = await first.open(
    {},
    seated,
    from("tableEvents", { tableId: "T", events }),
    from("heartbeat", { number: 1 }),
  );
  assert.equal(hello.decisionsOnly, false);
  assert.equal(first.metadata.authorization, "Bearer abc");
  await first.expect("heartbeatReply");
  first.endFor(status.UNAVAILABLE);
  const second = await arena.stream();
  assert.deepEqual((await second.open()).cursors, [{ tableId: "T", lastSequence: 2 }]);
  assert.deepEqual(told, [1, 2]);
});

test("a refused answer is corrected", async (context) => {
  const { arena } = await playing(context);
  const stream = await arena.stream();
  await stream.open({}, from("decision", decision()));
  await stream.acts(1);
  const refused = { tableId: "T", decisionId: 1, reason: Reason.CARD_NOT_PLAYABLE, refusalsLeft: 2 };
  stream.send(from("actResult", ActResult.fromPartial(refused)));
  assert.deepEqual(await stream.acts(1), [["T", 1, 0]]);
});

test("a bot that was replaced ends and does not come back", async (context) => {
  const { arena, done } = await playing(context);
  const stream = await arena.stream();
  await stream.open();
  stream.endFor(status.ABORTED, "SESSION_REPLACED", "elsewhere");
  const sentence = "another program with the same identity took the session over: elsewhere";
  await assert.rejects(done, (error) => error instanceof BotError && error.message === sentence);
  assert.ok(arena.quiet);
});

test("a server that shuts down is come back to, one that is done is not", async (context) => {
  const { arena, done, logged } = await playing(context);
  const first = await arena.stream();
  await first.open({}, from("draining", { timeLeft: { seconds: 3, nanos: 0 } }));
  first.end();
  const second = await arena.stream();
  await second.open();
  second.end();
  await done;
  assert.ok(logged.some((text) => text.startsWith("the server has shut down; next attempt in 0.")));
  assert.equal(logged.at(-1), "ended: the server ended the session");
});

test("a token that is revoked means that the event is over", async (context) => {
  const { arena, done } = await playing(context, new Last(), { token: "abc" });
  const stream = await arena.stream();
  await stream.open();
  stream.endFor(status.UNAUTHENTICATED, "UNAUTHENTICATED");
  await done;
});

test("a token that was never good is a failure", async (context) => {
  const { arena, done } = await playing(context, new Last(), { token: "abc" });
  (await arena.stream()).endFor(status.UNAUTHENTICATED, "UNAUTHENTICATED", "who?");
  await assert.rejects(done, /the server does not accept the token: who\?/);
});

test("a secret that the server does not know any more is forgotten", async (context) => {
  const { arena } = await playing(context);
  const first = await arena.stream();
  await first.open({ resumeSecret: "hush" });
  first.endFor(status.UNAVAILABLE);
  (await arena.stream()).endFor(status.UNAUTHENTICATED, "UNAUTHENTICATED");
  const third = await arena.stream();
  await third.open();
  assert.equal(third.metadata.authorization, undefined);
});

test("messages of an unknown kind are passed over", async (context) => {
  const { arena } = await playing(context);
  const stream = await arena.stream();
  await stream.open({}, { message: undefined }, from("decision", decision()));
  assert.deepEqual(await stream.acts(1), [["T", 1, 2]]);
});

test("a frame of many megabytes is read", async (context) => {
  const { arena } = await playing(context);
  const stream = await arena.stream();
  const legalActions = Array.from({ length: 1_000_000 }, () => play("R5"));
  await stream.open({}, from("decision", decision({ legalActions })));
  assert.deepEqual(await stream.acts(1), [["T", 1, 999_999]]);
});

test("a stream on which three heartbeats fail to come is given up", async (context) => {
  const { arena, clock } = await playing(context);
  const stream = await arena.stream();
  await stream.open({ heartbeatInterval: { seconds: 11, nanos: 0 } });
  stream.send(from("heartbeat", { number: 1 }));
  await stream.expect("heartbeatReply");
  clock.pass(11); // something came in this one
  for (const _ of [1, 2, 3]) {
    assert.equal(clock.pass(11), 1);
  }
  await stream.over;
  await (await arena.stream()).open();
});

test("a server that does not welcome the bot is given up", async (context) => {
  const { arena, clock } = await playing(context);
  const stream = await arena.stream();
  await stream.expect("hello");
  for (const _ of [1, 2, 3]) {
    assert.equal(clock.pass(10), 1);
  }
  await stream.over;
  await arena.stream();
});

test("without a connection the bot gives up at last, and says what to check", async () => {
  const port = await freePort();
  const clock = new TestClock();
  clock.hurry();
  const settings = checked({ server: `127.0.0.1:${port}`, token: "", name: "fox", giveUpS: 60 });
  const logged: string[] = [];
  await assert.rejects(
    inlinePlayer(new Last(), settings, (_, text) => logged.push(text), clock).run(),
    /^BotError: no connection to 127.0.0.1:\d+ for \d+ s; last: no connection \(UNAVAILABLE: .*Is the server running/s,
  );
  assert.equal(logged.filter((text) => /not connected to .* yet; is an arena running there/.test(text)).length, 1);
});

/** A port on which nobody listens. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

test("stop half-closes the stream once what is ready was sent", async (context) => {
  class Once extends Last {
    override async choose(): Promise<Reply> {
      this.stop();
      return 1;
    }
  }
  const { arena, done, clock } = await playing(context, new Once());
  const stream = await arena.stream();
  await stream.open({}, from("decision", decision()));
  assert.deepEqual(await stream.acts(1), [["T", 1, 1]]);
  assert.equal(await stream.next(), undefined);
  assert.equal(clock.pass(1), 1); // the server does not end the stream
  await done;
});

test("a bot leaves a table and is told its end", async (context) => {
  const ends: string[] = [];
  class Leaves extends Last {
    override onSeated(seated: Seated): void {
      this.leave(seated.tableId);
    }
    override onTableClosed(closed: TableClosed): void {
      ends.push(closed.tableId);
    }
  }
  const { arena } = await playing(context, new Leaves());
  const stream = await arena.stream();
  const hello = await stream.open({}, from("seated", Seated.fromPartial({ tableId: "T" })));
  assert.ok(hello.decisionsOnly, "these hooks need no events");
  assert.equal((await stream.expect("leave")).tableId, "T");
  stream.send(from("tableClosed", TableClosed.fromPartial({ tableId: "T" })));
  assert.equal((await stream.expect("tableClosedReceived")).tableId, "T");
  assert.deepEqual(ends, ["T"]);
});

test("a bot that does not run cannot leave", () => {
  assert.throws(() => new Last().leave("T"), /the bot is not running; leave\(\) is for a bot that run\(\) has started/);
});
