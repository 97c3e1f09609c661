package lastcard.bot;

import java.util.List;
import lastcard.v1.Action;

/**
 * What a bot says to a decision: an index into the legal actions or an action, and, where it wants to say so itself,
 * whether UNO is called and who is caught.
 *
 * @param index the index into {@code legalActions}; null when {@code action} is given
 * @param action the action itself; null when {@code index} is given
 * @param callUno whether UNO is called with the play; null leaves it to the SDK ({@link Bot#autoUno})
 * @param catchSeats the seats to be caught along with it; null leaves it to the SDK ({@link Bot#autoCatch})
 */
public record Answer(Integer index, Action action, Boolean callUno, List<Integer> catchSeats) {

  /** The action at this index of {@code legalActions}. */
  public static Answer of(int index) {
    return new Answer(index, null, null, null);
  }

  /**
   * One of the legal actions; or, in the own turn, a call or a catch by itself, which leaves the turn open: the bot is
   * asked again.
   */
  public static Answer of(Action action) {
    return new Answer(null, action, null, null);
  }

  /** The same answer that says itself whether UNO is called. */
  public Answer withCallUno(boolean call) {
    return new Answer(index, action, call, catchSeats);
  }

  /** The same answer that says itself who is caught; nobody when no seat is given. */
  public Answer withCatches(Integer... seats) {
    return new Answer(index, action, callUno, List.of(seats));
  }
}
