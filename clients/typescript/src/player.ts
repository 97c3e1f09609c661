// A bot that plays: what its program can ask of it, and the player whose stream is read in the bot's own thread.

import type { Bot } from "./bot.js";
import { type Clock, Connection, type Profile, REAL_CLOCK } from "./connection.js";
import type { LogSink } from "./log.js";
import { LocalMind } from "./mind.js";
import type { Settings } from "./settings.js";

/** A bot and its connection. */
export interface Player {
  /** Plays until stopped or until the server is done with the bot; throws `BotError` when it cannot go on. */
  run(): Promise<void>;
  /** Ends cleanly. */
  stop(): void;
  /** Leaves a table for good. */
  leave(tableId: string): void;
}

/** What the connection has to know of a bot. */
export function profileOf(bot: Bot): Profile {
  const { version, maxTables, maxOpenDecisions } = bot;
  return { version, maxTables, maxOpenDecisions, hooks: bot.hooks() };
}

/**
 * Tells a bot how to reach its player. It is stopped a little later, so that a bot that stops while it chooses has its
 * answer sent.
 */
export function attach(bot: Bot, player: Player): void {
  bot.attach(
    (tableId) => player.leave(tableId),
    () => setImmediate(() => player.stop()),
  );
}

/** A player in one thread. */
export function inlinePlayer(bot: Bot, settings: Settings, log: LogSink, clock: Clock = REAL_CLOCK): Player {
  const mind = new LocalMind(bot, (key, act) => connection.answered(key, act), log);
  const connection = new Connection(settings, profileOf(bot), mind, log, clock);
  return connection;
}
