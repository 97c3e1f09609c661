package lastcard.bot;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import lastcard.bot.Output.Key;
import lastcard.v1.Act;
import lastcard.v1.Decision;

/** What a session remembers of tables and decisions, over all its streams. */
final class Memory {
  /** Answers and receipts of closed decisions that are remembered for each table in case the server repeats one. */
  static final int KEPT_ANSWERS = 64;

  /** Closed tables that are remembered in case the server repeats their end. */
  static final int KEPT_TABLES = 1024;

  /** The tables that are not over. */
  final Map<String, Table> tables = new LinkedHashMap<>();

  /** The tables that are over, the latest of them. */
  final Map<String, Boolean> closed = latest(KEPT_TABLES);

  /** Number of the present stream, from 1. */
  int stream;

  /** Whether the server has welcomed the bot on it. */
  boolean welcomed;

  /** A table, which is new when nothing was heard of it yet. */
  Table table(String tableId) {
    return tables.computeIfAbsent(tableId, unseen -> new Table());
  }

  /** Whether a table is over; one that came back is not. */
  boolean isOver(String tableId) {
    return closed.containsKey(tableId) && !tables.containsKey(tableId);
  }

  /** Remembers that a table is over. */
  void remember(String tableId) {
    closed.remove(tableId); // put anew it is the youngest
    closed.put(tableId, true);
  }

  /** An open decision; null when it is closed or was never put. */
  Open entry(Key key) {
    Table table = tables.get(key.tableId());
    return table == null ? null : table.open.get(key.decisionId());
  }

  /** Drops an open decision; whether there was one. */
  boolean close(Key key) {
    Table table = tables.get(key.tableId());
    return table != null && table.open.remove(key.decisionId()) != null;
  }

  /** A decision that is not closed. */
  static final class Open {
    Decision decision;
    /** The stream on which it was put last. */
    int stream;
    /** The answer; null while the bot thinks. */
    Act act;
    /** How often {@code act} was sent and is not judged yet. */
    int unjudged;
    /** The indices into the legal actions that were refused. */
    final Set<Integer> refused = new LinkedHashSet<>();
    /** Calls and catches by themselves so far. */
    int apart;

    Open(Decision decision, int stream) {
      this.decision = decision;
      this.stream = stream;
    }
  }

  /** What is remembered of a table. */
  static final class Table {
    /** The bot's seat; null until it is told. */
    Integer seat;
    /** The last event seen; null when none is to be asked for. */
    Integer cursor;
    /** The last event before one that did not come; it has been asked for once by coming back. Null: none. */
    Integer gap;

    final Map<Integer, Open> open = new LinkedHashMap<>();
    final Map<Integer, Act> answers = latest(KEPT_ANSWERS);
    final Map<Integer, Boolean> receipts = latest(KEPT_ANSWERS);
  }

  /** A map that forgets the oldest entry when it holds more than {@code most}; put again, an entry keeps its age. */
  static <K, V> Map<K, V> latest(int most) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }
}
