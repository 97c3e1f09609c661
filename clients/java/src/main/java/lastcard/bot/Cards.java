package lastcard.bot;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import lastcard.v1.Action;
import lastcard.v1.ActionKind;
import lastcard.v1.RuleOption;
import lastcard.v1.View;

/**
 * Cards, colours and views in a bot author's words.
 *
 * <p>Cards and colours are taken as numbers ({@code view.getHandValueList()}, {@code action.getCardValue()}), so that
 * one that only a newer server knows does no harm. A card is {@code 16 * colour + rank}.
 */
public final class Cards {
  /** Ranks beyond the numbers 0 to 9. */
  public static final int SKIP = 10;

  /** Rank of a reverse card. */
  public static final int REVERSE = 11;

  /** Rank of a draw two. */
  public static final int DRAW_TWO = 12;

  private static final int FIRST_COLORED = 16;
  private static final String[] RANKS = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "V", "D"};
  private static final Map<Integer, String> WILDS = Map.of(10, "WH", 11, "WX", 12, "WC", 13, "W", 14, "W4");
  private static final String COLOR_LETTERS = "-RYGB";
  private static final String[] COLOR_NAMES = {"none", "red", "yellow", "green", "blue"};

  private Cards() {}

  /** The colour of a card, 1 to 4 as in {@code Color}; 0 for wilds. */
  public static int colorOf(int card) {
    return card >> 4;
  }

  /** The rank of a card: 0 to 9 the number, 10 skip, 11 reverse, 12 draw two, 13 wild, 14 wild draw four. */
  public static int rankOf(int card) {
    return card & 15;
  }

  /** Whether a card has no colour of its own; so has "no card", 0. */
  public static boolean isWild(int card) {
    return card < FIRST_COLORED;
  }

  /** What a card counts in an opponent's hand: its number, 20 for action cards, 50 for wilds. */
  public static int points(int card) {
    if (isWild(card)) {
      return 50;
    }
    return rankOf(card) >= SKIP ? 20 : rankOf(card);
  }

  /** How many of the cards have each colour; wilds are not counted. All four colours are there. */
  public static Map<Integer, Integer> colorCounts(Iterable<Integer> cards) {
    Map<Integer, Integer> counts = new HashMap<>(Map.of(1, 0, 2, 0, 3, 0, 4, 0));
    for (int card : cards) {
      if (!isWild(card)) {
        counts.merge(colorOf(card), 1, Integer::sum);
      }
    }
    return counts;
  }

  /** A card in the notation of records: {@code R5}, {@code YS}, {@code W4}; {@code ?} and its number if unknown. */
  public static String cardText(int card) {
    if (WILDS.containsKey(card)) {
      return WILDS.get(card);
    }
    int color = colorOf(card);
    boolean known = 1 <= color && color <= 4 && rankOf(card) < RANKS.length;
    return known ? COLOR_LETTERS.charAt(color) + RANKS[rankOf(card)] : "?" + card;
  }

  /** Several cards in notation, separated by blanks. */
  public static String handText(List<Integer> cards) {
    return cards.stream().map(Cards::cardText).collect(Collectors.joining(" "));
  }

  /** The English name of a colour; {@code none} for 0, {@code ?} and its number if unknown. */
  public static String colorText(int color) {
    return 0 <= color && color < COLOR_NAMES.length ? COLOR_NAMES[color] : "?" + color;
  }

  /** An action in the notation of records: {@code R5}, {@code W/G}, {@code R7>2}, {@code draw}, {@code catch 2}. */
  public static String actionText(Action action) {
    return switch (action.getKind()) {
      case ACTION_KIND_DRAW -> "draw";
      case ACTION_KIND_KEEP -> "keep";
      case ACTION_KIND_ACCEPT -> "accept";
      case ACTION_KIND_CHALLENGE -> "challenge";
      case ACTION_KIND_UNO -> "uno";
      case ACTION_KIND_PASS -> "pass";
      case ACTION_KIND_CHOOSE_COLOR -> "color " + colorLetter(action.getColorValue());
      case ACTION_KIND_CATCH -> "catch " + action.getTarget();
      case ACTION_KIND_PLAY, ACTION_KIND_JUMP_IN -> playText(action);
      default -> "?" + action.getKindValue();
    };
  }

  /** The active seat that is {@code steps} places after {@code seat} in the direction of play. */
  public static int nextSeat(View view, int seat, int steps) {
    List<Integer> active = view.getActiveSeatsList();
    int direction = view.getDirection() == 0 ? 1 : view.getDirection();
    return active.get(Math.floorMod(active.indexOf(seat) + steps * direction, active.size()));
  }

  /** The value of a rule option as text if the table departs from its preset in it, otherwise {@code otherwise}. */
  public static String option(View view, String name, String otherwise) {
    for (RuleOption option : view.getRuleset().getOptionsList()) {
      if (option.getName().equals(name)) {
        return option.getValue();
      }
    }
    return otherwise;
  }

  private static String playText(Action action) {
    String jump = action.getKind() == ActionKind.ACTION_KIND_JUMP_IN ? "jump " : "";
    boolean named = isWild(action.getCardValue()) && action.getColorValue() != 0;
    String color = named ? "/" + colorLetter(action.getColorValue()) : "";
    String target = action.hasTarget() ? ">" + action.getTarget() : "";
    return jump + cardText(action.getCardValue()) + color + target;
  }

  private static String colorLetter(int color) {
    return 0 <= color && color < COLOR_LETTERS.length() ? COLOR_LETTERS.substring(color, color + 1) : "?" + color;
  }
}
