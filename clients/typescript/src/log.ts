// The log of a bot: lines on stderr, or wherever the program wants them.

export type Level = "info" | "warning" | "error";
/** Takes what is to be logged. */
export type LogSink = (level: Level, text: string) => void;

const LEVELS: readonly Level[] = ["info", "warning", "error"];

/** Writes lines to stderr, from this level on. */
export function stderrLog(least: Level = "info"): LogSink {
  return (level, text) => {
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(least)) {
      process.stderr.write(`${new Date().toISOString()} ${level.toUpperCase()} lastcard-bot: ${text}\n`);
    }
  };
}
