package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static List<Double> waits(Backoff backoff, int count) {
    return Stream.generate(backoff::nextS).limit(count).toList();
  }

  @Test
  void waitsDoubleUpToTheLongest() {
    Backoff backoff = new Backoff(() -> 0.0);
    assertEquals(List.of(0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0), waits(backoff, 7));
    backoff.reset();
    assertEquals(0.2, backoff.nextS());
  }

  @Test
  void chanceShortensByHalfAtMost() {
    assertEquals(List.of(0.1, 0.2), waits(new Backoff(() -> 1.0), 2));
    Backoff half = new Backoff(() -> 0.5);
    assertEquals(0.15, half.nextS(), 1e-9);
    assertEquals(0.3, half.nextS(), 1e-9);
  }
}
