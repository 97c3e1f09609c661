"""Tables by the real rules: what a bot is shown and asked is always possible, and its answers are judged.

Here: `Table`, where the bot has one seat and the kit moves the others. Not here: streams (`talk`), times. May import
`lastcard.rules`, the wire's encoding, `lastcard.v1`, `messages`.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING

from lastcard.conform import messages
from lastcard.rules.actions import NO_TARGET, PASS, Kind, catch
from lastcard.rules.actions import Action as Move
from lastcard.rules.apply import apply
from lastcard.rules.deal import start_round
from lastcard.rules.legality import legal_actions, reaction_actions
from lastcard.rules.reasons import Reason, Refused
from lastcard.rules.ruleset import ruleset
from lastcard.rules.scenario_keys import read_position
from lastcard.rules.scenario_position import build_state
from lastcard.rules.shuffle import SeededChance, round_seed
from lastcard.rules.state import Phase, new_match
from lastcard.rules.view import redact, view_of
from lastcard.services.wire.actions import action_body, action_value
from lastcard.services.wire.events import event_item
from lastcard.services.wire.rulesets import ruleset_message
from lastcard.services.wire.views import ViewWriter
from lastcard.v1.action_pb2 import Action
from lastcard.v1.play_service_pb2 import Seated, ServerMessage, TableEvents, TableSnapshot
from lastcard.v1.table_pb2 import (
    Act,
    Clock,
    CloseCause,
    Decision,
    DecisionKind,
    Fault,
    ReactionMode,
    Receipt,
    RefusedCatch,
    SeatStatus,
)
from lastcard.v1.view_pb2 import View

if TYPE_CHECKING:
    from lastcard.rules.events import Event

JOINED_AT = 40
"""Events that are said to have happened before a position that was set up."""
MOST_MOVES = 10_000
REFUSALS = 3

_APART = (Kind.UNO, Kind.CATCH)


class Table:
    """One table, at which the bot has `seat`.

    Without a `position` a round is dealt by `seed`, and the events are told from the first on; with one (the keys of a
    scenario, server/docs/scenario.md: `hands`, `discard`, `turn`, `pending`, …) the bot comes to a game that is on.
    """

    def __init__(
        self,
        table_id: str = "conform-1",
        *,
        players: int = 4,
        seat: int = 0,
        preset: str = "official",
        options: Mapping[str, object] | None = None,
        seed: int = 0,
        position: Mapping[str, object] | None = None,
    ) -> None:
        self.table_id = table_id
        self.seat = seat
        self.rules = ruleset(preset, options or {})
        self._seed = sha256(f"{table_id} {seed}".encode()).digest()
        self._chance = Random(f"{table_id} {seed}")
        self._views = ViewWriter(ruleset_message(self.rules).SerializeToString())
        self._asked = 0
        self._refusals = 0
        self.history: list[Event] = []
        """The events since the table is known here; the first has the number `first`."""
        self.told = 0
        """Number of the last event that was told to the bot."""
        self.decision: Decision | None = None
        """The question that is open."""
        self.previous: Receipt | None = None
        if position is None:
            self.first = 1
            self.state = new_match(self.rules, players)
            self._deal()
        else:
            self.first = JOINED_AT + 1
            self.told = JOINED_AT
            self.state = build_state(read_position(position, self.rules, table_id))

    # ------------------------------------------------------------------ telling

    @property
    def sequence(self) -> int:
        """Number of the last event."""
        return self.first + len(self.history) - 1

    def view(self) -> View:
        """What the bot may know now."""
        return View.FromString(self._views.body(view_of(self.state, self.seat)))

    def seated(self, *, resumed: bool = False, last_sequence: int | None = None) -> ServerMessage:
        """The bot has its seat."""
        message = Seated(
            table_id=self.table_id,
            seat=self.seat,
            ruleset=ruleset_message(self.rules),
            clock=_clock(),
            reactions=ReactionMode.REACTION_MODE_SEALED,
            last_sequence=self.sequence if last_sequence is None else last_sequence,
            resumed=resumed,
        )
        for seat in range(self.state.players):
            name = "you" if seat == self.seat else f"rival-{seat}"
            message.seats.add(seat=seat, name=name, status=SeatStatus.SEAT_STATUS_PRESENT)
        if self.previous is not None and resumed:
            message.previous_receipt.CopyFrom(self.previous)
        return ServerMessage(seated=message)

    def events(self, after: int, upto: int | None = None) -> ServerMessage:
        """The events with numbers beyond `after`, as the bot's seat may see them."""
        last = self.sequence if upto is None else upto
        items = [
            event_item(number, redact(self.history[number - self.first], self.seat, self.rules, show_hands=True))
            for number in range(max(after + 1, self.first), last + 1)
        ]
        message = TableEvents.FromString(b"".join(items))
        message.table_id = self.table_id
        self.told = max(self.told, last)
        return ServerMessage(table_events=message)

    def snapshot(self) -> ServerMessage:
        """The state in place of events."""
        self.told = self.sequence
        return ServerMessage(
            table_snapshot=TableSnapshot(table_id=self.table_id, sequence=self.sequence, view=self.view())
        )

    def opening(self, *, decisions_only: bool) -> list[ServerMessage]:
        """All that a bot is told when it takes its seat: with events from the first on, or the state as it is."""
        if decisions_only:
            return [self.seated()]
        if self.first > 1:
            return [self.seated(), self.snapshot()]
        return [self.seated(last_sequence=0), self.events(0)]

    def news(self, *, decisions_only: bool) -> list[ServerMessage]:
        """The events that were not told yet, in one message; nothing when none happened or none are wanted."""
        return [] if decisions_only or self.told >= self.sequence else [self.events(self.told)]

    def closed(self, *, points: Sequence[int] = (), faults: Sequence[Fault] = ()) -> ServerMessage:
        """The table is over, played to its end."""
        message = ServerMessage()
        over = message.table_closed
        over.table_id = self.table_id
        over.result.cause = CloseCause.CLOSE_CAUSE_FINISHED
        over.result.points.extend(points or (self.state.totals if any(self.state.totals) else self._made_up_points()))
        ranked = sorted(over.result.points, reverse=True)
        over.result.places.extend(ranked.index(each) + 1 for each in over.result.points)
        over.result.faults.extend(faults)
        over.result.rounds = max(self.state.round, 1)
        if self.previous is not None:
            over.previous_receipt.CopyFrom(self.previous)
        self.decision = None
        return message

    def _made_up_points(self) -> list[int]:
        return [500 if seat == self.seat else 0 for seat in range(self.state.players)]

    # ------------------------------------------------------------------- asking

    def ask(self) -> Decision:
        """Puts the question that is due to the bot's seat: of its turn, or of a reaction to somebody else's."""
        state = self.state
        own = state.turn == self.seat
        legal = legal_actions(state, self.seat) if own else [*reaction_actions(state, self.seat), PASS]
        kind = int(state.phase) if own else int(DecisionKind.DECISION_KIND_REACTION)
        decision = Decision(
            table_id=self.table_id,
            decision_id=self._asked * state.players + self.seat + 1,
            kind=kind,  # type: ignore[arg-type]
            sequence=self.sequence,
            view=self.view(),
            legal_actions=[Action.FromString(action_body(action)) for action in legal],
        )
        decision.time_left.FromMilliseconds(2_000 if own else 500)
        if own:
            decision.bank_left.FromSeconds(60)
        if self.previous is not None:
            decision.previous_receipt.CopyFrom(self.previous)
        self._asked += 1
        self._refusals = 0
        self.decision = decision
        return decision

    def play_on(self) -> bool:
        """Moves the others until the bot's seat is on turn; false when the match is over before that."""
        for _ in range(MOST_MOVES):
            state = self.state
            if state.phase == Phase.MATCH_OVER:
                return False
            if state.phase == Phase.ROUND_OVER:
                self._deal()
            elif state.turn == self.seat:
                return True
            else:
                self.move()
        raise RuntimeError(f"{MOST_MOVES} moves at {self.table_id} and no turn of seat {self.seat}")

    def move(self) -> None:
        """Lets the seat on turn, which is not the bot's, make some legal move; it always calls UNO."""
        seat = self.state.turn
        assert seat != self.seat, "the bot moves by itself"
        action = self._chance.choice(legal_actions(self.state, seat))
        self.happen(seat, action, call_uno=len(self.state.hands[seat]) == 2)

    def happen(self, seat: int, action: Move, *, call_uno: bool = False) -> None:
        """Lets a seat do something; raises `Refused` when it may not."""
        self.history.extend(apply(self.state, seat, action, call_uno))

    def _deal(self) -> None:
        seed = round_seed(self._seed, self.state.round + 1)
        self.history.extend(start_round(self.state, SeededChance(seed, bytes(32))))

    # ------------------------------------------------------------------ judging

    def judge(self, act: Act) -> ServerMessage:
        """The verdict on an answer to the open question, which then has its effect; three refusals close it."""
        decision = self.decision
        if decision is None or act.decision_id != decision.decision_id:
            sentence = f"decision {act.decision_id} is not open; wait for the next one."
            return messages.refused(act, "STALE_DECISION", sentence, left=0)
        action = self._action(decision, act)
        own = action.target if action is not None and action.kind == Kind.CATCH else NO_TARGET
        # A catch that the action makes itself is left to it, as a server does.
        riding = [seat for seat in dict.fromkeys(act.catch_seats) if seat != own]
        caught = [self._catch(seat) for seat in riding]
        verdict = self._verdict(decision, act)
        verdict.act_result.refused_catches.extend(
            [_refused_catch(seat, refusal) for seat, refusal in zip(riding, caught, strict=True) if refusal is not None]
        )
        return verdict

    def settle(self, decision: Decision) -> None:
        """Closes the open question with this receipt, whatever became of it."""
        self.previous = messages.receipt(decision.decision_id)
        self.decision = None

    def _verdict(self, decision: Decision, act: Act) -> ServerMessage:
        if act.WhichOneof("answer") is None:
            return self._refused(decision, "INVALID_ARGUMENT", "the act says neither choice nor action; set one.")
        action = self._action(decision, act)
        if action is None:
            valid = f"valid are 0 to {len(decision.legal_actions) - 1}"
            return self._refused(decision, "CHOICE_OUT_OF_RANGE", f"choice {act.choice} is none; {valid}.")
        if action.kind != Kind.PASS or decision.kind != DecisionKind.DECISION_KIND_REACTION:
            try:
                self.happen(self.seat, action, call_uno=act.call_uno)
            except Refused as refusal:
                return self._refused(decision, Reason(refusal.reason).name, f"{refusal.sentence}.")
        if action.kind in _APART and decision.kind != DecisionKind.DECISION_KIND_REACTION:
            return messages.accepted(decision, closes=False)
        self.settle(decision)
        return messages.accepted(decision)

    def _refused(self, decision: Decision, reason: str, sentence: str) -> ServerMessage:
        self._refusals += 1
        left = REFUSALS - self._refusals
        if not left:
            self.settle(decision)
        return messages.refused(decision, reason, sentence, left=left)

    def _catch(self, seat: int) -> Refused | None:
        try:
            self.happen(self.seat, catch(seat))
        except Refused as refusal:
            return refusal
        return None

    @staticmethod
    def _action(decision: Decision, act: Act) -> Move | None:
        """The action that an answer means; `None` when it means none."""
        if act.WhichOneof("answer") == "action":
            return action_value(act.action)
        if act.WhichOneof("answer") is None or act.choice >= len(decision.legal_actions):
            return None
        chosen = decision.legal_actions[act.choice]
        target = chosen.target if chosen.HasField("target") else NO_TARGET
        return Move(chosen.kind, chosen.card, chosen.color, target)


def _refused_catch(seat: int, refusal: Refused) -> RefusedCatch:
    return RefusedCatch(seat=seat, reason=int(refusal.reason), message=f"{refusal.sentence}.")  # type: ignore[arg-type]


def _clock() -> Clock:
    clock = Clock()
    clock.limit.FromSeconds(2)
    clock.bank.FromSeconds(60)
    clock.reaction.FromMilliseconds(500)
    clock.start_up.FromSeconds(30)
    clock.grace.FromSeconds(40)
    return clock
