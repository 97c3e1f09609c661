package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is written in several places, and must be the same in all of them. */
class PackagingTest {
  private static String first(String file, String pattern) throws IOException {
    Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(Files.readString(Path.of(file)));
    assertTrue(matcher.find(), file + " has no " + pattern);
    return matcher.group(1);
  }

  @Test
  void theReadmeShowsTheExampleAsItIs() throws IOException {
    String example = Files.readString(Path.of("examples", "MyBot.java"));
    assertTrue(example.lines().count() < 40);
    String shown = first("README.md", "(?s)```java\\n(.*?)```");
    assertEquals(example.substring(example.indexOf("public final class")), shown);
  }
}
