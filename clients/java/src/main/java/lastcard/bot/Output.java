package lastcard.bot;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import lastcard.v1.ClientMessage;
import lastcard.v1.Decision;
import lastcard.v1.PlayRequest;

/** What a session asks for: messages to send, decisions to think about, hooks to call. */
sealed interface Output {

  /** A decision of a table. */
  record Key(String tableId, int decisionId) {
    @Override
    public String toString() {
      return "decision " + decisionId + " of table " + tableId;
    }
  }

  /** A hook of a bot with its arguments. */
  @FunctionalInterface
  interface Hook {
    void call(Bot bot) throws Exception;
  }

  /** Send a message, with whatever else is ready in the same frame. */
  record Send(ClientMessage message) implements Output {}

  /** Wait, then call {@link Session#resend} and do what it returns. */
  record SendLater(double seconds, String tableId) implements Output {}

  /**
   * Let the bot think, and give its answer to {@link Session#answered}; with a refusal (else null), correct the former
   * answer. {@code refused} are the indices into the legal actions that were refused at this decision.
   */
  record Ask(Key key, Decision decision, Refusal refusal, Set<Integer> refused) implements Output {
    Ask(Key key, Decision decision) {
      this(key, decision, null, Set.of());
    }
  }

  /** The bot need not think about a decision any more. */
  record Withdraw(Key key) implements Output {}

  /** Call a hook of the bot; the name is for the log. */
  record Tell(String name, Hook hook) implements Output {}

  /** Something a bot author should know; {@code serious} when it points to a fault. */
  record Log(String text, boolean serious) implements Output {
    static Log info(String text) {
      return new Log(text, false);
    }

    static Log warning(String text) {
      return new Log(text, true);
    }
  }

  /** The stream is open; the two numbers hold from now on (0: not stated). */
  record Welcomed(String botName, String serverVersion, int maxFrameBytes, double heartbeatS) implements Output {}

  /** The server is about to end the stream; reconnect then. */
  record Drain(double secondsLeft) implements Output {}

  /** Break the stream off and come back: something that should have come on it did not. */
  record Resume() implements Output {}

  /** The bot must not go on with this server. */
  record Fail(String sentence) implements Output {}

  /** Messages in as few frames as fit into {@code maxBytes} each (0: no limit); a single larger one gets its own. */
  static List<PlayRequest> frames(List<ClientMessage> messages, int maxBytes) {
    final int tagAndLength = 6;
    List<PlayRequest> packed = new ArrayList<>();
    PlayRequest.Builder frame = PlayRequest.newBuilder();
    long size = 0;
    for (ClientMessage message : messages) {
      int own = message.getSerializedSize() + tagAndLength;
      if (frame.getMessagesCount() > 0 && maxBytes > 0 && size + own > maxBytes) {
        packed.add(frame.build());
        frame.clear();
        size = 0;
      }
      frame.addMessages(message);
      size += own;
    }
    if (frame.getMessagesCount() > 0) {
      packed.add(frame.build());
    }
    return packed;
  }
}
