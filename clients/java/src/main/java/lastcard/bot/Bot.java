package lastcard.bot;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import lastcard.v1.Action;
import lastcard.v1.Decision;
import lastcard.v1.DecisionKind;
import lastcard.v1.Event;
import lastcard.v1.Notice;
import lastcard.v1.Receipt;
import lastcard.v1.Seated;
import lastcard.v1.TableClosed;
import lastcard.v1.TableSnapshot;
import lastcard.v1.View;

/**
 * A bot. It has to say one thing, {@link #choose}; everything else has a default.
 *
 * <p>All its methods run in one thread of their own, one at a time and in order, so that a bot needs no lock and the
 * stream stays alive however long it thinks. One that wants to think about several decisions at once overrides {@link
 * #threads}; then hooks still come one at a time, decisions beside each other. The thread that thinks about a decision
 * is interrupted when the decision closes meanwhile.
 */
public abstract class Bot {
  private volatile Consumer<String> leave;
  private volatile Runnable stop;

  // Settings.

  /** Name of the bot where neither arguments nor {@code LASTCARD_BOT} give one: the class's name in lower case. */
  public String name() {
    return getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  /** Version of the bot, for records. */
  public String version() {
    return "";
  }

  /** Whether UNO is called with every play that leaves one card, unless an {@link Answer} says otherwise. */
  public boolean autoUno() {
    return true;
  }

  /** Whether seats that forgot their call are caught where that costs nothing, unless an {@link Answer} says so. */
  public boolean autoCatch() {
    return true;
  }

  /** Most tables at once; 0 for as many as the server allows. */
  public int maxTables() {
    return 0;
  }

  /** Decisions that are thought about at once, each in a thread; 0 for as many as there are. */
  public int threads() {
    return 1;
  }

  /** Most open decisions at once; 0 for no limit. The clocks of further ones wait until one closes. */
  public int maxOpenDecisions() {
    return threads();
  }

  /** Whether the server is to send events; by default exactly when a hook for them is overridden. */
  public boolean wantsEvents() {
    return overrides("onEvent", String.class, Event.class)
        || overrides("onSnapshot", TableSnapshot.class)
        || overrides("onNotice", Notice.class);
  }

  // What a bot is asked.

  /** Answers a decision in the bot's own turn. */
  public abstract Answer choose(View view, List<Action> legalActions) throws Exception;

  /** Answers a decision out of turn (jump-in, catch, late call); by default calls and catches, never jumps in. */
  public Answer react(View view, List<Action> legalActions) throws Exception {
    return Answer.of(Answers.defaultReaction(view, legalActions, autoCatch()));
  }

  /** Answers any decision; override it to see kind, time left, bank and receipt as well. */
  public Answer decide(Decision decision) throws Exception {
    return decision.getKind() == DecisionKind.DECISION_KIND_REACTION
        ? react(decision.getView(), decision.getLegalActionsList())
        : choose(decision.getView(), decision.getLegalActionsList());
  }

  /** Corrects a refused answer; null, the default, leaves it to the SDK, which takes another legal action. */
  public Answer onRefused(Decision decision, Refusal refusal) throws Exception {
    return null;
  }

  // What a bot is told.

  /** Is told of a seat at a table. */
  public void onSeated(Seated seated) throws Exception {}

  /** Is told of each numbered event of its tables, once and in order. */
  public void onEvent(String tableId, Event event) throws Exception {}

  /** Is told the state of a table in place of events that the server no longer keeps. */
  public void onSnapshot(TableSnapshot snapshot) throws Exception {}

  /** Is told of presence and other things that are not part of the game. */
  public void onNotice(Notice notice) throws Exception {}

  /** Is told the account of each closed decision, once. */
  public void onReceipt(String tableId, Receipt receipt) throws Exception {}

  /** Is told the end of a table and its result, once. */
  public void onTableClosed(TableClosed closed) throws Exception {}

  // What a bot may do besides, from any thread.

  /** Leaves a table for good. */
  public final void leave(String tableId) {
    running(leave, "leave").accept(tableId);
  }

  /** Ends the run cleanly. */
  public final void stop() {
    running(stop, "stop").run();
  }

  /** Tells the bot how to reach the connection that plays it. */
  final void attach(Consumer<String> leaving, Runnable stopping) {
    leave = leaving;
    stop = stopping;
  }

  private static <T> T running(T reached, String method) {
    if (reached == null) {
      throw new IllegalStateException(
          "the bot is not running; " + method + "() is for a bot that Runner has started");
    }
    return reached;
  }

  private boolean overrides(String method, Class<?>... parameters) {
    try {
      return getClass().getMethod(method, parameters).getDeclaringClass() != Bot.class;
    } catch (NoSuchMethodException impossible) {
      throw new AssertionError("Bot has no method " + method, impossible);
    }
  }
}
