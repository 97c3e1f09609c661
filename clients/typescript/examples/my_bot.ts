// A bot in twenty lines: it plays its longest colour, keeps wilds for later and draws when nothing fits.

import { type Action, ActionKind, Bot, run, type View } from "lastcard-bot";
import { colorCounts, colorOf, isWild } from "lastcard-bot/cards";

class MyBot extends Bot {
  override choose(view: View, legalActions: readonly Action[]): Action {
    const held = colorCounts(view.hand);

    function worth(action: Action): number {
      const plays = action.kind === ActionKind.PLAY;
      const color = action.color || colorOf(action.card);
      return (plays ? 2000 : 0) + (isWild(action.card) ? 0 : 1000) + (held.get(color) ?? 0);
    }

    return legalActions.reduce((best, action) => (worth(action) > worth(best) ? action : best));
  }
}

await run(new MyBot());
