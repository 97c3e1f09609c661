package lastcard.bot;

import java.util.concurrent.atomic.AtomicLong;
import sun.misc.Signal;

/** Being asked to end by SIGTERM or SIGINT. */
final class Signals {
  /** A signal so soon after the first is the same wish: shells and supervisors tell a process and its group. */
  private static final long SAME_NS = 500_000_000;

  private static final int KILLED_BY_SIGNAL = 128;

  private Signals() {}

  /**
   * Calls {@code stop} at the first signal; one that comes more than half a second later ends the program at once.
   *
   * <p>A shutdown hook would not do: by then the exit status is that of a program that was killed, and the bot's {@code
   * main} does not get on.
   */
  static void listen(Runnable stop) {
    long never = Long.MIN_VALUE;
    AtomicLong first = new AtomicLong(never);
    for (String name : new String[] {"TERM", "INT"}) {
      try {
        Signal.handle(new Signal(name), signal -> {
          long now = System.nanoTime();
          if (first.compareAndSet(never, now)) {
            stop.run();
          } else if (now - first.get() > SAME_NS) {
            Runtime.getRuntime().halt(KILLED_BY_SIGNAL + signal.getNumber());
          }
        });
      } catch (IllegalArgumentException taken) {
        continue; // java -Xrs: the signal is left to the system, and ends the program by itself
      }
    }
  }
}
