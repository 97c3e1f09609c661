package lastcard.bot;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.Set;
import lastcard.v1.ErrorCause;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;

/**
 * What the end of a stream means, in a sentence, and what to do next.
 *
 * @param next what to do
 * @param sentence why
 */
record Ending(Next next, String sentence) {

  /** What to do after a stream. */
  enum Next {
    RECONNECT,
    /** Reconnect without the resume secret: the server does not know it any more. */
    FORGET,
    /** The server is done with this bot. */
    FINISH,
    /** It would fail again, or somebody else plays in our place. */
    FAIL
  }

  /**
   * What was known when the stream ended.
   *
   * @param withToken whether the bot identified itself by a token
   * @param withSecret whether it identified itself by a resume secret
   * @param known whether the server has welcomed this bot before, on this stream or an earlier one
   * @param draining whether the server said that it shuts down
   */
  record Circumstances(boolean withToken, boolean withSecret, boolean known, boolean draining) {}

  /** Codes after which the same hello would be refused again. */
  private static final Set<Status.Code> HOPELESS = Set.of(
      Status.Code.FAILED_PRECONDITION,
      Status.Code.INVALID_ARGUMENT,
      Status.Code.PERMISSION_DENIED,
      Status.Code.UNIMPLEMENTED);

  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  /** Judges the end of a stream by its status, what the server said it ends for (null: nothing), and the rest. */
  static Ending judge(Status.Code code, String text, ErrorCause cause, Circumstances when) {
    boolean replaced = cause == null
        ? code == Status.Code.ABORTED
        : cause.getReason() == Reason.REASON_SESSION_REPLACED
            || cause.getProtocolReason() == ProtocolReason.PROTOCOL_REASON_SESSION_REPLACED;
    if (replaced) {
      return new Ending(Next.FAIL, "another program with the same identity took the session over: " + text);
    }
    if (code == Status.Code.OK) {
      return when.draining()
          ? new Ending(Next.RECONNECT, "the server has shut down")
          : new Ending(Next.FINISH, "the server ended the session");
    }
    if (code == Status.Code.UNAUTHENTICATED
        || (cause != null && cause.getProtocolReason() == ProtocolReason.PROTOCOL_REASON_UNAUTHENTICATED)) {
      return unauthenticated(text, when);
    }
    if (code == Status.Code.UNIMPLEMENTED && !when.known()) {
      return new Ending(Next.FAIL, "what answers at this address is no arena that this client knows: " + text);
    }
    if (HOPELESS.contains(code)) {
      return new Ending(Next.FAIL, "the server refused the bot: " + text);
    }
    String what = when.known() ? "connection lost" : "no connection";
    return new Ending(Next.RECONNECT, what + " (" + code + ": " + text + ")");
  }

  /** The cause in the details of a status; null when there is none or it cannot be read. */
  static ErrorCause causeOf(Metadata trailers) {
    byte[] details = trailers == null ? null : trailers.get(DETAILS);
    if (details == null) {
      return null;
    }
    try {
      for (Any detail : com.google.rpc.Status.parseFrom(details).getDetailsList()) {
        if (detail.is(ErrorCause.class)) {
          return detail.unpack(ErrorCause.class);
        }
      }
    } catch (InvalidProtocolBufferException unreadable) {
      return null; // the code of the status stands without it
    }
    return null;
  }

  private static Ending unauthenticated(String text, Circumstances when) {
    if (when.withToken()) {
      return when.known()
          ? new Ending(Next.FINISH, "the token is not valid any more, so the event is over: " + text)
          : new Ending(Next.FAIL, "the server does not accept the token: " + text);
    }
    return when.withSecret()
        ? new Ending(Next.FORGET, "the server does not know this session any more: " + text)
        : new Ending(Next.FAIL, "the server wants a token (set LASTCARD_TOKEN): " + text);
  }
}
