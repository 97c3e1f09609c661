package lastcard.bot;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.Future;
import java.util.logging.Logger;
import lastcard.v1.PlayRequest;
import lastcard.v1.PlayResponse;
import lastcard.v1.PlayServiceGrpc;

/** One call of {@code Play}: reads, writes and watches it. Everything in it happens on the loop of the connection. */
final class Stream implements ClientResponseObserver<PlayRequest, PlayResponse> {
  /** Heartbeats that may fail to come before a stream is given up. */
  static final int MISSED_HEARTBEATS = 3;

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Logger LOG = Logger.getLogger(Stream.class.getPackageName());

  /** Takes what happens on a stream. */
  interface Events {
    /** A frame has come. */
    void received(PlayResponse frame);

    /** The transport takes frames. */
    void ready();

    /** The stream is over; its status and trailers. Nothing happens on it afterwards. */
    void ended(Status status, Metadata trailers);
  }

  private final Loop loop;
  private final Events events;
  private ClientCallStreamObserver<PlayRequest> call;
  private Future<?> watch;
  private long framesRead;
  /** Whether nothing can be written any more. */
  private boolean shut;

  private Stream(Loop loop, Events events) {
    this.loop = loop;
    this.events = events;
  }

  /**
   * Opens a stream on a channel, with a token unless that is empty. It is given up when nothing comes for so many
   * seconds, until {@link #watch} says otherwise.
   */
  static Stream open(ManagedChannel channel, String token, double welcomeS, Loop loop, Events events) {
    Metadata metadata = new Metadata();
    if (!token.isEmpty()) {
      metadata.put(AUTHORIZATION, "Bearer " + token);
    }
    Stream stream = new Stream(loop, events);
    PlayServiceGrpc.newStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
        .play(stream);
    stream.watch(welcomeS / MISSED_HEARTBEATS);
    return stream;
  }

  /** Whether a frame can be written now; {@link Events#ready} tells when it can be later. */
  boolean isReady() {
    return !shut && call.isReady();
  }

  /** Writes a frame. */
  void write(PlayRequest frame) {
    call.onNext(frame);
  }

  /** Says that no more is written; the server then ends the stream. */
  void halfClose() {
    if (!shut) {
      shut = true;
      call.onCompleted();
    }
  }

  /** Breaks the stream off. */
  void cancel(String why) {
    shut = true;
    call.cancel(why, null);
  }

  /** Watches the stream from now on, at this interval (0: not at all). */
  void watch(double heartbeatS) {
    if (watch != null) {
      watch.cancel(false);
      watch = null;
    }
    if (heartbeatS > 0) {
      watchFor(heartbeatS, framesRead, 0);
    }
  }

  /**
   * Gives the stream up when nothing has come for several heartbeats. Counts its own rounds, not the time: after a
   * pause of the whole process it gives the reader a chance first.
   */
  private void watchFor(double heartbeatS, long seen, int missed) {
    watch = loop.later(heartbeatS, () -> {
      int now = framesRead == seen ? missed + 1 : 0;
      if (now < MISSED_HEARTBEATS) {
        watchFor(heartbeatS, framesRead, now);
        return;
      }
      LOG.warning(String.format("nothing came from the server for %.0f s", now * heartbeatS));
      cancel("nothing came from the server");
    });
  }

  private void end(Status status, Metadata trailers) {
    shut = true;
    watch(0);
    events.ended(status, trailers);
  }

  // What grpc calls. It would keep to itself what these throw.

  @Override
  public void beforeStart(ClientCallStreamObserver<PlayRequest> starting) {
    call = starting;
    call.disableAutoRequestWithInitial(1);
    call.setOnReadyHandler(loop.guarded(events::ready));
  }

  @Override
  public void onNext(PlayResponse frame) {
    loop.guarded(() -> {
      framesRead++;
      events.received(frame);
      call.request(1); // not before: what the bot does not read fast enough stays with the server
    }).run();
  }

  @Override
  public void onError(Throwable thrown) {
    loop.guarded(() -> {
      Metadata trailers = Status.trailersFromThrowable(thrown);
      end(Status.fromThrowable(thrown), trailers == null ? new Metadata() : trailers);
    }).run();
  }

  @Override
  public void onCompleted() {
    loop.guarded(() -> end(Status.OK, new Metadata())).run();
  }
}
