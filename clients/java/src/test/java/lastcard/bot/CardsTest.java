package lastcard.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import lastcard.v1.Card;
import lastcard.v1.View;
import org.junit.jupiter.api.Test;

class CardsTest {
  @Test
  void everyCardOfTheApiHasItsNotation() {
    assertEquals("R0 R9 YS GV BD W W4 WH WX WC", Cards.handText(List.of(16, 25, 42, 59, 76, 13, 14, 10, 11, 12)));
    for (Card card : Card.values()) {
      if (card != Card.UNRECOGNIZED && card != Card.CARD_UNSPECIFIED) {
        assertFalse(Cards.cardText(card.getNumber()).startsWith("?"), card.name());
      }
    }
    assertEquals("?200", Cards.cardText(200));
    assertEquals("?31", Cards.cardText(31));
  }

  @Test
  void aCardIsItsColorAndRank() {
    int card = Card.CARD_GREEN_DRAW_TWO.getNumber();
    assertEquals(3, Cards.colorOf(card));
    assertEquals(Cards.DRAW_TWO, Cards.rankOf(card));
    assertEquals("green", Cards.colorText(Cards.colorOf(card)));
    assertEquals("?9", Cards.colorText(9));
    assertFalse(Cards.isWild(card));
    assertTrue(Cards.isWild(Card.CARD_WILD_DRAW_FOUR.getNumber()));
    assertEquals(20, Cards.points(card));
    assertEquals(50, Cards.points(Card.CARD_WILD.getNumber()));
    assertEquals(9, Cards.points(Card.CARD_BLUE_9.getNumber()));
  }

  @Test
  void colorsAreCountedWithoutWilds() {
    assertEquals(Map.of(1, 2, 2, 0, 3, 1, 4, 0), Cards.colorCounts(List.of(13, 16, 17, 48)));
    assertEquals(1, Cards.colorCounts(List.of(16 * 7)).get(7), "a colour of a newer server");
  }

  @Test
  void theNextSeatGoesByDirectionAndActiveSeats() {
    View.Builder view = View.newBuilder().addAllActiveSeats(List.of(0, 2, 3));
    assertEquals(2, Cards.nextSeat(view.build(), 0, 1), "an unset direction is clockwise");
    assertEquals(3, Cards.nextSeat(view.setDirection(-1).build(), 0, 1));
    assertEquals(0, Cards.nextSeat(view.build(), 3, 2));
  }

  @Test
  void anOptionIsItsTextOrTheDefault() {
    View view = View.newBuilder().setRuleset(Messages.rules("jump_in", "true")).build();
    assertEquals("true", Cards.option(view, "jump_in", "false"));
    assertEquals("false", Cards.option(view, "seven_swap", "false"));
  }
}
