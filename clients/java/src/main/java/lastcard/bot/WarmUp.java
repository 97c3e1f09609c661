package lastcard.bot;

import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import lastcard.bot.Output.Ask;
import lastcard.bot.Output.Key;
import lastcard.bot.Output.Log;
import lastcard.bot.Output.Send;
import lastcard.v1.ActResult;
import lastcard.v1.Action;
import lastcard.v1.ActionKind;
import lastcard.v1.Card;
import lastcard.v1.Color;
import lastcard.v1.Decision;
import lastcard.v1.DecisionKind;
import lastcard.v1.Event;
import lastcard.v1.Hello;
import lastcard.v1.MatchResult;
import lastcard.v1.PlayRequest;
import lastcard.v1.PlayResponse;
import lastcard.v1.Receipt;
import lastcard.v1.RoundStarted;
import lastcard.v1.RuleOption;
import lastcard.v1.Ruleset;
import lastcard.v1.Seat;
import lastcard.v1.Seated;
import lastcard.v1.ServerMessage;
import lastcard.v1.TableClosed;
import lastcard.v1.TableEvents;
import lastcard.v1.View;
import lastcard.v1.Welcome;

/**
 * Plays a made-up table through a session of its own before the bot dials, with a bot of its own: so all classes that an
 * answer takes are loaded before a clock runs. Loading them takes longer than a reaction may, on a busy machine longer
 * than a turn.
 */
final class WarmUp {
  private static final String TABLE = "warm-up";

  private WarmUp() {}

  /** Plays it; how many messages the bot would have sent. */
  static int run() {
    Session session = new Session(Hello.newBuilder().setProtocolVersion(Session.PROTOCOL_VERSION).build());
    PlayRequest.Builder said = PlayRequest.newBuilder().addMessages(session.openStream());
    Bot bot = new Player();
    Set<Key> keys = new HashSet<>();
    SimpleFormatter words = new SimpleFormatter();
    Logger.getLogger("").getHandlers(); // made when they are first asked for
    for (ServerMessage message : asRead(frame()).getMessagesList()) {
      for (Output output : session.receive(message)) {
        if (output instanceof Ask ask) {
          keys.add(ask.key());
          session.answered(ask.key(), Thinking.deliberate(bot, ask, () -> false)).stream()
              .filter(Send.class::isInstance)
              .forEach(answer -> said.addMessages(((Send) answer).message()));
        } else if (output instanceof Send send) {
          said.addMessages(send.message());
        } else if (output instanceof Log log) {
          words.format(new LogRecord(Level.INFO, log.text()));
        }
      }
    }
    List<PlayRequest> frames = Output.frames(said.getMessagesList(), 0);
    frames.forEach(PlayRequest::toByteString);
    return said.getMessagesCount();
  }

  private static PlayResponse asRead(PlayResponse frame) {
    try {
      return PlayResponse.parseFrom(frame.toByteString());
    } catch (InvalidProtocolBufferException impossible) {
      throw new AssertionError("what was written cannot be read", impossible);
    }
  }

  /** All that comes at a table whose match has one turn and one reaction. */
  private static PlayResponse frame() {
    Ruleset rules = Ruleset.newBuilder()
        .setPreset("official")
        .addOptions(RuleOption.newBuilder().setName("seven_swap").setValue("true"))
        .build();
    View view = View.newBuilder()
        .setSeat(0)
        .addAllHand(List.of(Card.CARD_WILD, Card.CARD_RED_5, Card.CARD_RED_7))
        .addAllHandCounts(List.of(3, 1))
        .addAllActiveSeats(List.of(0, 1))
        .addCatchableSeats(1)
        .setDirection(1)
        .setRuleset(rules)
        .build();
    Action.Builder play = Action.newBuilder().setKind(ActionKind.ACTION_KIND_PLAY);
    Decision.Builder turn = Decision.newBuilder()
        .setTableId(TABLE)
        .setDecisionId(1)
        .setKind(DecisionKind.DECISION_KIND_TURN)
        .setView(view)
        .setTimeLeft(Duration.newBuilder().setSeconds(2))
        .addLegalActions(play.setCard(Card.CARD_WILD).setColor(Color.COLOR_RED))
        .addLegalActions(play.setCard(Card.CARD_RED_7).clearColor().setTarget(1));
    Decision.Builder reaction = Decision.newBuilder(turn.build())
        .setDecisionId(2)
        .setKind(DecisionKind.DECISION_KIND_REACTION)
        .clearLegalActions()
        .addLegalActions(Action.newBuilder().setKind(ActionKind.ACTION_KIND_CATCH).setTarget(1))
        .addLegalActions(Action.newBuilder().setKind(ActionKind.ACTION_KIND_PASS));
    Receipt.Builder receipt = Receipt.newBuilder().setSentAt(Timestamp.newBuilder().setSeconds(1));
    PlayResponse.Builder frame = PlayResponse.newBuilder();
    frame.addMessagesBuilder().setWelcome(Welcome.newBuilder().setProtocolVersion(Session.PROTOCOL_VERSION));
    frame.addMessagesBuilder().setSeated(
        Seated.newBuilder().setTableId(TABLE).setRuleset(rules).addSeats(Seat.newBuilder().setName("a")));
    frame.addMessagesBuilder().setTableEvents(TableEvents.newBuilder().setTableId(TABLE).addEvents(
        Event.newBuilder().setSequence(1).setRoundStarted(RoundStarted.newBuilder().setRound(1))));
    for (Decision.Builder decision : List.of(turn, reaction)) {
      frame.addMessagesBuilder().setDecision(decision);
      frame.addMessagesBuilder().setActResult(ActResult.newBuilder()
          .setTableId(TABLE)
          .setDecisionId(decision.getDecisionId())
          .setAccepted(true)
          .setReceipt(receipt.setDecisionId(decision.getDecisionId())));
    }
    frame.addMessagesBuilder().setTableClosed(TableClosed.newBuilder()
        .setTableId(TABLE)
        .setResult(MatchResult.newBuilder().addAllPlaces(List.of(1, 2)).addAllPoints(List.of(500, 0))));
    return frame.build();
  }

  /** A bot that uses the words for cards, as bots do. */
  private static final class Player extends Bot {
    @Override
    public Answer choose(View view, List<Action> legalActions) {
      Cards.colorCounts(view.getHandValueList());
      Cards.actionText(legalActions.get(0));
      return Answer.of(legalActions.get(legalActions.size() - 1));
    }
  }
}
