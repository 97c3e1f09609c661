package lastcard.bot;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import lastcard.v1.CloseCause;
import lastcard.v1.FaultKind;
import lastcard.v1.MatchResult;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;
import lastcard.v1.Seat;
import lastcard.v1.Seated;
import lastcard.v1.TableClosed;

/** What happens to a bot, in words for its log: reasons, seats, results and faults as text. */
final class Words {
  private Words() {}

  /** The short name of a reason of the game; its number when this client does not know it. */
  static String reasonName(int reason) {
    Reason known = Reason.forNumber(reason);
    return known == null ? "reason " + reason : without("REASON_", known.name());
  }

  /** The short name of a reason of the transport; its number when this client does not know it. */
  static String protocolReasonName(int reason) {
    ProtocolReason known = ProtocolReason.forNumber(reason);
    return known == null ? "reason " + reason : without("PROTOCOL_REASON_", known.name());
  }

  /** Where a bot sits and with whom: {@code table T, seat 0 of me, greedy}. */
  static String seatText(Seated seated) {
    String names = seated.getSeatsList().stream().map(Words::occupant).collect(Collectors.joining(", "));
    return "table " + seated.getTableId() + ", seat " + seated.getSeat() + (names.isEmpty() ? "" : " of " + names);
  }

  /** How a table came out for a seat (null: unknown). */
  static String resultText(TableClosed closed, Integer seat) {
    MatchResult result = closed.getResult();
    String over = "table " + closed.getTableId() + " is over";
    if (result.getCause() == CloseCause.UNRECOGNIZED) {
      over += ", closed";
    } else if (result.getCause() != CloseCause.CLOSE_CAUSE_UNSPECIFIED
        && result.getCause() != CloseCause.CLOSE_CAUSE_FINISHED) {
      over += ", " + without("CLOSE_CAUSE_", result.getCause().name()).toLowerCase(Locale.ROOT);
    }
    if (seat == null || seat >= Math.min(result.getPlacesCount(), result.getPointsCount())) {
      return over;
    }
    String points = result.getPointsList().stream().map(String::valueOf).collect(Collectors.joining(" "));
    return over + ": place " + result.getPlaces(seat) + " of " + result.getPlacesCount() + ", "
        + result.getPoints(seat) + " points (all: " + points + ")";
  }

  /** What the server holds against a seat (null: unknown), each with its evidence. */
  static List<String> faultTexts(TableClosed closed, Integer seat) {
    return closed.getResult().getFaultsList().stream()
        .filter(fault -> seat != null && fault.getSeat() == seat)
        .map(fault -> "table " + closed.getTableId() + ", fault " + faultName(fault.getKindValue()) + ": "
            + fault.getEvidence())
        .toList();
  }

  private static String occupant(Seat seat) {
    if (!seat.getName().isEmpty()) {
      return seat.getName();
    }
    return seat.getBuiltin().isEmpty() ? "nobody yet" : seat.getBuiltin();
  }

  private static String faultName(int kind) {
    FaultKind known = FaultKind.forNumber(kind);
    return known == null ? "kind " + kind : without("FAULT_KIND_", known.name());
  }

  private static String without(String prefix, String name) {
    return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
  }
}
