package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import lastcard.v1.ClientMessage;
import lastcard.v1.PlayRequest;
import org.junit.jupiter.api.Test;

class FramesTest {
  private static final List<ClientMessage> TEN = Collections.nCopies(
      10, ClientMessage.newBuilder().setAct(Messages.choice("table", 1, 2)).build());

  @Test
  void whatIsReadyLeavesInOneFrame() {
    assertEquals(List.of(PlayRequest.newBuilder().addAllMessages(TEN).build()), Output.frames(TEN, 0));
    assertEquals(1, Output.frames(TEN, 1_000_000).size());
    assertEquals(List.of(), Output.frames(List.of(), 100));
  }

  @Test
  void noFrameIsLargerThanTheServerReads() {
    List<PlayRequest> frames = Output.frames(TEN, 50);
    assertTrue(frames.stream().allMatch(frame -> frame.getSerializedSize() <= 50), frames::toString);
    assertEquals(TEN, frames.stream().flatMap(frame -> frame.getMessagesList().stream()).toList());
  }

  @Test
  void aMessageThatIsTooLargeGetsAFrameOfItsOwn() {
    assertEquals(10, Output.frames(TEN, 1).size());
  }
}
