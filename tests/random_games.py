"""Random rules and random play, for property tests."""

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from lastcard.rules.actions import TIMEOUT, UNO, Action, Kind, catch, leave
from lastcard.rules.apply import apply
from lastcard.rules.cards import COLORS, TEXT, WILD, WILD_DRAW_FOUR, is_wild
from lastcard.rules.deal import start_round
from lastcard.rules.events import Event
from lastcard.rules.legality import is_seven_swap, legal_actions, reaction_actions
from lastcard.rules.option_list import OPTIONS
from lastcard.rules.options import Choice, Combination, Flag, Option
from lastcard.rules.reasons import Refused
from lastcard.rules.ruleset import PRESETS, Ruleset, RulesetError, check_players, ruleset
from lastcard.rules.shuffle import DRAW_ORDERS, SeededChance, round_seed
from lastcard.rules.state import Phase, State

SMALL_DECK = "0=1,1=1,7=1,S=1,V=1,D=2,W=3,W4=3"
"""34 cards full of effects, so that piles run out and stacks grow."""

# Numbers near the edges of what an option means; the caps are low so that every round of a test is short.
_NUMBERS: dict[str, list[int]] = {
    "draw_limit": [1, 2, 3, 20],
    "challenge_guilty_draws": [0, 4, 10],
    "challenge_innocent_draws": [0, 6, 10],
    "uno_penalty": [0, 2, 4],
    "false_catch_penalty": [0, 1, 4],
    "false_uno_penalty": [0, 1, 4],
    "uno_grace_ms": [0, 2000],
    "target_points": [1, 100, 500],
    "match_rounds": [1, 2, 3],
    "match_time_s": [1, 1800],
    "stack_max": [0, 1, 2, 4, 6, 12],
    "max_timeouts": [0, 1, 3],
    "stalemate_turns": [1, 2, 5],
}
_LEFT_OUT = {"min_players", "max_players", "hand_size", "deck", "deck_counts", "card_points", "max_turns_per_round"}


def _values(option: Option) -> st.SearchStrategy[object]:
    if isinstance(option, Choice):
        return st.sampled_from(option.words)
    if isinstance(option, Combination):
        return st.lists(st.sampled_from(sorted(option.meanings)), min_size=1, unique=True).map("+".join)
    if isinstance(option, Flag):
        return st.booleans()
    return st.sampled_from(_NUMBERS[option.name])


_OPTIONS = {option.name: _values(option) for option in OPTIONS if option.name not in _LEFT_OUT | {"hand_limit_out"}}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Ruleset, int]:
    """Rules of any preset with any options, and a number of players that can be dealt."""
    players = draw(st.integers(2, 10))
    chosen: dict[str, object] = dict(draw(st.fixed_dictionaries({}, optional=_OPTIONS)))
    chosen["max_turns_per_round"] = draw(st.sampled_from([1, 30, 150]))
    if draw(st.booleans()):
        chosen |= {
            "deck": "custom",
            "deck_counts": SMALL_DECK,
            "hand_size": draw(st.integers(1, min(15, 33 // players))),
        }
    else:
        chosen["hand_size"] = draw(st.sampled_from([1, 2, 7, 10]))
    if draw(st.booleans()):
        chosen["card_points"] = draw(st.sampled_from(["W=40", "9=0,R9=500", "W=0,W4=0"]))
    rules = ruleset(draw(st.sampled_from(PRESETS)), chosen)
    try:
        check_players(rules, players)
    except RulesetError as error:
        raise AssertionError(f"{chosen} cannot be dealt") from error
    return rules, players


seeds = st.binary(min_size=32, max_size=32)
draw_orders = st.sampled_from(DRAW_ORDERS)


class Dice(Random):
    """How the players choose; it shows the number that it was made from, so that a failing example can be repeated."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def __repr__(self) -> str:
        return f"Dice({self.number})"


dice = st.integers(0, 2**32 - 1).map(Dice)

Move = tuple[int, Action, bool]


def deal(state: State, seed: bytes, draws: str) -> list[Event]:
    """Starts the next round."""
    return start_round(state, SeededChance(round_seed(seed, state.round + 1), bytes(32), draws))


def random_move(state: State, rng: Random) -> Move:
    """Something that a seat may do now: mostly the seat on turn plays or draws, now and then anything else."""
    chance = rng.random()
    if chance < 0.02:
        return state.turn, TIMEOUT, False
    if chance < 0.024:
        return rng.choice(state.active_seats()), leave(), False
    if chance < 0.25:
        seat = rng.choice(state.active_seats())
        reactions = reaction_actions(state, seat)
        if reactions:
            return seat, rng.choice(reactions), rng.random() < 0.5
    return state.turn, rng.choice(legal_actions(state, state.turn)), rng.random() < 0.5


def random_call(state: State, rng: Random) -> Move:
    """A call or an accusation by anybody at any time, right or wrong."""
    seat = rng.choice(state.active_seats())
    return seat, rng.choice([UNO, catch(rng.randrange(state.players))]), False


def play_moves(state: State, rng: Random) -> Iterator[tuple[Move, list[Event]]]:
    """Plays the running round to its end, a move at a time."""
    while state.round_on():
        move = random_call(state, rng) if rng.random() < 0.05 else random_move(state, rng)
        try:
            yield move, apply(state, *move)
        except Refused:
            assert move[1].kind in (Kind.UNO, Kind.CATCH), f"{move} was listed"


def play_match(
    state: State, seed: bytes, draws: str, rng: Random, rounds: int = 3
) -> Iterator[tuple[Move | None, list[Event]]]:
    """Plays up to `rounds` rounds; a deal has no move."""
    while state.phase != Phase.MATCH_OVER and state.round < rounds:
        yield None, deal(state, seed, draws)
        yield from play_moves(state, rng)


def all_actions(state: State, rng: Random) -> Iterator[Action]:
    """Every action that can be written down, each once in the form in which the rules list it."""
    yield from (Action(kind) for kind in (Kind.DRAW, Kind.KEEP, Kind.ACCEPT, Kind.CHALLENGE))
    yield from (Action(Kind.CHOOSE_COLOR, 0, color) for color in COLORS)
    for kind in (Kind.PLAY, Kind.JUMP_IN):
        for face in TEXT:
            if is_wild(face):
                yield from (Action(kind, face, color) for color in (0, *COLORS))
            elif is_seven_swap(state, face):
                yield from (Action(kind, face, 0, target) for target in range(-1, state.players))
            else:
                yield Action(kind, face, 0, rng.choice([-1, 0, 1]))


def as_listed(state: State, seat: int, action: Action) -> Action:
    """The form in which the rules would list an action: what they ignore is left out (scenario.md)."""
    if action.kind not in (Kind.PLAY, Kind.JUMP_IN):
        return action
    last = len(state.hands[seat]) == 1
    if action.card in (WILD, WILD_DRAW_FOUR):
        return action._replace(color=0) if last else action
    if is_seven_swap(state, action.card) and not (last and not state.law.hand_effect_on_last):
        return action
    return action._replace(target=-1)


def is_refused(state: State, seat: int, action: Action) -> bool:
    """Whether the action is refused now; an accepted one changes the state."""
    try:
        apply(state, seat, action)
    except Refused:
        return True
    return False
