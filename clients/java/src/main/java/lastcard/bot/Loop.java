package lastcard.bot;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One thread on which everything about a connection happens, one thing after the other. It is a daemon; once the loop
 * is closed nothing that is posted happens any more, since nobody waits for it.
 */
final class Loop {
  private final ScheduledThreadPoolExecutor executor;
  private final Consumer<Throwable> failed;

  /** {@code failed} takes what a posted task threw, which is a defect of the SDK. */
  Loop(Consumer<Throwable> failed) {
    this.failed = failed;
    executor = new ScheduledThreadPoolExecutor(1, work -> {
      Thread thread = new Thread(work, "lastcard connection");
      thread.setDaemon(true);
      return thread;
    });
    executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    executor.setRemoveOnCancelPolicy(true);
  }

  /** Runs a task after those that were posted before. */
  void post(Runnable task) {
    executor.execute(guarded(task));
  }

  /** Runs a task so many seconds from now, unless it is cancelled. */
  Future<?> later(double seconds, Runnable task) {
    return executor.schedule(guarded(task), (long) (seconds * 1e9), TimeUnit.NANOSECONDS);
  }

  /** The thread itself, for callbacks; what they throw must not get out of them. */
  Executor executor() {
    return executor;
  }

  /** The task, with what it throws brought to where it ends the run, instead of lost in the thread. */
  Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (Throwable error) {
        failed.accept(error);
      }
    };
  }

  /** Lets nothing happen any more. */
  void close() {
    executor.shutdown();
  }
}
