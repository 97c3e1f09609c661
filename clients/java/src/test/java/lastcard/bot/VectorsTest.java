package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import lastcard.conformance.v1.ChanceVectors;
import lastcard.conformance.v1.Deal;
import lastcard.conformance.v1.DealVectors;
import lastcard.conformance.v1.DisguiseVectors;
import lastcard.conformance.v1.GameVectors;
import lastcard.conformance.v1.KeyVectors;
import lastcard.conformance.v1.Record;
import lastcard.conformance.v1.RecordVectors;
import lastcard.conformance.v1.RefusalVectors;
import lastcard.v1.DrawOrder;
import lastcard.v1.Event;
import org.junit.jupiter.api.Test;

/** The conformance vectors, read with our own stubs and computed anew. */
class VectorsTest {
  private static final Path VECTORS = Path.of("..", "..", "tests", "conformance", "vectors");
  private static final Map<String, Message.Builder> FILES = Map.of(
      "chance.json", ChanceVectors.newBuilder(),
      "deals.json", DealVectors.newBuilder(),
      "disguises.json", DisguiseVectors.newBuilder(),
      "games.json", GameVectors.newBuilder(),
      "keys.json", KeyVectors.newBuilder(),
      "records.json", RecordVectors.newBuilder(),
      "refusals.json", RefusalVectors.newBuilder());

  /** Reads a file; a field that the stubs do not know is an error. */
  private static Message read(String name) throws IOException {
    Message.Builder message = FILES.get(name).clone();
    JsonFormat.parser().merge(Files.readString(VECTORS.resolve(name)), message);
    return message.build();
  }

  private static byte[] bytes(String hexadecimal) {
    return HexFormat.of().parseHex(hexadecimal);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void everyFileIsReadInFull() throws IOException {
    try (Stream<Path> files = Files.list(VECTORS)) {
      assertEquals(
          new TreeSet<>(FILES.keySet()),
          files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new)));
    }
    for (String name : FILES.keySet()) {
      Message vectors = read(name);
      assertTrue(vectors.getAllFields().size() > 1, name + " holds nothing but its description");
      Message.Builder again = FILES.get(name).clone();
      JsonFormat.parser().merge(JsonFormat.printer().print(vectors), again);
      assertEquals(vectors, again.build(), name);
    }
  }

  @Test
  void chanceIsAsDescribed() throws IOException {
    ChanceVectors vectors = (ChanceVectors) read("chance.json");
    vectors.getWordsList().forEach(words -> {
      Chance chance = new Chance(words.getSeed(), words.getPurpose());
      assertEquals(words.getWordsList(), words.getWordsList().stream().map(word -> chance.word()).toList());
    });
    vectors.getNumbersList().forEach(number ->
        assertEquals(number.getNumber(), new Chance(number.getSeed(), number.getPurpose()).below(number.getN())));
    vectors.getShufflesList().forEach(shuffle -> assertEquals(
        shuffle.getOrderList(), new Chance(shuffle.getSeed(), shuffle.getPurpose()).shuffle(shuffle.getItemsList())));
    assertTrue(vectors.getWordsCount() > 0 && vectors.getNumbersCount() > 0 && vectors.getShufflesCount() > 0);
  }

  @Test
  void keysAreAsDescribed() throws IOException {
    KeyVectors vectors = (KeyVectors) read("keys.json");
    vectors.getCommitmentsList().forEach(given ->
        assertEquals(given.getCommitment(), commitment(given.getSeed(), given.getSalt())));
    vectors.getEventKeysList().forEach(given ->
        assertEquals(given.getKey(), Chance.hash("lastcard/event", text(given.getNumber()))));
    vectors.getDealKeysList().forEach(given ->
        assertEquals(given.getKey(), Chance.keyed(given.getEventKey(), "lastcard/deal", text(given.getDeal()))));
    vectors.getRoundSeedsList().forEach(given -> assertEquals(
        given.getSeed(), Chance.keyed(given.getDealKey(), "lastcard/round", Chance.number(given.getRound()))));
    vectors.getSaltsList().forEach(given ->
        assertEquals(given.getSalt(), Chance.keyed(given.getEventKey(), "lastcard/salt", text(given.getGame()))));
    assertEquals(6, vectors.getAllFields().size(), "all kinds of keys are there");
  }

  @Test
  void disguisesHaveTheirKeys() throws IOException {
    ((DisguiseVectors) read("disguises.json")).getDisguisesList().forEach(given ->
        assertEquals(given.getKey(), Chance.keyed(given.getSalt(), "lastcard/disguise", bytes(given.getSeed()))));
  }

  @Test
  void dealsAreCommittedToAndDrawnByTheOrderOfEachSeat() throws IOException {
    int orders = 0;
    for (Deal deal : ((DealVectors) read("deals.json")).getDealsList()) {
      assertEquals(deal.getCommitment(), commitment(deal.getSeed(), deal.getSalt()), deal.getName());
      if (deal.getDraws() != DrawOrder.DRAW_ORDER_PER_SEAT || deal.getDisguise()) {
        continue;
      }
      List<Integer> ids = IntStream.range(0, deal.getDeck().split(" ").length).boxed().toList();
      for (int seat = 0; seat < deal.getOrdersCount(); seat++) {
        List<Integer> order = new Chance(deal.getSeed(), "seat/1/" + seat).shuffle(ids);
        assertEquals(deal.getOrders(seat).getIdsList(), order, deal.getName());
        orders++;
      }
    }
    assertTrue(orders > 0);
  }

  @Test
  void theChainOfARecordTellsWhereItWasTamperedWith() throws Exception {
    int broken = 0;
    for (Record record : ((RecordVectors) read("records.json")).getRecordsList()) {
      int first = firstBrokenLink(record.getLinesList());
      if (first == 0) {
        boolean whole = !record.hasLine() || record.getName().startsWith("forged");
        boolean cut = record.getLine() == record.getLinesCount() + 1;
        assertTrue(whole || cut, record.getName());
      } else {
        broken++;
        assertTrue(record.getLine() == first || record.getLine() == first - 1, record.getName() + ": " + first);
      }
    }
    assertTrue(broken > 0);
  }

  @Test
  void theEventsOfARightRecordAreOurEvents() throws Exception {
    for (Record record : ((RecordVectors) read("records.json")).getRecordsList()) {
      if (record.hasLine()) {
        continue;
      }
      int expected = 0;
      for (String line : record.getLinesList()) {
        JsonObject object = JsonParser.parseString(line).getAsJsonObject();
        if (object.has("event")) {
          expected++;
          Event event = event(object.get("event").toString());
          assertEquals(expected, event.getSequence(), record.getName());
          assertFalse(event.getEventCase() == Event.EventCase.EVENT_NOT_SET, record.getName());
        } else if (object.has("closing")) {
          assertEquals(expected, object.getAsJsonObject("closing").get("events").getAsInt(), record.getName());
        }
      }
      assertTrue(expected > 0, record.getName());
    }
  }

  private static Event event(String json) throws InvalidProtocolBufferException {
    Event.Builder event = Event.newBuilder();
    JsonFormat.parser().merge(json, event);
    return event.build();
  }

  private static String commitment(String seed, String salt) {
    return Chance.hash("lastcard/commitment", bytes(seed), bytes(salt));
  }

  /** The number of the first line, from 1, that does not hold the hash of the line before; 0 when all do. */
  private static int firstBrokenLink(List<String> lines) throws Exception {
    for (int place = 1; place < lines.size(); place++) {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text(lines.get(place - 1)));
      String previous = JsonParser.parseString(lines.get(place)).getAsJsonObject().get("previous").getAsString();
      if (!previous.equals(HexFormat.of().formatHex(hash))) {
        return place + 1;
      }
    }
    return 0;
  }
}
