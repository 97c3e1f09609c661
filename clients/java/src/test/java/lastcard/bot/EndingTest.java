package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.grpc.Metadata;
import io.grpc.Status.Code;
import lastcard.bot.Ending.Circumstances;
import lastcard.bot.Ending.Next;
import lastcard.v1.ErrorCause;
import lastcard.v1.ProtocolReason;
import lastcard.v1.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndingTest {
  private static final Circumstances GUEST = new Circumstances(false, false, true, false);

  private static ErrorCause cause(String reason) {
    return reason == null
        ? null
        : ErrorCause.newBuilder().setProtocolReason(ProtocolReason.valueOf("PROTOCOL_REASON_" + reason)).build();
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, , RECONNECT",
    "UNAVAILABLE, DRAINING, RECONNECT",
    "INTERNAL, , RECONNECT",
    "CANCELLED, , RECONNECT",
    "RESOURCE_EXHAUSTED, READER_TOO_SLOW, RECONNECT",
    "RESOURCE_EXHAUSTED, LIMIT_REACHED, RECONNECT",
    "ABORTED, SESSION_REPLACED, FAIL",
    "ABORTED, , FAIL",
    "ABORTED, READER_TOO_SLOW, RECONNECT",
    "UNAVAILABLE, SESSION_REPLACED, FAIL",
    "OK, SESSION_REPLACED, FAIL",
    "OK, , FINISH",
    "FAILED_PRECONDITION, VERSION_UNSUPPORTED, FAIL",
    "INVALID_ARGUMENT, INVALID_ARGUMENT, FAIL",
    "PERMISSION_DENIED, , FAIL",
    "UNIMPLEMENTED, , FAIL",
  })
  void everyStatusHasItsMeaning(Code code, String reason, Next next) {
    assertEquals(next, Ending.judge(code, "text", cause(reason), GUEST).next());
  }

  @ParameterizedTest
  @CsvSource({
    "true, false, true, FINISH",
    "true, false, false, FAIL",
    "false, true, true, FORGET",
    "false, false, false, FAIL",
  })
  void unauthenticatedGoesByWhatTheBotShowed(boolean token, boolean secret, boolean known, Next next) {
    Circumstances when = new Circumstances(token, secret, known, false);
    assertEquals(next, Ending.judge(Code.UNAUTHENTICATED, "text", null, when).next());
    assertEquals(next, Ending.judge(Code.UNAVAILABLE, "text", cause("UNAUTHENTICATED"), when).next());
  }

  @Test
  void theReasonOfTheGameCountsToo() {
    ErrorCause replaced = ErrorCause.newBuilder().setReason(Reason.REASON_SESSION_REPLACED).build();
    Ending ending = Ending.judge(Code.UNAVAILABLE, "bye", replaced, GUEST);
    assertEquals(new Ending(Next.FAIL, "another program with the same identity took the session over: bye"), ending);
  }

  @Test
  void aServerThatSaidItShutsDownIsAwaited() {
    Ending ending = Ending.judge(Code.OK, "", null, new Circumstances(false, false, true, true));
    assertEquals(new Ending(Next.RECONNECT, "the server has shut down"), ending);
  }

  @Test
  void whatAnswersButIsNoArenaIsNamed() {
    Ending ending = Ending.judge(Code.UNIMPLEMENTED, "no", null, new Circumstances(false, false, false, false));
    assertEquals("what answers at this address is no arena that this client knows: no", ending.sentence());
  }

  @Test
  void theCauseIsReadFromTheDetails() {
    ErrorCause cause = cause("DRAINING");
    assertEquals(cause, Ending.causeOf(ScriptedArena.trailers(Code.UNAVAILABLE, "text", cause)));
    assertNull(Ending.causeOf(new Metadata()));
    Metadata garbage = new Metadata();
    garbage.put(Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER), new byte[] {1, 2, 3});
    assertNull(Ending.causeOf(garbage));
  }
}
