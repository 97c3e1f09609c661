"""Games played at random through the rules, and their records: what the tests of records, replays and shows work on."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from lastcard.rules.actions import TIMEOUT, UNO, Action, LeaveCause, catch, leave
from lastcard.rules.apply import apply
from lastcard.rules.deal import start_round
from lastcard.rules.disguise import chance_of
from lastcard.rules.events import Event
from lastcard.rules.legality import catchable, legal_actions, reaction_actions
from lastcard.rules.reasons import Refused
from lastcard.rules.record import RecordWriter
from lastcard.rules.ruleset import PRESETS, Ruleset, ruleset
from lastcard.rules.score import note_time_up
from lastcard.rules.state import Phase, new_match

SALT = sha256(b"salt").digest()


@dataclass
class Game:
    """A finished game and what it was played with."""

    rules: Ruleset
    players: int
    draws: str
    disguise: bool = False
    events: list[Event] = field(default_factory=list)
    seeds: list[bytes] = field(default_factory=list)

    def writer(self) -> RecordWriter:
        """The closed writer of its record."""
        writer = RecordWriter(
            self.rules,
            [f"bot-{seat}" for seat in range(self.players)],
            draws=self.draws,
            reactions="open",
            labels={"event": "test", "game": "1"},
            disguise=self.disguise,
        )
        writer.add(1, self.events)
        writer.close()
        return writer

    def record(self, *, revealed: bool) -> bytes:
        """The bytes of its record."""
        writer = self.writer()
        if revealed:
            writer.reveal(self.seeds, SALT)
        return writer.to_bytes()


def play_game(
    seed: int,
    preset: str = "official",
    options: Mapping[str, object] | None = None,
    players: int = 4,
    draws: str = "pile",
    *,
    mischief: bool = True,
    rounds: int = 4,
    disguise: bool = False,
) -> Game:
    """A game by a fair hand and, with `mischief`, timeouts, leavings, calls and catches, right or wrong.

    A match that is not over after `rounds` rounds is ended by leavings.
    """
    rules = ruleset(preset, options or {})
    game = Game(rules, players, draws, disguise)
    _Player(game, random.Random(seed), seed, mischief=mischief).play(rounds)
    return game


class _Player:
    def __init__(self, game: Game, lot: random.Random, seed: int, *, mischief: bool) -> None:
        self._game = game
        self._lot = lot
        self._seed = seed
        self._mischief = mischief
        self._state = new_match(game.rules, game.players)

    def play(self, rounds: int) -> None:
        state = self._state
        if self._mischief and self._lot.random() < 0.1:
            self._do(self._lot.randrange(state.players), leave(LeaveCause.START_UP))
        while state.phase != Phase.MATCH_OVER and state.round < rounds:
            self._start_round()
            while state.round_on():
                self._step()
            self._between_rounds()
        while state.phase != Phase.MATCH_OVER:
            self._do(self._lot.choice(state.active_seats()), leave(LeaveCause.REMOVED))

    def _start_round(self) -> None:
        number = self._state.round + 1
        seed = sha256(f"{self._seed}/{number}".encode()).digest()
        self._game.seeds.append(seed)
        faces, disguised = self._state.faces, self._game.disguise
        self._game.events += start_round(
            self._state, chance_of(seed, SALT, self._game.draws, faces, disguised=disguised)
        )

    def _between_rounds(self) -> None:
        if self._state.phase != Phase.ROUND_OVER or not self._mischief:
            return
        if self._lot.random() < 0.1:
            self._do(self._lot.choice(self._state.active_seats()), leave())
        if self._state.phase == Phase.ROUND_OVER and self._lot.random() < 0.2:
            self._game.events += note_time_up(self._state)

    def _step(self) -> None:
        state, lot = self._state, self._lot
        for seat in state.active_seats():
            reactions = reaction_actions(state, seat) if state.round_on() and seat != state.turn else []
            if reactions and lot.random() < 0.4:
                self._do(seat, lot.choice(reactions), call_uno=lot.random() < 0.5)
        if not state.round_on():
            return
        if self._mischief and lot.random() < 0.05:
            self._misbehave()
        elif self._mischief and state.phase == Phase.COLOR and lot.random() < 0.4:
            self._do(state.turn, TIMEOUT)
        if not state.round_on():
            return
        seat = state.turn
        # Without a liking for plays a round takes hundreds of turns.
        actions = legal_actions(state, seat)
        plays = [action for action in actions if action.card]
        likely = plays if plays and lot.random() < 0.8 else actions
        self._do(seat, lot.choice(likely), call_uno=lot.random() < (0.7 if len(state.hands[seat]) == 2 else 0.02))

    def _misbehave(self) -> None:
        state, lot = self._state, self._lot
        what = lot.choice(("timeout", "uno", "catch", "catch", "leave", "time"))
        seat = lot.choice(state.active_seats())
        match what:
            case "timeout":
                self._do(state.turn, TIMEOUT)
            case "uno":
                self._do(lot.choice((state.turn, seat)), UNO)
            case "catch":
                self._do(seat, catch(lot.choice(catchable(state) or state.active_seats())))
            case "leave" if lot.random() < 0.3:
                self._do(seat, leave(lot.choice(list(LeaveCause))))
            case "time" if lot.random() < 0.3:
                self._game.events += note_time_up(state)

    def _do(self, seat: int, action: Action, *, call_uno: bool = False) -> None:
        try:
            self._game.events += apply(self._state, seat, action, call_uno)
        except Refused:
            return


HOUSE_RULES: tuple[Mapping[str, object], ...] = (
    {},
    {"match_end": "single_round"},
    {"match_end": "target+time", "target_points": 120},
    {"match_end": "time", "scoring": "round_wins", "match_tie": "extra_round"},
    {"match_end": "rounds", "match_rounds": 2, "match_tie": "fewest_points_left"},
    {"first_player": "random", "first_dealer": "random", "dealer_rotation": "winner"},
    {"first_dealer": "high_card", "start_draw_two": "draw_only"},
    {
        "stack_draw_two": "same",
        "stack_w4": "same",
        "stack_cross": "any",
        "jump_in": "identical_incl_w4",
        "seven_swap": True,
        "zero_rotate": True,
    },
    {"jump_in": "identical", "jump_in_effect": "accumulate", "stack_draw_two": "same"},
    {"false_uno_penalty": 2, "false_catch_penalty": 2, "passive_uno": "required", "seven_swap": True},
    {"draw_mode": "until_playable", "hand_size": 12, "max_players": 7},
    {"draw_mode": "up_to_n", "pile_empty": "end_round", "hand_size": 10},
    {"max_timeouts": 1, "leaver_cards": "frozen"},
    {"timeout_action": "forfeit", "leaver_points": "void"},
    {"max_turns_per_round": 40, "scoring": "placement"},
    {"drawn_card": "must_play", "after_draw_play": "any_card", "last_card_hand_effect": "apply", "zero_rotate": True},
)
"""Options over a preset that lead to every kind of event and every way in which rounds and matches end."""


def any_game(seed: int, *, rounds: int = 2) -> Game:
    """A game whose preset, options, number of players, order of draws and disguise follow from `seed`."""
    lot = random.Random(seed)
    options = lot.choice(HOUSE_RULES)
    most = min(10, int(str(options.get("max_players", 10))))
    return play_game(
        seed,
        lot.choice(PRESETS),
        options,
        lot.randint(2, most),
        lot.choice(("pile", "per_seat")),
        rounds=rounds,
        disguise=lot.random() < 0.5,
    )
