package lastcard.bot;

import java.util.function.DoubleSupplier;

/**
 * Waits before attempts to connect: they double from the first to the longest, each shortened at random by up to half.
 *
 * <p>The jitter keeps a thousand bots from coming back to a restarted server in step.
 */
final class Backoff {
  static final double FIRST_S = 0.2;
  static final double MOST_S = 5.0;

  private final DoubleSupplier chance;
  private double nextS = FIRST_S;

  /** With a source of numbers from 0 up to but not including 1. */
  Backoff(DoubleSupplier chance) {
    this.chance = chance;
  }

  /** The next wait, in seconds. */
  double nextS() {
    double wait = nextS;
    nextS = Math.min(MOST_S, wait * 2);
    return wait * (1 - chance.getAsDouble() / 2);
  }

  /** Begins with the shortest wait again, after a connection that held. */
  void reset() {
    nextS = FIRST_S;
  }
}
