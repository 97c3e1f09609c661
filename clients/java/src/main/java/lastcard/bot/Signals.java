package lastcard.bot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Being asked to end by SIGTERM or SIGINT.
 *
 * <p>The class for that, {@code sun.misc.Signal}, is in every JDK but not in the Java standard, so that javac warns of
 * it without a way to let it be. It is called by reflection; where it is missing a signal ends the program by itself.
 */
final class Signals {
  /** A signal so soon after the first is the same wish: shells and supervisors tell a process and its group. */
  private static final long SAME_NS = 500_000_000;

  private static final int KILLED_BY_SIGNAL = 128;
  private static final int TERM = 15;
  private static final int INT = 2;
  private static final Logger LOG = Logger.getLogger(Signals.class.getPackageName());

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
    for (int number : new int[] {TERM, INT}) {
      Runnable heard = () -> {
        long now = System.nanoTime();
        if (first.compareAndSet(never, now)) {
          stop.run();
        } else if (now - first.get() > SAME_NS) {
          Runtime.getRuntime().halt(KILLED_BY_SIGNAL + number);
        }
      };
      try {
        handle(number == TERM ? "TERM" : "INT", heard);
      } catch (ReflectiveOperationException missing) {
        LOG.log(Level.WARNING, "a signal ends the program by itself here", missing);
      }
    }
  }

  /** Has something run at a signal, unless {@code java -Xrs} leaves that to the system. */
  private static void handle(String name, Runnable heard) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object hearing = Proxy.newProxyInstance(
        handler.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
          heard.run();
          return null;
        });
    try {
      Object named = signal.getConstructor(String.class).newInstance(name);
      signal.getMethod("handle", signal, handler).invoke(null, named, hearing);
    } catch (InvocationTargetException refused) {
      if (!(refused.getCause() instanceof IllegalArgumentException)) {
        throw refused;
      }
    }
  }
}
