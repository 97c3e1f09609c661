import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { BotError, settings } from "../src/settings.js";
import { CLIENT_VERSION } from "../src/version.js";

const ENVIRONMENT = { LASTCARD_SERVER: "127.0.0.1:7600", LASTCARD_TOKEN: "abc", LASTCARD_BOT: "fox" };

test("settings come from the environment, and arguments win", () => {
  assert.deepEqual(settings(ENVIRONMENT), { server: "127.0.0.1:7600", token: "abc", name: "fox", giveUpS: 300 });
  const given = settings(ENVIRONMENT, { server: "[::1]:1", token: "", name: "owl" }, "mybot");
  assert.deepEqual(given, { server: "[::1]:1", token: "", name: "owl", giveUpS: 300 });
});

test("a bot without a token has its own name, one with a token that of the token", () => {
  assert.equal(settings({ LASTCARD_SERVER: "host:1" }, {}, "mybot").name, "mybot");
  assert.equal(settings({ LASTCARD_SERVER: "host:1", LASTCARD_TOKEN: "t" }, {}, "mybot").name, "");
});

const WRONG: [Record<string, string>, string][] = [
  [{}, "no server is named; set LASTCARD_SERVER to host:port, or pass server"],
  [{ LASTCARD_SERVER: "host" }, "server 'host' is no address; give host:port, for example 127.0.0.1:7777"],
  [{ LASTCARD_SERVER: "host:0" }, "server 'host:0' is no address"],
  [{ LASTCARD_SERVER: "host:65536" }, "server 'host:65536' is no address"],
  [{ LASTCARD_SERVER: "host:1\n" }, "is no address"],
  [{ LASTCARD_SERVER: "host:1", LASTCARD_TOKEN: "ab c" }, "the token has ' ' at place 2; use it as it was given out"],
  [{ LASTCARD_SERVER: "host:1", LASTCARD_TOKEN: "abc\n" }, "the token has '\\n' at place 3"],
  [{ LASTCARD_SERVER: "host:1", LASTCARD_BOT: "a b" }, "'a b' is no name for a bot; use 1 to 64 letters"],
  [{ LASTCARD_SERVER: "host:1", LASTCARD_BOT: "x".repeat(65) }, "is no name for a bot"],
];

for (const [environment, sentence] of WRONG) {
  test(`${JSON.stringify(environment)} is refused`, () => {
    assert.throws(
      () => settings(environment, {}, "mybot"),
      (error) => error instanceof BotError && error.message.includes(sentence),
    );
  });
}

test("the version that Hello states is that of the package", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  assert.equal(CLIENT_VERSION, JSON.parse(text).version);
});
