// Bots as programs: the stream in a thread of its own, signals and the exit status.

import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { status } from "@grpc/grpc-js";
import { Reason } from "../src/gen/lastcard/v1/reason.js";
import { ScriptedArena } from "./arena.js";
import { decision, from } from "./positions.js";

class Program {
  readonly exit: Promise<number | NodeJS.Signals>;
  stderr = "";
  readonly process: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;

  constructor(context: TestContext, file: string, environment: Record<string, string>) {
    const path = new URL(file, import.meta.url).pathname;
    this.process = spawn(process.execPath, [path], { env: { PATH: process.env.PATH, ...environment } });
    this.process.stderr.on("data", (text) => {
      this.stderr += text;
    });
    this.lines = createInterface(this.process.stdout)[Symbol.asyncIterator]();
    this.exit = once(this.process, "close").then(([code, signal]) => code ?? signal);
    context.after(() => this.process.kill("SIGKILL"));
  }

  async line(): Promise<string> {
    return (await this.lines.next()).value;
  }
}

async function started(context: TestContext, file: string) {
  const arena = await new ScriptedArena().start();
  context.after(() => arena.stop());
  const program = new Program(context, file, { LASTCARD_SERVER: arena.address, LASTCARD_BOT: "fox" });
  return { arena, program, stream: await arena.stream() };
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} ends the program with status 0, and the stream before it`, async (context) => {
    const { program, stream } = await started(context, "../examples/my_bot.js");
    assert.equal((await stream.open()).botName, "fox");
    stream.send(from("decision", decision()));
    await stream.acts(1);
    program.process.kill(signal);
    assert.equal(await stream.next(), undefined);
    stream.end();
    assert.equal(await program.exit, 0, program.stderr);
  });
}

test("a bot that was replaced exits with status 1 and a sentence", async (context) => {
  const { program, stream } = await started(context, "../examples/my_bot.js");
  await stream.open();
  stream.endFor(status.ABORTED, "SESSION_REPLACED", "elsewhere");
  assert.equal(await program.exit, 1);
  assert.match(program.stderr, /^error: another program with the same identity took the session over: elsewhere$/m);
});

test("a program plays on when nobody reads its log", async (context) => {
  const { program, stream } = await started(context, "../examples/my_bot.js");
  program.process.stderr.destroy();
  await stream.open({}, from("decision", decision()));
  await stream.acts(1);
  stream.end();
  assert.equal(await program.exit, 0);
});

test("a proxy of the environment is not used", async (context) => {
  const arena = await new ScriptedArena().start();
  context.after(() => arena.stop());
  const proxy = "http://127.0.0.1:1";
  const environment = { LASTCARD_SERVER: arena.address, grpc_proxy: proxy, https_proxy: proxy, http_proxy: proxy };
  new Program(context, "../examples/my_bot.js", environment);
  await (await arena.stream()).open();
});

test("without a server the program exits with status 1 and a sentence", async (context) => {
  const program = new Program(context, "../examples/my_bot.js", {});
  assert.equal(await program.exit, 1);
  assert.equal(program.stderr, "error: no server is named; set LASTCARD_SERVER to host:port, or pass server\n");
});

test("the stream stays alive while the bot holds its thread", async (context) => {
  const { program, stream } = await started(context, "./bots/blocking.js");
  await stream.open({}, from("decision", decision()));
  assert.equal(await program.line(), "thinking");
  stream.send(from("heartbeat", { number: 5 }));
  assert.equal((await stream.expect("heartbeatReply")).number, 5);
  program.process.stdin.write("\n");
  assert.deepEqual(await stream.acts(1), [["T", 1, 1]]);
});

test("decisions that are closed meanwhile are neither thought about nor answered", async (context) => {
  const { program, stream } = await started(context, "./bots/blocking.js");
  const decisions = [1, 2, 3].map((decisionId) =>
    from("decision", decision({ tableId: `T${decisionId}`, decisionId })),
  );
  await stream.open({}, ...decisions);
  assert.equal(await program.line(), "thinking");
  const closed = [1, 2].map((decisionId) =>
    from("decisionClosed", {
      tableId: `T${decisionId}`,
      decisionId,
      reason: Reason.STALE_DECISION,
      receipt: undefined,
    }),
  );
  stream.send(...closed, from("heartbeat", { number: 1 }));
  await stream.expect("heartbeatReply"); // so it has heard of both
  program.process.stdin.write("\n");
  assert.equal(await program.line(), "thinking");
  program.process.stdin.write("\n");
  assert.deepEqual(await stream.acts(1), [["T3", 3, 1]]);
});

test("a program that is still busy when it is asked to end, ends when it is done", async (context) => {
  const { program, stream } = await started(context, "./bots/blocking.js");
  await stream.open({}, from("decision", decision()));
  await program.line();
  program.process.kill("SIGTERM");
  program.process.stdin.write("\n");
  while ((await stream.next()) !== undefined) {
    // its answer may still come
  }
  stream.end();
  assert.equal(await program.exit, 0, program.stderr);
});

test("a program that is asked to end begins no other thought", async (context) => {
  const { program, stream } = await started(context, "./bots/blocking.js");
  await stream.open({}, from("decision", decision()));
  await program.line();
  program.process.kill("SIGTERM");
  const next = decision({ tableId: "T2", decisionId: 2 });
  stream.send(from("decision", next), from("heartbeat", { number: 1 }));
  await stream.expect("heartbeatReply"); // so the other decision has come as well
  program.process.stdin.write("\n");
  while ((await stream.next()) !== undefined) {
    // its answer may still come
  }
  stream.end();
  assert.equal(await program.exit, 0, program.stderr);
  assert.equal(await program.line(), undefined, "it thinks no more");
});
