package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import lastcard.v1.Act;
import lastcard.v1.ClientMessage;
import lastcard.v1.ClientMessage.MessageCase;
import lastcard.v1.ErrorCause;
import lastcard.v1.Hello;
import lastcard.v1.PlayRequest;
import lastcard.v1.PlayResponse;
import lastcard.v1.PlayServiceGrpc;
import lastcard.v1.ProtocolReason;
import lastcard.v1.ServerMessage;
import lastcard.v1.Welcome;

/** A {@code PlayService} on a real port that does exactly what a test tells it. */
final class ScriptedArena extends PlayServiceGrpc.PlayServiceImplBase implements AutoCloseable {
  /** Longest that a test waits for anything; far above what is ever needed, so that it only bounds failures. */
  static final long BOUND_S = 120;

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Context.Key<String> SHOWN = Context.key("authorization");

  private final BlockingQueue<Peer> peers = new LinkedBlockingQueue<>();
  private final Server server;

  ScriptedArena() throws IOException {
    server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
        .maxInboundMessageSize(64 * 1024 * 1024)
        .addService(this)
        .intercept(new ServerInterceptor() {
          @Override
          public <Q, S> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
            String shown = Optional.ofNullable(headers.get(AUTHORIZATION)).orElse("");
            return Contexts.interceptCall(Context.current().withValue(SHOWN, shown), call, headers, next);
          }
        })
        .build()
        .start();
  }

  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  /** The next stream that a bot opens. */
  Peer stream() throws InterruptedException {
    Peer peer = peers.poll(BOUND_S, TimeUnit.SECONDS);
    assertNotNull(peer, "no stream was opened");
    return peer;
  }

  /** Whether no further stream was opened. */
  boolean noStream() {
    return peers.isEmpty();
  }

  /** Ends like a server that is killed. */
  @Override
  public void close() throws InterruptedException {
    server.shutdownNow();
    assertTrue(server.awaitTermination(BOUND_S, TimeUnit.SECONDS));
  }

  @Override
  public StreamObserver<PlayRequest> play(StreamObserver<PlayResponse> responses) {
    Peer peer = new Peer(SHOWN.get(), (ServerCallStreamObserver<PlayResponse>) responses);
    peers.add(peer);
    return peer.requests;
  }

  /** The trailers of a status with a cause (null: none). */
  static Metadata trailers(Status.Code code, String text, ErrorCause cause) {
    Metadata trailers = new Metadata();
    if (cause != null) {
      com.google.rpc.Status details = com.google.rpc.Status.newBuilder()
          .setCode(code.value())
          .setMessage(text)
          .addDetails(Any.pack(cause))
          .build();
      trailers.put(
          Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER), details.toByteArray());
    }
    return trailers;
  }

  /** One call of {@code Play} as the test sees it. */
  static final class Peer {
    /** The metadata {@code authorization}; empty when there is none. */
    final String authorization;

    final List<PlayRequest> frames = new ArrayList<>();
    /** Whether the bot has said that nothing more comes, rather than broken the stream off. */
    volatile boolean halfClosed;
    private final BlockingQueue<Optional<ClientMessage>> received = new LinkedBlockingQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final ServerCallStreamObserver<PlayResponse> responses;
    private final StreamObserver<PlayRequest> requests = new StreamObserver<>() {
      @Override
      public void onNext(PlayRequest frame) {
        synchronized (frames) {
          frames.add(frame);
        }
        frame.getMessagesList().forEach(message -> received.add(Optional.of(message)));
      }

      @Override
      public void onError(Throwable thrown) {
        received.add(Optional.empty());
        over.countDown();
      }

      @Override
      public void onCompleted() {
        halfClosed = true;
        received.add(Optional.empty());
      }
    };

    private Peer(String authorization, ServerCallStreamObserver<PlayResponse> responses) {
      this.authorization = authorization;
      this.responses = responses;
      responses.setOnCancelHandler(() -> {
        received.add(Optional.empty());
        over.countDown();
      });
    }

    /** The next message of the bot; empty when it has half-closed or broken off the stream. */
    Optional<ClientMessage> next() throws InterruptedException {
      Optional<ClientMessage> message = received.poll(BOUND_S, TimeUnit.SECONDS);
      assertNotNull(message, "nothing came from the bot");
      return message;
    }

    /** The next message of the bot, which must be of this kind. */
    ClientMessage expect(MessageCase kind) throws InterruptedException {
      ClientMessage message = next().orElseThrow(() -> new AssertionError("the stream was closed, no " + kind));
      assertEquals(kind, message.getMessageCase(), message::toString);
      return message;
    }

    /** Takes the hello and welcomes the bot; further messages go out in the same frame. */
    Hello open(ServerMessage... messages) throws InterruptedException {
      return open(Welcome.newBuilder(), messages);
    }

    Hello open(Welcome.Builder welcome, ServerMessage... messages) throws InterruptedException {
      Hello hello = expect(MessageCase.HELLO).getHello();
      PlayResponse.Builder frame = PlayResponse.newBuilder()
          .addMessages(ServerMessage.newBuilder()
              .setWelcome(welcome.setSessionId("s").setBotName(hello.getBotName()).setProtocolVersion(1)))
          .addAllMessages(List.of(messages));
      responses.onNext(frame.build());
      return hello;
    }

    /** The next answer. */
    Act act() throws InterruptedException {
      return expect(MessageCase.ACT).getAct();
    }

    /** How many frames have come. */
    int frameCount() {
      synchronized (frames) {
        return frames.size();
      }
    }

    /** Sends messages in one frame. */
    void send(ServerMessage... messages) {
      responses.onNext(PlayResponse.newBuilder().addAllMessages(List.of(messages)).build());
    }

    /** Ends the stream well. */
    void end() {
      responses.onCompleted();
    }

    /** Ends the stream for a reason (null: none is given). */
    void end(Status.Code code, ProtocolReason reason) {
      ErrorCause cause = reason == null ? null : ErrorCause.newBuilder().setProtocolReason(reason).build();
      Metadata trailers = trailers(code, "because", cause);
      responses.onError(code.toStatus().withDescription("because").asRuntimeException(trailers));
    }

    /** Waits until the bot has broken the stream off. */
    void awaitOver() throws InterruptedException {
      assertTrue(over.await(BOUND_S, TimeUnit.SECONDS), "the stream goes on");
    }
  }
}
