"""Vectors of play: whole matches for fixed moves, and what is legal and refused at their positions."""

import json
from typing import Any, NamedTuple

from conformance.vectors_of_chance import DRAWS, SALT, key
from lastcard.rules.actions import (
    ACCEPT,
    CHALLENGE,
    CHOOSE_COLOR,
    DRAW,
    KEEP,
    PASS,
    TIMEOUT,
    UNO,
    Action,
    catch,
    jump_in,
    leave,
    play,
)
from lastcard.rules.apply import apply
from lastcard.rules.cards import FACES, GREEN, WILD, WILD_DRAW_FOUR
from lastcard.rules.deal import start_round
from lastcard.rules.disguise import chance_of
from lastcard.rules.legality import catchable, legal_actions, reaction_actions
from lastcard.rules.notation import action_text, move_text
from lastcard.rules.reasons import Refused
from lastcard.rules.record_json import event_text
from lastcard.rules.ruleset import Ruleset, ruleset
from lastcard.rules.shuffle import SeededChance
from lastcard.rules.state import Phase, State, new_match


class Setting(NamedTuple):
    """What a match is played with; a `wild` one has timeouts and leavings, one with `calls` has calls at any time."""

    name: str
    preset: str
    options: dict[str, object]
    players: int
    draws: str = "pile"
    rounds: int = 1
    wild: bool = False
    disguise: bool = False
    calls: bool = False


class Match:
    """A match that plays itself: every choice is drawn by the specified chance from its name, the same anywhere."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.rules: Ruleset = ruleset(setting.preset, setting.options)
        self.state: State = new_match(self.rules, setting.players)
        self.moves: list[str] = []
        self.events: list[Any] = []
        self.seeds: list[bytes] = []
        self.positions: list[dict[str, Any]] = []
        self._lot = SeededChance(key(f"choices of {setting.name}"), SALT)
        self._lots = 0

    def play(self, *, positions: bool = False) -> "Match":
        """Plays rounds until the match is over or they are `rounds`; seats then leave until it is over."""
        state = self.state
        while state.phase != Phase.MATCH_OVER and state.round < self.setting.rounds:
            self._start_round()
            while state.round_on():
                if positions and len(self.moves) % 5 == 0:
                    self._note_position()
                self._step()
        if positions:
            self._note_position()
        while state.phase != Phase.MATCH_OVER:
            self._do(state.active_seats()[-1], leave())
        if positions:
            self._note_position()
        return self

    def _number(self, n: int) -> int:
        self._lots += 1
        return self._lot.uniform(f"choice/{self._lots}", n)

    def _start_round(self) -> None:
        seed = key(f"{self.setting.name}/{self.state.round + 1}")
        self.seeds.append(seed)
        self.moves.append("deal")
        faces, disguised = self.state.faces, self.setting.disguise
        self.events += start_round(self.state, chance_of(seed, SALT, self.setting.draws, faces, disguised=disguised))

    def _step(self) -> None:
        state = self.state
        for seat in state.active_seats():
            reactions = reaction_actions(state, seat) if state.round_on() and seat != state.turn else []
            if reactions and self._number(3) == 0:
                self._do(seat, reactions[self._number(len(reactions))], call_uno=self._number(2) == 0)
        if not state.round_on():
            return
        if self.setting.calls and self._number(8) == 0:
            self._call()
        if self.setting.wild and self._number(12) == 0:
            self._do(state.turn, TIMEOUT)
            return
        if self.setting.wild and self._number(40) == 0:
            self._do(state.active_seats()[0], leave())
            return
        if not state.round_on():
            return
        seat = state.turn
        actions = legal_actions(state, seat)
        plays = [action for action in actions if action.card]
        likely = plays if plays and self._number(6) else actions
        last_but_one = len(state.hands[seat]) == 2
        self._do(seat, likely[self._number(len(likely))], call_uno=last_but_one and self._number(4) > 0)

    def _call(self) -> None:
        """Somebody calls or catches somebody, right or wrong; what is refused is no move."""
        state = self.state
        seats = state.active_seats()
        seat = seats[self._number(len(seats))]
        action = (UNO, catch(seats[self._number(len(seats))]))[self._number(2)]
        if _refusal(state, seat, action) is None:
            self._do(seat, action)

    def _do(self, seat: int, action: Action, *, call_uno: bool = False) -> None:
        call_uno = call_uno and bool(action.card)
        self.events += apply(self.state, seat, action, call_uno)
        self.moves.append(move_text(seat, action, call_uno))

    def _note_position(self) -> None:
        """What is legal now, and for each reason some moves that are refused for it."""
        state = self.state
        refused: dict[str, list[str]] = {}
        for seat in range(self.setting.players):
            for action in _candidates(state, seat, len(self.moves)):
                reason = _refusal(state, seat, action)
                if reason is not None and len(refused.setdefault(reason, [])) < 4:
                    refused[reason].append(move_text(seat, action))
        self.positions.append(
            {
                "after": len(self.moves),
                **({"turn": state.turn} if state.round_on() else {}),
                "legal": [{"actions": self._legal(seat)} for seat in range(self.setting.players)],
                "catchable": catchable(state),
                "refused": [{"reason": f"REASON_{reason}", "moves": moves} for reason, moves in refused.items()],
            }
        )

    def _legal(self, seat: int) -> list[str]:
        """The legal actions of a seat; none when it has left."""
        if not self.state.active[seat]:
            return []
        return [action_text(action) for action in legal_actions(self.state, seat)]

    def fixed(self) -> dict[str, Any]:
        """What the match is played with."""
        return {
            "name": self.setting.name,
            "preset": self.setting.preset,
            "options": dict(self.rules.overrides()),
            "players": self.setting.players,
            "draws": DRAWS[self.setting.draws],
            "disguise": self.setting.disguise,
            "salt": SALT.hex(),
            "seeds": [seed.hex() for seed in self.seeds],
            "moves": self.moves,
        }


def _candidates(state: State, seat: int, start: int) -> list[Action]:
    """All kinds of actions, in an order that begins elsewhere at each position; cards in hand come first."""
    some = [FACES[text] for text in ("R0", "R7", "Y7", "G2", "B5", "BS", "GV", "YD")]
    actions = [play(card) for card in (*some, WILD, WILD_DRAW_FOUR)]
    actions += [play(WILD, GREEN), play(WILD_DRAW_FOUR, GREEN), play(FACES["R7"], target=9), jump_in(some[0])]
    actions += [DRAW, KEEP, ACCEPT, CHALLENGE, CHOOSE_COLOR[GREEN], PASS, UNO]
    actions += [catch(other) for other in range(state.players)]
    start %= len(actions)
    return [play(face) for face in sorted(set(state.hand_faces(seat)))] + actions[start:] + actions[:start]


def _refusal(state: State, seat: int, action: Action) -> str | None:
    try:
        apply(state.clone(), seat, action)
    except Refused as refused:
        return refused.reason.name
    return None


_EFFECTS = {"deck": "custom", "deck_counts": "S=2,V=2,D=3,W=4,W4=4,R0=4,R7=2,Y7=2,G7=1,B7=1"}
_WILDS = {"deck": "custom", "deck_counts": "0=1,7=2,S=1,V=2,D=2,W=6,W4=4"}

# Each shows something that happens seldom and that verifiers had wrong; the numbers in the names are those that do.
_RARE = (
    Setting(
        "hands of leavers stay 13",
        "official",
        {"leaver_cards": "frozen", "leaver_points": "void", "zero_rotate": True, "hand_size": 3, **_EFFECTS},
        4,
        wild=True,
    ),
    Setting(
        "placement, a blocked round 30",
        "official",
        {"scoring": "placement", "max_turns_per_round": 6, "match_end": "rounds", "match_rounds": 2},
        3,
        rounds=3,
    ),
    Setting(
        "a dry pile ends the round 9",
        "official",
        {"pile_empty": "end_round", "false_uno_penalty": 4, "uno_penalty": 4, "hand_size": 5, **_EFFECTS},
        5,
        calls=True,
    ),
    Setting(
        "calls and timeouts while a colour is asked 21",
        "danish",
        {
            "hand_size": 2,
            "false_uno_penalty": 1,
            "false_catch_penalty": 1,
            "max_timeouts": 1,
            "match_end": "rounds",
            "match_rounds": 3,
            **_WILDS,
        },
        4,
        rounds=3,
        wild=True,
        calls=True,
    ),
    Setting(
        "a colour is passed on 67",
        "danish",
        {
            "hand_size": 2,
            "deck": "custom",
            "deck_counts": "1=2,W=12,2=1",
            "match_end": "rounds",
            "match_rounds": 6,
        },
        5,
        rounds=6,
        wild=True,
    ),
    Setting(
        "accumulated jumps 23",
        "official",
        {
            "jump_in": "identical_incl_w4",
            "jump_in_effect": "accumulate",
            "stack_draw_two": "same",
            "stack_cross": "four_on_two",
            "stack_max": 4,
            "hand_size": 6,
            "deck": "custom",
            "deck_counts": "R0=4,D=6,W=4,W4=8,7=2",
        },
        4,
    ),
    Setting(
        "a jump on a rebuilt pile 17",
        "official",
        {
            "jump_in": "identical",
            "draw_mode": "until_playable",
            "hand_size": 6,
            "deck": "custom",
            "deck_counts": "1=4,S=2,2=1",
        },
        4,
    ),
    Setting(
        "bluffs on stacks 34",
        "official",
        {"w4_legality": "no_other_play", "stack_w4": "same", "stack_cross": "any", "hand_size": 5, **_WILDS},
        4,
    ),
    Setting(
        "a hand that grows after its bluff",
        "official",
        {
            "stack_w4": "same",
            "uno_penalty": 4,
            "false_catch_penalty": 2,
            "hand_size": 3,
            "deck": "custom",
            "deck_counts": "1=2,W4=10,2=1",
        },
        4,
        calls=True,
    ),
    Setting(
        "two players, a reverse opens 6",
        "danish",
        {
            "reverse_two_players": "no_effect",
            "hand_size": 2,
            "deck": "custom",
            "deck_counts": "0=1,7=1,V=6",
            "match_end": "rounds",
            "match_rounds": 3,
        },
        2,
        rounds=3,
    ),
    Setting(
        "the last but one leaves a round more 21",
        "official",
        {"scoring": "round_wins", "hand_size": 1, "match_end": "rounds", "match_rounds": 2},
        4,
        rounds=2,
    ),
    Setting(
        "drawn cards must be played 23",
        "danish",
        {
            "after_draw_play": "any_card",
            "drawn_card": "must_play",
            "stalemate_turns": 1,
            "hand_size": 5,
            **_EFFECTS,
        },
        2,
    ),
    Setting(
        "a tie settled by the winner 6",
        "official",
        {
            "match_tie": "shared",
            "match_end": "target+single_round",
            "target_points": 1,
            "scoring": "each_keeps_own",
            "card_points": "W=0,W4=0",
            "hand_size": 1,
            **_WILDS,
        },
        5,
    ),
    Setting(
        "a wrong catch before a drawn card is kept 41",
        "official",
        {
            "w4_enforcement": "reject",
            "false_catch_penalty": 4,
            "hand_size": 2,
            "deck": "custom",
            "deck_counts": "0=2,1=2,2=2,3=2,W4=8",
        },
        3,
        calls=True,
    ),
    Setting(
        "calls before a play 24",
        "official",
        {
            "false_uno_penalty": 2,
            "hand_size": 3,
            "seven_swap": True,
            "jump_in": "identical",
            "swap_uno_protected": True,
            **_EFFECTS,
        },
        3,
        calls=True,
    ),
    Setting(
        "a last card moves the empty hand 1",
        "official",
        {
            "hand_size": 2,
            "zero_rotate": True,
            "seven_swap": True,
            "last_card_hand_effect": "apply",
            "match_end": "single_round",
            **_EFFECTS,
        },
        3,
    ),
    Setting(
        "one round more for those who are level 32",
        "german",
        {"hand_size": 3, "max_turns_per_round": 4, "match_end": "rounds", "match_rounds": 1, "scoring": "placement"},
        4,
        rounds=4,
    ),
    Setting(
        "a tie settled by the fewest points left 2",
        "official",
        {
            "hand_size": 3,
            "max_turns_per_round": 4,
            "scoring": "round_wins",
            "match_end": "rounds",
            "match_rounds": 2,
            "match_tie": "fewest_points_left",
        },
        2,
        rounds=3,
    ),
    Setting(
        "still level after one round more 0",
        "official",
        {
            "hand_size": 4,
            "max_turns_per_round": 3,
            "stalemate_result": "void",
            "match_end": "rounds",
            "match_rounds": 1,
        },
        2,
        rounds=4,
    ),
)

_SETTINGS = (
    Setting("official, two players", "official", {"hand_size": 4}, 2),
    Setting("official, an order a seat", "official", {}, 3, "per_seat"),
    Setting("german", "german", {"hand_size": 4}, 3, "per_seat"),
    Setting("danish, two rounds", "danish", {"hand_size": 3, "match_end": "rounds", "match_rounds": 2}, 3, rounds=3),
    Setting("danish to the letter", "danish_literal", {"hand_size": 4, "seven_swap": True, "zero_rotate": True}, 3),
    Setting("low score", "official_low", {"hand_size": 3, "target_points": 30}, 3, "per_seat", rounds=6),
    Setting(
        "stacks and jumps",
        "official",
        {"stack_draw_two": "same", "stack_w4": "same", "stack_cross": "any", "jump_in": "identical_incl_w4"},
        4,
    ),
    Setting("pile rebuilt", "official", {"draw_mode": "until_playable", "hand_size": 15}, 6),
    Setting("pile rebuilt, an order a seat", "german", {"draw_mode": "until_playable", "hand_size": 15}, 6, "per_seat"),
    Setting("colours renamed, timeouts", "danish", {"hand_size": 4}, 3, "per_seat", 2, wild=True, disguise=True),
    Setting("wrong calls cost", "official", {"hand_size": 3, "false_uno_penalty": 2, "false_catch_penalty": 2}, 3),
    Setting("timeouts and leavers", "official", {"hand_size": 5, "max_timeouts": 2}, 4, "per_seat", 2, wild=True),
    Setting("five seats, timeouts and leavers", "german", {"hand_size": 6, "max_timeouts": 1}, 5, wild=True),
    Setting("start cards that act", "danish", {"hand_size": 2, "match_end": "rounds", "match_rounds": 8}, 3, rounds=8),
    Setting("start cards that are put back", "german", {"hand_size": 2, "match_end": "single_round"}, 2, "per_seat"),
    *_RARE,
)

_POSITIONS_OF = ("official, two players", "german", "danish to the letter", "stacks and jumps", "timeouts and leavers")

_LONGEST = 300
"""Events of the longest match in the vectors, so that they stay readable."""


def short_match(setting: Setting, *, positions: bool = False) -> Match:
    """The played match of a setting; one that gets too long gives way to the next of `NAME 2`, `NAME 3` and so on."""
    for number in range(1, 1_000):
        name = setting.name if number == 1 else f"{setting.name} {number}"
        match = Match(setting._replace(name=name)).play(positions=positions)
        if len(match.events) <= _LONGEST:
            return match
    raise AssertionError(f"every match of {setting.name} is too long")


def games() -> dict[str, Any]:
    """Whole matches: seeds and moves, and every event."""
    cases = []
    for match in map(short_match, _SETTINGS):
        events = [json.loads(event_text(number, event)) for number, event in enumerate(match.events, 1)]
        cases.append({"match": match.fixed(), "events": events})
    return {
        "about": "README.md, Games: the moves of a whole match, each accepted, and the events that they lead to",
        "games": cases,
    }


def refusals() -> dict[str, Any]:
    """What is legal and what is refused at positions of matches."""
    settings = [setting for setting in _SETTINGS if setting.name in _POSITIONS_OF]
    matches = [short_match(setting, positions=True) for setting in settings]
    return {
        "about": "README.md, Refusals: after the first `after` moves, what each seat may do and what it is refused for",
        "games": [{"match": match.fixed(), "positions": match.positions} for match in matches],
    }
