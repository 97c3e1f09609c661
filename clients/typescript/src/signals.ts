// Being asked to end by SIGTERM or SIGINT.

/** A signal so soon after the first is the same wish: `timeout`, shells and supervisors tell a process and its group. */
const SAME_MS = 500;
/** How long the program's own timers and sockets may keep it alive once a bot that was asked to end has ended. */
const LINGER_MS = 1000;

const HEARD = ["SIGTERM", "SIGINT"] as const;

/**
 * Calls `stop` at the first SIGTERM or SIGINT; one that comes later ends the process at once.
 *
 * Returns a function that ends the listening. Once a signal has come it keeps the handlers instead, and the process ends
 * within a second, whatever a bot may still be waiting for.
 */
export function listen(stop: () => void): () => void {
  let first: number | undefined;
  const hear = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = performance.now();
      stop();
    } else if (performance.now() - first > SAME_MS) {
      process.off(signal, hear);
      process.kill(process.pid, signal);
    }
  };
  for (const signal of HEARD) {
    process.on(signal, hear);
  }
  return () => {
    if (first !== undefined) {
      setTimeout(() => process.exit(), LINGER_MS).unref();
      return;
    }
    for (const signal of HEARD) {
      process.off(signal, hear);
    }
  };
}
