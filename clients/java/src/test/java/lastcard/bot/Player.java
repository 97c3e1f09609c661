package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A bot that plays in a thread of its own while a test is the server. */
final class Player implements AutoCloseable {
  private final CompletableFuture<Void> outcome = new CompletableFuture<>();
  private final Bot bot;
  private final Thread thread;

  private Player(Bot bot, Connection connection) {
    this.bot = bot;
    thread = new Thread(() -> {
      try {
        connection.run();
        outcome.complete(null);
      } catch (Throwable thrown) {
        outcome.completeExceptionally(thrown);
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  static Player play(Bot bot, String server) {
    return play(bot, new Settings(server, "", "me", 300));
  }

  static Player play(Bot bot, Settings settings) {
    return new Player(bot, new Connection(bot, settings));
  }

  /** A bot that gives the server only so many seconds for its welcome. */
  static Player hasty(Bot bot, String server, double welcomeS) {
    return new Player(bot, new Connection(bot, new Settings(server, "", "me", 300), welcomeS));
  }

  /** Waits for the end of the run, which must be a good one. */
  void awaitEnd() throws Exception {
    outcome.get(ScriptedArena.BOUND_S, TimeUnit.SECONDS);
  }

  /** Waits for the end of the run, which must be this exception. */
  <T extends Throwable> T failure(Class<T> kind) {
    Throwable cause = assertThrows(
        ExecutionException.class, () -> outcome.get(ScriptedArena.BOUND_S, TimeUnit.SECONDS)).getCause();
    return assertThrows(kind, () -> {
      throw cause;
    });
  }

  /** Interrupts the thread that plays. */
  void interrupt() {
    thread.interrupt();
  }

  @Override
  public void close() throws InterruptedException, TimeoutException {
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(ScriptedArena.BOUND_S));
    if (thread.isAlive()) {
      throw new TimeoutException(bot + " does not end");
    }
  }
}
