package lastcard.bot;

import java.util.logging.LogManager;

/** Runs a bot as a program. */
public final class Runner {
  private static final String FORMAT = "java.util.logging.SimpleFormatter.format";

  private Runner() {}

  /**
   * Plays until the event is over or the program is asked to end (SIGTERM, SIGINT), then returns. Server, token and
   * name come from {@code LASTCARD_SERVER}, {@code LASTCARD_TOKEN} and {@code LASTCARD_BOT}.
   *
   * <p>When the bot cannot play (on), says why on stderr and ends the program with status 1.
   */
  public static void run(Bot bot) {
    run(bot, null, null, null);
  }

  /** The same, with a server, a token and a name that win over the environment where they are not null. */
  public static void run(Bot bot, String server, String token, String name) {
    if (System.getProperty(FORMAT) == null && LogManager.getLogManager().getProperty(FORMAT) == null) {
      System.setProperty(FORMAT, "%1$tF %1$tT,%1$tL %4$s %3$s: %5$s%6$s%n");
    }
    try {
      Settings settings = Settings.from(System.getenv(), server, token, name, bot.name());
      Connection connection = new Connection(bot, settings);
      Signals.listen(connection::stop);
      connection.run();
    } catch (BotException cannot) {
      System.err.println("error: " + cannot.getMessage());
      System.exit(1);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt(); // the caller's wish: the bot has ended, what comes next is up to it
    }
  }

  /**
   * Plays a bot in the calling thread until it is stopped or the event is over, as {@link #run(Bot)} does, but without
   * heeding signals and without ending the program.
   *
   * @throws BotException when the bot cannot play (on)
   * @throws InterruptedException when the calling thread is interrupted; the stream is then broken off
   */
  public static void play(Bot bot, Settings settings) throws BotException, InterruptedException {
    new Connection(bot, settings.checked()).run();
  }
}
