// The log of a bot: lines on stderr, or wherever the program wants them.

export type Level = "info" | "warning" | "error";
/** Takes what is to be logged. */
export type LogSink = (level: Level, text: string) => void;

const LEVELS: readonly Level[] = ["info", "warning", "error"];

/** Whoever reads stderr may end before the bot, which plays on then; without a listener the error would end it. */
function playOn(): void {}

/** Writes lines to stderr, from this level on. */
export function stderrLog(least: Level = "info"): LogSink {
  if (!process.stderr.listeners("error").includes(playOn)) {
    process.stderr.on("error", playOn);
  }
  return (level, text) => {
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(least)) {
      process.stderr.write(`${new Date().toISOString()} ${level.toUpperCase()} lastcard-bot: ${text}\n`);
    }
  };
}
