"""A bot whose thinking is done by a program that reads and writes lines of JSON.

Here: `Bridge`, which tells the program what happens and takes its answers. Not here: lines (`json_lines`), the process
(`program`). Imports `answers`, `bot`, `json_lines` and `lastcard.v1`.

Each line with a decision is answered by one line, in the order of the decisions, or by lines that name table and
decision in any order. So a program that reads and writes in turn needs no ids, and its answer to a decision that was
closed meanwhile is not taken for one to the next.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from lastcard.v1.event_pb2 import Event
from lastcard.v1.play_service_pb2 import (
    DecisionClosed,
    Notice,
    Seated,
    ServerMessage,
    TableClosed,
    TableEvents,
    TableSnapshot,
)
from lastcard.v1.reason_pb2 import Reason
from lastcard.v1.table_pb2 import ActResult, Decision, Receipt
from lastcard_bot.answers import fallback
from lastcard_bot.bot import Answer, AsyncBot, Refusal, Reply
from lastcard_bot.json_lines import Leaving, Needless, NoMessageError, NoObjectError, Said, line_of, said_by
from lastcard_bot.outputs import Key

log = logging.getLogger("lastcard_bot")

ATTEMPTS = 3
"""Answers to one decision that may be no messages before another legal action is taken."""
KEPT_CLOSED = 1024
"""Closed decisions whose answers a program may still owe; one that owes more does not answer at all."""
SHOWN_STRAYS = 20
"""Lines that were no answers of which the log tells."""


@dataclass(slots=True, eq=False)
class _Asked:
    """A line with a decision that the program has not answered; `answer` is cancelled once it is closed."""

    key: Key
    answer: asyncio.Future[Answer]


class Bridge(AsyncBot):
    """Passes on what a bot is asked and told, one line each, and what the program says.

    `write` takes a line for the program. With `events` it is told what happens at the tables, not only what is asked.
    """

    def __init__(
        self, write: Callable[[str], None], *, name: str = "", events: bool = False, most_open: int = 1
    ) -> None:
        self.name = name
        self.max_open_decisions = most_open
        self._write = write
        self._events = events
        self._asked: list[_Asked] = []
        self._unanswered: dict[Key, int] = {}
        """Decisions that were closed before the program answered, and of whose end it is still to be told: how many
        lines it had written when it was asked."""
        self._refused: dict[Key, Answer] = {}
        self._strays = 0
        self._heard = 0

    def wants_events(self) -> bool:
        """Whether the program is told events."""
        return self._events

    # What happens at the tables.

    async def choose(self, view: object, legal_actions: object) -> Reply:
        """Is never called: `decide` asks the program itself."""
        raise NotImplementedError

    async def decide(self, decision: Decision) -> Reply:
        """Asks the program."""
        return await self._ask(decision)

    async def on_refused(self, decision: Decision, refusal: Refusal) -> Reply | None:
        """Asks the program again; the same answer once more is replaced by another legal action."""
        key = (decision.table_id, decision.decision_id)
        former = self._refused.get(key)
        self._tell_refusal(key, refusal)
        answer = await self._ask(decision)
        return None if answer == former else answer

    async def on_seated(self, seated: Seated) -> None:
        """Tells of a seat."""
        self._tell(ServerMessage(seated=seated))

    async def on_event(self, table_id: str, event: Event) -> None:
        """Tells of an event."""
        self._tell(ServerMessage(table_events=TableEvents(table_id=table_id, events=[event])))

    async def on_snapshot(self, snapshot: TableSnapshot) -> None:
        """Tells of a table's state."""
        self._tell(ServerMessage(table_snapshot=snapshot))

    async def on_notice(self, notice: Notice) -> None:
        """Tells of presence and the server."""
        self._tell(ServerMessage(notice=notice))

    async def on_receipt(self, table_id: str, receipt: Receipt) -> None:
        """Tells of a decision that was closed without an answer of the program."""
        key = (table_id, receipt.decision_id)
        self._refused.pop(key, None)
        if key in self._unanswered:
            if self._unanswered.pop(key) == self._heard and receipt.timed_out:
                log.warning("the program wrote no line after it was asked decision %d of table %s", key[1], key[0])
            reason = Reason.REASON_TURN_EXPIRED if receipt.timed_out else Reason.REASON_STALE_DECISION
            closed = DecisionClosed(table_id=table_id, decision_id=receipt.decision_id, reason=reason, receipt=receipt)
            self._tell(ServerMessage(decision_closed=closed))

    async def on_table_closed(self, closed: TableClosed) -> None:
        """Tells of the end of a table."""
        self._unanswered = {key: heard for key, heard in self._unanswered.items() if key[0] != closed.table_id}
        self._refused = {key: answer for key, answer in self._refused.items() if key[0] != closed.table_id}
        self._tell(ServerMessage(table_closed=closed))

    # What the program says.

    def hear(self, line: str) -> None:
        """Takes a line of the program."""
        self._heard += 1
        if not line.strip():
            return
        try:
            said = said_by(line)
        except NoObjectError as error:
            self._stray(str(error))
            return
        except NoMessageError as error:
            self._hear_nonsense(error)
            return
        match said:
            case Said():
                self._hear_answer(said)
            case Leaving(table_id):
                self.leave(table_id)
            case Needless(kind):
                self._stray(f"{kind} is left to the bridge, which says it when it is due; say act or leave")

    def _hear_answer(self, said: Said) -> None:
        asked = self._asked_by(said.table_id, said.decision_id)
        if asked is None:
            which = f"decision {said.decision_id}" if said.decision_id else "nothing"
            self._stray(f"an answer came to {which} that waits for one; one line answers each decision")
        elif not asked.answer.done():
            self._refused[asked.key] = said.answer
            asked.answer.set_result(said.answer)

    def _hear_nonsense(self, error: NoMessageError) -> None:
        asked = self._asked_by("", 0)
        if asked is None:
            self._stray(str(error))
        elif not asked.answer.done():
            asked.answer.set_exception(error)

    def _asked_by(self, table_id: str, decision_id: int) -> _Asked | None:
        """Takes the decision that an answer is for from those that wait; what it leaves out may be anything."""
        for place, asked in enumerate(self._asked):
            if table_id in ("", asked.key[0]) and decision_id in (0, asked.key[1]):
                return self._asked.pop(place)
        return None

    def _forget_old(self) -> None:
        """Waits no longer for answers to the decisions that were closed first, when too many are owed."""
        closed = [asked for asked in self._asked if asked.answer.done()]
        for asked in closed[:-KEPT_CLOSED]:
            self._asked.remove(asked)

    def _stray(self, sentence: str) -> None:
        """Says what was wrong with a line, for as many as one wants to read."""
        self._strays += 1
        if self._strays <= SHOWN_STRAYS:
            log.warning("%s", sentence)
        if self._strays == SHOWN_STRAYS:
            log.warning("%d lines of the program were no answers; further ones are not told", SHOWN_STRAYS)

    # What both need.

    async def _ask(self, decision: Decision) -> Answer:
        """The program's answer to a decision, or another legal action when it says nothing that can be understood."""
        key = (decision.table_id, decision.decision_id)
        for attempt in range(1, ATTEMPTS + 1):
            asked = _Asked(key, asyncio.get_running_loop().create_future())
            self._asked.append(asked)
            self._forget_old()
            heard = self._heard
            self._tell(ServerMessage(decision=decision))
            try:
                return await asked.answer
            except NoMessageError as error:
                self._stray(f"answer to decision {key[1]} of table {key[0]}: {error}")
                if attempt < ATTEMPTS:
                    self._tell_refusal(key, Refusal(str(error), refusals_left=ATTEMPTS - attempt))
            except asyncio.CancelledError:
                self._unanswered[key] = heard
                raise
        return Answer(fallback(decision))

    def _tell_refusal(self, key: Key, refusal: Refusal) -> None:
        result = ActResult(
            table_id=key[0],
            decision_id=key[1],
            reason=refusal.reason,
            protocol_reason=refusal.protocol_reason,
            message=refusal.message,
            refusals_left=refusal.refusals_left,
        )
        self._tell(ServerMessage(act_result=result))

    def _tell(self, message: ServerMessage) -> None:
        self._write(line_of(message))
