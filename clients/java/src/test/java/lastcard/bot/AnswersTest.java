package lastcard.bot;

import static lastcard.bot.Messages.DRAW;
import static lastcard.bot.Messages.PASS;
import static lastcard.bot.Messages.PLAY_RED_5;
import static lastcard.bot.Messages.PLAY_WILD_GREEN;
import static lastcard.bot.Messages.UNO;
import static lastcard.bot.Messages.catchOf;
import static lastcard.bot.Messages.play;
import static lastcard.bot.Messages.reaction;
import static lastcard.bot.Messages.rules;
import static lastcard.bot.Messages.turn;
import static lastcard.bot.Messages.view;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import lastcard.v1.Act;
import lastcard.v1.Action;
import lastcard.v1.ActionKind;
import lastcard.v1.Card;
import lastcard.v1.Color;
import lastcard.v1.Decision;
import lastcard.v1.View;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswersTest {
  private static final Decision TURN = turn("t", 7).build();

  private static Act act(Decision decision, Answer answer) throws BadReplyException {
    return Answers.actFor(decision, answer, true, true);
  }

  private static String complaint(Answer answer) {
    return assertThrows(BadReplyException.class, () -> act(TURN, answer)).getMessage();
  }

  private static Decision withView(View.Builder view) {
    return turn("t", 7).setView(view).build();
  }

  @Test
  void anIndexIsSentAsItIs() throws BadReplyException {
    assertEquals(Messages.choice("t", 7, 2), act(TURN, Answer.of(2)));
  }

  @Test
  void aLegalActionIsSentByItsIndex() throws BadReplyException {
    assertEquals(1, act(TURN, Answer.of(PLAY_RED_5)).getChoice());
    assertTrue(act(TURN, Answer.of(PLAY_RED_5)).hasChoice());
  }

  @Test
  void aColorThatTheActionDoesNotNeedDoesNoHarm() throws BadReplyException {
    Action named = PLAY_RED_5.toBuilder().setColor(Color.COLOR_RED).build();
    assertEquals(1, act(TURN, Answer.of(named)).getChoice());
  }

  @Test
  void anActionOfAnUnknownKindCanBeChosen() throws BadReplyException {
    Action unknown = Action.newBuilder().setKindValue(99).setCardValue(200).build();
    Decision decision = turn("t", 7).addLegalActions(unknown).build();
    assertEquals(4, act(decision, Answer.of(unknown)).getChoice());
    assertEquals(4, act(decision, Answer.of(4)).getChoice());
  }

  @Test
  void aReplyThatAnswersNothingIsExplained() {
    assertEquals("choice 4 is no index into legalActions; valid are 0 to 3", complaint(Answer.of(4)));
    assertEquals("choice -1 is no index into legalActions; valid are 0 to 3", complaint(Answer.of(-1)));
    assertEquals("a reply must be an index from 0 to 3 or an action, in an Answer, not null", complaint(null));
    assertEquals(
        "B2 is not a legal action; valid are W/G, R5, R6, draw", complaint(Answer.of(play(Card.CARD_BLUE_2))));
    assertEquals("catchSeats names 3; valid are seats from 0 to 2", complaint(Answer.of(0).withCatches(3)));
  }

  @Test
  void aWildWithoutItsColorIsNotLegal() {
    assertEquals("W is not a legal action; valid are W/G, R5, R6, draw", complaint(Answer.of(play(Card.CARD_WILD))));
  }

  @Test
  void callsAndCatchesByThemselvesGoAsActionsInTheOwnTurnOnly() throws BadReplyException {
    Act call = act(TURN, Answer.of(UNO));
    assertEquals(UNO, call.getAction());
    assertTrue(Answers.isApart(call));
    assertFalse(Answers.isApart(act(TURN, Answer.of(0))));
    Decision reaction = reaction("t", 7, PASS).build();
    assertThrows(BadReplyException.class, () -> act(reaction, Answer.of(catchOf(1))));
  }

  @Test
  void unoIsCalledWithThePlayThatLeavesOneCard() throws BadReplyException {
    View.Builder two = view().clearHand().addAllHand(List.of(Card.CARD_WILD, Card.CARD_RED_5));
    assertTrue(act(withView(two), Answer.of(1)).getCallUno());
    assertFalse(act(withView(two), Answer.of(3)).getCallUno(), "drawing leaves three");
    assertFalse(act(TURN, Answer.of(1)).getCallUno());
    assertFalse(act(withView(two), Answer.of(1).withCallUno(false)).getCallUno());
    assertTrue(act(TURN, Answer.of(1).withCallUno(true)).getCallUno());
    assertFalse(Answers.actFor(withView(two), Answer.of(1), false, true).getCallUno());
  }

  @ParameterizedTest
  @CsvSource({
    // hand, counts of seats 0 to 2, card, target, option, value, due
    "3, 3 1 5, RED_7, 1, seven_swap, true, true",
    "2, 2 4 5, RED_7, 1, seven_swap, true, false",
    "2, 2 4 5, RED_7, 1, seven_swap, false, true",
    "2, 2 1 5, RED_7, -1, seven_swap, true, true",
    "1, 1 1 5, RED_7, 1, seven_swap, true, false",
    "3, 3 4 1, RED_0, -1, zero_rotate, true, true",
    "2, 2 4 5, RED_0, -1, zero_rotate, true, false",
    "3, 3 1 5, RED_0, -1, zero_rotate, true, false",
    "2, 2 4 5, WILD, -1, zero_rotate, true, true",
  })
  void unoIsDueByTheHandThatThePlayLeaves(
      int hand, String counts, String card, int target, String option, String value, boolean due) {
    View view = view()
        .clearHand()
        .addAllHand(List.of(Card.CARD_RED_7, Card.CARD_RED_0, Card.CARD_WILD).subList(0, hand))
        .clearHandCounts()
        .addAllHandCounts(Arrays.stream(counts.split(" ")).map(Integer::valueOf).toList())
        .setRuleset(rules(option, value))
        .build();
    Action.Builder action = play(Card.valueOf("CARD_" + card)).toBuilder();
    if (target >= 0) {
      action.setTarget(target);
    }
    assertEquals(due, Answers.leavesOneCard(view, action.build()));
  }

  @Test
  void theLastCardSwapsHandsWhereTheRulesSaySo() {
    View.Builder last =
        view().clearHand().addHand(Card.CARD_RED_7).clearHandCounts().addAllHandCounts(List.of(1, 1, 5));
    Action swap = play(Card.CARD_RED_7).toBuilder().setTarget(1).build();
    assertFalse(Answers.leavesOneCard(last.setRuleset(rules("seven_swap", "true")).build(), swap));
    assertTrue(Answers.leavesOneCard(
        last.setRuleset(rules("last_card_hand_effect", "apply", "seven_swap", "true")).build(), swap));
  }

  @Test
  void zeroRotatesAgainstTheDirectionOfPlay() {
    View.Builder view =
        view().clearHandCounts().addAllHandCounts(List.of(3, 1, 5)).setRuleset(rules("zero_rotate", "true"));
    Action zero = play(Card.CARD_RED_0);
    assertFalse(Answers.leavesOneCard(view.build(), zero), "seat 2 hands its cards on");
    assertTrue(Answers.leavesOneCard(view.setDirection(-1).build(), zero), "seat 1 does");
  }

  @Test
  void seatsThatForgotTheirCallAreCaughtWhereItIsFree() throws BadReplyException {
    View.Builder liable = view().addAllCatchableSeats(List.of(0, 2));
    assertEquals(List.of(2), act(withView(liable), Answer.of(3)).getCatchSeatsList());
    assertEquals(List.of(), Answers.actFor(withView(liable), Answer.of(3), true, false).getCatchSeatsList());
    assertEquals(List.of(), act(withView(liable), Answer.of(3).withCatches()).getCatchSeatsList());
    assertEquals(List.of(1), act(withView(liable), Answer.of(3).withCatches(1, 1)).getCatchSeatsList());
    assertEquals(List.of(), act(withView(liable), Answer.of(catchOf(2))).getCatchSeatsList());
    liable.setRuleset(rules("false_catch_penalty", "1"));
    assertEquals(List.of(), act(withView(liable), Answer.of(3)).getCatchSeatsList());
  }

  @Test
  void theDefaultReactionCallsCatchesAndNeverJumpsIn() {
    Action jump = PLAY_RED_5.toBuilder().setKind(ActionKind.ACTION_KIND_JUMP_IN).build();
    View free = view().build();
    View dear = view().setRuleset(rules("false_catch_penalty", "2")).build();
    assertEquals(1, Answers.defaultReaction(free, List.of(jump, UNO, catchOf(1), PASS), true));
    assertEquals(1, Answers.defaultReaction(free, List.of(jump, catchOf(1), PASS), true));
    assertEquals(2, Answers.defaultReaction(free, List.of(jump, catchOf(1), PASS), false));
    assertEquals(2, Answers.defaultReaction(dear, List.of(jump, catchOf(1), PASS), true));
  }

  @Test
  void theFallbackIsTheFirstOrPassing() {
    assertEquals(0, Answers.fallback(TURN, Set.of()));
    assertEquals(2, Answers.fallback(TURN, Set.of(0, 1)));
    assertEquals(0, Answers.fallback(TURN, Set.of(0, 1, 2, 3)));
    Decision reaction = reaction("t", 7, catchOf(1), PASS).build();
    assertEquals(1, Answers.fallback(reaction, Set.of()));
    assertEquals(0, Answers.fallback(reaction, Set.of(1)));
  }

  @Test
  void theViewSaysWhatACallApartDid() throws BadReplyException {
    Decision decision = withView(view().addCalledSeats(1).addAllCatchableSeats(List.of(1, 2)));
    Decision called = Answers.afterApart(decision, act(decision, Answer.of(UNO)));
    assertEquals(List.of(0, 1), called.getView().getCalledSeatsList());
    Decision caught = Answers.afterApart(decision, act(decision, Answer.of(catchOf(2))));
    assertEquals(List.of(1), caught.getView().getCatchableSeatsList());
    assertEquals(decision.getLegalActionsList(), caught.getLegalActionsList());
  }

  @Test
  void textsAreThoseOfRecords() {
    assertEquals("W/G", Cards.actionText(PLAY_WILD_GREEN));
    assertEquals("draw", Cards.actionText(DRAW));
    assertEquals("catch 2", Cards.actionText(catchOf(2)));
    assertEquals("R7>2", Cards.actionText(play(Card.CARD_RED_7).toBuilder().setTarget(2).build()));
    assertEquals("?99", Cards.actionText(Action.newBuilder().setKindValue(99).build()));
  }
}
