// The rules of a table: presets, the options over them, the deck, and what cards count.
//
// As `lastcard rules --values` lists them. Options that have one valid value yet are there only to be refused.

/** Words, a number from one to another, numbers of cards of this size at most, or conditions joined by +. */
type Valid = readonly string[] | { readonly from: number; readonly to: number } | { readonly cards: number } | "ends";

const BOOL = ["true", "false"];
const START = ["apply", "ignore", "redraw"];

/** Each option with its value in the preset `official`, and what is valid. */
const OPTIONS: Record<string, [string, Valid]> = {
  min_players: ["2", { from: 2, to: 10 }],
  max_players: ["10", { from: 2, to: 10 }],
  hand_size: ["7", { from: 1, to: 15 }],
  deck: ["classic108", ["classic108", "custom"]],
  deck_counts: ["", { cards: 50 }],
  first_dealer: ["high_card", ["random", "high_card", "seat0"]],
  dealer_rotation: ["clockwise", ["clockwise", "winner", "fixed"]],
  first_player: ["left_of_dealer", ["left_of_dealer", "random"]],
  start_skip: ["apply", START],
  start_draw_two: ["apply", [...START, "draw_only"]],
  start_reverse: ["dealer_first", ["dealer_first", "right_of_dealer", "ignore", "redraw"]],
  start_wild: ["first_player_chooses", ["first_player_chooses", "dealer_chooses", "redraw"]],
  start_wild_draw_four: ["redraw", ["redraw", "dealer_chooses_apply"]],
  match_symbol: ["same_symbol", ["same_symbol", "any_action", "off"]],
  play_multiple: ["off", ["off"]],
  voluntary_draw: ["allowed", ["forbidden", "allowed"]],
  draw_mode: ["one", ["one", "until_playable", "up_to_n"]],
  draw_limit: ["3", { from: 1, to: 20 }],
  drawn_card: ["may_play", ["may_play", "must_play", "never"]],
  after_draw_play: ["drawn_only", ["drawn_only", "any_card"]],
  pile_empty: ["reshuffle_keep_top", ["reshuffle_keep_top", "end_round"]],
  draw_two_target_loses_turn: ["true", BOOL],
  w4_target_loses_turn: ["true", BOOL],
  reverse_two_players: ["skip", ["skip", "no_effect"]],
  w4_legality: ["no_color", ["anytime", "no_color", "no_color_or_number", "no_other_play"]],
  w4_enforcement: ["bluff_allowed", ["reject", "bluff_allowed"]],
  w4_challenge: ["next_player", ["off", "next_player"]],
  challenge_guilty_draws: ["4", { from: 0, to: 10 }],
  challenge_innocent_draws: ["6", { from: 0, to: 10 }],
  challenge_success_turn: ["challenger_plays", ["challenger_plays", "challenger_skipped"]],
  challenge_reveal: ["challenger_only", ["challenger_only", "all", "verdict_only"]],
  uno_required: ["true", BOOL],
  uno_catch_window: ["next_turn_action", ["next_turn_action", "own_next_turn", "none"]],
  uno_penalty: ["2", { from: 0, to: 4 }],
  false_catch_penalty: ["0", { from: 0, to: 4 }],
  false_uno_penalty: ["0", { from: 0, to: 4 }],
  passive_uno: ["exempt", ["exempt", "required"]],
  uno_grace_ms: ["0", { from: 0, to: 2000 }],
  last_card_draw: ["draw_then_score", ["end_at_once", "draw_then_score"]],
  finish_restriction: ["none", ["none", "no_wild", "no_draw", "number_only"]],
  last_card_hand_effect: ["win", ["win", "apply"]],
  play_on: ["stop", ["stop"]],
  scoring: ["winner_takes_sum", ["winner_takes_sum", "each_keeps_own", "placement", "round_wins"]],
  card_points: ["", { cards: 500 }],
  match_end: ["target", "ends"],
  target_points: ["500", { from: 1, to: 1_000_000 }],
  match_rounds: ["10", { from: 1, to: 100_000 }],
  match_time_s: ["1800", { from: 1, to: 604_800 }],
  elimination: ["off", ["off"]],
  match_tie: ["extra_round", ["shared", "extra_round", "fewest_points_left", "round_wins"]],
  stack_draw_two: ["off", ["off", "same"]],
  stack_w4: ["off", ["off", "same"]],
  stack_cross: ["off", ["off", "four_on_two", "any"]],
  stack_max: ["0", { from: 0, to: 500 }],
  jump_in: ["off", ["off", "identical", "identical_incl_w4"]],
  jump_in_effect: ["cancel_previous", ["cancel_previous", "accumulate"]],
  zero_rotate: ["false", BOOL],
  seven_swap: ["false", BOOL],
  swap_uno_protected: ["false", BOOL],
  teams: ["off", ["off"]],
  hand_limit_out: ["0", { from: 0, to: 0 }],
  timeout_action: ["draw_and_pass", ["draw_and_pass", "forfeit"]],
  max_timeouts: ["3", { from: 0, to: 10_000 }],
  leaver_cards: ["to_discard", ["to_discard", "frozen"]],
  leaver_points: ["score_for_winner", ["score_for_winner", "void"]],
  stalemate_turns: ["2", { from: 1, to: 100 }],
  max_turns_per_round: ["2000", { from: 1, to: 1_000_000 }],
  stalemate_result: ["lowest_hand", ["lowest_hand", "void"]],
};

const GERMAN = {
  first_dealer: "random",
  start_skip: "ignore",
  start_draw_two: "ignore",
  start_reverse: "ignore",
  start_wild: "redraw",
  voluntary_draw: "forbidden",
  w4_legality: "no_color_or_number",
  w4_enforcement: "reject",
  w4_challenge: "off",
  last_card_draw: "end_at_once",
};
const DANISH = {
  first_dealer: "random",
  start_reverse: "right_of_dealer",
  start_wild: "dealer_chooses",
  start_wild_draw_four: "dealer_chooses_apply",
  w4_legality: "anytime",
  w4_enforcement: "reject",
  w4_challenge: "off",
  uno_catch_window: "own_next_turn",
  last_card_draw: "end_at_once",
};
/** Where each preset departs from `official`. */
const PRESETS: Record<string, Record<string, string>> = {
  official: {},
  official_low: { scoring: "each_keeps_own" },
  german: GERMAN,
  german_literal: { ...GERMAN, w4_target_loses_turn: "false" },
  danish: DANISH,
  danish_literal: { ...DANISH, match_symbol: "off", passive_uno: "required" },
  danish_low: { ...DANISH, scoring: "each_keeps_own" },
};

export const SKIP = 10;
export const REVERSE = 11;
export const DRAW_TWO = 12;
const RANKS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "V", "D"];
export const WILD = 13;
export const WILD_DRAW_FOUR = 14;

/** All faces of a classic deck, ascending, each once. */
const FACES = [WILD, WILD_DRAW_FOUR, ...[1, 2, 3, 4].flatMap((color) => RANKS.map((_, rank) => 16 * color + rank))];

export function rankOf(face: number): number {
  return face & 15;
}

/** The colour of a face, 0 for wilds. */
export function colorOf(face: number): number {
  return face >> 4;
}

export function isNumber(face: number): boolean {
  return face >= 16 && rankOf(face) < SKIP;
}

/** A face in the notation. */
export function faceText(face: number): string {
  if (face < 16) {
    return face === WILD ? "W" : "W4";
  }
  return `${".RYGB"[colorOf(face)]}${RANKS[rankOf(face)]}`;
}

/** A preset and the options over it; throws a sentence for what is no option, no valid value, or no departure. */
export class Rules {
  /** The faces of the deck by id, ascending. */
  readonly deck: readonly number[];
  private readonly values = new Map<string, string>();

  constructor(preset: string, options: Readonly<Record<string, string>>) {
    const own = PRESETS[preset];
    if (own === undefined) {
      throw new RangeError(`'${preset}' is no preset; there are ${Object.keys(PRESETS).join(", ")}`);
    }
    for (const [name, [official]] of Object.entries(OPTIONS)) {
      this.values.set(name, own[name] ?? official);
    }
    for (const [name, value] of Object.entries(options)) {
      if (!isValid(name, value)) {
        throw new RangeError(`option ${name} cannot be '${value}'`);
      }
      if (this.values.get(name) === value) {
        throw new RangeError(
          `option ${name} is '${value}' in the preset ${preset} too, and so has no place in the header`,
        );
      }
      this.values.set(name, value);
    }
    const isCustom = this.is("deck", "custom");
    if (isCustom !== Boolean(this.text("deck_counts"))) {
      throw new RangeError("deck_counts is for a custom deck, which needs it");
    }
    this.deck = isCustom ? customDeck(cardMap(this.text("deck_counts"))) : classicDeck();
    if (this.deck.length > 256) {
      throw new RangeError(`the deck has ${this.deck.length} cards; 256 are the most`);
    }
  }

  text(name: string): string {
    const value = this.values.get(name);
    if (value === undefined) {
      throw new Error(`no option is called ${name}`);
    }
    return value;
  }

  is(name: string, value: string): boolean {
    return this.text(name) === value;
  }

  /** Whether an option names single cards or ranks. */
  get listsCards(): boolean {
    return Boolean(this.text("deck_counts") || this.text("card_points"));
  }

  on(name: string): boolean {
    return this.is(name, "true");
  }

  number(name: string): number {
    return Number(this.text(name));
  }

  /** What cards count in a hand. */
  points(faces: Iterable<number>): number {
    const special = cardMap(this.text("card_points"));
    let sum = 0;
    for (const face of faces) {
      const usual = face < 16 ? 50 : isNumber(face) ? rankOf(face) : 20;
      sum += special.get(faceText(face)) ?? special.get(faceText(face).slice(1)) ?? usual;
    }
    return sum;
  }
}

function isValid(name: string, value: string): boolean {
  const valid = Object.hasOwn(OPTIONS, name) ? OPTIONS[name]?.[1] : undefined;
  if (valid === undefined) {
    return false;
  }
  if (valid === "ends") {
    // In this order, each once.
    const ends = value.split("+");
    return (
      value !== "" &&
      ["target", "rounds", "time", "single_round"].filter((end) => ends.includes(end)).join("+") === value
    );
  }
  if ("cards" in valid) {
    const pairs = value.split(",");
    const isPair = (pair: string): boolean =>
      /^([RYGB]?([0-9]|S|V|D)|W|W4)=(0|[1-9][0-9]{0,2})$/.test(pair) && Number(pair.split("=")[1]) <= valid.cards;
    return pairs.every(isPair) && cardMap(value).size === pairs.length;
  }
  if ("from" in valid) {
    return /^(0|[1-9][0-9]*)$/.test(value) && Number(value) >= valid.from && Number(value) <= valid.to;
  }
  return valid.includes(value);
}

function cardMap(value: string): Map<string, number> {
  const pairs = value.split(",").filter(Boolean);
  return new Map(pairs.map((pair) => [pair.split("=")[0] as string, Number(pair.split("=")[1])]));
}

function classicDeck(): number[] {
  return FACES.flatMap((face) => Array<number>(face < 16 ? 4 : rankOf(face) === 0 ? 1 : 2).fill(face));
}

/** A card by itself wins over its rank. */
function customDeck(counts: ReadonlyMap<string, number>): number[] {
  return FACES.flatMap((face) => {
    const text = faceText(face);
    const count = counts.get(text) ?? (face < 16 ? 0 : counts.get(text.slice(1))) ?? 0;
    return Array<number>(count).fill(face);
  });
}
