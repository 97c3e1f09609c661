"""The rules that a match is played by: one frozen value of all options.

Here: `Ruleset`, its making from a preset and options, and the checks between options. Not here: what the options mean
(`option_list`), what they do (`legality`, `apply`, `score`). Imports only `cards`, `face_map`, `option_list`,
`options`, `presets`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from lastcard.rules.cards import DRAW_TWO, REVERSE, SKIP, WILD, classic_deck, rank_of
from lastcard.rules.face_map import Pairs, expand
from lastcard.rules.option_list import BY_NAME, OPTIONS, STANDARD_POINTS
from lastcard.rules.options import Option, RulesetError, Value
from lastcard.rules.presets import DEPARTURES, PRESETS

__all__ = ["OPTIONS", "PRESETS", "Option", "Ruleset", "RulesetError", "check_players", "ruleset"]


MOST_CARDS = 256
"""The largest deck: a card's id is one byte (`state`)."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All options of rules.md 7.1 to 7.7 by name, and the preset that they depart from.

    Made by `ruleset` alone, which checks every value. Times are whole milliseconds (`_ms`) or seconds (`_s`).
    """

    preset: str

    min_players: int
    max_players: int
    hand_size: int
    deck_name: str
    deck_counts: Pairs
    first_dealer: str
    dealer_rotation: str
    first_player: str
    start_skip: str
    start_draw_two: str
    start_reverse: str
    start_wild: str
    start_wild_draw_four: str

    match_symbol: str
    play_multiple: str
    voluntary_draw: str
    draw_mode: str
    draw_limit: int
    drawn_card: str
    after_draw_play: str
    pile_empty: str
    draw_two_target_loses_turn: bool
    w4_target_loses_turn: bool
    reverse_two_players: str

    w4_legality: str
    w4_enforcement: str
    w4_challenge: str
    challenge_guilty_draws: int
    challenge_innocent_draws: int
    challenge_success_turn: str
    challenge_reveal: str

    uno_required: bool
    uno_catch_window: str
    uno_penalty: int
    false_catch_penalty: int
    false_uno_penalty: int
    passive_uno: str
    uno_grace_ms: int

    last_card_draw: str
    finish_restriction: str
    last_card_hand_effect: str
    play_on: str
    scoring: str
    card_points: Pairs
    match_end: str
    target_points: int
    match_rounds: int
    match_time_s: int
    elimination: str
    match_tie: str

    stack_draw_two: str
    stack_w4: str
    stack_cross: str
    stack_max: int
    jump_in: str
    jump_in_effect: str
    zero_rotate: bool
    seven_swap: bool
    swap_uno_protected: bool
    teams: str
    hand_limit_out: int

    timeout_action: str
    max_timeouts: int
    leaver_cards: str
    leaver_points: str
    stalemate_turns: int
    max_turns_per_round: int
    stalemate_result: str

    def value(self, name: str) -> Value:
        """The value of the option `name`, which must exist."""
        value: Value = getattr(self, _attribute(name))
        return value

    def overrides(self) -> tuple[tuple[str, str], ...]:
        """The options that differ from the preset, by name, with their values as text."""
        return _overrides(self)

    def points(self, face: int) -> int:
        """What a face counts in a hand."""
        return _points(self.card_points)[face]

    def deck(self) -> tuple[int, ...]:
        """The faces of the whole deck, ascending; a card's id is its place in it."""
        return _deck(self.deck_name, self.deck_counts)


def _attribute(name: str) -> str:
    """The field of an option: its name, but for `deck`, which is the method that gives the cards."""
    return "deck_name" if name == "deck" else name


@lru_cache(maxsize=64)
def _overrides(rules: Ruleset) -> tuple[tuple[str, str], ...]:
    of_preset = _preset_values(rules.preset)
    return tuple(
        (option.name, option.text(rules.value(option.name)))
        for option in sorted(OPTIONS, key=lambda option: option.name)
        if rules.value(option.name) != of_preset[option.name]
    )


@lru_cache(maxsize=64)
def _points(card_points: Pairs) -> Mapping[int, int]:
    return MappingProxyType(expand(card_points, STANDARD_POINTS))


@lru_cache(maxsize=64)
def _deck(name: str, counts: Pairs) -> tuple[int, ...]:
    if name == "classic108":
        return classic_deck()
    return tuple(face for face, count in expand(counts, {}).items() for _ in range(count))


def ruleset(preset: str = "official", options: Mapping[str, object] = MappingProxyType({})) -> Ruleset:
    """The rules of a preset with `options`, typed or as text, laid over it.

    Raises:
        RulesetError: preset, option or value does not exist or is not yet supported, or the options contradict each
            other.
    """
    if preset not in DEPARTURES:
        raise RulesetError(f"There is no preset {preset!r}; valid are {', '.join(PRESETS)}.")
    values = dict(_preset_values(preset))
    for name, value in options.items():
        if name not in BY_NAME:
            raise RulesetError(f"There is no option {name!r}; valid are {', '.join(sorted(BY_NAME))}.")
        values[name] = BY_NAME[name].parse(value)
    rules = Ruleset(preset, *values.values())  # type: ignore[arg-type]  # each option's parse gives its field's type
    _check(rules)
    return rules


@lru_cache(maxsize=len(PRESETS))
def _preset_values(preset: str) -> Mapping[str, Value]:
    departures = DEPARTURES[preset]
    return MappingProxyType({option.name: departures.get(option.name, option.default) for option in OPTIONS})


def check_players(rules: Ruleset, players: int) -> None:
    """Check that a table of `players` can be dealt.

    Raises:
        RulesetError: too few or too many players for the rules or for the deck.
    """
    if not rules.min_players <= players <= rules.max_players:
        raise RulesetError(f"These rules are for {rules.min_players} to {rules.max_players} players, not {players}.")
    _check_deal(rules, players)


def _check_deal(rules: Ruleset, players: int) -> None:
    needed, cards = players * rules.hand_size + 1, len(rules.deck())
    if needed > cards:
        raise RulesetError(
            f"{players} players with hand_size = {rules.hand_size} and a start card need {needed} cards, but the deck "
            f"has {cards}."
        )


def _check(rules: Ruleset) -> None:
    if rules.min_players > rules.max_players:
        raise RulesetError(f"min_players = {rules.min_players} exceeds max_players = {rules.max_players}; it must not.")
    if rules.deck_name == "custom" and not rules.deck_counts:
        raise RulesetError('deck = custom needs deck_counts, as in "0=1,1=2,W=4".')
    if rules.deck_name != "custom" and rules.deck_counts:
        raise RulesetError(f"deck_counts is for deck = custom, not for deck = {rules.deck_name}.")
    if len(rules.deck()) > MOST_CARDS:
        raise RulesetError(f"The deck has {len(rules.deck())} cards; at most {MOST_CARDS} are valid.")
    _check_deal(rules, rules.min_players)
    if not any(may_start(rules, face) for face in set(rules.deck())):
        raise RulesetError(
            "No card of the deck may start a round; add a number, or let a card's start option be other than redraw."
        )


def start_rule(rules: Ruleset, face: int) -> str:
    """What the rules do with a start card: the value of its `start_*` option, `ignore` for numbers."""
    start = {
        SKIP: rules.start_skip,
        REVERSE: rules.start_reverse,
        DRAW_TWO: rules.start_draw_two,
        WILD: rules.start_wild,
    }
    rank = rank_of(face)
    return "ignore" if rank < SKIP else start.get(rank, rules.start_wild_draw_four)


def may_start(rules: Ruleset, face: int) -> bool:
    """Whether a face turned up as the start card stays there (rules.md C1)."""
    return start_rule(rules, face) != "redraw"
