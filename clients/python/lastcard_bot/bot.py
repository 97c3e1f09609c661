"""What a bot author writes: `Bot` with blocking methods, or `AsyncBot` with coroutines.

Here: the two base classes, their settings and hooks, and `Answer`. Not here: how answers become messages (`answers`),
the stream (`session`, `connection`), how a program is run (`runner`). Imports `lastcard.v1`.

A bot has to say one thing, `choose`. Everything else has a default.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.event_pb2 import Event
from lastcard.v1.play_service_pb2 import Notice, Seated, TableClosed, TableSnapshot
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.table_pb2 import Decision, DecisionKind, Receipt
from lastcard.v1.view_pb2 import View


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with more than a choice.

    `choice` is an index into `legal_actions` or an action. `call_uno` and `catch_seats` left at `None` are decided by
    the SDK (`auto_uno`, `auto_catch`); set, they are sent as they are.
    """

    choice: int | Action
    call_uno: bool | None = None
    catch_seats: Sequence[int] | None = None


Reply = int | Action | Answer
"""What `choose` may return."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an answer did not count: by the game (`reason`), by the transport (`protocol_reason`) or, with both unset, by
    the SDK before it was sent. `refusals_left` is how many more the server allows at this decision.
    """

    message: str
    reason: Reason.ValueType = Reason.REASON_UNSPECIFIED
    protocol_reason: ProtocolReason.ValueType = ProtocolReason.PROTOCOL_REASON_UNSPECIFIED
    refusals_left: int = 2


class _Common:
    """What both kinds of bots share: settings as class attributes to be overridden, and what a running bot may ask."""

    name: str = ""
    """Name of the bot; empty for `LASTCARD_BOT`, or else the class's name in lower case."""
    version: str = ""
    """Version of the bot, for records."""
    auto_uno: bool = True
    """Whether UNO is called with every play that leaves one card, unless an `Answer` says otherwise."""
    auto_catch: bool = True
    """Whether seats that forgot their call are caught when that costs nothing, unless an `Answer` says otherwise."""
    max_tables: int = 0
    """Most tables at once; 0 for as many as the server allows."""
    max_open_decisions: int = 0
    """Most open decisions at once; 0 for no limit. The clocks of further ones wait until one closes."""

    _leave: Callable[[str], None] | None = None
    _stop: Callable[[], None] | None = None

    def attach(self, leave: Callable[[str], None], stop: Callable[[], None]) -> None:
        """Tells the bot how to reach the connection that plays it; called by the SDK."""
        self._leave, self._stop = leave, stop

    def leave(self, table_id: str) -> None:
        """Leaves a table for good; may be called from any thread while the bot runs."""
        if self._leave is None:
            raise RuntimeError("the bot is not running; leave() is for a bot that run() has started")
        self._leave(table_id)

    def stop(self) -> None:
        """Ends the run cleanly; may be called from any thread while the bot runs."""
        if self._stop is None:
            raise RuntimeError("the bot is not running; stop() is for a bot that run() has started")
        self._stop()

    def wants_events(self) -> bool:
        """Whether the server is to send events; by default exactly when a hook for them is overridden."""
        here, base = type(self), Bot if isinstance(self, Bot) else AsyncBot
        return any(getattr(here, hook) is not getattr(base, hook) for hook in ("on_event", "on_snapshot", "on_notice"))


class Bot(_Common, ABC):
    """A bot with blocking methods.

    All methods run in one worker thread, one at a time and in order, so that the stream stays alive while the bot
    thinks and a bot needs no lock. `threaded = False` calls them where the stream is read: faster for bots that answer
    within a millisecond, wrong for all others.
    """

    max_open_decisions: int = 1
    threaded: bool = True
    """Whether the methods run in a thread of their own."""

    @abstractmethod
    def choose(self, view: View, legal_actions: Sequence[Action]) -> Reply:
        """Answers a decision in the bot's own turn: an index into `legal_actions`, an action, or an `Answer`."""

    def react(self, view: View, legal_actions: Sequence[Action]) -> Reply:
        """Answers a decision out of turn (jump-in, catch, late call); by default calls and catches, never jumps in."""
        return default_reaction(view, legal_actions, catch=self.auto_catch)

    def decide(self, decision: Decision) -> Reply:
        """Answers any decision; override it to see kind, time left, bank and receipt as well."""
        if decision.kind == DecisionKind.DECISION_KIND_REACTION:
            return self.react(decision.view, decision.legal_actions)
        return self.choose(decision.view, decision.legal_actions)

    def on_refused(self, decision: Decision, refusal: Refusal) -> Reply | None:  # noqa: ARG002 - for overriding
        """Corrects a refused answer; `None`, the default, leaves it to the SDK, which takes another legal action."""
        return None

    def on_seated(self, seated: Seated) -> None:
        """Is told of a seat at a table."""

    def on_event(self, table_id: str, event: Event) -> None:
        """Is told of each numbered event of its tables, once and in order."""

    def on_snapshot(self, snapshot: TableSnapshot) -> None:
        """Is told the state of a table in place of events that the server no longer keeps."""

    def on_notice(self, notice: Notice) -> None:
        """Is told of presence and other things that are not part of the game."""

    def on_receipt(self, table_id: str, receipt: Receipt) -> None:
        """Is told the account of each closed decision, once."""

    def on_table_closed(self, closed: TableClosed) -> None:
        """Is told the end of a table and its result, once."""


class AsyncBot(_Common, ABC):
    """A bot with coroutines: thinks about many decisions at once on the event loop.

    `decide` and what it calls run as a task for each decision, which is cancelled when the decision closes. Hooks are
    awaited one after the other, in order.
    """

    @abstractmethod
    async def choose(self, view: View, legal_actions: Sequence[Action]) -> Reply:
        """Answers a decision in the bot's own turn: an index into `legal_actions`, an action, or an `Answer`."""

    async def react(self, view: View, legal_actions: Sequence[Action]) -> Reply:
        """Answers a decision out of turn (jump-in, catch, late call); by default calls and catches, never jumps in."""
        return default_reaction(view, legal_actions, catch=self.auto_catch)

    async def decide(self, decision: Decision) -> Reply:
        """Answers any decision; override it to see kind, time left, bank and receipt as well."""
        if decision.kind == DecisionKind.DECISION_KIND_REACTION:
            return await self.react(decision.view, decision.legal_actions)
        return await self.choose(decision.view, decision.legal_actions)

    async def on_refused(self, decision: Decision, refusal: Refusal) -> Reply | None:  # noqa: ARG002 - for overriding
        """Corrects a refused answer; `None`, the default, leaves it to the SDK, which takes another legal action."""
        return None

    async def on_seated(self, seated: Seated) -> None:
        """Is told of a seat at a table."""

    async def on_event(self, table_id: str, event: Event) -> None:
        """Is told of each numbered event of its tables, once and in order."""

    async def on_snapshot(self, snapshot: TableSnapshot) -> None:
        """Is told the state of a table in place of events that the server no longer keeps."""

    async def on_notice(self, notice: Notice) -> None:
        """Is told of presence and other things that are not part of the game."""

    async def on_receipt(self, table_id: str, receipt: Receipt) -> None:
        """Is told the account of each closed decision, once."""

    async def on_table_closed(self, closed: TableClosed) -> None:
        """Is told the end of a table and its result, once."""


def default_reaction(view: View, legal_actions: Sequence[Action], *, catch: bool = True) -> int:
    """The index of the safe reaction: the own late call, else a catch that costs nothing, else passing.

    With a penalty for false catches a catch is left out: somebody else may have been faster, and the penalty is ours.
    """
    kinds = [action.kind for action in legal_actions]
    wanted = [ActionKind.ACTION_KIND_UNO]
    if catch and catches_are_free(view):
        wanted.append(ActionKind.ACTION_KIND_CATCH)
    wanted += [ActionKind.ACTION_KIND_PASS, ActionKind.ACTION_KIND_KEEP]
    return next((kinds.index(kind) for kind in wanted if kind in kinds), len(kinds) - 1)


def catches_are_free(view: View) -> bool:
    """Whether a false catch costs nothing under the table's rules (the case in every preset)."""
    return all(option.name != "false_catch_penalty" or option.value == "0" for option in view.ruleset.options)
