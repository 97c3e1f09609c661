package lastcard.bot;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import lastcard.bot.Output.Ask;
import lastcard.bot.Output.Key;
import lastcard.bot.Output.Tell;
import lastcard.v1.Act;

/**
 * Makes a bot think, in threads of its own.
 *
 * <p>One thread takes hooks and decisions in the order in which they came; a bot with several threads thinks about the
 * decisions in those. All threads are daemons, which cannot keep a program from ending. The methods here are called by
 * the loop of the connection alone, and answers are handed to it.
 */
final class Mind {
  /** How long a bot may take, when its connection has ended, with what it was told before. */
  private static final long CLOSE_MS = 1000;

  private final Bot bot;
  private final Consumer<Runnable> loop;
  private final BiConsumer<Key, Act> answered;
  private final Consumer<Throwable> failed;
  private final ExecutorService inOrder;
  /** The threads for decisions; null when they are thought about in the one for everything. */
  private final ExecutorService beside;
  /** Decisions not answered yet. */
  private final Map<Key, FutureTask<Void>> thoughts = new HashMap<>();

  /**
   * For a bot.
   *
   * @param loop runs something on the loop of the connection, from any thread
   * @param answered takes an answer, on the loop
   * @param failed takes what ended the bot, on the loop
   */
  Mind(Bot bot, Consumer<Runnable> loop, BiConsumer<Key, Act> answered, Consumer<Throwable> failed) {
    this.bot = bot;
    this.loop = loop;
    this.answered = answered;
    this.failed = failed;
    ThreadFactory threads = work -> {
      Thread thread = new Thread(work, bot.getClass().getSimpleName() + " thinks");
      thread.setDaemon(true);
      return thread;
    };
    inOrder = Executors.newSingleThreadExecutor(threads);
    beside = switch (bot.threads()) {
      case 0 -> Executors.newCachedThreadPool(threads);
      case 1 -> null;
      default -> Executors.newFixedThreadPool(bot.threads(), threads);
    };
  }

  /** Puts a decision to the bot; the answer comes by the callback, unless it is withdrawn before. */
  void ask(Ask ask) {
    FutureTask<Void> thought = new Thought(ask).task;
    thoughts.put(ask.key(), thought);
    inOrder.execute(beside == null ? thought : () -> beside.execute(thought));
  }

  /** Drops a decision and interrupts the thread that thinks about it. */
  void withdraw(Key key) {
    FutureTask<Void> thought = thoughts.remove(key);
    if (thought != null) {
      thought.cancel(true);
    }
  }

  /** Calls a hook, after everything that was told before. */
  void tell(Tell tell) {
    inOrder.execute(() -> {
      try {
        Thinking.tell(bot, tell);
      } catch (Throwable error) {
        loop.accept(() -> failed.accept(error));
      }
    });
  }

  /** Drops all decisions, then lets the threads end after the hooks that were called for before. */
  void dropAll() {
    thoughts.values().forEach(thought -> thought.cancel(true));
    thoughts.clear();
    inOrder.shutdown();
  }

  /** Waits for the hooks, for a second at most; a bot that never returns is left behind. */
  void close() throws InterruptedException {
    try {
      inOrder.awaitTermination(CLOSE_MS, TimeUnit.MILLISECONDS);
    } finally {
      inOrder.shutdownNow();
      if (beside != null) {
        beside.shutdownNow();
      }
    }
  }

  /** One decision that is thought about. */
  private final class Thought {
    private final Ask ask;
    private final FutureTask<Void> task;

    Thought(Ask ask) {
      this.ask = ask;
      this.task = new FutureTask<>(this::think, null);
    }

    private void think() {
      try {
        Act act = Thinking.deliberate(bot, ask, task::isCancelled);
        loop.accept(() -> deliver(act));
      } catch (Throwable error) {
        loop.accept(() -> failed.accept(error));
      }
    }

    /** Hands an answer on, unless its decision was withdrawn meanwhile. */
    private void deliver(Act act) {
      if (thoughts.remove(ask.key(), task)) {
        answered.accept(ask.key(), act);
      }
    }
  }
}
