package lastcard.bot;

import static lastcard.bot.Messages.accepted;
import static lastcard.bot.Messages.asked;
import static lastcard.bot.Messages.choice;
import static lastcard.bot.Messages.decisionClosed;
import static lastcard.bot.Messages.events;
import static lastcard.bot.Messages.heartbeat;
import static lastcard.bot.Messages.refused;
import static lastcard.bot.Messages.seated;
import static lastcard.bot.Messages.tableClosed;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status.Code;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import lastcard.bot.ScriptedArena.Peer;
import lastcard.v1.Act;
import lastcard.v1.Action;
import lastcard.v1.ClientMessage.MessageCase;
import lastcard.v1.Color;
import lastcard.v1.Decision;
import lastcard.v1.Draining;
import lastcard.v1.Hello;
import lastcard.v1.PlayRequest;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;
import lastcard.v1.ServerMessage;
import lastcard.v1.View;
import lastcard.v1.Welcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ConnectionTest {
  private static final Welcome.Builder WITH_SECRET = Welcome.newBuilder().setResumeSecret("hidden");

  private ScriptedArena arena;

  @BeforeEach
  void open() throws Exception {
    arena = new ScriptedArena();
  }

  @AfterEach
  void close() throws Exception {
    arena.close();
  }

  private Player play(Bot bot) {
    return Player.play(bot, arena.address());
  }

  @Test
  void helloComesFirstAndAlone() throws Exception {
    Bot bot = new Bots.First() {
      @Override
      public String version() {
        return "3";
      }

      @Override
      public int maxTables() {
        return 4;
      }
    };
    try (Player player = play(bot)) {
      Hello hello = arena.stream().open();
      assertEquals(
          Hello.newBuilder()
              .setProtocolVersion(1)
              .setBotName("me")
              .setBotVersion("3")
              .setClientName("lastcard-java")
              .setClientVersion(hello.getClientVersion())
              .setMaxTables(4)
              .setMaxOpenDecisions(1)
              .setDecisionsOnly(true)
              .build(),
          hello);
    }
  }

  @Test
  void whoListensGetsEverythingOnceAndInOrder() throws Exception {
    Bots.Listening bot = new Bots.Listening();
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      assertFalse(stream.open(seated("t"), events("t", 1, 2), asked("t", 7)).getDecisionsOnly());
      assertEquals(choice("t", 7, 0), stream.act());
      stream.send(accepted("t", 7), events("t", 2, 3), tableClosed("t"));
      for (String told : List.of(
          "seated t", "event 1", "event 2", "decide 7", "receipt 7", "event 3", "closed t")) {
        assertEquals(told, Bots.awaited(bot.told));
      }
      assertEquals("t", stream.expect(MessageCase.TABLE_CLOSED_RECEIVED).getTableClosedReceived().getTableId());
    }
  }

  @Test
  void theTokenIsShown() throws Exception {
    try (Player player = Player.play(new Bots.First(), new Settings(arena.address(), "tok", "", 300))) {
      Peer stream = arena.stream();
      assertEquals("Bearer tok", stream.authorization);
      stream.open(WITH_SECRET);
      stream.end(Code.UNAVAILABLE, null);
      assertEquals("Bearer tok", arena.stream().authorization, "a token goes before a secret");
    }
  }

  @Test
  void aHeartbeatIsAnsweredWhileTheBotThinks() throws Exception {
    Bots.Slow bot = new Bots.Slow();
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      stream.open(asked("t", 7));
      assertEquals(7, bot.awaitThought());
      stream.send(heartbeat(3));
      assertEquals(3, stream.expect(MessageCase.HEARTBEAT_REPLY).getHeartbeatReply().getNumber());
      bot.allowed.countDown();
      assertEquals(7, stream.act().getDecisionId());
    }
  }

  @Test
  void manyTablesAreAnsweredOneAfterTheOther() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      stream.open(IntStream.range(0, 50).mapToObj(table -> asked("t" + table, table)).toArray(ServerMessage[]::new));
      for (int table = 0; table < 50; table++) {
        assertEquals(choice("t" + table, table, 0), stream.act());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aBotWithThreadsThinksAboutSeveralDecisionsAtOnce(int threads) throws Exception {
    Bots.Slow bot = new Bots.Slow() {
      @Override
      public int threads() {
        return threads;
      }
    };
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      assertEquals(threads, stream.open(asked("t", 1), asked("u", 2), asked("v", 3)).getMaxOpenDecisions());
      Set<Integer> thoughts = new TreeSet<>(List.of(bot.awaitThought(), bot.awaitThought(), bot.awaitThought()));
      assertEquals(Set.of(1, 2, 3), thoughts);
      bot.allowed.countDown();
      assertEquals(
          Set.of(1, 2, 3),
          Set.of(stream.act().getDecisionId(), stream.act().getDecisionId(), stream.act().getDecisionId()));
    }
  }

  @Test
  void repliesToOneFrameLeaveInOneFrame() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      stream.open(heartbeat(1), heartbeat(2), heartbeat(3));
      for (int number = 1; number <= 3; number++) {
        stream.expect(MessageCase.HEARTBEAT_REPLY);
      }
      assertEquals(2, stream.frameCount(), "hello, and the three replies");
    }
  }

  @Test
  void noFrameIsLargerThanTheServerReads() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      ServerMessage[] beats = IntStream.range(0, 30).mapToObj(Messages::heartbeat).toArray(ServerMessage[]::new);
      stream.open(Welcome.newBuilder().setMaxFrameBytes(64), beats);
      for (int number = 0; number < 30; number++) {
        stream.expect(MessageCase.HEARTBEAT_REPLY);
      }
      assertTrue(stream.frameCount() > 2);
      for (PlayRequest frame : stream.frames.subList(1, stream.frameCount())) {
        assertTrue(frame.getSerializedSize() <= 64, frame::toString);
      }
    }
  }

  @Test
  void framesAreReadHoweverLargeTheyAre() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      Decision.Builder large = Messages.turn("t", 7);
      for (int action = 0; action < 2_000_000; action++) {
        large.addLegalActions(Messages.DRAW);
      }
      stream.open(asked(large));
      assertEquals(7, stream.act().getDecisionId());
    }
  }

  @Test
  void aRefusedAnswerIsCorrected() throws Exception {
    Bot bot = new Bots.First() {
      @Override
      public Answer onRefused(Decision decision, Refusal refusal) {
        return refusal.reason() == Reason.REASON_COLOR_REQUIRED ? Answer.of(2) : null;
      }
    };
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      stream.open(asked("t", 7));
      assertEquals(0, stream.act().getChoice());
      stream.send(refused("t", 7, Reason.REASON_COLOR_REQUIRED, 2));
      assertEquals(2, stream.act().getChoice());
      stream.send(refused("t", 7, Reason.REASON_CARD_NOT_IN_HAND, 1));
      assertEquals(1, stream.act().getChoice(), "neither of those that were refused");
      stream.send(refused("t", 7, Reason.REASON_CARD_NOT_IN_HAND, 0), heartbeat(1));
      stream.expect(MessageCase.HEARTBEAT_REPLY);
    }
  }

  @Test
  void aDecisionThatClosesInterruptsTheThoughtAndGetsNoAnswer() throws Exception {
    Bots.Slow bot = new Bots.Slow();
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      stream.open(asked("t", 7));
      bot.awaitThought();
      stream.send(decisionClosed("t", 7, Reason.REASON_TURN_EXPIRED));
      assertEquals("interrupted", Bots.awaited(bot.told));
      bot.allowed.countDown();
      stream.send(asked("t", 8));
      assertEquals(8, stream.act().getDecisionId());
    }
  }

  @Test
  void aDecisionThatClosesBeforeItsTurnIsPassedOver() throws Exception {
    Bots.Slow bot = new Bots.Slow();
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      stream.open(asked("t", 7), asked("u", 8), asked("v", 9));
      bot.awaitThought();
      stream.send(decisionClosed("u", 8, Reason.REASON_STALE_DECISION), heartbeat(1));
      stream.expect(MessageCase.HEARTBEAT_REPLY);
      bot.allowed.countDown();
      assertEquals(7, stream.act().getDecisionId());
      assertEquals(9, stream.act().getDecisionId());
      assertEquals(9, bot.awaitThought());
    }
  }

  @Test
  void unknownFieldsMessagesAndValuesDoNoHarm() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      byte[] later = {(byte) 0xfa, 0x07, 0x02, 'h', 'i'}; // field 127, which nobody knows
      View.Builder view = Messages.view().addHandValue(250).setActiveColorValue(9);
      Decision.Builder strange = Messages.turn("t", 7).setView(view).setKindValue(42).clearLegalActions()
          .addLegalActions(Action.newBuilder().setKindValue(77).setCardValue(250).setColorValue(9));
      strange.mergeFrom(later);
      ServerMessage unknown = ServerMessage.parseFrom(later);
      stream.open(unknown, asked(strange));
      assertEquals(choice("t", 7, 0), stream.act());
      assertEquals(Color.UNRECOGNIZED, view.getActiveColor());
    }
  }

  @Test
  void aLostStreamIsResumedWithNumbersAndSecret() throws Exception {
    Bots.Listening bot = new Bots.Listening();
    try (Player player = play(bot)) {
      Peer first = arena.stream();
      assertEquals("", first.authorization);
      first.open(WITH_SECRET, seated("t"), events("t", 1, 4), asked("t", 7));
      Act act = first.act();
      first.end(Code.UNAVAILABLE, null);
      Peer second = arena.stream();
      assertEquals("Bearer hidden", second.authorization);
      Hello hello = second.open(events("t", 5, 5), asked("t", 7));
      assertEquals(4, hello.getCursors(0).getLastSequence());
      assertEquals(act, second.act());
    }
    assertEquals(1, bot.told.stream().filter("decide 7"::equals).count(), "it is thought about once");
  }

  @Test
  void aServerThatIsKilledIsAwaited() throws Exception {
    int port = Integer.parseInt(arena.address().split(":")[1]);
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      stream.open(asked("t", 7));
      stream.act();
      arena.close();
      try (ServerSocket silent = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        silent.accept().close(); // the next attempt meets somebody who hangs up
        silent.accept().close();
      }
    }
  }

  @Test
  void whatIsMissingIsAskedForOnANewStream() throws Exception {
    try (Player player = play(new Bots.Listening())) {
      Peer first = arena.stream();
      first.open(seated("t"), events("t", 1, 2), events("t", 4, 4));
      first.awaitOver();
      assertEquals(2, arena.stream().open().getCursors(0).getLastSequence());
    }
  }

  @Test
  void aStreamOnWhichNothingComesAnyMoreIsGivenUp() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer first = arena.stream();
      first.open(Welcome.newBuilder().setHeartbeatInterval(Messages.seconds(0.02)));
      first.awaitOver();
      arena.stream().open();
    }
  }

  @Test
  void aServerThatNeverWelcomesTheBotIsGivenUp() throws Exception {
    try (Player player = Player.hasty(new Bots.First(), arena.address(), 0.3)) {
      arena.stream().awaitOver();
      arena.stream();
    }
  }

  @Test
  void runnerPlaysWithoutEndingTheProgram() throws Exception {
    Settings bad = new Settings("nowhere", "", "me", 300);
    assertThrows(BotException.class, () -> Runner.play(new Bots.First(), bad));
  }

  @Test
  void aServerThatShutsDownIsAwaited() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer first = arena.stream();
      first.open(ServerMessage.newBuilder().setDraining(Draining.getDefaultInstance()).build());
      first.end();
      Peer second = arena.stream();
      second.open();
      second.end(Code.UNAVAILABLE, ProtocolReason.PROTOCOL_REASON_DRAINING);
      arena.stream().open();
    }
  }

  @Test
  void aServerThatIsDoneWithTheBotEndsIt() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      stream.open();
      stream.end();
      player.awaitEnd();
    }
  }

  @Test
  void aSessionTakenOverByAnotherProgramIsNotFoughtOver() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      stream.open();
      stream.end(Code.ABORTED, ProtocolReason.PROTOCOL_REASON_SESSION_REPLACED);
      assertEquals(
          "another program with the same identity took the session over: because",
          player.failure(BotException.class).getMessage());
      assertTrue(arena.noStream());
    }
  }

  @Test
  void aServerThatForgotTheSessionIsGreetedAsANewOne() throws Exception {
    try (Player player = play(new Bots.Listening())) {
      Peer first = arena.stream();
      first.open(WITH_SECRET, seated("t"), events("t", 1, 3), asked("t", 7));
      first.act();
      first.end(Code.UNAVAILABLE, null);
      arena.stream().end(Code.UNAUTHENTICATED, ProtocolReason.PROTOCOL_REASON_UNAUTHENTICATED);
      Peer third = arena.stream();
      assertEquals("", third.authorization);
      assertEquals(0, third.open(asked("t", 7)).getCursorsCount());
      assertEquals(choice("t", 7, 0), third.act());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "true, true, ",
    "true, false, the server does not accept the token: because",
    "false, false, the server wants a token (set LASTCARD_TOKEN): because",
  })
  void unauthenticatedIsTheEnd(boolean token, boolean welcomed, String sentence) throws Exception {
    Settings settings = new Settings(arena.address(), token ? "tok" : "", "me", 300);
    try (Player player = Player.play(new Bots.First(), settings)) {
      Peer stream = arena.stream();
      if (welcomed) {
        stream.open();
      }
      stream.end(Code.UNAUTHENTICATED, ProtocolReason.PROTOCOL_REASON_UNAUTHENTICATED);
      if (sentence == null) {
        player.awaitEnd();
      } else {
        assertEquals(sentence, player.failure(BotException.class).getMessage());
      }
    }
  }

  @Test
  void aServerOfAnotherProtocolIsNotPlayedOn() throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      stream.expect(MessageCase.HELLO);
      stream.send(ServerMessage.newBuilder().setWelcome(Welcome.newBuilder().setProtocolVersion(9)).build());
      assertTrue(player.failure(BotException.class).getMessage().startsWith("the server speaks protocol version 9"));
      stream.awaitOver();
    }
  }

  @Test
  void withoutAServerTheBotGivesUpAndSaysSo() throws Exception {
    String address = arena.address();
    arena.close();
    try (Player player = Player.play(new Bots.First(), new Settings(address, "", "me", 0.3))) {
      String sentence = player.failure(BotException.class).getMessage();
      assertTrue(sentence.startsWith("no connection to " + address + " for "), sentence);
      assertTrue(sentence.endsWith("Is the server running, and is the address right?"), sentence);
    }
  }

  @Test
  void aBotMayLeaveATableAndStop() throws Exception {
    Bot bot = new Bots.First() {
      @Override
      public Answer choose(View view, List<Action> legalActions) {
        leave("t");
        stop();
        return Answer.of(0);
      }
    };
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      stream.open(asked("t", 7));
      assertEquals("t", stream.expect(MessageCase.LEAVE).getLeave().getTableId());
      while (stream.next().isPresent()) {
        // the answer may be among what is still sent
      }
      assertTrue(stream.halfClosed);
      stream.end();
      player.awaitEnd();
      assertTrue(arena.noStream());
    }
  }

  @Test
  void aServerThatDoesNotEndTheStreamHoldsNobodyUp() throws Exception {
    Bots.Slow bot = new Bots.Slow();
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      stream.open(asked("t", 7));
      bot.awaitThought();
      bot.stop();
      player.awaitEnd();
      assertNull(stream.next().orElse(null));
    }
  }

  @Test
  void theLastEndIsHeardBeforeTheBotEnds() throws Exception {
    Bots.Listening bot = new Bots.Listening();
    try (Player player = play(bot)) {
      Peer stream = arena.stream();
      stream.open(tableClosed("t"));
      stream.end();
      player.awaitEnd();
      assertEquals("closed t", bot.told.poll());
    }
  }

  @Test
  void anErrorThatNoProgramSurvivesEndsTheRun() throws Exception {
    Bot bot = new Bots.First() {
      @Override
      public Answer choose(View view, List<Action> legalActions) {
        throw new OutOfMemoryError("on purpose");
      }
    };
    try (Player player = play(bot)) {
      arena.stream().open(asked("t", 7));
      assertEquals("on purpose", player.failure(OutOfMemoryError.class).getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void interruptingBreaksOff(boolean connected) throws Exception {
    try (Player player = play(new Bots.First())) {
      Peer stream = arena.stream();
      if (connected) {
        stream.open();
      }
      player.interrupt();
      player.failure(InterruptedException.class);
      stream.awaitOver();
    }
  }
}
