package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("LASTCARD_SERVER", "127.0.0.1:7600", "LASTCARD_TOKEN", "tok", "LASTCARD_BOT", "eve");

  private static String complaint(Map<String, String> environment) {
    return assertThrows(BotException.class, () -> Settings.from(environment, null, null, null, "mine")).getMessage();
  }

  @Test
  void theEnvironmentIsReadAndArgumentsWin() throws BotException {
    Settings read = Settings.from(ENVIRONMENT, null, null, null, "mine");
    assertEquals(new Settings("127.0.0.1:7600", "tok", "eve", 300), read);
    Settings given = Settings.from(ENVIRONMENT, "[::1]:80", "", "adam", "mine");
    assertEquals(new Settings("[::1]:80", "", "adam", 300), given);
  }

  @Test
  void aBotWithoutNameTakesTheTokensOrItsOwn() throws BotException {
    Map<String, String> server = Map.of("LASTCARD_SERVER", "localhost:7600");
    assertEquals("mine", Settings.from(server, null, null, null, "mine").name());
    assertEquals("", Settings.from(server, null, "tok", null, "mine").name());
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1:7600, 127.0.0.1, 7600", "[::1]:65535, ::1, 65535", "my-host.local:1, my-host.local, 1"})
  void anAddressIsHostAndPort(String server, String host, int port) throws BotException {
    Settings settings = new Settings(server, "", "b", 300).checked();
    assertEquals(host, settings.host());
    assertEquals(port, settings.port());
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "localhost:0", "localhost:65536", "a b:1", "http://x:1", "::1:80", ":80"})
  void whatIsNoAddressIsNamed(String server) {
    assertEquals(
        "server '" + server + "' is no address; give host:port, for example 127.0.0.1:7777",
        complaint(Map.of("LASTCARD_SERVER", server)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"my_arena:7600", "a..b:7600", "[:::]:7600"})
  void aHostThatNoChannelTakesIsNamed(String server) {
    assertEquals(
        "server '" + server + "' names a host that gRPC for Java cannot dial; give its address in numbers, or a name of"
            + " letters, digits and '-' between dots",
        complaint(Map.of("LASTCARD_SERVER", server)));
  }

  @Test
  void otherBadValuesAreNamed() {
    assertEquals(
        "no server is named; set LASTCARD_SERVER to host:port, or give it to Settings.from", complaint(Map.of()));
    assertEquals(
        "the token has '\\u000a' at place 3; use it as it was given out",
        complaint(Map.of("LASTCARD_SERVER", "h:1", "LASTCARD_TOKEN", "tok\n")));
    assertEquals(
        "'a b' is no name for a bot; use 1 to 64 letters, digits, '-', '_' or '.'",
        complaint(Map.of("LASTCARD_SERVER", "h:1", "LASTCARD_BOT", "a b")));
  }

  @Test
  void theTokenStaysOutOfTexts() {
    assertFalse(new Settings("h:1", "hidden", "b", 300).toString().contains("hidden"));
  }
}
