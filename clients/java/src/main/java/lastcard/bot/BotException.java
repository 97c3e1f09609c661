package lastcard.bot;

/** A bot cannot play (on); the sentence says what was wrong and what would be valid. */
public final class BotException extends Exception {
  private static final long serialVersionUID = 1L;

  /** With a sentence. */
  public BotException(String sentence) {
    super(sentence);
  }
}
