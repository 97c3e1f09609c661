package lastcard.bot;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where a bot plays and as whom.
 *
 * @param server the arena as {@code host:port}
 * @param token the bearer token; empty for none
 * @param name the bot's name; empty for the token's
 * @param giveUpS seconds without a connection after which the bot gives up
 */
public record Settings(String server, String token, String name, double giveUpS) {
  static final String SERVER = "LASTCARD_SERVER";
  static final String TOKEN = "LASTCARD_TOKEN";
  static final String BOT = "LASTCARD_BOT";

  private static final double GIVE_UP_S = 300;
  private static final int LAST_PORT = 65535;
  private static final Pattern ADDRESS = Pattern.compile("(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+):[0-9]{1,5}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /**
   * Settings from arguments, else from {@code LASTCARD_SERVER}, {@code LASTCARD_TOKEN} and {@code LASTCARD_BOT}.
   *
   * <p>A bot with a token that is given no name takes the one that the token is bound to.
   *
   * @param environment usually {@code System.getenv()}
   * @param server, token, name what wins over the environment; null when not given
   * @param defaultName the name of a bot that neither is given one nor has a token
   * @throws BotException when no server is named or a value cannot be used
   */
  public static Settings from(
      Map<String, String> environment, String server, String token, String name, String defaultName)
      throws BotException {
    String bearer = token == null ? environment.getOrDefault(TOKEN, "") : token;
    String address = given(server, environment.getOrDefault(SERVER, ""));
    if (address.isEmpty()) {
      throw new BotException("no server is named; set " + SERVER + " to host:port, or give it to Settings.from");
    }
    String called = given(name, given(environment.get(BOT), bearer.isEmpty() ? defaultName : ""));
    return new Settings(address, bearer, called, GIVE_UP_S).checked();
  }

  /** Settings for a bot from the environment and the bot's own name. */
  public static Settings fromEnvironment(Bot bot) throws BotException {
    return from(System.getenv(), null, null, null, bot.name());
  }

  /** The same settings, if address, token and name can be ones. */
  Settings checked() throws BotException {
    boolean address = ADDRESS.matcher(server).matches();
    if (!address || port() < 1 || port() > LAST_PORT) {
      throw new BotException("server '" + server + "' is no address; give host:port, for example 127.0.0.1:7777");
    }
    checkDialable();
    for (int place = 0; place < token.length(); place++) {
      if (token.charAt(place) < '!' || token.charAt(place) > '~') {
        throw new BotException(
            "the token has " + shown(token.charAt(place)) + " at place " + place + "; use it as it was given out");
      }
    }
    if (!NAME.matcher(name).matches() && (token.isEmpty() || !name.isEmpty())) {
      throw new BotException(
          "'" + name + "' is no name for a bot; use 1 to 64 letters, digits, '-', '_' or '.'");
    }
    return this;
  }

  /** Channels take hosts only as {@link URI} does, which knows no {@code _}, and throw otherwise. */
  private void checkDialable() throws BotException {
    try {
      new URI(null, null, host(), port(), null, null, null);
    } catch (URISyntaxException undialable) {
      throw new BotException("server '" + server + "' names a host that gRPC for Java cannot dial; give its address in"
          + " numbers, or a name of letters, digits and '-' between dots");
    }
  }

  /** The host, without the brackets of an IPv6 address. */
  String host() {
    String host = server.substring(0, server.lastIndexOf(':'));
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** The port. */
  int port() {
    return Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
  }

  /** Without the token, which belongs into no log. */
  @Override
  public String toString() {
    return "Settings[server=" + server + ", name=" + name + "]";
  }

  private static String given(String value, String otherwise) {
    return value == null || value.isEmpty() ? otherwise : value;
  }

  private static String shown(char sign) {
    return sign < ' ' || sign > '~' ? String.format("'\\u%04x'", (int) sign) : "'" + sign + "'";
  }
}
