"""Every option of rules.md sections 7.1 to 7.7, with its valid values, what each means, and its value in `official`.

Here: the declarations, in the order of rules.md. Not here: the presets' departures (`presets`), the checks between
options (`ruleset`). Imports only `cards` and `options`.

A default is the value that all presets share, or Mattel's where they differ. Ranges without a source are wide enough
for any real table and narrow enough that a slip is noticed.
"""

from lastcard.rules.cards import DRAW_TWO, SKIP, TEXT, rank_of
from lastcard.rules.options import Choice, Combination, FaceMap, Flag, Number, Option

STANDARD_POINTS: dict[int, int] = {
    face: (rank_of(face) if rank_of(face) < SKIP else 20 if rank_of(face) <= DRAW_TWO else 50) for face in TEXT
}
"""What a face counts in a hand: its number, 20 for actions, 50 for wilds (rules.md M25, G32-G34, D28-D30)."""

_YES_NO_TURN = {"true": "the target loses the turn", "false": "the target takes a normal turn with the whole hand"}
_CARDS = {"0": "no cards"}


def _start(name: str, help_: str, default: str, **meanings: str) -> Choice:
    return Choice(name, "table, deck, start", help_, default, meanings)


_TABLE: tuple[Option, ...] = (
    Number("min_players", "table, deck, start", "The fewest players of a table.", 2, {}, "at least {} players", 2, 10),
    Number("max_players", "table, deck, start", "The most players of a table.", 10, {}, "at most {} players", 2, 10),
    Number(
        "hand_size",
        "table, deck, start",
        "Cards dealt to each player; players × hand_size + 1 must not exceed the deck.",
        7,
        {},
        "each player is dealt {}",
        1,
        15,
    ),
    Choice(
        "deck",
        "table, deck, start",
        "Which cards are in the deck.",
        "classic108",
        {
            "classic108": "108 cards: a colour has one 0 and two each of 1-9, skip, reverse, draw two; 4 wilds, 4 W4",
            "swap112": "classic108, a swap hands card and three customizable ones",
            "shuffle112": "classic108, a shuffle hands card and three customizable ones",
            "custom": "the cards that deck_counts gives",
        },
        frozenset({"swap112", "shuffle112"}),
    ),
    FaceMap(
        "deck_counts",
        "table, deck, start",
        "How often each card, or each card of a rank, is in a custom deck; what is not named is not in it.",
        (),
        {"": "none, the deck is not custom"},
        "the deck is {}",
        0,
        50,
    ),
    _start(
        "first_dealer",
        "Who deals the first round.",
        "high_card",
        random="a seat drawn by lot",
        high_card="the seat that draws the highest card; a symbol counts 0",
        seat0="seat 0",
    ),
    _start(
        "dealer_rotation",
        "Who deals the next round.",
        "clockwise",
        clockwise="the next active seat clockwise",
        winner="the winner of the round before",
        fixed="the same seat again, or the next active one if it has left",
    ),
    _start(
        "first_player",
        "Who starts a round.",
        "left_of_dealer",
        left_of_dealer="the active seat left of the dealer",
        random="a seat drawn by lot",
    ),
    _start(
        "start_skip",
        "What a skip does as the start card.",
        "apply",
        apply="the first player is skipped",
        ignore="nothing, it is a plain card of its colour and symbol",
        redraw="it goes back into the pile and another card is turned",
    ),
    _start(
        "start_draw_two",
        "What a draw two does as the start card.",
        "apply",
        apply="the first player draws two and loses the turn",
        draw_only="the first player draws two and then takes a normal turn",
        ignore="nothing, it is a plain card of its colour and symbol",
        redraw="it goes back into the pile and another card is turned",
    ),
    _start(
        "start_reverse",
        "What a reverse does as the start card; with two players and reverse_two_players = skip the dealer plays "
        "first unless it is ignored.",
        "dealer_first",
        dealer_first="play runs counter-clockwise and the dealer plays first",
        right_of_dealer="play runs counter-clockwise and the seat right of the dealer plays first",
        ignore="nothing, it is a plain card of its colour and symbol",
        redraw="it goes back into the pile and another card is turned",
    ),
    _start(
        "start_wild",
        "What a wild does as the start card.",
        "first_player_chooses",
        first_player_chooses="the first player names the colour, then takes a normal turn",
        dealer_chooses="the dealer names the colour",
        redraw="it goes back into the pile and another card is turned",
    ),
    _start(
        "start_wild_draw_four",
        "What a wild draw four does as the start card.",
        "redraw",
        redraw="it goes back into the pile and another card is turned",
        dealer_chooses_apply="the dealer names the colour, the first player draws four and loses the turn",
    ),
)


def _play(name: str, help_: str, default: str, **meanings: str) -> Choice:
    return Choice(name, "playing and drawing", help_, default, meanings)


_PLAYING: tuple[Option, ...] = (
    _play(
        "match_symbol",
        "Whether an action card may be played on one of another colour; numbers always match.",
        "same_symbol",
        same_symbol="on the same symbol",
        any_action="on any action card",
        off="no, only colour and number match",
    ),
    Choice(
        "play_multiple",
        "playing and drawing",
        "Whether several equal cards may be played at once.",
        "off",
        {"off": "one card at a time", "same_number": "any number of cards of the same number"},
        frozenset({"same_number"}),
    ),
    _play(
        "voluntary_draw",
        "Whether a player with a playable card may draw instead.",
        "allowed",
        forbidden="no, drawing is for those who cannot play",
        allowed="yes, at any turn",
    ),
    _play(
        "draw_mode",
        "How many cards a player draws who draws at a turn; penalties are always exact.",
        "one",
        one="one card",
        until_playable="until a card can be played, or none is left",
        up_to_n="until a card can be played, at most draw_limit cards",
    ),
    Number(
        "draw_limit",
        "playing and drawing",
        "The most cards drawn at a turn with draw_mode = up_to_n.",
        3,
        {},
        "at most {} cards",
        1,
        20,
    ),
    _play(
        "drawn_card",
        "What may be done with a playable card just drawn.",
        "may_play",
        may_play="play it or keep it",
        must_play="it must be played",
        never="it is kept, the turn is over",
    ),
    _play(
        "after_draw_play",
        "Which card may be played after drawing.",
        "drawn_only",
        drawn_only="only the card just drawn",
        any_card="any card of the hand",
    ),
    _play(
        "pile_empty",
        "What happens when a card is needed and the pile is empty.",
        "reshuffle_keep_top",
        reshuffle_keep_top="all discards but the top card are shuffled into a new pile",
        end_round="the round ends blocked",
    ),
    Flag(
        "draw_two_target_loses_turn",
        "playing and drawing",
        "Whether the target of a draw two loses the turn.",
        True,
        _YES_NO_TURN,
    ),
    Flag(
        "w4_target_loses_turn",
        "playing and drawing",
        "Whether the target of a wild draw four loses the turn.",
        True,
        _YES_NO_TURN,
    ),
    _play(
        "reverse_two_players",
        "What a reverse does with two active players; the direction turns in either case.",
        "skip",
        skip="the same player plays again",
        no_effect="the other player is next",
    ),
)


def _w4(name: str, help_: str, default: str, **meanings: str) -> Choice:
    return Choice(name, "wild draw four", help_, default, meanings)


_WILD_DRAW_FOUR: tuple[Option, ...] = (
    _w4(
        "w4_legality",
        "When a wild draw four is legal.",
        "no_color",
        anytime="always",
        no_color="without a card of the colour in force in hand",
        no_color_or_number="without a card of the colour in force, or of the top card's number, in hand",
        no_other_play="without any other playable card in hand, a plain wild included",
    ),
    _w4(
        "w4_enforcement",
        "What happens to a wild draw four that is not legal.",
        "bluff_allowed",
        reject="it cannot be played",
        bluff_allowed="it can be played as a bluff",
    ),
    _w4(
        "w4_challenge",
        "Whether a wild draw four may be challenged.",
        "next_player",
        off="no",
        next_player="by the player who must draw, before drawing",
    ),
    Number(
        "challenge_guilty_draws",
        "wild draw four",
        "Cards that a bluffer who is challenged draws.",
        4,
        _CARDS,
        "{} cards",
        0,
        10,
    ),
    Number(
        "challenge_innocent_draws",
        "wild draw four",
        "Cards that a challenger draws who was wrong.",
        6,
        _CARDS,
        "{} cards",
        0,
        10,
    ),
    _w4(
        "challenge_success_turn",
        "What a challenger who was right does next.",
        "challenger_plays",
        challenger_plays="takes a normal turn",
        challenger_skipped="loses the turn",
    ),
    _w4(
        "challenge_reveal",
        "Who sees the challenged hand.",
        "challenger_only",
        challenger_only="the challenger alone",
        all="everybody",
        verdict_only="nobody, only the verdict is told",
    ),
)


def _uno(name: str, help_: str, default: str, **meanings: str) -> Choice:
    return Choice(name, "uno", help_, default, meanings)


_UNO: tuple[Option, ...] = (
    Flag(
        "uno_required",
        "uno",
        "Whether UNO must be called with one card left.",
        True,
        {"true": "who forgets can be caught", "false": "no call is needed"},
    ),
    _uno(
        "uno_catch_window",
        "How long a forgotten call can be caught.",
        "next_turn_action",
        next_turn_action="until the next player plays or draws",
        own_next_turn="until it is the offender's turn again",
        none="never",
    ),
    Number("uno_penalty", "uno", "Cards drawn by who is caught.", 2, _CARDS, "{} cards", 0, 4),
    Number(
        "false_catch_penalty",
        "uno",
        "Cards drawn by who accuses wrongly.",
        0,
        {"0": "none, a wrong accusation is refused"},
        "{} cards",
        0,
        4,
    ),
    Number(
        "false_uno_penalty",
        "uno",
        "Cards drawn by who calls UNO wrongly.",
        0,
        {"0": "none, a wrong call is ignored or refused"},
        "{} cards",
        0,
        4,
    ),
    _uno(
        "passive_uno",
        "Whether a hand that becomes one card by another player's action owes the call.",
        "exempt",
        exempt="no",
        required="yes, the holder may call at once, out of turn",
    ),
    Number(
        "uno_grace_ms",
        "uno",
        "Milliseconds for which catches are held back after a duty arose by another player's action.",
        0,
        {"0": "no grace"},
        "{} ms",
        0,
        2000,
    ),
)


def _end(name: str, help_: str, default: str, **meanings: str) -> Choice:
    return Choice(name, "end and scoring", help_, default, meanings)


_END: tuple[Option, ...] = (
    _end(
        "last_card_draw",
        "What a draw two or wild draw four as the last card does.",
        "draw_then_score",
        end_at_once="the round ends, nobody draws",
        draw_then_score="the next player draws, then the hands are scored",
    ),
    _end(
        "finish_restriction",
        "Which cards may not be the last one.",
        "none",
        none="any card may be",
        no_wild="no wild of either kind",
        no_draw="no draw two, no wild draw four",
        number_only="only a number may be",
    ),
    _end(
        "last_card_hand_effect",
        "What a last card does that moves hands.",
        "win",
        win="it wins, no hands move",
        apply="the hands move, and who then holds no card is out",
    ),
    Choice(
        "play_on",
        "end and scoring",
        "Whether a round goes on when the first player is out.",
        "stop",
        {"stop": "it ends", "for_places": "the others play on for the places"},
        frozenset({"for_places"}),
    ),
    _end(
        "scoring",
        "Who gets points for a round.",
        "winner_takes_sum",
        winner_takes_sum="the winner, the value of all other hands; most points win",
        each_keeps_own="everybody, the value of the own hand; fewest points win",
        placement="everybody, a point for each seat with a worse hand; the winner beats all; most points win",
        round_wins="the winner, one point; most points win",
    ),
    FaceMap(
        "card_points",
        "end and scoring",
        "What a card, or a rank, counts in a hand where it departs from face value, 20 for actions, 50 for wilds.",
        (),
        {"": "face value for numbers, 20 for actions, 50 for wilds"},
        "face/20/50, but {}",
        0,
        500,
        STANDARD_POINTS,
    ),
    Combination(
        "match_end",
        "end and scoring",
        "What ends the match, at the end of a round; the first condition met counts.",
        "target",
        {
            "target": "a total reaches target_points",
            "rounds": "match_rounds rounds are over",
            "time": "match_time_s seconds are over",
            "single_round": "one round is over",
        },
    ),
    Number(
        "target_points",
        "end and scoring",
        "The total that ends a match with match_end = target.",
        500,
        {},
        "{} points",
        1,
        1_000_000,
    ),
    Number(
        "match_rounds",
        "end and scoring",
        "The rounds of a match with match_end = rounds.",
        10,
        {},
        "{} rounds",
        1,
        100_000,
    ),
    Number(
        "match_time_s",
        "end and scoring",
        "The seconds of a match with match_end = time; the round in progress is played out.",
        1800,
        {},
        "{} s",
        1,
        604_800,
    ),
    Choice(
        "elimination",
        "end and scoring",
        "Whether a player who reaches the target is out of the match.",
        "off",
        {"off": "no", "at_target": "yes, and the others play on"},
        frozenset({"at_target"}),
    ),
    _end(
        "match_tie",
        "How equal totals at the end of a match are settled.",
        "extra_round",
        shared="the place is shared",
        extra_round="one more round among the tied",
        fewest_points_left="fewer points left in hand over the match",
        round_wins="more rounds won",
    ),
)


def _house(name: str, help_: str, default: str, **meanings: str) -> Choice:
    return Choice(name, "house rules", help_, default, meanings)


def _house_flag(name: str, help_: str, true: str, false: str) -> Flag:
    return Flag(name, "house rules", help_, False, {"true": true, "false": false})


_HOUSE: tuple[Option, ...] = (
    _house(
        "stack_draw_two",
        "Whether a draw two may be answered by another.",
        "off",
        off="no",
        same="yes, and the next player faces the sum",
    ),
    _house(
        "stack_w4",
        "Whether a wild draw four may be answered by another.",
        "off",
        off="no",
        same="yes, and the next player faces the sum",
    ),
    _house(
        "stack_cross",
        "Whether a draw card may be answered by one of the other kind.",
        "off",
        off="no",
        four_on_two="a draw two by a wild draw four",
        any="either by the other",
    ),
    Number(
        "stack_max",
        "house rules",
        "The largest pending penalty in cards that stacking may reach.",
        0,
        {"0": "unlimited"},
        "{} cards",
        0,
        500,
    ),
    _house(
        "jump_in",
        "Whether a card identical to the top card may be played out of turn.",
        "off",
        off="no",
        identical="yes, coloured cards",
        identical_incl_w4="yes, coloured cards and the wild draw four",
    ),
    _house(
        "jump_in_effect",
        "What happens to the effect of a card that was jumped on.",
        "cancel_previous",
        cancel_previous="it is cancelled, only the new card's effect counts",
        accumulate="a pending penalty grows by the new card, where that card may be stacked",
    ),
    _house_flag(
        "zero_rotate",
        "Whether a 0 moves all hands.",
        "each hand goes one active seat on in the direction of play",
        "it is a plain number",
    ),
    _house_flag(
        "seven_swap",
        "Whether a 7 swaps hands.",
        "its player swaps hands with a seat of choice",
        "it is a plain number",
    ),
    _house_flag(
        "swap_uno_protected",
        "Whether a player who has called UNO is safe from a swap.",
        "cannot be chosen while holding that one card",
        "may be chosen",
    ),
    Choice(
        "teams",
        "house rules",
        "Whether partners play together.",
        "off",
        {"off": "everybody plays alone", "two_vs_two": "opposite seats are partners"},
        frozenset({"two_vs_two"}),
    ),
    Number(
        "hand_limit_out",
        "house rules",
        "Cards in hand that put a player out of the match.",
        0,
        {"0": "no limit"},
        "{} cards",
        0,
        500,
        only=0,
    ),
)


def _conduct(name: str, help_: str, default: str, **meanings: str) -> Choice:
    return Choice(name, "server conduct", help_, default, meanings)


_CONDUCT: tuple[Option, ...] = (
    Choice(
        "timeout_action",
        "server conduct",
        "What happens when a player's time runs out.",
        "draw_and_pass",
        {
            "draw_and_pass": "the player draws one card and the turn passes; a pending penalty is accepted",
            "forfeit": "the player is removed from the match",
        },
    ),
    Number(
        "max_timeouts",
        "server conduct",
        "Timeouts in a match after which a player is removed.",
        3,
        {"0": "never removed"},
        "removed at number {}",
        0,
        10_000,
    ),
    _conduct(
        "leaver_cards",
        "Where the cards of a player go who leaves.",
        "to_discard",
        to_discard="under the top card of the discards",
        frozen="out of the game until the round is over",
    ),
    _conduct(
        "leaver_points",
        "What the cards of a player count who leaves.",
        "score_for_winner",
        score_for_winner="the round's winner gets their value at leaving",
        void="nothing",
    ),
    Number(
        "stalemate_turns",
        "server conduct",
        "Turns in a row without a card played or drawn, for each active player, that end a round as blocked.",
        2,
        {},
        "{} turns for each active player",
        1,
        100,
    ),
    Number(
        "max_turns_per_round",
        "server conduct",
        "Turns after which a round ends as blocked.",
        2000,
        {},
        "{} turns",
        1,
        1_000_000,
    ),
    _conduct(
        "stalemate_result",
        "Who scores in a blocked round.",
        "lowest_hand",
        lowest_hand="the single lowest hand, what the others hold above it",
        void="nobody",
    ),
)

OPTIONS: tuple[Option, ...] = (*_TABLE, *_PLAYING, *_WILD_DRAW_FOUR, *_UNO, *_END, *_HOUSE, *_CONDUCT)
"""All options, in the order of rules.md."""

BY_NAME: dict[str, Option] = {option.name: option for option in OPTIONS}
"""The option of every name."""
