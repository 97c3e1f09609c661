package lastcard.bot;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import lastcard.v1.Action;
import lastcard.v1.Decision;
import lastcard.v1.Event;
import lastcard.v1.Receipt;
import lastcard.v1.Seated;
import lastcard.v1.TableClosed;
import lastcard.v1.View;

/** Bots for tests. */
final class Bots {
  private Bots() {}

  /** Takes the first action. */
  static class First extends Bot {
    @Override
    public Answer choose(View view, List<Action> legalActions) throws Exception {
      return Answer.of(0);
    }
  }

  /** Thinks until it is allowed to answer, and says what it is told. */
  static class Slow extends First {
    final BlockingQueue<Integer> thinking = new LinkedBlockingQueue<>();
    final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    final CountDownLatch allowed = new CountDownLatch(1);

    @Override
    public Answer decide(Decision decision) throws Exception {
      thinking.add(decision.getDecisionId());
      try {
        allowed.await();
      } catch (InterruptedException interrupted) {
        told.add("interrupted");
        throw interrupted;
      }
      return super.decide(decision);
    }

    int awaitThought() throws InterruptedException {
      return awaited(thinking);
    }
  }

  /** Says what it is told. */
  static class Listening extends First {
    final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Override
    public Answer decide(Decision decision) throws Exception {
      told.add("decide " + decision.getDecisionId());
      return super.decide(decision);
    }

    @Override
    public void onSeated(Seated seated) {
      told.add("seated " + seated.getTableId());
    }

    @Override
    public void onEvent(String tableId, Event event) {
      told.add("event " + event.getSequence());
    }

    @Override
    public void onReceipt(String tableId, Receipt receipt) {
      told.add("receipt " + receipt.getDecisionId());
    }

    @Override
    public void onTableClosed(TableClosed closed) {
      told.add("closed " + closed.getTableId());
    }
  }

  /** The next thing in a queue, waited for. */
  static <T> T awaited(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(ScriptedArena.BOUND_S, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("nothing happened");
    }
    return next;
  }
}
