"""A recorded game as one seat saw it: what was visible, asked, answered, decided, and how long it took.

Here: questions out of the receipts, and their lines among the events. Not here: the course of the game (`show_game`),
who may see what (`lastcard.rules.view`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from lastcard.cli.show_game import INDENT, plain, shown_events
from lastcard.rules.cards import COLOR_LETTERS, TEXT
from lastcard.rules.events import Event
from lastcard.rules.position import Position
from lastcard.rules.record_reader import Record
from lastcard.rules.replay import move_of
from lastcard.rules.ruleset import ruleset
from lastcard.rules.transcript import hand_text
from lastcard.rules.view import redact
from lastcard.table.receipts_reader import Receipts


@dataclass(slots=True)
class Question:
    """One decision that the seat was asked for; times in milliseconds, absent where there is none."""

    decision: int
    kind: str
    sequence: int
    legal: list[str]
    hand: str = ""
    table: str = ""
    answers: list[str] = field(default_factory=list)
    ended: str = "still open at the end"
    took_ms: int | None = None
    charged_ms: int | None = None
    bank_left_ms: int | None = None

    def json(self) -> dict[str, Any]:
        """The question as a JSON value."""
        return asdict(self)

    def asked_lines(self) -> Iterator[str]:
        """What was asked, as lines."""
        yield f"{INDENT}? {plain(self.kind)} #{self.decision}: hand {self.hand}; {self.table}"
        yield f"{INDENT}  may: {plain(' '.join(self.legal))}"

    def lines(self) -> Iterator[str]:
        """The question as lines, with what came of it."""
        yield from self.asked_lines()
        for answer in self.answers:
            yield f"{INDENT}  {plain(answer)}"
        took = "" if self.took_ms is None else f" after {self.took_ms} ms"
        charged = [] if self.charged_ms is None else [f"charged {self.charged_ms} ms"]
        bank = [] if self.bank_left_ms is None else [f"bank left {self.bank_left_ms} ms"]
        account = f" ({', '.join(charged + bank)})" if charged or bank else ""
        yield f"{INDENT}  {plain(self.ended)}{took}{account}"


def questions(receipts: Receipts, seat: int) -> list[Question]:
    """The decisions of a seat in the order in which they were first asked, with all that came of them."""
    asked: dict[int, Question] = {}
    waiting: list[str] = []
    for item in receipts.items:
        fields = item.fields
        if fields["seat"] != seat or item.kind == "blamed":
            continue
        decision = fields["decision"]
        question = asked.get(decision)
        if item.kind == "asked":
            legal = [str(action) for action in fields["legal"]]
            asked.setdefault(decision, Question(decision, fields["kind"], fields["sequence"], legal))
        elif item.kind == "answered":
            waiting.append(_answer_text(fields, question.legal if question else []))
        elif item.kind == "judged":
            answer = waiting.pop(0) if waiting else "answered"
            if question is not None:
                _judge(question, answer, fields)
        elif question is not None:
            question.ended = f"closed: {_closed_text(fields)}"
            _account(question, fields)
    return list(asked.values())


def _answer_text(fields: Mapping[str, Any], legal: Sequence[str]) -> str:
    choice = fields.get("choice")
    if choice is None:
        text = str(fields.get("action"))
    else:
        text = legal[choice] if 0 <= choice < len(legal) else f"choice {choice}"
    call = "!" if fields["call_uno"] else ""
    catches = "".join(f", catch {seat}" for seat in fields["catch_seats"])
    return f"answered {text}{call}{catches}"


def _judge(question: Question, answer: str, fields: Mapping[str, Any]) -> None:
    if fields["accepted"]:
        verdict = "accepted"
    else:
        verdict = f"refused, {fields.get('reason', 'no reason given')}: {fields.get('sentence', '')}"
    question.answers.append(f"{answer}: {verdict}")
    for refused in fields["refused_catches"]:
        question.answers.append(f"catch {refused.get('seat')} refused, {refused.get('reason')}")
    if "receipt" in fields:
        question.ended = "answered"
        _account(question, fields)


def _closed_text(fields: Mapping[str, Any]) -> str:
    timed_out = fields.get("receipt", {}).get("timed_out", False)
    return "time ran out" if timed_out else fields["reason"]


def _account(question: Question, fields: Mapping[str, Any]) -> None:
    receipt = fields.get("receipt", {})
    if "received_ms" in receipt:
        question.took_ms = receipt["received_ms"] - receipt["sent_ms"]
    question.charged_ms = receipt.get("charged_ms")
    question.bank_left_ms = receipt.get("bank_left_ms")


def seen_events(record: Record, seat: int) -> list[Event]:
    """The events as the seat got them while the game was on."""
    rules = ruleset(record.header.preset, record.header.options)
    return [redact(event, seat, rules, False) for event in record.events]


def place(record: Record, seat: int, asked: Iterable[Question]) -> None:
    """Gives each question the hand and the table that the seat saw at it."""
    waiting = sorted(asked, key=lambda question: question.sequence)
    position = Position(len(record.header.bots))
    for sequence, event in enumerate((None, *record.events)):
        if event is not None:
            position.follow(event)
        while waiting and waiting[0].sequence <= sequence:
            question = waiting.pop(0)
            question.hand, question.table = hand_text(position.hands[seat]), table_text(position, seat)


def table_text(position: Position, seat: int | None) -> str:
    """The table around a seat, or (`None`) all of it: top card, colour, penalty, direction, cards in other hands."""
    others = " ".join(f"{other}:{len(hand)}" for other, hand in enumerate(position.hands) if other != seat)
    pending = f", {position.pending} pending" if position.pending else ""
    direction = "" if position.direction == 1 else ", counter-clockwise"
    top = TEXT.get(position.top, "none")
    who = "seats" if seat is None else "others"
    return f"top {top}, colour {COLOR_LETTERS[position.color]}{pending}{direction}; {who} hold {others}"


def seat_lines(record: Record, seat: int, receipts: Receipts | None) -> Iterator[str]:
    """The game as the seat saw it; without receipts, its hand before each of its moves stands for the questions."""
    asked = [] if receipts is None else questions(receipts, seat)
    place(record, seat, asked)
    faults = [] if receipts is None else [item.fields for item in receipts.items if item.kind == "blamed"]
    inserted: dict[int, list[str]] = {}
    for question in asked:
        inserted.setdefault(question.sequence, []).extend(question.lines())
    for fault in faults:
        if fault["seat"] == seat:
            text = f"{INDENT}FAULT {plain(fault['kind'])}: {plain(fault['evidence'])}"
            inserted.setdefault(fault["sequence"], []).append(text)
    own_hands = _hands_before_moves(record, seat) if receipts is None else {}
    yield from inserted.pop(0, ())
    for shown in shown_events(seen_events(record, seat)):
        if shown.sequence in own_hands:
            yield f"{INDENT}hand {own_hands[shown.sequence]}"
        yield from shown.lines()
        yield from inserted.pop(shown.sequence, ())
    for late in inserted.values():
        yield from late


def _hands_before_moves(record: Record, seat: int) -> dict[int, str]:
    position = Position(len(record.header.bots))
    hands = {}
    for sequence, event in enumerate(record.events, 1):
        move = move_of(event)
        if move is not None and move.seat == seat:
            hands[sequence] = hand_text(position.hands[seat])
        position.follow(event)
    return hands
