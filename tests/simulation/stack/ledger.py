"""What was told to whom: every message that reached a client, in all runs of the server.

Here: `Ledger`, which fails by `assert` when somebody is told something else than was told before, or with a gap. Not
here: what the machines did (`watched`), what clients do with it.

A *viewer* is a seat of a table or a spectator (-1). What a viewer was told stays true for ever: across streams,
clients, and crashes of the server.
"""

from collections import Counter
from typing import TYPE_CHECKING

from lastcard.v1.play_service_pb2 import ServerMessage, TableClosed
from lastcard.v1.table_pb2 import ActResult, Decision, MatchResult
from lastcard.v1.table_service_pb2 import WatchTableResponse

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from lastcard.v1.event_pb2 import Event
    from lastcard.v1.view_pb2 import View

Viewer = tuple[str, int]
"""Table id and seat; -1 is a spectator."""

SPECTATOR = -1


class Reader:
    """One stream of one client: where it stands at each table."""

    def __init__(self, cursors: dict[str, int], *, decisions_only: bool = False) -> None:
        self.cursors = cursors
        """Last numbers that were named when the stream opened."""
        self.decisions_only = decisions_only
        self.seats: dict[str, int] = {}
        self.last: dict[str, int | None] = {}
        """Last number that came on this stream; `None` when a snapshot or the first event has to come first."""
        self.accepted: set[tuple[str, int]] = set()
        """Decisions that were closed by an answer, as far as this stream has told."""


class Ledger:
    """Everything told so far."""

    def __init__(self, reached: Counter[str]) -> None:
        self.events: dict[Viewer, dict[int, bytes]] = {}
        self.views: dict[tuple[str, int, int], bytes] = {}
        self.accepted: dict[tuple[str, int], bytes] = {}
        self.results: dict[str, MatchResult] = {}
        self.told_end: set[Viewer] = set()
        self._answers: dict[str, bytes] = {}
        self._tables: set[str] = set()
        self._questions: dict[tuple[str, int], tuple[int, bytes]] = {}
        self._reached = reached

    def known_tables(self) -> set[str]:
        """The tables that anybody was told of."""
        return self._tables

    # ------------------------------------------------------------------ streams of bots

    def hear(self, reader: Reader, message: ServerMessage) -> None:
        """Takes what came on a stream."""
        kind = message.WhichOneof("message")
        if kind == "table_events":
            table_id = message.table_events.table_id
            self.hear_events(reader, table_id, reader.seats[table_id], message.table_events.events)
        elif kind == "decision":
            decision = message.decision
            key = (decision.table_id, decision.decision_id)
            assert key not in reader.accepted, f"decision {key} is asked again though its answer was accepted"
            self.hear_decision(decision, reader.seats[decision.table_id])
        elif kind == "act_result":
            result = message.act_result
            if result.accepted and result.HasField("receipt"):
                reader.accepted.add((result.table_id, result.decision_id))
            self.hear_result(result)
        elif kind == "seated":
            self._seated(reader, message)
        elif kind == "table_snapshot":
            snapshot = message.table_snapshot
            self.hear_snapshot(
                reader, snapshot.table_id, reader.seats[snapshot.table_id], snapshot.sequence, snapshot.view
            )
        elif kind == "table_closed":
            closed = message.table_closed
            self.hear_end(closed, reader.seats.get(closed.table_id, SPECTATOR))

    def _seated(self, reader: Reader, message: ServerMessage) -> None:
        seated = message.seated
        table_id, last = seated.table_id, seated.last_sequence
        assert table_id not in reader.seats, f"seated twice at {table_id} on one stream"
        reader.seats[table_id] = seated.seat
        self._tables.add(table_id)
        cursor = reader.cursors.get(table_id)
        if cursor is not None:
            reader.last[table_id] = cursor
        elif last:
            reader.last[table_id] = None
        else:
            reader.last[table_id] = 0

    # ------------------------------------------------------------------ what streams of bots and of watchers share

    def hear_events(self, reader: Reader, table_id: str, seat: int, events: "list[Event]") -> None:
        """Events continue where the stream stands, and are what was told before under the same numbers."""
        assert not reader.decisions_only, "events came that were not wanted"
        told = self.events.setdefault((table_id, seat), {})
        last = reader.last[table_id]
        for event in events:
            number = event.sequence
            assert number == (last or 0) + 1, f"event {number} of {table_id} came after {last}"
            last = number
            data = event.SerializeToString(deterministic=True)
            known = told.setdefault(number, data)
            assert known == data, f"event {number} of {table_id} is told otherwise to {seat} than before"
            if known is not data:
                self._reached["event told again"] += 1
        reader.last[table_id] = last

    def hear_snapshot(self, reader: Reader, table_id: str, seat: int, number: int, view: "View") -> None:
        """A snapshot moves the stream on; it is what was seen before at the same number."""
        last = reader.last[table_id]
        assert last is None or number >= last, f"a snapshot of {table_id} at {number} came after event {last}"
        reader.last[table_id] = number
        self.hear_view(table_id, seat, number, view)
        self._reached["snapshot"] += 1

    def hear_view(self, table_id: str, seat: int, number: int, view: "View") -> None:
        """The view of a seat at a number is always the same."""
        data = view.SerializeToString(deterministic=True)
        known = self.views.setdefault((table_id, seat, number), data)
        assert known == data, f"seat {seat} of {table_id} sees something else at {number} than before"

    def hear_decision(self, decision: Decision, seat: int) -> None:
        """A decision that is put again is the same question."""
        key = (decision.table_id, decision.decision_id)
        actions = b"".join(action.SerializeToString(deterministic=True) for action in decision.legal_actions)
        question = (seat, actions)
        known = self._questions.setdefault(key, question)
        assert known == question, f"decision {key} is put otherwise than before"
        if known is not question:
            self._reached["decision put again"] += 1
        self.hear_view(decision.table_id, seat, decision.sequence, decision.view)

    def hear_result(self, result: ActResult) -> None:
        """An answer that closed a decision has one verdict for ever."""
        if not (result.accepted and result.HasField("receipt")):
            return
        data = result.receipt.SerializeToString(deterministic=True)
        known = self.accepted.setdefault((result.table_id, result.decision_id), data)
        assert known == data, f"decision {result.decision_id} of {result.table_id} has another receipt than before"
        if known is not data:
            self._reached["verdict told again"] += 1

    def hear_watched(self, reader: Reader, table_id: str, seat: int, message: WatchTableResponse) -> int:
        """Takes what came on a stream of a watcher; the number at which it stands."""
        kind = message.WhichOneof("message")
        self._tables.add(table_id)
        if kind == "events":
            self.hear_events(reader, table_id, seat, message.events.events)
        elif kind == "snapshot":
            self.hear_snapshot(reader, table_id, seat, message.snapshot.sequence, message.snapshot.view)
        elif kind == "decision":
            self.hear_decision(message.decision, seat)
        elif kind == "closed":
            self.hear_end(message.closed, seat)
        return reader.last[table_id] or 0

    def hear_answer(self, key: str, answer: "Message") -> None:
        """A call that is made again under the same key gets its first answer again."""
        data = answer.SerializeToString(deterministic=True)
        known = self._answers.setdefault(key, data)
        assert known == data, f"the call {key} is answered otherwise than before: {answer}"
        if known is not data:
            self._reached["call answered again"] += 1

    def hear_result_of(self, table_id: str, result: MatchResult) -> None:
        """A table that is looked at after its end came out in one way."""
        known = self.results.setdefault(table_id, result)
        assert known == result, f"{table_id} came out otherwise than was told"

    def hear_end(self, closed: TableClosed, seat: int) -> None:
        """A table ends once, in one way."""
        self.hear_result_of(closed.table_id, closed.result)
        if (closed.table_id, seat) in self.told_end:
            self._reached["end told again"] += 1
        self.told_end.add((closed.table_id, seat))
