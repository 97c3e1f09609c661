package lastcard.bot;

import com.google.protobuf.Duration;
import java.util.List;
import lastcard.v1.Act;
import lastcard.v1.ActResult;
import lastcard.v1.Action;
import lastcard.v1.ActionKind;
import lastcard.v1.Card;
import lastcard.v1.Color;
import lastcard.v1.Decision;
import lastcard.v1.DecisionClosed;
import lastcard.v1.DecisionKind;
import lastcard.v1.Event;
import lastcard.v1.Heartbeat;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;
import lastcard.v1.Receipt;
import lastcard.v1.RuleOption;
import lastcard.v1.Ruleset;
import lastcard.v1.Seated;
import lastcard.v1.ServerMessage;
import lastcard.v1.TableClosed;
import lastcard.v1.TableEvents;
import lastcard.v1.TurnStarted;
import lastcard.v1.View;
import lastcard.v1.Welcome;

/** Messages for tests, in few words. */
final class Messages {
  static final Action PLAY_RED_5 = play(Card.CARD_RED_5);
  static final Action PLAY_RED_6 = play(Card.CARD_RED_6);
  static final Action PLAY_WILD_GREEN = play(Card.CARD_WILD).toBuilder().setColor(Color.COLOR_GREEN).build();
  static final Action DRAW = Action.newBuilder().setKind(ActionKind.ACTION_KIND_DRAW).build();
  static final Action PASS = Action.newBuilder().setKind(ActionKind.ACTION_KIND_PASS).build();
  static final Action UNO = Action.newBuilder().setKind(ActionKind.ACTION_KIND_UNO).build();

  private Messages() {}

  static Action play(Card card) {
    return Action.newBuilder().setKind(ActionKind.ACTION_KIND_PLAY).setCard(card).build();
  }

  static Action catchOf(int seat) {
    return Action.newBuilder().setKind(ActionKind.ACTION_KIND_CATCH).setTarget(seat).build();
  }

  /** A view of seat 0 of three, with red 5, red 6 and a wild in hand. */
  static View.Builder view() {
    return View.newBuilder()
        .setSeat(0)
        .addAllHand(List.of(Card.CARD_WILD, Card.CARD_RED_5, Card.CARD_RED_6))
        .addAllHandCounts(List.of(3, 4, 5))
        .addAllActiveSeats(List.of(0, 1, 2))
        .setDirection(1);
  }

  static Ruleset rules(String... namesAndValues) {
    Ruleset.Builder rules = Ruleset.newBuilder().setPreset("official");
    for (int place = 0; place < namesAndValues.length; place += 2) {
      rules.addOptions(
          RuleOption.newBuilder().setName(namesAndValues[place]).setValue(namesAndValues[place + 1]));
    }
    return rules.build();
  }

  /** A turn with three plays and drawing. */
  static Decision.Builder turn(String table, int id) {
    return Decision.newBuilder()
        .setTableId(table)
        .setDecisionId(id)
        .setKind(DecisionKind.DECISION_KIND_TURN)
        .setView(view())
        .addAllLegalActions(List.of(PLAY_WILD_GREEN, PLAY_RED_5, PLAY_RED_6, DRAW));
  }

  static Decision.Builder reaction(String table, int id, Action... legal) {
    return turn(table, id)
        .setKind(DecisionKind.DECISION_KIND_REACTION)
        .clearLegalActions()
        .addAllLegalActions(List.of(legal));
  }

  static ServerMessage asked(Decision.Builder decision) {
    return ServerMessage.newBuilder().setDecision(decision).build();
  }

  static ServerMessage asked(String table, int id) {
    return asked(turn(table, id));
  }

  static ServerMessage welcome() {
    return ServerMessage.newBuilder()
        .setWelcome(Welcome.newBuilder().setProtocolVersion(1).setBotName("me").setResumeSecret("secret"))
        .build();
  }

  static ServerMessage seated(String table) {
    return ServerMessage.newBuilder().setSeated(Seated.newBuilder().setTableId(table)).build();
  }

  static ServerMessage events(String table, int first, int last) {
    TableEvents.Builder events = TableEvents.newBuilder().setTableId(table);
    for (int sequence = first; sequence <= last; sequence++) {
      events.addEvents(Event.newBuilder().setSequence(sequence).setTurnStarted(TurnStarted.getDefaultInstance()));
    }
    return ServerMessage.newBuilder().setTableEvents(events).build();
  }

  static ServerMessage heartbeat(int number) {
    return ServerMessage.newBuilder().setHeartbeat(Heartbeat.newBuilder().setNumber(number)).build();
  }

  static ServerMessage accepted(String table, int id) {
    return ServerMessage.newBuilder()
        .setActResult(ActResult.newBuilder()
            .setTableId(table)
            .setDecisionId(id)
            .setAccepted(true)
            .setReceipt(Receipt.newBuilder().setDecisionId(id)))
        .build();
  }

  static ServerMessage refused(String table, int id, Reason reason, int left) {
    return ServerMessage.newBuilder()
        .setActResult(ActResult.newBuilder()
            .setTableId(table)
            .setDecisionId(id)
            .setReason(reason)
            .setMessage("no")
            .setRefusalsLeft(left))
        .build();
  }

  static ServerMessage refused(String table, int id, ProtocolReason reason, int left) {
    return ServerMessage.newBuilder()
        .setActResult(ActResult.newBuilder()
            .setTableId(table)
            .setDecisionId(id)
            .setProtocolReason(reason)
            .setMessage("no")
            .setRefusalsLeft(left))
        .build();
  }

  static ServerMessage decisionClosed(String table, int id, Reason reason) {
    return ServerMessage.newBuilder()
        .setDecisionClosed(DecisionClosed.newBuilder()
            .setTableId(table)
            .setDecisionId(id)
            .setReason(reason)
            .setReceipt(Receipt.newBuilder().setDecisionId(id)))
        .build();
  }

  static ServerMessage tableClosed(String table) {
    return ServerMessage.newBuilder().setTableClosed(TableClosed.newBuilder().setTableId(table)).build();
  }

  static Act choice(String table, int id, int choice) {
    return Act.newBuilder().setTableId(table).setDecisionId(id).setChoice(choice).build();
  }

  static Duration seconds(double seconds) {
    return Duration.newBuilder()
        .setSeconds((long) seconds)
        .setNanos((int) Math.round((seconds - (long) seconds) * 1e9))
        .build();
  }
}
