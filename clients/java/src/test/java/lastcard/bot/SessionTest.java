package lastcard.bot;

import static lastcard.bot.Messages.UNO;
import static lastcard.bot.Messages.accepted;
import static lastcard.bot.Messages.asked;
import static lastcard.bot.Messages.catchOf;
import static lastcard.bot.Messages.choice;
import static lastcard.bot.Messages.decisionClosed;
import static lastcard.bot.Messages.events;
import static lastcard.bot.Messages.reaction;
import static lastcard.bot.Messages.refused;
import static lastcard.bot.Messages.seated;
import static lastcard.bot.Messages.tableClosed;
import static lastcard.bot.Messages.welcome;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import lastcard.bot.Output.Ask;
import lastcard.bot.Output.Key;
import lastcard.bot.Output.Send;
import lastcard.bot.Output.Tell;
import lastcard.bot.Output.Withdraw;
import lastcard.v1.Act;
import lastcard.v1.ClientMessage;
import lastcard.v1.Event;
import lastcard.v1.Hello;
import lastcard.v1.MessageRefused;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;
import lastcard.v1.Receipt;
import lastcard.v1.Seated;
import lastcard.v1.ServerMessage;
import lastcard.v1.TableCursor;
import lastcard.v1.TableEvents;
import lastcard.v1.TableSnapshot;
import lastcard.v1.Welcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTest {
  private static final Key SEVEN = new Key("t", 7);
  private static final Act FIRST = choice("t", 7, 0);
  private static final Act SECOND = choice("t", 7, 1);

  private Session session = new Session(Hello.newBuilder().setBotName("me").build());

  @BeforeEach
  void open() {
    session.openStream();
    session.receive(welcome());
  }

  private List<Output> receive(ServerMessage message) {
    return session.receive(message);
  }

  /** The stream is lost and another one opened. */
  private Hello reopen() {
    Hello hello = session.openStream().getHello();
    session.receive(welcome());
    return hello;
  }

  @Test
  void aDecisionWithoutLegalActionsIsNotPutToTheBot() {
    List<Output> outputs = receive(Messages.asked(Messages.turn("t", 7).clearLegalActions()));
    String text = "the server asked decision 7 of table t without any legal action; it stays unanswered";
    assertEquals(List.of(Output.Log.warning(text)), outputs);
  }

  private static <T> List<T> only(Class<T> kind, List<Output> outputs) {
    return outputs.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private static List<Act> acts(List<Output> outputs) {
    return only(Send.class, outputs).stream().map(send -> send.message().getAct()).toList();
  }

  private static List<String> told(List<Output> outputs) {
    return only(Tell.class, outputs).stream().map(Tell::name).toList();
  }

  private static TableCursor cursor(String table, int sequence) {
    return TableCursor.newBuilder().setTableId(table).setLastSequence(sequence).build();
  }

  @Test
  void aDecisionIsThoughtAboutAndItsAnswerSent() {
    assertEquals(List.of(new Ask(SEVEN, Messages.turn("t", 7).build())), receive(asked("t", 7)));
    assertEquals(List.of(FIRST), acts(session.answered(SEVEN, FIRST)));
    assertEquals(List.of(), session.answered(SEVEN, SECOND), "it is answered");
    List<Output> verdict = receive(accepted("t", 7));
    assertEquals(List.of("onReceipt"), told(verdict));
    assertEquals(List.of(), session.answered(SEVEN, SECOND), "it is closed");
  }

  @Test
  void aRepeatedDecisionGetsTheSameAnswerAgain() {
    receive(asked("t", 7));
    assertEquals(List.of(), receive(asked("t", 7)), "it is being thought about");
    session.answered(SEVEN, FIRST);
    assertEquals(List.of(FIRST), acts(receive(asked("t", 7))));
    receive(accepted("t", 7));
    assertEquals(List.of(FIRST), acts(receive(asked("t", 7))), "also when it is closed");
  }

  @Test
  void anAnswerWhoseVerdictWasLostIsSentAgainOnTheNextStream() {
    receive(asked("t", 7));
    session.answered(SEVEN, FIRST);
    reopen();
    assertEquals(List.of(FIRST), acts(receive(asked("t", 7))));
  }

  @Test
  void whatWasThoughtOfWhileAwayIsSaidWhenItIsAskedAgain() {
    receive(asked("t", 7));
    session.openStream();
    assertEquals(List.of(), session.answered(SEVEN, FIRST));
    receive(welcome());
    assertEquals(List.of(FIRST), acts(receive(asked("t", 7))));
  }

  @Test
  void aNewDecisionShowsThatTheFormerOneIsClosed() {
    receive(asked("t", 7));
    receive(asked(reaction("t", 8, Messages.PASS)));
    reopen();
    assertEquals(List.of(new Withdraw(SEVEN)), only(Withdraw.class, receive(asked("t", 9))));
    assertEquals(List.of(), session.answered(SEVEN, FIRST));
    receive(asked(reaction("t", 8, Messages.PASS)));
    assertEquals(1, acts(session.answered(new Key("t", 8), choice("t", 8, 0))).size(), "the reaction stands");
  }

  @ParameterizedTest
  @EnumSource(value = Reason.class, names = {"REASON_TURN_EXPIRED", "REASON_STALE_DECISION"})
  void aClosedDecisionIsNotAnswered(Reason reason) {
    receive(asked("t", 7));
    List<Output> closed = receive(decisionClosed("t", 7, reason));
    assertEquals(List.of(new Withdraw(SEVEN)), only(Withdraw.class, closed));
    assertEquals(List.of("onReceipt"), told(closed));
    assertEquals(List.of(), session.answered(SEVEN, FIRST));
    assertEquals(List.of(), receive(decisionClosed("t", 7, reason)), "a receipt is told once");
  }

  @Test
  void aReceiptClosesItsDecision() {
    receive(asked("t", 7));
    ServerMessage next =
        asked(Messages.turn("t", 9).setPreviousReceipt(Receipt.newBuilder().setDecisionId(7)));
    assertEquals(List.of(new Withdraw(SEVEN)), only(Withdraw.class, receive(next)));
    assertEquals(List.of(), session.answered(SEVEN, FIRST));
  }

  @Test
  void aRefusedAnswerIsCorrectedUntilTheRefusalsAreUsedUp() {
    receive(asked("t", 7));
    session.answered(SEVEN, FIRST);
    Ask again = only(Ask.class, receive(refused("t", 7, Reason.REASON_CARD_NOT_PLAYABLE, 2))).get(0);
    assertEquals(2, again.refusal().refusalsLeft());
    assertEquals(Reason.REASON_CARD_NOT_PLAYABLE, again.refusal().reason());
    assertEquals(Set.of(0), again.refused());
    session.answered(SEVEN, SECOND);
    again = only(Ask.class, receive(refused("t", 7, ProtocolReason.PROTOCOL_REASON_CHOICE_OUT_OF_RANGE, 1))).get(0);
    assertEquals(Set.of(0, 1), again.refused());
    session.answered(SEVEN, choice("t", 7, 2));
    assertEquals(List.of(), only(Ask.class, receive(refused("t", 7, Reason.REASON_COLOR_REQUIRED, 0))));
    assertEquals(List.of(), session.answered(SEVEN, FIRST));
  }

  @Test
  void aRefusalForAReasonOfANewerServerIsCorrectedToo() {
    receive(asked("t", 7));
    session.answered(SEVEN, FIRST);
    ServerMessage.Builder verdict = refused("t", 7, Reason.REASON_UNSPECIFIED, 2).toBuilder();
    verdict.getActResultBuilder().setReasonValue(77);
    assertEquals(1, only(Ask.class, receive(verdict.build())).size());
  }

  @ParameterizedTest
  @EnumSource(value = Reason.class, names = {
    "REASON_NOT_YOUR_TURN", "REASON_STALE_DECISION", "REASON_TURN_EXPIRED", "REASON_ROUND_OVER",
    "REASON_MATCH_OVER", "REASON_FORBIDDEN", "REASON_SESSION_REPLACED"
  })
  void afterSomeRefusalsThereIsNothingToMend(Reason reason) {
    receive(asked("t", 7));
    session.answered(SEVEN, FIRST);
    assertEquals(List.of(), only(Ask.class, receive(refused("t", 7, reason, 2))));
    assertEquals(List.of(), session.answered(SEVEN, SECOND));
  }

  @Test
  void aVerdictOnWhatWasSentBeforeDoesNotCount() {
    receive(asked("t", 7));
    session.answered(SEVEN, FIRST);
    receive(asked("t", 7)); // sent twice now
    assertEquals(List.of(), only(Ask.class, receive(refused("t", 7, Reason.REASON_COLOR_REQUIRED, 2))));
    assertEquals(1, only(Ask.class, receive(refused("t", 7, Reason.REASON_COLOR_REQUIRED, 2))).size());
  }

  @Test
  void verdictsThatWereLostWithAStreamAreNotAwaited() {
    receive(asked("t", 7));
    session.answered(SEVEN, FIRST);
    reopen();
    receive(asked("t", 7));
    assertEquals(1, only(Ask.class, receive(refused("t", 7, Reason.REASON_COLOR_REQUIRED, 2))).size());
  }

  @Test
  void aReceiptOfATableThatIsOverIsNotToldAnyMore() {
    receive(asked("t", 7));
    receive(tableClosed("t"));
    assertEquals(List.of(), receive(decisionClosed("t", 7, Reason.REASON_STALE_DECISION)));
  }

  @Test
  void whatCameTooFastIsSaidAgain() {
    receive(asked("t", 7));
    session.answered(SEVEN, FIRST);
    List<Output> verdict = receive(refused("t", 7, ProtocolReason.PROTOCOL_REASON_TOO_FAST, 2));
    assertEquals(List.of(new Output.SendLater(Decisions.TOO_FAST_S, "t")), only(Output.SendLater.class, verdict));
    assertEquals(List.of(FIRST), acts(session.resend("t")));
    assertEquals(List.of(), session.resend("t"), "a verdict is on its way");
  }

  @Test
  void aMessageThatMayBeSaidAgainIsSaidLater() {
    receive(seated("t"));
    session.leave("t");
    ServerMessage tooFast = ServerMessage.newBuilder()
        .setMessageRefused(MessageRefused.newBuilder()
            .setReason(ProtocolReason.PROTOCOL_REASON_TOO_FAST)
            .setTableId("t")
            .setRetryAfter(Messages.seconds(1.5)))
        .build();
    assertEquals(List.of(new Output.SendLater(1.5, "t")), only(Output.SendLater.class, receive(tooFast)));
    assertEquals("t", only(Send.class, session.resend("t")).get(0).message().getLeave().getTableId());
  }

  @Test
  void aCallByItselfLeavesTheTurnOpenButNotForEver() {
    receive(asked("t", 7));
    Act call = Act.newBuilder().setTableId("t").setDecisionId(7).setAction(UNO).build();
    ServerMessage.Builder yes = accepted("t", 7).toBuilder();
    yes.getActResultBuilder().clearReceipt();
    for (int time = 1; time <= 3; time++) {
      assertEquals(List.of(call), acts(session.answered(SEVEN, call)));
      Ask again = only(Ask.class, receive(yes.build())).get(0);
      assertEquals(List.of(0), again.decision().getView().getCalledSeatsList());
      assertEquals(time == Decisions.APART_MOST, again.refusal() != null);
    }
  }

  @Test
  void aCatchByItselfThatClosedTheDecisionIsItsEnd() {
    receive(asked("t", 7));
    session.answered(SEVEN, Act.newBuilder().setTableId("t").setDecisionId(7).setAction(catchOf(1)).build());
    assertEquals(List.of(), only(Ask.class, receive(accepted("t", 7))));
  }

  @Test
  void theNextHelloHasTheLastNumbersAndTheSecretIsKept() {
    receive(seated("t"));
    receive(seated("u"));
    receive(events("t", 1, 5));
    assertEquals(List.of(cursor("t", 5), cursor("u", 0)), reopen().getCursorsList());
    assertEquals("secret", session.secret());
    receive(ServerMessage.newBuilder().setWelcome(Welcome.newBuilder().setProtocolVersion(1)).build());
    assertEquals("secret", session.secret(), "a welcome without one changes nothing");
  }

  @Test
  void whoWantsOnlyDecisionsSendsNoNumbers() {
    session = new Session(Hello.newBuilder().setDecisionsOnly(true).build());
    session.openStream();
    receive(welcome());
    receive(seated("t"));
    assertEquals(List.of(), reopen().getCursorsList());
  }

  @Test
  void aTableThatIsJoinedLateHasNoNumberToAskFor() {
    receive(ServerMessage.newBuilder().setSeated(Seated.newBuilder().setTableId("t").setLastSequence(9)).build());
    assertEquals(List.of(), reopen().getCursorsList());
  }

  @Test
  void eachEventIsToldOnceAndAGapIsAskedForOnce() {
    receive(seated("t"));
    assertEquals(3, told(receive(events("t", 1, 3))).size());
    assertEquals(1, told(receive(events("t", 2, 4))).size());
    List<Output> gap = receive(events("t", 6, 7));
    assertEquals(1, only(Output.Resume.class, gap).size());
    assertEquals(List.of(), receive(asked("t", 7)), "nothing more is taken from this stream");
    assertEquals(List.of(cursor("t", 4)), reopen().getCursorsList());
    gap = receive(events("t", 6, 7));
    assertEquals(List.of("onEvent", "onEvent"), told(gap), "the server does not have it");
    assertEquals(List.of(), only(Output.Resume.class, gap));
  }

  @Test
  void anEventOfAnUnknownKindCountsButIsNotTold() {
    receive(seated("t"));
    ServerMessage unknown = ServerMessage.newBuilder()
        .setTableEvents(TableEvents.newBuilder().setTableId("t").addEvents(Event.newBuilder().setSequence(1)))
        .build();
    assertEquals(List.of(), receive(unknown));
    assertEquals(List.of("onEvent"), told(receive(events("t", 2, 2))));
  }

  @Test
  void aSnapshotTakesThePlaceOfEventsThatAreGone() {
    receive(seated("t"));
    receive(events("t", 1, 2));
    TableSnapshot.Builder snapshot = TableSnapshot.newBuilder().setTableId("t").setSequence(40);
    assertEquals(List.of("onSnapshot"), told(receive(ServerMessage.newBuilder().setTableSnapshot(snapshot).build())));
    assertEquals(List.of("onEvent"), told(receive(events("t", 40, 41))));
    snapshot.setSequence(3);
    assertEquals(List.of(), receive(ServerMessage.newBuilder().setTableSnapshot(snapshot).build()), "an old one");
  }

  @Test
  void aServerThatHasLostEventsIsFollowedFromItsSnapshot() {
    receive(seated("t"));
    receive(events("t", 1, 9));
    reopen();
    receive(messageRefused("t", ProtocolReason.PROTOCOL_REASON_CURSOR_BEYOND_END));
    TableSnapshot.Builder snapshot = TableSnapshot.newBuilder().setTableId("t").setSequence(4);
    assertEquals(List.of("onSnapshot"), told(receive(ServerMessage.newBuilder().setTableSnapshot(snapshot).build())));
  }

  @Test
  void aTableThatTheServerDoesNotKnowIsDropped() {
    receive(asked("t", 7));
    List<Output> gone = receive(messageRefused("t", ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE));
    assertEquals(List.of(new Withdraw(SEVEN)), only(Withdraw.class, gone));
  }

  @Test
  void theEndOfATableIsAcknowledgedEachTimeAndToldOnce() {
    receive(seated("t"));
    receive(asked("t", 7));
    List<Output> end = receive(tableClosed("t"));
    assertEquals(List.of("onTableClosed"), told(end));
    assertEquals(List.of(new Withdraw(SEVEN)), only(Withdraw.class, end));
    List<Output> again = receive(tableClosed("t"));
    assertEquals(List.of(), told(again));
    for (List<Output> outputs : List.of(end, again)) {
      ClientMessage sent = only(Send.class, outputs).get(0).message();
      assertEquals("t", sent.getTableClosedReceived().getTableId());
    }
    assertEquals(List.of(), reopen().getCursorsList());
  }

  @Test
  void aTableIsLeftUntilTheServerHasHeardIt() {
    receive(seated("t"));
    assertEquals("t", only(Send.class, session.leave("t")).get(0).message().getLeave().getTableId());
    session.openStream();
    assertEquals(List.of(), session.leave("u"), "there is no such table");
    receive(welcome());
    assertEquals("t", only(Send.class, receive(seated("t"))).get(0).message().getLeave().getTableId());
    receive(tableClosed("t"));
    assertEquals(List.of(), only(Send.class, receive(seated("t"))), "another match");
  }

  @Test
  void aHeartbeatIsAnswered() {
    Send reply = only(Send.class, receive(Messages.heartbeat(5))).get(0);
    assertEquals(5, reply.message().getHeartbeatReply().getNumber());
  }

  @Test
  void unknownMessagesAreIgnored() {
    assertEquals(List.of(), receive(ServerMessage.getDefaultInstance()));
  }

  @Test
  void aServerThatDoesNotBeginWithAWelcomeIsNotPlayedOn() {
    session.openStream();
    assertEquals(
        List.of(new Output.Fail("the server opened the stream with 'seated'; it must begin with 'welcome'")),
        receive(seated("t")));
  }

  @Test
  void aServerOfAnotherProtocolIsNotPlayedOn() {
    session.openStream();
    ServerMessage two = ServerMessage.newBuilder().setWelcome(Welcome.newBuilder().setProtocolVersion(2)).build();
    assertEquals(
        "the server speaks protocol version 2; this client speaks 1: use the client of the server's version",
        only(Output.Fail.class, receive(two)).get(0).sentence());
    assertFalse(session.welcomed());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theLastMessageOfAStreamSaysWhyItEnds(boolean last) {
    receive(messageRefused("", ProtocolReason.PROTOCOL_REASON_SESSION_REPLACED));
    if (last) {
      assertEquals(ProtocolReason.PROTOCOL_REASON_SESSION_REPLACED, session.farewell().getProtocolReason());
      assertEquals("no", session.farewellText());
      return;
    }
    receive(Messages.heartbeat(1));
    assertNull(session.farewell(), "it was not the last one");
  }

  @Test
  void whoIsForgottenBeginsAnew() {
    receive(asked("t", 7));
    assertEquals(List.of(new Withdraw(SEVEN)), session.forget());
    assertTrue(session.secret().isEmpty());
    assertEquals(List.of(), reopen().getCursorsList());
  }

  @Test
  void onlyTheLatestAnswersAreRemembered() {
    List<Act> latest = new ArrayList<>();
    for (int id = 1; id <= Memory.KEPT_ANSWERS + 1; id++) {
      receive(asked("t", id));
      session.answered(new Key("t", id), choice("t", id, 0));
      latest.addAll(acts(receive(asked("t", id))));
      receive(accepted("t", id));
    }
    assertEquals(Memory.KEPT_ANSWERS + 1, latest.size());
    assertEquals(List.of(latest.get(1)), acts(receive(asked("t", 2))));
    assertEquals(1, only(Ask.class, receive(asked("t", 1))).size(), "the oldest is forgotten");
  }

  private static ServerMessage messageRefused(String table, ProtocolReason reason) {
    return ServerMessage.newBuilder()
        .setMessageRefused(MessageRefused.newBuilder().setReason(reason).setMessage("no").setTableId(table))
        .build();
  }
}
