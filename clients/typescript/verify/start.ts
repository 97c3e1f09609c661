// The start of a round: the card that is turned up, what it does, and the colour of a wild.

import { type Board, forfeit, type Naming, type Situation, turn } from "./board.js";
import { aside } from "./calls.js";
import { isPutBack, START_OPTIONS, Wrong } from "./deal.js";
import { mayBeStacked, penaltyOf } from "./legality.js";
import { losesTurn } from "./plays.js";
import { colorOf, isNumber, rankOf, SKIP } from "./rules.js";
import { awaited, type Course, expect, next, same } from "./telling.js";

/** The start cards, until one stays. */
export function* startCards(board: Board): Course<Situation> {
  for (;;) {
    const { card, putBack } = yield* expect("startCardTurned");
    same("put_back", putBack, isPutBack(board.rules, card));
    const id = board.hands.stock.turn(card, putBack);
    if (!putBack) {
      board.hands.discard = [id];
      board.color = colorOf(card);
      return startEffect(board, card);
    }
  }
}

function startEffect(board: Board, card: number): Situation {
  const { dealer } = board.table;
  const first = firstSeat(board);
  const second = (): Situation => turn(first === undefined ? undefined : board.after(first));
  const option = isNumber(card) ? undefined : START_OPTIONS.get(rankOf(card));
  switch (option && board.rules.text(option)) {
    case "apply":
      return rankOf(card) === SKIP ? board.skipping(first, second) : charge(board, first, card);
    case "draw_only":
      board.pending = penaltyOf(card);
      return { kind: "penalty", target: first, played: undefined, asked: false, losesTurn: false };
    case "dealer_first":
    case "right_of_dealer": {
      board.direction = -1;
      const two = board.table.active.length === 2;
      const skips = two && board.rules.is("reverse_two_players", "skip");
      return turn(skips || board.rules.is("start_reverse", "dealer_first") ? dealer : board.after(dealer));
    }
    case "first_player_chooses":
      return { kind: "color", chooser: first, afterwards: () => turn(board.lastChooser) };
    case "dealer_chooses":
      return { kind: "color", chooser: dealer, afterwards: () => turn(stillActive(board, first)) };
    case "dealer_chooses_apply":
      return { kind: "color", chooser: dealer, afterwards: () => charge(board, stillActive(board, first), card) };
    default:
      return turn(first);
  }
}

function charge(board: Board, target: number | undefined, card: number): Situation {
  board.pending = penaltyOf(card);
  const asked = mayBeStacked(board.rules, card, board.pending);
  return { kind: "penalty", target, played: undefined, asked, losesTurn: losesTurn(board, card) };
}

function firstSeat(board: Board): number | undefined {
  const { active, dealer } = board.table;
  if (board.rules.is("first_player", "left_of_dealer")) {
    return board.after(dealer);
  }
  const lot = board.hands.stock.lot("first-player", active.length);
  return lot === undefined ? undefined : active[lot];
}

function stillActive(board: Board, seat: number | undefined): number | undefined {
  return seat === undefined || board.table.active.includes(seat) ? seat : board.after(seat);
}

/** One thing that happens while the colour of a start card waits to be named. */
export function* naming(board: Board, state: Naming): Course<Situation> {
  let told = yield* awaited();
  board.checkRemoval(told);
  const timedOut = told.$case === "timedOut";
  if (told.$case === "timedOut") {
    const { seat } = told.value;
    board.strike(told.value, state.chooser);
    told = board.forfeits ? { $case: "seatLeft", value: yield* forfeit(seat) } : yield* next();
  }
  if (told.$case === "seatLeft") {
    const { seat } = told.value;
    const ended = board.left(told.value);
    if (ended === undefined && seat === state.chooser) {
      state.chooser = board.after(seat);
    }
    return ended ?? state;
  }
  if (told.$case !== "colorChosen") {
    if (timedOut) {
      throw new Wrong("the server must name a colour for a seat whose time ran out");
    }
    yield* aside(board, told);
    return state;
  }
  const { seat, color, byServer } = told.value;
  board.checkSeat("the seat that names the colour", seat, state.chooser);
  same("by_server", byServer, timedOut);
  if (color < 1 || color > 4) {
    throw new Wrong("the colour must be one from COLOR_RED to COLOR_BLUE");
  }
  const lot = byServer ? board.hands.stock.color(board.turns + 1) : undefined;
  if (lot !== undefined) {
    same("the colour by lot", color, lot);
  }
  board.color = color;
  board.lastChooser = seat;
  return state.afterwards();
}
