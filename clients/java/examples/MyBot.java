import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import lastcard.bot.Answer;
import lastcard.bot.Bot;
import lastcard.bot.Cards;
import lastcard.bot.Runner;
import lastcard.v1.Action;
import lastcard.v1.ActionKind;
import lastcard.v1.View;

/** Plays its longest colour, keeps wilds for later and draws when nothing fits. */
public final class MyBot extends Bot {
  @Override
  public Answer choose(View view, List<Action> legalActions) {
    Map<Integer, Integer> held = Cards.colorCounts(view.getHandValueList());
    Comparator<Action> worth = Comparator
        .comparing((Action action) -> action.getKind() == ActionKind.ACTION_KIND_PLAY)
        .thenComparing(action -> !Cards.isWild(action.getCardValue()))
        .thenComparing(action -> held.getOrDefault(color(action), 0));
    return Answer.of(Collections.max(legalActions, worth));
  }

  private static int color(Action action) {
    return action.getColorValue() != 0 ? action.getColorValue() : Cards.colorOf(action.getCardValue());
  }

  public static void main(String[] arguments) {
    Runner.run(new MyBot());
  }
}
