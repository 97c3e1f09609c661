package lastcard.bot;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The chance of one purpose under one seed, as tests/conformance/README.md describes it: words, numbers, shuffles. */
final class Chance {
  private static final int WORDS = 65536;
  private static final String HMAC = "HmacSHA256";

  private final byte[] seed;
  private final byte[] purpose;
  private ByteBuffer block = ByteBuffer.allocate(0);
  private int blocks;

  Chance(String seed, String purpose) {
    this.seed = HexFormat.of().parseHex(seed);
    this.purpose = purpose.getBytes(StandardCharsets.UTF_8);
  }

  /** The next word, of 16 bits. */
  int word() {
    if (!block.hasRemaining()) {
      block = ByteBuffer.wrap(hmac(seed, purpose, new byte[1], number(blocks)));
      blocks++;
    }
    return Short.toUnsignedInt(block.getShort());
  }

  /** A number below n. */
  int below(int n) {
    int word = word();
    while (word >= WORDS - WORDS % n) {
      word = word();
    }
    return word % n;
  }

  /** The items in another order. */
  <T> List<T> shuffle(List<T> items) {
    List<T> shuffled = new ArrayList<>(items);
    for (int place = shuffled.size() - 1; place > 0; place--) {
      Collections.swap(shuffled, place, below(place + 1));
    }
    return shuffled;
  }

  /** A hash of a text, a zero byte and more bytes, in hexadecimal. */
  static String hash(String text, byte[]... more) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(text.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      for (byte[] bytes : more) {
        digest.update(bytes);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("every Java has SHA-256", impossible);
    }
  }

  /** An HMAC by a key of a text, a zero byte and more bytes; key and result in hexadecimal. */
  static String keyed(String key, String text, byte[] more) {
    byte[] made = hmac(HexFormat.of().parseHex(key), text.getBytes(StandardCharsets.UTF_8), new byte[1], more);
    return HexFormat.of().formatHex(made);
  }

  /** A number as four bytes, the highest first. */
  static byte[] number(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }

  private static byte[] hmac(byte[] key, byte[]... message) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key, HMAC));
      for (byte[] part : message) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("every Java has " + HMAC, impossible);
    }
  }
}
