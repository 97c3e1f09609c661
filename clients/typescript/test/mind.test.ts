import assert from "node:assert/strict";
import test from "node:test";
import { Bot, type Refusal, type Reply } from "../src/bot.js";
import type { View } from "../src/gen/lastcard/v1/view.js";
import { LocalMind } from "../src/mind.js";
import type { Ask } from "../src/outputs.js";
import { decision, play, view } from "./positions.js";

class Says extends Bot {
  readonly refusals: string[] = [];

  constructor(
    private readonly reply: () => unknown,
    private readonly correction: () => unknown = () => undefined,
  ) {
    super();
  }

  override choose(): Reply | Promise<Reply> {
    return this.reply() as Reply;
  }

  override onRefused(_: unknown, refusal: Refusal): Reply {
    this.refusals.push(refusal.message);
    return this.correction() as Reply;
  }
}

function ask(decisionId = 1, more: Partial<Ask> = {}): Ask {
  const key = { tableId: "T", decisionId };
  return { type: "ask", key, decision: decision({ decisionId }), refused: [], ...more };
}

function thrower(): never {
  throw new Error("oops");
}

/** A mind, what it answered as `decision: choice`, and what it logged. */
function minded(bot: Bot) {
  const answers: string[] = [];
  const logged: string[] = [];
  const mind = new LocalMind(
    bot,
    (key, act) => answers.push(`${key.decisionId}: ${act.answer?.value}`),
    (_, text) => logged.push(text),
  );
  return { mind, answers, logged };
}

/** Lets promises settle. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("a blocking bot answers at once", () => {
  const { mind, answers } = minded(new Says(() => 2));
  mind.take(ask());
  assert.deepEqual(answers, ["1: 2"]);
});

test("a bot that throws takes another legal action, and the log says where", () => {
  const { mind, answers, logged } = minded(new Says(thrower));
  mind.take(ask());
  mind.take(ask(2, { refused: [0] }));
  assert.deepEqual(answers, ["1: 0", "2: 1"]);
  assert.match(logged[0] ?? "", /^Says threw at decision 1 of table T; another legal action is taken: Error: oops\n/);
});

test("a bad reply is put to the bot as a refusal, and its second one counts", () => {
  const bot = new Says(
    () => 9,
    () => play("R7"),
  );
  const { mind, answers } = minded(bot);
  mind.take(ask());
  assert.deepEqual(answers, ["1: 1"]);
  assert.match(bot.refusals[0] ?? "", /choice 9 is no index/);
});

test("a bot that cannot correct itself takes another legal action", () => {
  for (const correction of [thrower, () => "nonsense", () => null]) {
    const { mind, answers } = minded(new Says(() => undefined, correction));
    mind.take(ask());
    assert.deepEqual(answers, ["1: 0"]);
  }
});

test("a refusal of the server goes to onRefused", async () => {
  const refusal = { message: "no", reason: 3, protocolReason: 0, refusalsLeft: 1 };
  const { mind, answers } = minded(new Says(thrower, async () => 2));
  mind.take(ask(1, { refusal, refused: [0] }));
  await settled();
  assert.deepEqual(answers, ["1: 2"]);
});

test("a bot that waits thinks about many decisions at once, and closed ones are dropped", async () => {
  const release: ((reply: Reply) => void)[] = [];
  const signals: AbortSignal[] = [];
  class Waits extends Bot {
    override choose(_view: View, _actions: unknown, signal: AbortSignal): Promise<Reply> {
      signals.push(signal);
      return new Promise((resolve) => release.push(resolve));
    }
  }
  const { mind, answers } = minded(new Waits());
  for (const number of [1, 2, 3]) {
    mind.take(ask(number));
  }
  mind.take({ type: "withdraw", key: { tableId: "T", decisionId: 2 } });
  assert.deepEqual(
    signals.map((signal) => signal.aborted),
    [false, true, false],
  );
  for (const number of [2, 1, 0]) {
    release[number]?.(number);
  }
  await settled();
  assert.deepEqual(answers, ["3: 2", "1: 0"]);
});

test("hooks run one after the other, and decisions after the hooks before them", async () => {
  const steps: string[] = [];
  class Slow extends Bot {
    override choose(): Reply {
      steps.push("choose");
      return 0;
    }
    override async onSeated(): Promise<void> {
      steps.push("seated");
      await settled();
      steps.push("seated to the end");
    }
    override onReceipt(): void {
      steps.push("receipt");
      thrower();
    }
  }
  const { mind, logged } = minded(new Slow());
  mind.take({ type: "tell", hook: "onSeated", arguments: [] });
  mind.take({ type: "tell", hook: "onReceipt", arguments: [] });
  mind.take(ask());
  await mind.close();
  assert.deepEqual(steps, ["seated", "seated to the end", "receipt"], "the decision is dropped, the hooks are not");
  assert.match(logged[0] ?? "", /^Slow threw in onReceipt: Error: oops/);
});

test("the settings of the bot hold for its answers", () => {
  class Silent extends Says {
    override autoUno = false;
  }
  const calls = [new Says(() => 0), new Silent(() => 0)].map((bot) => {
    let called: boolean | undefined;
    const mind = new LocalMind(
      bot,
      (_, act) => {
        called = act.callUno;
      },
      () => {},
    );
    mind.take(ask(1, { decision: decision({ view: view("R5 R7") }) }));
    return called;
  });
  assert.deepEqual(calls, [true, false]);
});
