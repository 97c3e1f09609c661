import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import lastcard.bot.Answer;
import lastcard.bot.Bot;
import lastcard.bot.Runner;
import lastcard.v1.Action;
import lastcard.v1.Event;
import lastcard.v1.TableClosed;
import lastcard.v1.View;

/** Counts the cards that are played at its tables, and thinks about all its decisions at once, each for a while. */
public final class ListeningBot extends Bot {
  private static final long THOUGHT_MS = 300;

  private final Map<String, Integer> played = new ConcurrentHashMap<>();

  @Override
  public int threads() {
    return 0; // as many as there are decisions
  }

  @Override
  public Answer choose(View view, List<Action> legalActions) throws InterruptedException {
    Thread.sleep(THOUGHT_MS); // a model's server, another process, …
    return Answer.of(0);
  }

  @Override
  public void onEvent(String tableId, Event event) {
    if (event.hasCardPlayed()) {
      played.merge(tableId, 1, Integer::sum);
    }
  }

  @Override
  public void onTableClosed(TableClosed closed) {
    Integer count = played.remove(closed.getTableId());
    System.out.println("table " + closed.getTableId() + ": " + (count == null ? 0 : count) + " cards were played");
  }

  public static void main(String[] arguments) {
    Runner.run(new ListeningBot());
  }
}
