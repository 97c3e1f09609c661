package lastcard.bot;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import lastcard.v1.Act;
import lastcard.v1.Action;
import lastcard.v1.ActionKind;
import lastcard.v1.Decision;
import lastcard.v1.DecisionKind;
import lastcard.v1.View;

/**
 * From what a bot returned to the message that answers a decision: the check against the legal actions, the automatic
 * UNO call and catches, the fallback after a bad reply. No input or output, no clock.
 */
final class Answers {
  private static final Set<ActionKind> PLAYS = Set.of(ActionKind.ACTION_KIND_PLAY, ActionKind.ACTION_KIND_JUMP_IN);
  private static final Set<ActionKind> CALLS = Set.of(ActionKind.ACTION_KIND_UNO, ActionKind.ACTION_KIND_CATCH);

  private Answers() {}

  /**
   * The message that gives an answer to a decision.
   *
   * @throws BadReplyException when the answer is no index into the legal actions and no action that may be sent, or
   *     catches seats that do not exist
   */
  static Act actFor(Decision decision, Answer answer, boolean autoUno, boolean autoCatch) throws BadReplyException {
    int count = decision.getLegalActionsCount();
    if (answer == null || (answer.index() == null) == (answer.action() == null)) {
      throw new BadReplyException(
          "a reply must be an index from 0 to " + (count - 1) + " or an action, in an Answer, not " + answer);
    }
    Act.Builder act = Act.newBuilder().setTableId(decision.getTableId()).setDecisionId(decision.getDecisionId());
    Action chosen;
    if (answer.action() != null) {
      chosen = setAction(act, answer.action(), decision);
    } else if (0 <= answer.index() && answer.index() < count) {
      act.setChoice(answer.index());
      chosen = decision.getLegalActions(answer.index());
    } else {
      throw new BadReplyException(
          "choice " + answer.index() + " is no index into legalActions; valid are 0 to " + (count - 1));
    }
    act.setCallUno(answer.callUno() == null ? autoUno && leavesOneCard(decision.getView(), chosen) : answer.callUno());
    if (answer.catchSeats() != null) {
      act.addAllCatchSeats(checkedSeats(answer.catchSeats(), decision.getView()));
    } else if (autoCatch && !CALLS.contains(chosen.getKind())) {
      act.addAllCatchSeats(freeCatches(decision.getView()));
    }
    return act.build();
  }

  /** Whether an answer is a call or a catch by itself, which leaves a turn open. */
  static boolean isApart(Act act) {
    return act.hasAction() && CALLS.contains(act.getAction().getKind());
  }

  /**
   * The same decision after a call or catch by itself took effect: the view says so, the legal actions stand.
   *
   * <p>Cards that the caught seat drew are not in it; a server whose legal actions change asks anew.
   */
  static Decision afterApart(Decision decision, Act act) {
    View.Builder view = decision.getView().toBuilder();
    if (act.getAction().getKind() == ActionKind.ACTION_KIND_CATCH) {
      List<Integer> left = decision.getView().getCatchableSeatsList().stream()
          .filter(seat -> seat != act.getAction().getTarget())
          .toList();
      view.clearCatchableSeats().addAllCatchableSeats(left);
    } else {
      Set<Integer> called = new TreeSet<>(view.getCalledSeatsList());
      called.add(view.getSeat());
      view.clearCalledSeats().addAllCalledSeats(called);
    }
    return decision.toBuilder().setView(view).build();
  }

  /** Whether a play leaves the viewer with one card, so that UNO is due. */
  static boolean leavesOneCard(View view, Action action) {
    if (!PLAYS.contains(action.getKind())) {
      return false;
    }
    int left = view.getHandCount() - 1;
    int card = action.getCardValue();
    boolean handsMove = left > 0 || Cards.option(view, "last_card_hand_effect", "").equals("apply");
    if (handsMove && !Cards.isWild(card)) {
      if (Cards.rankOf(card) == 7 && action.hasTarget() && isOn(view, "seven_swap")) {
        return view.getHandCounts(action.getTarget()) == 1;
      }
      if (Cards.rankOf(card) == 0 && isOn(view, "zero_rotate")) {
        return view.getHandCounts(Cards.nextSeat(view, view.getSeat(), -1)) == 1;
      }
    }
    return left == 1;
  }

  /** The index of a legal action that was not refused yet: passing in a reaction, otherwise the first. */
  static int fallback(Decision decision, Collection<Integer> refused) {
    int count = decision.getLegalActionsCount();
    boolean reaction = decision.getKind() == DecisionKind.DECISION_KIND_REACTION;
    for (int step = 0; step < count; step++) {
      int index = reaction ? count - 1 - step : step;
      if (!refused.contains(index)) {
        return index;
      }
    }
    return reaction ? count - 1 : 0;
  }

  /**
   * The index of the safe reaction: the own late call, else a catch that costs nothing, else passing.
   *
   * <p>With a penalty for false catches a catch is left out: somebody else may have been faster, and the penalty is
   * ours.
   */
  static int defaultReaction(View view, List<Action> legalActions, boolean catches) {
    List<ActionKind> kinds = legalActions.stream().map(Action::getKind).toList();
    Set<ActionKind> wanted = new LinkedHashSet<>(List.of(ActionKind.ACTION_KIND_UNO));
    if (catches && catchesAreFree(view)) {
      wanted.add(ActionKind.ACTION_KIND_CATCH);
    }
    wanted.addAll(List.of(ActionKind.ACTION_KIND_PASS, ActionKind.ACTION_KIND_KEEP));
    return wanted.stream().filter(kinds::contains).findFirst().map(kinds::indexOf).orElse(kinds.size() - 1);
  }

  /** Whether a false catch costs nothing under the table's rules (the case in every preset). */
  static boolean catchesAreFree(View view) {
    return Cards.option(view, "false_catch_penalty", "0").equals("0");
  }

  /** Puts an action into {@code act}: by its index when legal, as itself when a call or catch in the own turn. */
  private static Action setAction(Act.Builder act, Action action, Decision decision) throws BadReplyException {
    for (int index = 0; index < decision.getLegalActionsCount(); index++) {
      Action legal = decision.getLegalActions(index);
      if (means(action, legal)) {
        act.setChoice(index);
        return legal;
      }
    }
    if (CALLS.contains(action.getKind()) && decision.getKind() != DecisionKind.DECISION_KIND_REACTION) {
      act.setAction(action);
      return action;
    }
    String valid =
        decision.getLegalActionsList().stream().map(Cards::actionText).collect(Collectors.joining(", "));
    throw new BadReplyException(Cards.actionText(action) + " is not a legal action; valid are " + valid);
  }

  /** Whether {@code action} is {@code legal}, give or take a colour or target that {@code legal} does not need. */
  private static boolean means(Action action, Action legal) {
    return action.getKindValue() == legal.getKindValue()
        && action.getCardValue() == legal.getCardValue()
        && (legal.getColorValue() == 0 || action.getColorValue() == legal.getColorValue())
        && (!legal.hasTarget() || (action.hasTarget() && action.getTarget() == legal.getTarget()));
  }

  /** Seats to be caught that exist, each once. */
  private static Set<Integer> checkedSeats(List<Integer> seats, View view) throws BadReplyException {
    int count = view.getHandCountsCount();
    for (Integer seat : seats) {
      if (seat == null || seat < 0 || seat >= count) {
        throw new BadReplyException("catchSeats names " + seat + "; valid are seats from 0 to " + (count - 1));
      }
    }
    return new LinkedHashSet<>(seats);
  }

  /** The seats to be caught along with an answer at no cost. */
  private static List<Integer> freeCatches(View view) {
    if (view.getCatchableSeatsCount() == 0 || !catchesAreFree(view)) {
      return List.of();
    }
    return view.getCatchableSeatsList().stream()
        .filter(seat -> !view.hasSeat() || seat != view.getSeat())
        .toList();
  }

  private static boolean isOn(View view, String option) {
    return Cards.option(view, option, "").equals("true");
  }
}
