package lastcard.bot;

import com.google.protobuf.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import lastcard.bot.Memory.Table;
import lastcard.bot.Output.Key;
import lastcard.bot.Output.Log;
import lastcard.bot.Output.Send;
import lastcard.bot.Output.Tell;
import lastcard.bot.Output.Withdraw;
import lastcard.v1.Act;
import lastcard.v1.ClientMessage;
import lastcard.v1.ErrorCause;
import lastcard.v1.Event;
import lastcard.v1.Hello;
import lastcard.v1.HeartbeatReply;
import lastcard.v1.Leave;
import lastcard.v1.MessageRefused;
import lastcard.v1.Notice;
import lastcard.v1.NoticeKind;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Seated;
import lastcard.v1.ServerMessage;
import lastcard.v1.TableClosed;
import lastcard.v1.TableClosedReceived;
import lastcard.v1.TableCursor;
import lastcard.v1.TableEvents;
import lastcard.v1.TableSnapshot;
import lastcard.v1.Welcome;

/**
 * One bot's side of the protocol as a state machine: server messages in, things to do out. No input or output, no
 * thread and no clock, so that every disturbance of a network is a unit test.
 *
 * <p>A <em>stream</em> is one call of {@code Play}; a session outlives streams. What is asked and answered is the part
 * of {@link Decisions}.
 */
final class Session {
  static final int PROTOCOL_VERSION = 1;

  private final Hello hello;
  private final Memory memory = new Memory();
  private final Decisions decisions = new Decisions(memory);
  private final Set<String> leaving = new HashSet<>();
  private String secret = "";
  private boolean draining;
  private ErrorCause farewell;
  private String farewellText = "";
  /** Whether something is missing on the present stream, so that nothing more is taken from it. */
  private boolean broken;

  /** With the opening message without cursors. */
  Session(Hello hello) {
    this.hello = hello;
  }

  /** The resume secret; empty until the server gave one. */
  String secret() {
    return secret;
  }

  /** Whether the server has welcomed the bot on the present stream. */
  boolean welcomed() {
    return memory.welcomed;
  }

  /** Whether the server said on the present stream that it shuts down. */
  boolean draining() {
    return draining;
  }

  /** Why the server ends the present stream; null when it did not say. */
  ErrorCause farewell() {
    return farewell;
  }

  /** The sentence of the farewell; empty when there is none. */
  String farewellText() {
    return farewellText;
  }

  /** Begins a stream: the hello for it, with a cursor for each table of which events were seen. */
  ClientMessage openStream() {
    memory.stream++;
    memory.welcomed = false;
    draining = false;
    broken = false;
    farewell = null;
    farewellText = "";
    Hello.Builder opening = hello.toBuilder();
    memory.tables.forEach((tableId, table) -> {
      table.open.values().forEach(entry -> entry.unjudged = 0);
      if (table.cursor != null && !hello.getDecisionsOnly()) {
        opening.addCursors(TableCursor.newBuilder().setTableId(tableId).setLastSequence(table.cursor));
      }
    });
    return ClientMessage.newBuilder().setHello(opening).build();
  }

  /** Begins anew after the server has lost the session: all tables are dropped, and so is the secret. */
  List<Output> forget() {
    List<Output> outputs = new ArrayList<>();
    memory.tables.forEach((tableId, table) -> outputs.addAll(withdrawals(tableId, table)));
    memory.tables.clear();
    memory.closed.clear();
    leaving.clear();
    secret = "";
    return outputs;
  }

  /** What is to be done about one message of the server, in order. Unknown messages are ignored. */
  List<Output> receive(ServerMessage message) {
    farewell = null;
    farewellText = "";
    ServerMessage.MessageCase kind = message.getMessageCase();
    if (kind == ServerMessage.MessageCase.MESSAGE_NOT_SET || broken) {
      return List.of();
    }
    boolean mayOpen = kind == ServerMessage.MessageCase.WELCOME || kind == ServerMessage.MessageCase.MESSAGE_REFUSED;
    if (!memory.welcomed && !mayOpen) {
      return List.of(new Output.Fail(
          "the server opened the stream with '" + kind.name().toLowerCase(Locale.ROOT)
              + "'; it must begin with 'welcome'"));
    }
    return switch (kind) {
      case WELCOME -> welcome(message.getWelcome());
      case SEATED -> seated(message.getSeated());
      case DECISION -> decisions.asked(message.getDecision());
      case ACT_RESULT -> decisions.judged(message.getActResult());
      case TABLE_EVENTS -> tableEvents(message.getTableEvents());
      case TABLE_SNAPSHOT -> tableSnapshot(message.getTableSnapshot());
      case NOTICE -> notice(message.getNotice());
      case TABLE_CLOSED -> tableClosed(message.getTableClosed());
      case HEARTBEAT -> heartbeat(message.getHeartbeat().getNumber());
      case DRAINING -> draining(message.getDraining().getTimeLeft());
      case MESSAGE_REFUSED -> messageRefused(message.getMessageRefused());
      case DECISION_CLOSED -> decisions.closed(message.getDecisionClosed());
      case MESSAGE_NOT_SET -> List.of();
    };
  }

  /** Takes the bot's answer to a decision; nothing is sent when it was closed, or not put again on this stream. */
  List<Output> answered(Key key, Act act) {
    return decisions.answered(key, act);
  }

  /** Leaves a table for good; said again after a reconnect, until the table is over for the bot. */
  List<Output> leave(String tableId) {
    if (!memory.tables.containsKey(tableId)) {
      return List.of();
    }
    leaving.add(tableId);
    return memory.welcomed ? List.of(leaveMessage(tableId)) : List.of();
  }

  /** Says again at a table (all tables when empty) what came too fast: leaving, and answers without a verdict. */
  List<Output> resend(String tableId) {
    List<Output> outputs = new ArrayList<>();
    if (!memory.welcomed) {
      return outputs;
    }
    for (String name : tableId.isEmpty() ? new ArrayList<>(memory.tables.keySet()) : List.of(tableId)) {
      if (leaving.contains(name)) {
        outputs.add(leaveMessage(name));
      }
      Table table = memory.tables.get(name);
      if (table != null) {
        outputs.addAll(decisions.resend(table));
      }
    }
    return outputs;
  }

  // Messages of the server, by their name in ServerMessage.

  private List<Output> welcome(Welcome welcome) {
    if (welcome.getProtocolVersion() != PROTOCOL_VERSION) {
      return List.of(new Output.Fail(
          "the server speaks protocol version " + Integer.toUnsignedString(welcome.getProtocolVersion())
              + "; this client speaks " + PROTOCOL_VERSION + ": use the client of the server's version"));
    }
    memory.welcomed = true;
    secret = welcome.getResumeSecret().isEmpty() ? secret : welcome.getResumeSecret();
    return List.of(new Output.Welcomed(
        welcome.getBotName(),
        welcome.getServerVersion(),
        welcome.getMaxFrameBytes(),
        seconds(welcome.getHeartbeatInterval())));
  }

  private List<Output> seated(Seated seated) {
    Table table = memory.table(seated.getTableId());
    List<Output> outputs = new ArrayList<>();
    if (table.cursor == null && seated.getLastSequence() == 0) {
      table.cursor = 0; // nothing has happened yet, so that all events can be had from now on
    }
    if (table.seat == null) {
      table.seat = seated.getSeat();
      outputs.add(Log.info("seated at " + Words.seatText(seated)));
      outputs.add(new Tell("onSeated", bot -> bot.onSeated(seated)));
    }
    if (seated.hasPreviousReceipt()) {
      outputs.addAll(decisions.receipt(seated.getTableId(), seated.getPreviousReceipt()));
    }
    if (leaving.contains(seated.getTableId())) {
      outputs.add(leaveMessage(seated.getTableId()));
    }
    return outputs;
  }

  private List<Output> tableEvents(TableEvents events) {
    String tableId = events.getTableId();
    Table table = memory.table(tableId);
    List<Output> outputs = new ArrayList<>();
    for (Event event : events.getEventsList()) {
      int seen = table.cursor == null ? 0 : table.cursor;
      if (event.getSequence() <= seen) {
        continue;
      }
      if (table.cursor != null && event.getSequence() != seen + 1) {
        String gap = "events " + (seen + 1) + " to " + (event.getSequence() - 1) + " at table " + tableId;
        if (table.gap == null || table.gap != seen) {
          table.gap = seen;
          broken = true;
          outputs.add(Log.warning(gap + " did not come; reconnecting to have them"));
          outputs.add(new Output.Resume());
          return outputs;
        }
        outputs.add(Log.warning(gap + " never came"));
      }
      table.cursor = event.getSequence();
      if (event.getEventCase() != Event.EventCase.EVENT_NOT_SET) {
        outputs.add(new Tell("onEvent", bot -> bot.onEvent(tableId, event)));
      }
    }
    return outputs;
  }

  private List<Output> tableSnapshot(TableSnapshot snapshot) {
    Table table = memory.table(snapshot.getTableId());
    if (table.cursor != null && snapshot.getSequence() < table.cursor) {
      return List.of();
    }
    table.cursor = snapshot.getSequence();
    return List.of(new Tell("onSnapshot", bot -> bot.onSnapshot(snapshot)));
  }

  private List<Output> notice(Notice notice) {
    List<Output> outputs = new ArrayList<>();
    if (notice.getKind() == NoticeKind.NOTICE_KIND_RECOVERED) {
      outputs.add(Log.info("the server was restarted and goes on with table " + notice.getTableId()));
    }
    outputs.add(new Tell("onNotice", bot -> bot.onNotice(notice)));
    return outputs;
  }

  private List<Output> tableClosed(TableClosed closed) {
    String tableId = closed.getTableId();
    List<Output> outputs = new ArrayList<>();
    boolean again = memory.closed.containsKey(tableId);
    if (closed.hasPreviousReceipt() && !again) {
      outputs.addAll(decisions.receipt(tableId, closed.getPreviousReceipt()));
    }
    Table table = memory.tables.remove(tableId);
    leaving.remove(tableId);
    if (table != null) {
      outputs.addAll(withdrawals(tableId, table));
    }
    if (!again) {
      Integer seat = table == null ? null : table.seat;
      Words.faultTexts(closed, seat).forEach(text -> outputs.add(Log.warning(text)));
      outputs.add(Log.info(Words.resultText(closed, seat)));
      outputs.add(new Tell("onTableClosed", bot -> bot.onTableClosed(closed)));
    }
    memory.remember(tableId);
    outputs.add(new Send(ClientMessage.newBuilder()
        .setTableClosedReceived(TableClosedReceived.newBuilder().setTableId(tableId))
        .build()));
    return outputs;
  }

  private List<Output> heartbeat(int number) {
    return List.of(new Send(ClientMessage.newBuilder()
        .setHeartbeatReply(HeartbeatReply.newBuilder().setNumber(number))
        .build()));
  }

  private List<Output> draining(Duration timeLeft) {
    draining = true;
    return List.of(new Output.Drain(seconds(timeLeft)));
  }

  private List<Output> messageRefused(MessageRefused refused) {
    String tableId = refused.getTableId();
    if (tableId.isEmpty()) {
      // The last message of a stream that the server ends says why; its status may be lost to a failed write.
      farewell = ErrorCause.newBuilder().setProtocolReasonValue(refused.getReasonValue()).build();
      farewellText = refused.getMessage();
    }
    List<Output> outputs = new ArrayList<>();
    outputs.add(Log.warning("message" + (tableId.isEmpty() ? "" : " about table " + tableId) + " refused, "
        + Words.protocolReasonName(refused.getReasonValue()) + ": " + refused.getMessage()));
    Table table = memory.tables.get(tableId);
    if (table != null && refused.getReason() == ProtocolReason.PROTOCOL_REASON_CURSOR_BEYOND_END) {
      table.cursor = null;
    } else if (table != null && refused.getReason() == ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE) {
      leaving.remove(tableId);
      memory.tables.remove(tableId);
      outputs.addAll(withdrawals(tableId, table));
    } else if (refused.hasRetryAfter()) {
      outputs.add(new Output.SendLater(seconds(refused.getRetryAfter()), tableId));
    }
    return outputs;
  }

  private static List<Output> withdrawals(String tableId, Table table) {
    return table.open.keySet().stream().<Output>map(id -> new Withdraw(new Key(tableId, id))).toList();
  }

  private static Send leaveMessage(String tableId) {
    return new Send(ClientMessage.newBuilder().setLeave(Leave.newBuilder().setTableId(tableId)).build());
  }

  private static double seconds(Duration duration) {
    return duration.getSeconds() + duration.getNanos() / 1e9;
  }
}
