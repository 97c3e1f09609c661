package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The table that is played before a bot dials. */
class WarmUpTest {
  @Test
  void everyMessageOfItIsAnswered() {
    int hello = 1;
    int answers = 2;
    int tableClosedReceived = 1;
    assertEquals(hello + answers + tableClosedReceived, WarmUp.run());
  }
}
