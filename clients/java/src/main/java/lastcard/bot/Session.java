package lastcard.bot;

import com.google.protobuf.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import lastcard.bot.Memory.Open;
import lastcard.bot.Memory.Table;
import lastcard.bot.Output.Ask;
import lastcard.bot.Output.Key;
import lastcard.bot.Output.Log;
import lastcard.bot.Output.Send;
import lastcard.bot.Output.Tell;
import lastcard.bot.Output.Withdraw;
import lastcard.v1.Act;
import lastcard.v1.ActResult;
import lastcard.v1.ClientMessage;
import lastcard.v1.Decision;
import lastcard.v1.DecisionClosed;
import lastcard.v1.DecisionKind;
import lastcard.v1.ErrorCause;
import lastcard.v1.Event;
import lastcard.v1.Hello;
import lastcard.v1.HeartbeatReply;
import lastcard.v1.Leave;
import lastcard.v1.MessageRefused;
import lastcard.v1.Notice;
import lastcard.v1.NoticeKind;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;
import lastcard.v1.Receipt;
import lastcard.v1.RefusedCatch;
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
 * <p>A <em>stream</em> is one call of {@code Play}; a session outlives streams. A decision is thought about once. Its
 * answer is sent each time that the server puts the decision, on whatever stream, and is the same each time unless it
 * was refused.
 */
final class Session {
  static final int PROTOCOL_VERSION = 1;

  /** Closed tables that are remembered in case the server repeats their end. */
  static final int KEPT_TABLES = 1024;

  /** Calls and catches by themselves at one decision, after which the bot is told to play. */
  static final int APART_MOST = 3;

  /** How long to wait with an answer that came too fast. */
  static final double TOO_FAST_S = 0.2;

  /** Refusals that no other answer can mend. After all others, also unknown ones, the decision is still open. */
  private static final Set<Reason> FINAL = Set.of(
      Reason.REASON_NOT_YOUR_TURN,
      Reason.REASON_STALE_DECISION,
      Reason.REASON_TURN_EXPIRED,
      Reason.REASON_ROUND_OVER,
      Reason.REASON_MATCH_OVER,
      Reason.REASON_FORBIDDEN,
      Reason.REASON_SESSION_REPLACED);

  /** Refusals by the transport that no other answer can mend. */
  private static final Set<ProtocolReason> NO_SUCH_DECISION = Set.of(
      ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE, ProtocolReason.PROTOCOL_REASON_UNKNOWN_DECISION);

  private final Hello hello;
  private final Map<String, Table> tables = new LinkedHashMap<>();
  private final Map<String, Boolean> closedTables = Memory.latest(KEPT_TABLES);
  private final Set<String> leaving = new HashSet<>();
  private int stream;
  private String secret = "";
  private boolean welcomed;
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
    return welcomed;
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
    stream++;
    welcomed = false;
    draining = false;
    broken = false;
    farewell = null;
    farewellText = "";
    Hello.Builder opening = hello.toBuilder();
    tables.forEach((tableId, table) -> {
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
    tables.forEach((tableId, table) -> outputs.addAll(withdrawals(tableId, table)));
    tables.clear();
    closedTables.clear();
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
    if (!welcomed && !mayOpen) {
      return List.of(new Output.Fail(
          "the server opened the stream with '" + kind.name().toLowerCase(java.util.Locale.ROOT)
              + "'; it must begin with 'welcome'"));
    }
    return switch (kind) {
      case WELCOME -> welcome(message.getWelcome());
      case SEATED -> seated(message.getSeated());
      case DECISION -> decision(message.getDecision());
      case ACT_RESULT -> actResult(message.getActResult());
      case TABLE_EVENTS -> tableEvents(message.getTableEvents());
      case TABLE_SNAPSHOT -> tableSnapshot(message.getTableSnapshot());
      case NOTICE -> notice(message.getNotice());
      case TABLE_CLOSED -> tableClosed(message.getTableClosed());
      case HEARTBEAT -> heartbeat(message.getHeartbeat().getNumber());
      case DRAINING -> draining(message.getDraining().getTimeLeft());
      case MESSAGE_REFUSED -> messageRefused(message.getMessageRefused());
      case DECISION_CLOSED -> decisionClosed(message.getDecisionClosed());
      case MESSAGE_NOT_SET -> List.of();
    };
  }

  /** Takes the bot's answer to a decision; nothing is sent when it was closed, or not put again on this stream. */
  List<Output> answered(Key key, Act act) {
    Open entry = entry(key);
    if (entry == null || entry.act != null) {
      return List.of();
    }
    entry.act = act;
    tables.get(key.tableId()).answers.put(key.decisionId(), act);
    return entry.stream == stream && welcomed ? put(entry) : List.of();
  }

  /** Leaves a table for good; said again after a reconnect, until the table is over for the bot. */
  List<Output> leave(String tableId) {
    if (!tables.containsKey(tableId)) {
      return List.of();
    }
    leaving.add(tableId);
    return welcomed ? List.of(leaveMessage(tableId)) : List.of();
  }

  /** Says again at a table (all tables when empty) what came too fast: leaving, and answers without a verdict. */
  List<Output> resend(String tableId) {
    List<Output> outputs = new ArrayList<>();
    if (!welcomed) {
      return outputs;
    }
    for (String name : tableId.isEmpty() ? new ArrayList<>(tables.keySet()) : List.of(tableId)) {
      if (leaving.contains(name)) {
        outputs.add(leaveMessage(name));
      }
      Table table = tables.get(name);
      if (table == null) {
        continue;
      }
      for (Open entry : table.open.values()) {
        if (entry.unjudged == 0 && entry.stream == stream) {
          outputs.addAll(put(entry));
        }
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
    welcomed = true;
    secret = welcome.getResumeSecret().isEmpty() ? secret : welcome.getResumeSecret();
    return List.of(new Output.Welcomed(
        welcome.getBotName(),
        welcome.getServerVersion(),
        welcome.getMaxFrameBytes(),
        seconds(welcome.getHeartbeatInterval())));
  }

  private List<Output> seated(Seated seated) {
    Table table = table(seated.getTableId());
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
      outputs.addAll(receipt(seated.getTableId(), seated.getPreviousReceipt()));
    }
    if (leaving.contains(seated.getTableId())) {
      outputs.add(leaveMessage(seated.getTableId()));
    }
    return outputs;
  }

  private List<Output> decision(Decision decision) {
    Table table = table(decision.getTableId());
    List<Output> outputs = new ArrayList<>();
    if (decision.hasPreviousReceipt()) {
      outputs.addAll(receipt(decision.getTableId(), decision.getPreviousReceipt()));
    }
    Open entry = table.open.get(decision.getDecisionId());
    if (entry != null) {
      entry.stream = stream;
      outputs.addAll(put(entry));
      return outputs;
    }
    Act former = table.answers.get(decision.getDecisionId());
    if (former != null) {
      outputs.add(send(former));
      return outputs;
    }
    outputs.addAll(outdated(decision));
    table.open.put(decision.getDecisionId(), new Open(decision, stream));
    outputs.add(new Ask(new Key(decision.getTableId(), decision.getDecisionId()), decision));
    return outputs;
  }

  /**
   * Drops what a new decision shows to be closed, the news of it having been lost with an earlier stream. A seat is
   * asked one question of its turn at a time, and beside it one for a reaction.
   */
  private List<Output> outdated(Decision decision) {
    List<Output> outputs = new ArrayList<>();
    table(decision.getTableId()).open.values().removeIf(entry -> {
      boolean old = entry.stream != stream && isReaction(entry.decision) == isReaction(decision);
      if (old) {
        outputs.add(new Withdraw(new Key(decision.getTableId(), entry.decision.getDecisionId())));
      }
      return old;
    });
    return outputs;
  }

  private List<Output> actResult(ActResult result) {
    Key key = new Key(result.getTableId(), result.getDecisionId());
    List<Output> outputs = new ArrayList<>();
    for (RefusedCatch caught : result.getRefusedCatchesList()) {
      outputs.add(Log.info("catch of seat " + caught.getSeat() + " at " + key + " refused: " + caught.getMessage()));
    }
    Open entry = entry(key);
    if (entry != null && entry.act != null) {
      entry.unjudged = Math.max(0, entry.unjudged - 1);
      if (result.getAccepted()) {
        outputs.addAll(accepted(key, entry, result));
      } else if (entry.unjudged == 0) { // else a verdict on what was sent before; that on the present answer follows
        outputs.addAll(refused(key, entry, result));
      }
    }
    if (result.hasReceipt()) {
      outputs.addAll(receipt(result.getTableId(), result.getReceipt()));
    }
    return outputs;
  }

  /** A call or catch apart from the turn leaves it open; everything else closes the decision. */
  private List<Output> accepted(Key key, Open entry, ActResult result) {
    if (!Answers.isApart(entry.act) || result.hasReceipt()) {
      close(key);
      return List.of();
    }
    entry.decision = Answers.afterApart(entry.decision, entry.act);
    entry.act = null;
    entry.apart++;
    if (entry.apart < APART_MOST) {
      return List.of(new Ask(key, entry.decision));
    }
    String text = entry.apart + " calls and catches by themselves at " + key + "; choose from legalActions";
    return List.of(Log.warning(text), new Ask(key, entry.decision, Refusal.bySdk(text), copy(entry.refused)));
  }

  private List<Output> refused(Key key, Open entry, ActResult result) {
    String name = result.getReasonValue() != 0
        ? Words.reasonName(result.getReasonValue())
        : Words.protocolReasonName(result.getProtocolReasonValue());
    String text = "answer at " + key + " refused, " + name + ": " + result.getMessage();
    if (result.getProtocolReason() == ProtocolReason.PROTOCOL_REASON_TOO_FAST) {
      return List.of(Log.warning(text), new Output.SendLater(TOO_FAST_S, key.tableId()));
    }
    if (FINAL.contains(result.getReason()) || NO_SUCH_DECISION.contains(result.getProtocolReason())) {
      close(key);
      return List.of(Log.info(text));
    }
    if (result.getRefusalsLeft() == 0) {
      close(key);
      return List.of(Log.warning(text));
    }
    if (entry.act.hasChoice()) {
      entry.refused.add(entry.act.getChoice());
    }
    entry.act = null;
    Refusal refusal =
        new Refusal(result.getMessage(), result.getReason(), result.getProtocolReason(), result.getRefusalsLeft());
    return List.of(Log.warning(text), new Ask(key, entry.decision, refusal, copy(entry.refused)));
  }

  private List<Output> decisionClosed(DecisionClosed closed) {
    Key key = new Key(closed.getTableId(), closed.getDecisionId());
    List<Output> outputs = new ArrayList<>();
    if (close(key)) {
      outputs.add(new Withdraw(key));
      if (closed.getReason() == Reason.REASON_TURN_EXPIRED) {
        outputs.add(Log.warning("no answer in time at " + key));
      }
    }
    if (closed.hasReceipt()) {
      outputs.addAll(receipt(closed.getTableId(), closed.getReceipt()));
    }
    return outputs;
  }

  private List<Output> tableEvents(TableEvents events) {
    String tableId = events.getTableId();
    Table table = table(tableId);
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
    Table table = table(snapshot.getTableId());
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
    boolean again = closedTables.containsKey(tableId);
    if (closed.hasPreviousReceipt() && !again) {
      outputs.addAll(receipt(tableId, closed.getPreviousReceipt()));
    }
    Table table = tables.remove(tableId);
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
    closedTables.remove(tableId); // put anew it is the youngest
    closedTables.put(tableId, true);
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
    Table table = tables.get(tableId);
    if (table != null && refused.getReason() == ProtocolReason.PROTOCOL_REASON_CURSOR_BEYOND_END) {
      table.cursor = null;
    } else if (table != null && refused.getReason() == ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE) {
      leaving.remove(tableId);
      tables.remove(tableId);
      outputs.addAll(withdrawals(tableId, table));
    } else if (refused.hasRetryAfter()) {
      outputs.add(new Output.SendLater(seconds(refused.getRetryAfter()), tableId));
    }
    return outputs;
  }

  // What the handlers share.

  private Table table(String tableId) {
    return tables.computeIfAbsent(tableId, unseen -> new Table());
  }

  private Open entry(Key key) {
    Table table = tables.get(key.tableId());
    return table == null ? null : table.open.get(key.decisionId());
  }

  /** Drops an open decision; whether there was one. */
  private boolean close(Key key) {
    Table table = tables.get(key.tableId());
    return table != null && table.open.remove(key.decisionId()) != null;
  }

  /** Sends the answer of an open decision, if there is one already. */
  private List<Output> put(Open entry) {
    if (entry.act == null) {
      return List.of();
    }
    entry.unjudged++;
    return List.of(send(entry.act));
  }

  /** Tells a receipt once, however often the server repeats it; its decision needs no thought any more. */
  private List<Output> receipt(String tableId, Receipt receipt) {
    if (closedTables.containsKey(tableId) && !tables.containsKey(tableId)) {
      return List.of();
    }
    if (table(tableId).receipts.putIfAbsent(receipt.getDecisionId(), true) != null) {
      return List.of();
    }
    List<Output> outputs = new ArrayList<>();
    Key key = new Key(tableId, receipt.getDecisionId());
    if (close(key)) {
      outputs.add(new Withdraw(key));
    }
    outputs.add(new Tell("onReceipt", bot -> bot.onReceipt(tableId, receipt)));
    return outputs;
  }

  private static List<Output> withdrawals(String tableId, Table table) {
    return table.open.keySet().stream().<Output>map(id -> new Withdraw(new Key(tableId, id))).toList();
  }

  private static Set<Integer> copy(Set<Integer> refused) {
    return new LinkedHashSet<>(refused);
  }

  private static Send send(Act act) {
    return new Send(ClientMessage.newBuilder().setAct(act).build());
  }

  private static Send leaveMessage(String tableId) {
    return new Send(ClientMessage.newBuilder().setLeave(Leave.newBuilder().setTableId(tableId)).build());
  }

  private static boolean isReaction(Decision decision) {
    return decision.getKind() == DecisionKind.DECISION_KIND_REACTION;
  }

  private static double seconds(Duration duration) {
    return duration.getSeconds() + duration.getNanos() / 1e9;
  }
}
