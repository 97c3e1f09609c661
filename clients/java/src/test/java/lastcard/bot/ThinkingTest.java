package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import lastcard.bot.Output.Ask;
import lastcard.bot.Output.Key;
import lastcard.bot.Output.Tell;
import lastcard.v1.Act;
import lastcard.v1.Action;
import lastcard.v1.Decision;
import lastcard.v1.Reason;
import lastcard.v1.View;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ThinkingTest {
  private static final Key KEY = new Key("t", 7);
  private static final Decision TURN = Messages.turn("t", 7).build();
  private static final Refusal REFUSAL = new Refusal("no", Reason.REASON_COLOR_REQUIRED, null, 2);

  private final Logger logger = Logger.getLogger("lastcard.bot");
  private final List<String> log = new ArrayList<>();
  private final Handler keeper = new Handler() {
    @Override
    public void publish(LogRecord entry) {
      log.add(entry.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  @BeforeEach
  void listen() {
    logger.setUseParentHandlers(false);
    logger.addHandler(keeper);
  }

  @AfterEach
  void listenNoMore() {
    logger.setUseParentHandlers(true);
    logger.removeHandler(keeper);
  }

  private static Act think(Bot bot, Ask ask) {
    return Thinking.deliberate(bot, ask, () -> false);
  }

  /** A bot that says these one after the other to decisions and refusals; null among them is no correction. */
  private static Bot saying(Answer first, Answer corrected) {
    return new Bots.First() {
      @Override
      public Answer choose(View view, List<Action> legalActions) {
        return first;
      }

      @Override
      public Answer onRefused(Decision decision, Refusal refusal) {
        return corrected;
      }
    };
  }

  private static Bot throwing(Throwable thrown) {
    return new Bots.First() {
      @Override
      public Answer choose(View view, List<Action> legalActions) throws Exception {
        if (thrown instanceof Error error) {
          throw error;
        }
        throw (Exception) thrown;
      }
    };
  }

  @Test
  void theBotsAnswerIsTaken() {
    assertEquals(2, think(saying(Answer.of(2), null), new Ask(KEY, TURN)).getChoice());
    assertEquals(List.of(), log);
  }

  @Test
  void aReactionGoesToReact() {
    Decision reaction = Messages.reaction("t", 7, Messages.UNO, Messages.PASS).build();
    assertEquals(0, think(saying(Answer.of(1), null), new Ask(KEY, reaction)).getChoice());
  }

  @Test
  void aBotThatThrowsTakesAnotherLegalAction() {
    for (Throwable fault :
        List.of(new IllegalStateException("oh"), new AssertionError("oh"), new StackOverflowError())) {
      assertEquals(1, think(throwing(fault), new Ask(KEY, TURN, null, Set.of(0))).getChoice());
    }
    assertEquals(3, log.size());
    assertTrue(log.get(0).endsWith("threw at decision 7 of table t; another legal action is taken"), log.get(0));
  }

  @Test
  void whatNoProgramSurvivesGoesOn() {
    assertThrows(OutOfMemoryError.class, () -> think(throwing(new OutOfMemoryError()), new Ask(KEY, TURN)));
  }

  @Test
  void aFaultOfABotThatIsNotAskedAnyMoreIsNotWorthAWord() {
    Thinking.deliberate(throwing(new InterruptedException()), new Ask(KEY, TURN), () -> true);
    assertEquals(List.of(), log);
  }

  @Test
  void nonsenseIsCorrectedByTheBotOrReplaced() {
    assertEquals(3, think(saying(Answer.of(9), Answer.of(3)), new Ask(KEY, TURN)).getChoice());
    assertTrue(log.get(0).contains("choice 9 is no index into legalActions; valid are 0 to 3"), log.get(0));
    assertEquals(0, think(saying(Answer.of(9), null), new Ask(KEY, TURN)).getChoice());
    assertEquals(0, think(saying(null, Answer.of(9)), new Ask(KEY, TURN)).getChoice());
  }

  @Test
  void aRefusedAnswerIsCorrectedByTheBotOrReplaced() {
    Ask refused = new Ask(KEY, TURN, REFUSAL, Set.of(0));
    assertEquals(3, think(saying(Answer.of(2), Answer.of(3)), refused).getChoice());
    assertEquals(1, think(saying(Answer.of(2), null), refused).getChoice());
    assertEquals(List.of(), log, "to leave it to the SDK is no fault");
  }

  @Test
  void aHookThatThrowsIsLogged() {
    Thinking.tell(saying(null, null), new Tell("onSeated", bot -> {
      throw new IllegalStateException("oh");
    }));
    assertTrue(log.get(0).endsWith("threw in onSeated"), log.get(0));
  }

  @Test
  void eventsAreWantedByWhoListens() {
    assertTrue(new Bots.Listening().wantsEvents());
    assertTrue(!new Bots.First().wantsEvents());
    assertEquals("first", new Bots.First().name());
    assertEquals(1, new Bots.First().maxOpenDecisions());
  }

  @Test
  void aBotThatDoesNotRunCannotLeave() {
    String sentence = assertThrows(IllegalStateException.class, () -> new Bots.First().leave("t")).getMessage();
    assertEquals("the bot is not running; leave() is for a bot that Runner has started", sentence);
  }
}
