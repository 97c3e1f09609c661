package lastcard.bot;

/** A bot returned something that answers nothing; the sentence says what and what would be valid. */
final class BadReplyException extends Exception {
  private static final long serialVersionUID = 1L;

  BadReplyException(String sentence) {
    super(sentence);
  }
}
