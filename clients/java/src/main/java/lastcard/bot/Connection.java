package lastcard.bot;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import lastcard.bot.Ending.Next;
import lastcard.bot.Output.Key;
import lastcard.v1.Act;
import lastcard.v1.ClientMessage;
import lastcard.v1.ErrorCause;
import lastcard.v1.Hello;
import lastcard.v1.PlayRequest;
import lastcard.v1.PlayResponse;
import lastcard.v1.ServerMessage;

/**
 * A bot's connection to an arena, over as many streams as it takes: dials in, comes back after every disturbance, ends
 * cleanly.
 *
 * <p>{@link #run} waits in the caller's thread. All else happens on the loop, which owns the session, the present
 * stream and the outbox.
 */
final class Connection {
  /** A stream that lasted this long was no failed attempt: the waits begin anew. */
  private static final double HELD_S = 10;

  /** A bot that has not once connected after so long says what to check. */
  private static final double CHECK_S = 10;

  /** How long the server may take to welcome the bot before a stream is given up. */
  private static final double WELCOME_S = 30;

  /** How long the server may take to end the stream after we have, on the way out. */
  private static final double FLUSH_S = 1;

  private static final int MOST_BYTES = 64 * 1024 * 1024;
  private static final String CLIENT_NAME = "lastcard-java";
  private static final Logger LOG = Logger.getLogger(Connection.class.getPackageName());

  private final Settings settings;
  private final double welcomeS;
  private final Session session;
  private final Loop loop = new Loop(this::failed);
  private final Mind mind;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final List<ClientMessage> outbox = new ArrayList<>();
  /** The present stream; null between two. */
  private Stream stream;
  /** Why the bot must not go on with this server; null as long as it may. */
  private String hopeless;

  private boolean flushing;
  private int maxFrameBytes;
  private boolean toldToCheck;
  private volatile boolean known;
  private volatile Throwable failure;

  Connection(Bot bot, Settings settings) {
    this(bot, settings, WELCOME_S);
  }

  /** With another time for the welcome. */
  Connection(Bot bot, Settings settings, double welcomeS) {
    this.settings = settings;
    this.welcomeS = welcomeS;
    this.session = new Session(Hello.newBuilder()
        .setProtocolVersion(Session.PROTOCOL_VERSION)
        .setBotName(settings.name())
        .setBotVersion(bot.version())
        .setClientName(CLIENT_NAME)
        .setClientVersion(clientVersion())
        .setMaxTables(bot.maxTables())
        .setMaxOpenDecisions(bot.maxOpenDecisions())
        .setDecisionsOnly(!bot.wantsEvents())
        .build());
    this.mind = new Mind(bot, loop::post, this::answered, this::failed);
    bot.attach(tableId -> loop.post(() -> perform(session.leave(tableId))), this::stop);
  }

  /** Ends the connection, from any thread: what is ready is still sent, then the stream is closed. */
  void stop() {
    stopped.countDown();
    loop.post(() -> {
      if (stream != null) {
        Stream ending = stream;
        flushSoon();
        loop.later(FLUSH_S, () -> ending.cancel("stopped"));
      }
    });
  }

  /**
   * Plays until stopped or until the server is done with the bot.
   *
   * @throws BotException when it cannot go on
   * @throws InterruptedException when the calling thread is interrupted; the stream is then broken off
   */
  void run() throws BotException, InterruptedException {
    String why;
    WarmUp.run();
    try {
      why = streams();
    } finally {
      loop.post(mind::dropAll);
      mind.close();
      loop.close();
    }
    throwFailure(); // the bot may have ended itself in what it was told last
    LOG.info("ended: " + why);
  }

  /** Opens one stream after the other; why there was no next one. */
  private String streams() throws BotException, InterruptedException {
    Backoff backoff = new Backoff(ThreadLocalRandom.current()::nextDouble);
    double lastWelcome = now();
    while (!isStopped()) {
      double begun = now();
      Ended ended = stream();
      Ending ending = ended.ending();
      throwFailure();
      if (isStopped()) {
        break;
      }
      if (ending.next() == Next.FINISH) {
        return ending.sentence();
      }
      if (ending.next() == Next.FAIL) {
        throw new BotException(ending.sentence());
      }
      double now = now();
      if (ended.welcomed()) {
        lastWelcome = now;
      }
      if (now - begun >= HELD_S) {
        backoff.reset();
      }
      pause(backoff.nextS(), now - lastWelcome, ending);
    }
    return "stopped";
  }

  /** Waits before the next attempt, or gives up. */
  private void pause(double seconds, double awayS, Ending ending) throws BotException, InterruptedException {
    if (awayS + seconds > settings.giveUpS()) {
      throw new BotException(String.format(
          "no connection to %s for %.0f s; last: %s. Is the server running, and is the address right?",
          settings.server(), awayS, ending.sentence()));
    }
    LOG.warning(String.format("%s; next attempt in %.1f s", ending.sentence(), seconds));
    if (awayS >= CHECK_S && !known && !toldToCheck) {
      toldToCheck = true;
      LOG.warning(String.format(
          "not connected to %s yet; is an arena running there, and is the address right? Giving up in %.0f s",
          settings.server(), settings.giveUpS() - awayS));
    }
    stopped.await((long) (seconds * 1e9), TimeUnit.NANOSECONDS);
  }

  /** How a stream ended, and whether the bot had been welcomed on it. */
  private record Ended(Ending ending, boolean welcomed) {}

  /** Runs one stream to its end, over a channel of its own: an old channel would keep to back-off times of its own. */
  private Ended stream() throws InterruptedException {
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress(settings.host(), settings.port(), InsecureChannelCredentials.create())
            .maxInboundMessageSize(MOST_BYTES)
            .executor(loop.executor())
            .build();
    CompletableFuture<Ended> ended = new CompletableFuture<>();
    try {
      loop.post(() -> open(channel, ended));
      return ended.get();
    } catch (ExecutionException impossible) {
      throw new AssertionError("a stream is only completed normally", impossible);
    } finally {
      channel.shutdownNow(); // ends the stream too, if it is still open
    }
  }

  private void open(ManagedChannel channel, CompletableFuture<Ended> ended) {
    String token = settings.token().isEmpty() ? session.secret() : settings.token();
    outbox.clear();
    outbox.add(session.openStream());
    stream = Stream.open(channel, token, welcomeS, loop, new Stream.Events() {
      @Override
      public void received(PlayResponse frame) {
        Connection.this.received(frame);
      }

      @Override
      public void ready() {
        flush();
      }

      @Override
      public void ended(Status status, Metadata trailers) {
        stream = null;
        ended.complete(new Ended(judge(status, trailers, token), session.welcomed()));
      }
    });
    if (isStopped()) {
      stream.cancel("stopped");
    }
  }

  private Ending judge(Status status, Metadata trailers, String token) {
    if (hopeless != null) {
      return new Ending(Next.FAIL, hopeless);
    }
    String text = status.getDescription() == null ? "" : status.getDescription();
    ErrorCause cause = Ending.causeOf(trailers);
    boolean withToken = !settings.token().isEmpty();
    Ending ending = Ending.judge(
        status.getCode(),
        session.farewellText().isEmpty() ? text : session.farewellText(),
        cause == null ? session.farewell() : cause,
        new Ending.Circumstances(withToken, !withToken && !token.isEmpty(), known, session.draining()));
    if (ending.next() == Next.FORGET) {
      perform(session.forget());
    }
    return ending;
  }

  private void received(PlayResponse frame) {
    for (ServerMessage message : frame.getMessagesList()) {
      if (hopeless != null) {
        return;
      }
      perform(session.receive(message));
    }
  }

  /** Does what the session says. */
  private void perform(List<Output> outputs) {
    for (Output output : outputs) {
      if (output instanceof Output.Send send) {
        outbox.add(send.message());
        flushSoon();
      } else if (output instanceof Output.Ask ask) {
        mind.ask(ask);
      } else if (output instanceof Output.Tell tell) {
        mind.tell(tell);
      } else if (output instanceof Output.Withdraw withdraw) {
        mind.withdraw(withdraw.key());
      } else if (output instanceof Output.Log log) {
        LOG.log(log.serious() ? Level.WARNING : Level.INFO, log.text());
      } else if (output instanceof Output.SendLater later) {
        loop.later(later.seconds(), () -> perform(session.resend(later.tableId())));
      } else if (output instanceof Output.Welcomed welcomed) {
        welcome(welcomed);
      } else if (output instanceof Output.Resume) {
        stream.cancel("events are missing");
      } else if (output instanceof Output.Drain drain) {
        LOG.warning(String.format(
            "the server shuts down within %.0f s; reconnecting when the stream ends", drain.secondsLeft()));
      } else if (output instanceof Output.Fail fail) {
        hopeless = fail.sentence();
        stream.cancel(hopeless);
      } else {
        throw new AssertionError("nobody does " + output);
      }
    }
  }

  /** The stream is open. */
  private void welcome(Output.Welcomed welcomed) {
    known = true;
    maxFrameBytes = welcomed.maxFrameBytes();
    LOG.info("connected to " + settings.server() + " (server " + welcomed.serverVersion() + ") as "
        + welcomed.botName());
    stream.watch(welcomed.heartbeatS());
  }

  private void answered(Key key, Act act) {
    perform(session.answered(key, act));
  }

  /** Writes after everything that is waiting on the loop, so that answers that are ready together leave together. */
  private void flushSoon() {
    if (!flushing) {
      flushing = true;
      loop.post(this::flush);
    }
  }

  /** Writes whatever is ready, packed into as few frames as fit; half-closes the stream when stopped. */
  private void flush() {
    flushing = false;
    if (stream == null || !stream.isReady()) {
      return; // Events.ready comes when it is
    }
    for (PlayRequest frame : Output.frames(outbox, maxFrameBytes)) {
      stream.write(frame);
    }
    outbox.clear();
    if (isStopped()) {
      stream.halfClose();
    }
  }

  /** The bot itself has ended: so does the connection, with that error. */
  private void failed(Throwable error) {
    failure = error;
    stop();
  }

  private void throwFailure() {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  private static double now() {
    return System.nanoTime() / 1e9;
  }

  /** The version in the library's jar; empty when the classes lie loose. */
  private static String clientVersion() {
    String version = Connection.class.getPackage().getImplementationVersion();
    return version == null ? "" : version;
  }
}
