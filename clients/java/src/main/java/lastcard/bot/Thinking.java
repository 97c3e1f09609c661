package lastcard.bot;

import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import lastcard.bot.Output.Ask;
import lastcard.bot.Output.Tell;
import lastcard.v1.Act;

/**
 * Calls a bot's methods and turns whatever happens into an answer.
 *
 * <p>A bot that throws or returns nonsense still answers: the fault is logged and another legal action taken, since a
 * defect in one position should not cost a match. Only what no program survives ({@link VirtualMachineError} but for an
 * overflowing stack, {@link LinkageError}) goes on to the caller.
 */
final class Thinking {
  private static final Logger LOG = Logger.getLogger(Thinking.class.getPackageName());

  private Thinking() {}

  /**
   * The bot's answer to a decision, or a legal one in its place.
   *
   * @param withdrawn whether the answer is not wanted any more: then a fault, which may come of having been
   *     interrupted, is not worth a word
   */
  static Act deliberate(Bot bot, Ask ask, BooleanSupplier withdrawn) {
    Answer answer;
    try {
      answer = firstAnswer(bot, ask);
    } catch (Exception | AssertionError | StackOverflowError fault) {
      if (!withdrawn.getAsBoolean()) {
        log(bot, "threw at " + ask.key() + "; another legal action is taken", fault);
      }
      answer = fallback(ask);
    }
    try {
      return act(bot, ask, answer);
    } catch (BadReplyException bad) {
      LOG.severe(() -> name(bot) + " at " + ask.key() + ": " + bad.getMessage());
      return corrected(bot, ask, Refusal.bySdk(bad.getMessage()));
    }
  }

  /** Calls a hook; its fault is logged. */
  static void tell(Bot bot, Tell tell) {
    try {
      tell.hook().call(bot);
    } catch (Exception | AssertionError | StackOverflowError fault) {
      log(bot, "threw in " + tell.name(), fault);
    }
  }

  /** What the bot says: to the decision, or to the refusal of its former answer. */
  private static Answer firstAnswer(Bot bot, Ask ask) throws Exception {
    if (ask.refusal() == null) {
      return bot.decide(ask.decision());
    }
    Answer answer = bot.onRefused(ask.decision(), ask.refusal());
    return answer == null ? fallback(ask) : answer;
  }

  /** The bot's second attempt after a bad reply, or the fallback. */
  private static Act corrected(Bot bot, Ask ask, Refusal refusal) {
    try {
      Answer answer = bot.onRefused(ask.decision(), refusal);
      if (answer != null) {
        return act(bot, ask, answer);
      }
    } catch (Exception | AssertionError | StackOverflowError fault) {
      log(bot, "could not correct its answer at " + ask.key(), fault);
    }
    try {
      return act(bot, ask, fallback(ask));
    } catch (BadReplyException impossible) {
      throw new AssertionError("a legal action is no answer", impossible);
    }
  }

  private static Act act(Bot bot, Ask ask, Answer answer) throws BadReplyException {
    return Answers.actFor(ask.decision(), answer, bot.autoUno(), bot.autoCatch());
  }

  private static Answer fallback(Ask ask) {
    return Answer.of(Answers.fallback(ask.decision(), ask.refused()));
  }

  private static void log(Bot bot, String what, Throwable fault) {
    LOG.log(Level.SEVERE, fault, () -> name(bot) + " " + what);
  }

  private static String name(Bot bot) {
    return bot.getClass().getSimpleName();
  }
}
