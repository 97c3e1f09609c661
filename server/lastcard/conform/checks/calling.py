"""Checks of calling UNO: whenever a play leaves one card, and never otherwise.

Not here: other answers (`questions`). May import `bench`, `checking`, `forms`, `tables`, `lastcard.rules`,
`lastcard.v1`.
"""

from collections.abc import Sequence

from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, check
from lastcard.conform.forms import chosen, judged, visits, words
from lastcard.conform.tables import Table
from lastcard.rules.actions import DRAW, play
from lastcard.rules.cards import FACES
from lastcard.v1.action_pb2 import ActionKind
from lastcard.v1.table_pb2 import Act, Decision

_MUST_PLAY = {"voluntary_draw": "forbidden", "drawn_card": "must_play", "false_uno_penalty": 2}
"""Who can play must, so that the bot has no other way; and a false call costs two cards."""

_ADVICE = (
    "set call_uno on the play after which your hand has one card: the second to last, or a seven that swaps (its "
    "action has a target) or a zero under zero_rotate that brings such a hand; see `leaves_one_card` of the SDKs"
)


def _forced(name: str, hands: Sequence[str], top: str = "R9", *, direction: int = 1, **rules: object) -> Table:
    """A position in which the bot, at seat 0, has to play."""
    position = {"hands": list(hands), "discard": top, "direction": direction, "pile": "R8 *"}
    return Table(name, options={**_MUST_PLAY, **rules}, position=position)


def _calls(acts: Sequence[Act]) -> bool:
    """Whether UNO was called with the play, or by itself before it."""
    apart = any(act.WhichOneof("answer") == "action" and act.action.kind == ActionKind.ACTION_KIND_UNO for act in acts)
    return apart or acts[-1].call_uno


def _position(decision: Decision, acts: Sequence[Act]) -> str:
    """What it did and out of which hand."""
    return f"it played {words(chosen(decision, acts[-1]))} out of a hand of {len(decision.view.hand)}"


async def _must_call(bench: Bench, why: str, *tables: Table) -> None:
    async for talk, table in visits(bench, *tables):
        decision = talk.ask(table)
        acts = await judged(talk, table, decision)
        if not _calls(acts):
            raise Failed(f"{_position(decision, acts)}, {why}, and did not call UNO")


@check(
    "calls-uno",
    Level.REQUIRED,
    "calls UNO with the play that leaves one card",
    proves="who does not call can be caught and draws two cards, which loses most games",
    advice=_ADVICE,
)
async def calls_uno(bench: Bench) -> None:
    """A number, a wild, and a card just drawn."""
    drawn = _forced("drawn", ["B2", "*7"])
    drawn.happen(0, DRAW)
    tables = (_forced("number", ["R3 R5", "*7"]), _forced("wild", ["W B5", "*7"]), drawn)
    await _must_call(bench, "which leaves one", *tables)


@check(
    "calls-uno-after-swap",
    Level.RECOMMENDED,
    "calls UNO with a seven that swaps its hand for one card",
    proves="with seven_swap the hand that counts is the one that the swap brings",
    advice=_ADVICE,
)
async def calls_uno_after_swap(bench: Bench) -> None:
    """Every other seat holds one card."""
    table = _forced("swap", ["R7 B2 B3 G4", "R1", "G1"], seven_swap=True)
    await _must_call(bench, "which brings a hand of one card by the swap (seven_swap)", table)


@check(
    "calls-uno-after-rotation",
    Level.RECOMMENDED,
    "calls UNO with a zero that rotates a hand of one card to it",
    proves="with zero_rotate the hand that counts is that of the seat before, in the direction of play",
    advice=_ADVICE,
)
async def calls_uno_after_rotation(bench: Bench) -> None:
    """Once in each direction."""
    clockwise = _forced("clockwise", ["R0 B2 B3", "*7", "G1"], zero_rotate=True)
    counter = _forced("counter", ["R0 B2 B3", "G1", "*7"], direction=-1, zero_rotate=True)
    await _must_call(bench, "which brings a hand of one card by the rotation (zero_rotate)", clockwise, counter)


@check(
    "no-false-call",
    Level.REQUIRED,
    "does not call UNO when more or less than one card is left",
    proves="where the rules punish a false call (false_uno_penalty) it costs cards each time",
    advice=_ADVICE,
)
async def no_false_call(bench: Bench) -> None:
    """Two cards left, none left, a hand of seven after a swap and after a rotation, and a draw."""
    tables = (
        _forced("three", ["R3 R5 R6", "*7"]),
        _forced("last", ["R3", "*7"]),
        _forced("swap", ["R7 B2", "*7", "*6"], seven_swap=True),
        _forced("rotation", ["R0 B2", "*7", "*6"], zero_rotate=True),
        _forced("draw", ["B2 G4", "*7"]),
    )
    async for talk, table in visits(bench, *tables):
        decision = talk.ask(table)
        acts = await judged(talk, table, decision)
        if _calls(acts):
            left = table.view().hand_counts[0]
            raise Failed(f"{_position(decision, acts)} and called UNO, though that leaves {left} cards")


@check(
    "catches",
    Level.RECOMMENDED,
    "catches who forgot to call, where a catch costs nothing",
    proves="a seat that is caught draws two cards; the others catch yours",
    advice="put view.catchable_seats into catch_seats of the next answer, unless false_catch_penalty is set",
)
async def catches(bench: Bench) -> None:
    """In its own turn, directly behind a play without a call."""
    table = Table("forgot", seat=1, position={"hands": ["R5 Y7", "R4 B2 Y3", "*7"], "discard": "R3"})
    table.happen(0, play(FACES["R5"]))
    async for talk, _ in visits(bench, table):
        decision = talk.ask(table)
        assert list(decision.view.catchable_seats) == [0], "nobody can be caught in the position of catches"
        acts = await judged(talk, table, decision)
        apart = [act.action.target for act in acts if act.action.kind == ActionKind.ACTION_KIND_CATCH]
        if 0 not in (*apart, *(seat for act in acts for seat in act.catch_seats)):
            raise Failed("it caught nobody, though seat 0 forgot to call and stood in view.catchable_seats")


CHECKS: tuple[Check, ...] = (calls_uno, calls_uno_after_swap, calls_uno_after_rotation, no_false_call, catches)
