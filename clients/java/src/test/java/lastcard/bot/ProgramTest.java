package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status.Code;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import lastcard.bot.ScriptedArena.Peer;
import lastcard.v1.Action;
import lastcard.v1.ClientMessage.MessageCase;
import lastcard.v1.ProtocolReason;
import lastcard.v1.View;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bots as programs: environment, signals, exit status. */
@Timeout(120)
class ProgramTest {
  private final List<Process> started = new ArrayList<>();
  private ScriptedArena arena;

  /** Says when it has returned from its run. */
  static final class Program extends Bots.First {
    public static void main(String[] arguments) {
      Runner.run(new Program());
      System.out.println("goes on");
    }
  }

  /** Never answers, and never returns when it is told of the end. */
  static final class Stuck extends Bots.First {
    @Override
    public Answer choose(View view, List<Action> legalActions) throws Exception {
      while (true) {
        try {
          Thread.sleep(1000);
        } catch (InterruptedException ignored) {
          continue; // that is what is wrong with it
        }
      }
    }

    public static void main(String[] arguments) throws Exception {
      Runner.run(new Stuck());
      Thread.sleep(TimeUnit.MINUTES.toMillis(5));
    }
  }

  @BeforeEach
  void open() throws Exception {
    arena = new ScriptedArena();
  }

  @AfterEach
  void close() throws Exception {
    started.forEach(Process::destroyForcibly);
    arena.close();
  }

  /**
   * What a command begins with, so that it hears signals. Java leaves those alone that are ignored where it is started,
   * as a script does SIGINT in its background; GNU's env can undo that, others cannot.
   */
  private static List<String> hearing() throws Exception {
    List<String> prefix = List.of("env", "--default-signal=INT,TERM");
    List<String> probe = new ArrayList<>(prefix);
    probe.add("true");
    return new ProcessBuilder(probe).start().waitFor() == 0 ? prefix : List.of();
  }

  private Process start(Class<?> program, Map<String, String> environment) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command = new ArrayList<>(hearing());
    command.addAll(List.of(
        java, "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), program.getName()));
    ProcessBuilder builder = new ProcessBuilder(command);
    List.of("LASTCARD_SERVER", "LASTCARD_TOKEN", "LASTCARD_BOT").forEach(builder.environment()::remove);
    builder.environment().putAll(environment);
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private Process start(Class<?> program) throws Exception {
    return start(program, Map.of("LASTCARD_SERVER", arena.address(), "LASTCARD_BOT", "eve"));
  }

  private static void signal(Process process, String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
    assertEquals(0, kill.waitFor());
  }

  private static int status(Process process) throws Exception {
    assertTrue(process.waitFor(ScriptedArena.BOUND_S, TimeUnit.SECONDS), "the program does not end");
    return process.exitValue();
  }

  private static String said(InputStream stream) throws Exception {
    return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT"})
  void aProgramThatIsAskedToEndSaysGoodbyeAndGoesOnToItsEnd(String signal) throws Exception {
    Process program = start(Program.class);
    Peer stream = arena.stream();
    assertEquals("eve", stream.open().getBotName());
    stream.send(Messages.heartbeat(1));
    stream.expect(MessageCase.HEARTBEAT_REPLY);
    signal(program, signal);
    assertTrue(stream.next().isEmpty(), "the stream is half-closed");
    stream.end();
    assertEquals(0, status(program));
    assertEquals("goes on\n", said(program.getInputStream()));
    assertTrue(said(program.getErrorStream()).contains("INFO lastcard.bot: ended: stopped"));
  }

  @Test
  void aLaterSignalEndsAtOnceAProgramThatNeverComesToItsEnd() throws Exception {
    Process program = start(Stuck.class);
    Peer stream = arena.stream();
    stream.open(Messages.asked("t", 7));
    signal(program, "TERM");
    assertTrue(stream.next().isEmpty(), "the stream is half-closed although the bot thinks");
    stream.end();
    while (!program.waitFor(700, TimeUnit.MILLISECONDS)) {
      signal(program, "TERM");
    }
    assertEquals(128 + 15, program.exitValue());
  }

  @Test
  void aProgramWhoseSessionWasTakenOverSaysSoAndFails() throws Exception {
    Process program = start(Program.class);
    Peer stream = arena.stream();
    stream.open();
    stream.end(Code.ABORTED, ProtocolReason.PROTOCOL_REASON_SESSION_REPLACED);
    assertEquals(1, status(program));
    String complaint = said(program.getErrorStream());
    assertTrue(
        complaint.endsWith("error: another program with the same identity took the session over: because\n"),
        complaint);
  }

  @Test
  void aProgramThatCannotStartSaysWhyInOneLine() throws Exception {
    Process program = start(Program.class, Map.of("LASTCARD_SERVER", "nowhere"));
    assertEquals(1, status(program));
    assertEquals(
        "error: server 'nowhere' is no address; give host:port, for example 127.0.0.1:7777\n",
        said(program.getErrorStream()));
  }
}
