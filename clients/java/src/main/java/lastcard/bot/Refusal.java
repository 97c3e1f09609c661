package lastcard.bot;

import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;

/**
 * Why an answer did not count: by the game ({@code reason}), by the transport ({@code protocolReason}) or, with both
 * unset, by the SDK before it was sent.
 *
 * @param message one sentence: what was wrong and what would be valid
 * @param reason the game's reason, or {@code REASON_UNSPECIFIED}
 * @param protocolReason the transport's reason, or {@code PROTOCOL_REASON_UNSPECIFIED}
 * @param refusalsLeft how many more the server allows at this decision
 */
public record Refusal(String message, Reason reason, ProtocolReason protocolReason, int refusalsLeft) {

  /** Refusals that the server allows at a decision of which none was used yet. */
  private static final int ALL_LEFT = 2;

  /** A refusal by the SDK. */
  static Refusal bySdk(String message) {
    return new Refusal(message, Reason.REASON_UNSPECIFIED, ProtocolReason.PROTOCOL_REASON_UNSPECIFIED, ALL_LEFT);
  }
}
