"""Checks of questions: every kind of decision is answered, in a form that can be understood, whatever is in it.

Not here: calling UNO (`calling`), refusals (`refusals`), when an answer is due (`timing`). May import `bench`,
`checking`, `forms`, `messages`, `tables`, `lastcard.rules`, `lastcard.v1`.
"""

from lastcard.conform import messages
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, check
from lastcard.conform.forms import judged, visits, well_formed
from lastcard.conform.tables import Table
from lastcard.rules.actions import DRAW, play
from lastcard.rules.cards import FACES
from lastcard.v1.play_service_pb2 import ServerMessage
from lastcard.v1.table_pb2 import Decision, DecisionKind

UNKNOWN_KIND, UNKNOWN_ACTION, UNKNOWN_CARD, UNKNOWN_COLOR = 77, 55, 0x70, 9
"""Values that no client knows yet."""

_UNANSWERED = "a question without a valid answer costs the bank, and then the server makes the move"


async def _asked(bench: Bench, kind: DecisionKind.ValueType, *tables: Table) -> None:
    """Asks a question of this kind at each table; each must get an answer that the rules accept."""
    async for talk, table in visits(bench, *tables):
        decision = talk.ask(table)
        assert decision.kind == kind, f"the position of {table.table_id} asks for {decision.kind}"
        await judged(talk, table, decision)


@check(
    "turn",
    Level.REQUIRED,
    "answers a TURN decision: play or draw",
    proves=_UNANSWERED,
    advice="answer every Decision with an Act of its table_id and decision_id; choice 0 is always legal",
)
async def turn(bench: Bench) -> None:
    """With plays, a wild and a draw to choose from; and with nothing but a draw."""
    choice = Table("choice", position={"hands": ["R3 Y5 B7 W", "*7", "*7"], "discard": "G1 R5"})
    nothing = Table("nothing", position={"hands": ["R3 Y5 B7", "*7"], "discard": "G1"})
    await _asked(bench, DecisionKind.DECISION_KIND_TURN, choice, nothing)


@check(
    "drawn-card",
    Level.REQUIRED,
    "answers a DRAWN_CARD decision: play the card just drawn or keep it",
    proves=_UNANSWERED,
    advice="after a draw of a playable card the same seat is asked again; legal_actions has the play and KEEP",
)
async def drawn_card(bench: Bench) -> None:
    """The card just drawn fits."""
    table = Table("drawn", position={"hands": ["B2 Y7 G1", "*7"], "pile": "R9 *", "discard": "R5"})
    table.happen(0, DRAW)
    await _asked(bench, DecisionKind.DECISION_KIND_DRAWN_CARD, table)


@check(
    "penalty",
    Level.REQUIRED,
    "answers a PENALTY decision: accept, challenge or stack",
    proves=_UNANSWERED,
    advice="legal_actions has ACCEPT always, CHALLENGE behind a wild draw four, plays where cards may be stacked",
)
async def penalty(bench: Bench) -> None:
    """Behind a wild draw four, and behind a draw two on which another may be laid."""
    challenge = Table("challenge", position={"hands": ["R1 Y7 B1", "*7"], "discard": "R3 W4/G", "pending": 4})
    position = {"hands": ["RD Y7 B1", "*7"], "discard": "BD", "pending": 2}
    stack = Table("stack", options={"stack_draw_two": "same"}, position=position)
    await _asked(bench, DecisionKind.DECISION_KIND_PENALTY, challenge, stack)


@check(
    "color",
    Level.REQUIRED,
    "answers a COLOR decision: name the colour of a wild that opened the round",
    proves=_UNANSWERED,
    advice="legal_actions has CHOOSE_COLOR four times, which have a colour and no card",
)
async def color(bench: Bench) -> None:
    """A wild lies on the table before the first turn."""
    await _asked(
        bench, DecisionKind.DECISION_KIND_COLOR, Table("opening", position={"hands": ["*7", "*7"], "flip": "W"})
    )


@check(
    "reaction",
    Level.REQUIRED,
    "answers a REACTION decision, which comes when it is not its turn",
    proves="who does not answer is waited for until the time of all reactions is over, and never jumps in or catches",
    advice="legal_actions ends with PASS; view.turn_seat is another seat, which must not keep the bot from answering",
)
async def reaction(bench: Bench) -> None:
    """A jump-in is possible; a seat can be caught; and the same without a deadline, as where reactions are open."""
    jump = Table("jump", options={"jump_in": "identical"}, seat=2, position=_red_five("R5 B2 Y3", "R5 Y7 B3 B4"))
    catch = Table("catch", seat=2, position=_red_five("R4 B2 Y3", "R5 Y7"))
    standing = Table("standing", seat=2, position=_red_five("R4 B2 Y3", "R5 Y7"))
    for table in (jump, catch, standing):
        table.happen(0, play(FACES["R5"]))
    async for talk, table in visits(bench, jump, catch, standing):
        decision = table.ask()
        assert decision.kind == DecisionKind.DECISION_KIND_REACTION, f"{table.table_id} asks for {decision.kind}"
        if table is standing:
            decision.ClearField("time_left")
        talk.send(*table.news(decisions_only=talk.decisions_only), ServerMessage(decision=decision))
        await judged(talk, table, decision)


def _red_five(own: str, other: str) -> dict[str, object]:
    """Before seat 0 plays a red five; the bot sits at seat 2."""
    return {"hands": [other, "*7", own], "discard": "R3"}


@check(
    "answer-form",
    Level.REQUIRED,
    "sets choice or action in every answer, choice 0 included, and nothing that does not exist",
    proves="an answer that cannot be understood is refused, and the third refusal counts as a timeout",
    advice="set one of choice and action; choice counts from 0 and is less than the number of legal_actions",
)
async def answer_form(bench: Bench) -> None:
    """Questions with one legal action, with two and with many; and one in which somebody can be caught."""
    one = Table("one", position={"hands": ["R3 Y5 B7", "*7"], "discard": "G1"})
    two = Table("two", position={"hands": ["R3 Y5 B7", "*7"], "discard": "R1"})
    many = Table("many", position={"hands": ["R1 R2 R3 R4 R5 R6 R7 R8 W W4", "*7"], "discard": "R9"})
    forgot = Table("forgot", seat=1, position={"hands": ["R5 Y7", "R4 B2 Y3", "*7"], "discard": "R3"})
    forgot.happen(0, play(FACES["R5"]))
    async for talk, table in visits(bench, one, two, many, forgot):
        decision = talk.ask(table)
        act = await talk.answer(decision)
        well_formed(decision, act)
        talk.send(table.judge(act))


@check(
    "largest-question",
    Level.REQUIRED,
    "answers a decision with ten seats, a long hand and 34 legal actions",
    proves="tables have up to ten seats and hands have no limit; who counts on less fails in the middle of a game",
    advice="reserve no fixed room for seats, cards or actions",
)
async def largest_question(bench: Bench) -> None:
    """As many legal actions as there can be, and a long discard pile."""
    hand = "W W W W W4 W4 W4 W4 R0 R1 R2 R3 R4 R5 R6 R7 R8 RS RV RD Y9 G9 B9 B1 B2 B3 B4 B5 B6"
    discard = "G1 G2 G3 G4 G5 G6 G7 G8 GS GV GD R9"
    position = {"hands": [hand, *["*2"] * 9], "discard": discard}
    table = Table("wide", options={"seven_swap": True}, position=position)
    async for talk, _ in visits(bench, table):
        await judged(talk, table, talk.ask(table))


@check(
    "unknown-cards",
    Level.REQUIRED,
    "answers a decision with cards, colours, actions and rules that it does not know, by index",
    proves="a newer server has more of them; the game must go on all the same",
    advice="read enums as numbers, expect no value to be known, and answer with choice",
)
async def unknown_cards(bench: Bench) -> None:
    """One unknown thing after the other, then all at once."""
    table = Table("newer", position={"hands": ["R3 Y5 B7 W", "*7", "*7"], "discard": "G1 R5"})
    async for talk, _ in visits(bench, table):
        for change in (_new_kind, _new_action, _new_card, _new_rules, _new_everything):
            decision = table.ask()
            change(decision)
            talk.send(ServerMessage(decision=decision))
            act = await talk.answer(decision)
            well_formed(decision, act)
            if act.WhichOneof("answer") == "action" and act.action.kind == UNKNOWN_ACTION:
                raise Failed(
                    f"it sent an action of the unknown kind {UNKNOWN_ACTION}; choose what you do not know by index"
                )
            table.settle(decision)
            talk.send(messages.accepted(decision))


def _new_kind(decision: Decision) -> None:
    decision.kind = UNKNOWN_KIND  # type: ignore[assignment] # enums are open: that is what is tried


def _new_action(decision: Decision) -> None:
    added = decision.legal_actions.add(card=UNKNOWN_CARD, color=UNKNOWN_COLOR)
    added.kind = UNKNOWN_ACTION  # type: ignore[assignment]


def _new_card(decision: Decision) -> None:
    decision.view.hand.append(UNKNOWN_CARD)  # type: ignore[arg-type]
    decision.view.discard.append(UNKNOWN_CARD)  # type: ignore[arg-type]
    decision.view.active_color = UNKNOWN_COLOR  # type: ignore[assignment]


def _new_rules(decision: Decision) -> None:
    rules = decision.view.ruleset
    rules.preset = "galactic"
    rules.options.add(name="black_hole", value="every_second")
    rules.options.add(name="seven_swap", value="sometimes")


def _new_everything(decision: Decision) -> None:
    for change in (_new_kind, _new_action, _new_card, _new_rules):
        change(decision)
    messages.with_unknown_fields(decision)


CHECKS: tuple[Check, ...] = (
    turn,
    drawn_card,
    penalty,
    color,
    reaction,
    answer_form,
    largest_question,
    unknown_cards,
)
