"""A ruleset made ready for play: tables and flags that the hot paths read.

Here: what can be computed once for a ruleset. Not here: the options themselves (`ruleset`), what a position allows
(`legality`). May import `cards`, `actions`, `ruleset`.
"""

from functools import lru_cache

from lastcard.rules.actions import Action, play
from lastcard.rules.cards import COLORS, DRAW_TWO, SKIP, WILD, WILD_DRAW_FOUR, rank_of
from lastcard.rules.ruleset import Ruleset

FACE_LIMIT = 80
"""Faces are below this number."""

NO_RANK = 15
"""Rank of a top card that offers no symbol to match: a wild."""


class Law:
    """Flags and tables of one ruleset; immutable once built, shared by all tables that play by it.

    `playable[color][rank]` is a table over faces: whether a coloured card or plain wild may be played on that colour in
    force and that top rank. `plays[face]` holds its plays in order, a wild's once a colour.
    """

    __slots__ = (
        "accumulate",
        "any_card_after_draw",
        "bluff",
        "call_owed",
        "catch_any_action",
        "catch_own_turn",
        "challenge",
        "deck",
        "draw_limit",
        "draw_then_score",
        "finish_allowed",
        "four_on_four",
        "four_on_two",
        "four_target_loses_turn",
        "hand_effect_on_last",
        "jump_four",
        "jump_in",
        "lowest_wins",
        "max_turns",
        "must_play_drawn",
        "never_play_drawn",
        "passive_call_owed",
        "playable",
        "plays",
        "reverse_skips_two",
        "rules",
        "seven_swap",
        "stack_max",
        "two_on_four",
        "two_on_two",
        "two_target_loses_turn",
        "voluntary_draw",
        "w4_legality",
        "zero_rotate",
    )

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.deck = rules.deck()
        self.playable = {color: _tables(color, rules.match_symbol) for color in COLORS}
        self.plays = _plays()
        self.voluntary_draw = rules.voluntary_draw == "allowed"
        self.draw_limit = {"one": 1, "until_playable": len(self.deck), "up_to_n": rules.draw_limit}[rules.draw_mode]
        self.must_play_drawn = rules.drawn_card == "must_play"
        self.never_play_drawn = rules.drawn_card == "never"
        self.any_card_after_draw = rules.after_draw_play == "any_card"
        self.reverse_skips_two = rules.reverse_two_players == "skip"
        self.two_target_loses_turn = rules.draw_two_target_loses_turn
        self.four_target_loses_turn = rules.w4_target_loses_turn
        self.w4_legality = rules.w4_legality
        self.bluff = rules.w4_enforcement == "bluff_allowed"
        self.challenge = rules.w4_challenge == "next_player"
        self.catch_any_action = rules.uno_catch_window == "next_turn_action"
        self.catch_own_turn = rules.uno_catch_window == "own_next_turn"
        self.call_owed = rules.uno_required and rules.uno_catch_window != "none"
        self.passive_call_owed = self.call_owed and rules.passive_uno == "required"
        self.draw_then_score = rules.last_card_draw == "draw_then_score"
        self.hand_effect_on_last = rules.last_card_hand_effect == "apply"
        self.finish_allowed = _finish_table(rules.finish_restriction)
        self.two_on_two = rules.stack_draw_two == "same"
        self.four_on_four = rules.stack_w4 == "same"
        self.four_on_two = rules.stack_cross in ("four_on_two", "any")
        self.two_on_four = rules.stack_cross == "any"
        self.stack_max = rules.stack_max
        self.jump_in = rules.jump_in != "off"
        self.jump_four = rules.jump_in == "identical_incl_w4"
        self.accumulate = rules.jump_in_effect == "accumulate"
        self.seven_swap = rules.seven_swap
        self.zero_rotate = rules.zero_rotate
        self.max_turns = rules.max_turns_per_round
        self.lowest_wins = rules.scoring == "each_keeps_own"

    def can_stack(self, rank: int, top_rank: int, pending: int) -> bool:
        """Whether a draw card of `rank` may answer a pending penalty whose last card has `top_rank` (C47, K11, K17)."""
        if rank == DRAW_TWO:
            allowed = self.two_on_two if top_rank == DRAW_TWO else self.two_on_four
            added = 2
        else:
            allowed = self.four_on_four if top_rank == WILD_DRAW_FOUR else self.four_on_two
            added = 4
        return allowed and (not self.stack_max or pending + added <= self.stack_max)

    def can_answer_penalty(self, top_rank: int, pending: int) -> bool:
        """Whether any card at all may answer a pending penalty."""
        return self.can_stack(DRAW_TWO, top_rank, pending) or self.can_stack(WILD_DRAW_FOUR, top_rank, pending)

    def loses_turn(self, top_rank: int) -> bool:
        """Whether the target of a penalty loses its turn; the stack's last card decides (K17)."""
        return self.four_target_loses_turn if top_rank == WILD_DRAW_FOUR else self.two_target_loses_turn


@lru_cache(maxsize=256)
def law_of(rules: Ruleset) -> Law:
    """The law of a ruleset, built once."""
    return Law(rules)


def _tables(color: int, match_symbol: str) -> tuple[bytes, ...]:
    return tuple(
        bytes(_matches(face, color, top_rank, match_symbol) for face in range(FACE_LIMIT)) for top_rank in range(16)
    )


def _matches(face: int, color: int, top_rank: int, match_symbol: str) -> bool:
    """Whether a face fits by colour, number or symbol; a wild draw four is judged elsewhere."""
    if face < 16:
        return face == WILD
    rank = rank_of(face)
    if face >> 4 == color:
        return True
    if match_symbol == "any_action" and SKIP <= rank <= DRAW_TWO and SKIP <= top_rank <= DRAW_TWO:
        return True
    return rank == top_rank and (rank < SKIP or match_symbol != "off")


def _plays() -> tuple[tuple[Action, ...], ...]:
    wild = {face: tuple(play(face, color) for color in COLORS) for face in (WILD, WILD_DRAW_FOUR)}
    return tuple(wild.get(face, (play(face),)) for face in range(FACE_LIMIT))


def _finish_table(restriction: str) -> bytes:
    def allowed(face: int) -> bool:
        rank = rank_of(face)
        match restriction:
            case "no_wild":
                return face >= 16
            case "no_draw":
                return rank not in (DRAW_TWO, WILD_DRAW_FOUR)
            case "number_only":
                return face >= 16 and rank < SKIP
            case _:
                return True

    return bytes(allowed(face) for face in range(FACE_LIMIT))
