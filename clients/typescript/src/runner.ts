// Running a bot as a program: `run` and `play`, and the exit status.

import type { Bot } from "./bot.js";
import { type Level, type LogSink, stderrLog } from "./log.js";
import { attach, inlinePlayer, type Player, profileOf } from "./player.js";
import { BotError, type Settings, settings, type Where } from "./settings.js";
import { listen } from "./signals.js";
import { ThreadedPlayer } from "./thread.js";

/** Options of `run`; what is not given comes from `LASTCARD_SERVER`, `LASTCARD_TOKEN` and `LASTCARD_BOT`. */
export interface RunOptions extends Where {
  /** The least level that is logged to stderr; default `info`. */
  logLevel?: Level | undefined;
  /** Takes what is logged, in place of stderr. */
  log?: LogSink | undefined;
}

/**
 * Plays until the event is over or the program is asked to end (SIGTERM, SIGINT), then resolves.
 *
 * When the bot cannot play (on), says why on stderr and sets the exit status 1.
 */
export async function run(bot: Bot, options: RunOptions = {}): Promise<void> {
  try {
    await play(bot, botSettings(bot, options), options.log ?? stderrLog(options.logLevel));
  } catch (error) {
    if (!(error instanceof BotError)) {
      throw error;
    }
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/**
 * Settings for a bot from arguments, the environment and the bot's own name.
 *
 * Throws `BotError` when no server is named or a value cannot be used.
 */
export function botSettings(bot: Bot, where: Where = {}): Settings {
  return settings(process.env, where, bot.name || bot.constructor.name.toLowerCase());
}

/** Plays a bot until it has ended; SIGTERM and SIGINT end it cleanly. Rejects with `BotError` when it cannot play on. */
export async function play(bot: Bot, where: Settings, log: LogSink = stderrLog()): Promise<void> {
  const player: Player = bot.threaded
    ? new ThreadedPlayer(bot, where, profileOf(bot), log)
    : inlinePlayer(bot, where, log);
  attach(bot, player);
  const endListening = listen(() => player.stop());
  try {
    await player.run();
  } finally {
    endListening();
  }
}
