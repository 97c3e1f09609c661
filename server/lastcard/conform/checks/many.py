"""Checks of many things at once: tables, messages and decisions in a frame, open decisions.

Not here: large frames (`frames`), time (`games`). May import `bench`, `checking`, `forms`, `messages`, `tables`,
`talk`, `lastcard.v1`.
"""

from lastcard.conform import messages
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, Skipped, check
from lastcard.conform.forms import judged, well_formed
from lastcard.conform.tables import Table
from lastcard.conform.talk import Talk
from lastcard.v1.play_service_pb2 import ServerMessage

MOST_TABLES = 8


def _tables(count: int) -> list[Table]:
    """Tables of different sizes, at which the bot has different seats."""
    return [Table(f"many-{number}", players=2 + number % 4, seat=number % 2, seed=number) for number in range(count)]


async def _at_tables(bench: Bench, tables: list[Table]) -> Talk:
    """The bot at all of them at once."""
    talk = await bench.connect()
    for table in tables[: talk.most_tables]:
        talk.send(*table.opening(decisions_only=talk.decisions_only))
        table.play_on()
    return talk


@check(
    "many-tables",
    Level.REQUIRED,
    "plays at many tables at once and takes none for another",
    proves="in a tournament a bot sits at many tables, all on one stream",
    advice="keep what you remember by table_id, and put that of the decision into the answer",
)
async def many_tables(bench: Bench) -> None:
    """Questions of several tables, one after the other, each table at another point of its game."""
    tables = _tables(MOST_TABLES)
    talk = await _at_tables(bench, tables)
    if talk.most_tables < 2:
        raise Skipped("it says max_tables 1, so that it never sits at two")
    tables = tables[: talk.most_tables]
    for _ in range(3):
        for table in tables:
            if table.play_on():
                await judged(talk, table, talk.ask(table))
    strangers = [act for act in talk.acts if act.table_id not in {table.table_id for table in tables}]
    if strangers:
        raise Failed(f"it sent an answer for table {strangers[0].table_id!r}, which was never asked")


@check(
    "all-of-a-frame",
    Level.REQUIRED,
    "reads all messages of a frame, whatever comes first in it",
    proves="the server packs all that is ready into one frame: a verdict, news and the next question",
    advice="go through PlayResponse.messages in order; each is a message of its own",
)
async def all_of_a_frame(bench: Bench) -> None:
    """A question at the beginning, in the middle and at the end of a frame."""
    table = Table()
    talk = await bench.connect(table)
    number = 0
    for before in range(3):
        table.play_on()
        decision = table.ask()
        beats = [messages.heartbeat(number + count + 1) for count in range(2)]
        number += len(beats)
        news = table.news(decisions_only=talk.decisions_only)
        talk.send(*news, *beats[:before], ServerMessage(decision=decision), *beats[before:])
        act = await talk.answer(decision)
        well_formed(decision, act)
        await talk.settle(table, decision)
    tables = [Table(f"frame-{count}", seed=count) for count in range(2)]
    if talk.most_tables >= 3:
        await _verdict_and_question(talk, tables)


async def _verdict_and_question(talk: Talk, tables: list[Table]) -> None:
    """The verdict on an answer at one table and a question of another, in one frame."""
    for table in tables:
        talk.send(*table.opening(decisions_only=talk.decisions_only))
        table.play_on()
    first, second = tables
    asked = talk.ask(first)
    verdict = first.judge(await talk.answer(asked))
    decision = second.ask()
    talk.send(verdict, *second.news(decisions_only=talk.decisions_only), ServerMessage(decision=decision))
    await talk.answer(decision)


@check(
    "decisions-in-a-frame",
    Level.REQUIRED,
    "answers all decisions of a frame that has several",
    proves="decisions of several tables that are due together come in one frame",
    advice="answer each; say max_open_decisions 1 in Hello if you think about one at a time",
)
async def decisions_in_a_frame(bench: Bench) -> None:
    """As many decisions as may be open, up to eight, in one frame."""
    tables = _tables(MOST_TABLES)
    talk = await _at_tables(bench, tables)
    most = min(MOST_TABLES, talk.most_open, talk.most_tables)
    if most < 2:
        raise Skipped("it says max_open_decisions or max_tables 1, so that it is never asked two things at once")
    for _ in range(2):
        asked = [(table, table.ask()) for table in tables[:most] if table.play_on()]
        news = [message for table, _ in asked for message in table.news(decisions_only=talk.decisions_only)]
        talk.send(*news, *(ServerMessage(decision=decision) for _, decision in asked))
        for table, decision in asked:
            await judged(talk, table, decision)


@check(
    "open-at-once",
    Level.REQUIRED,
    "answers as many decisions at once as its max_open_decisions says, without waiting for verdicts",
    proves="all their clocks run; a bot that waits for one verdict before the next answer loses them",
    advice="answer decisions as they come, or say in Hello how many may be open (max_open_decisions)",
)
async def open_at_once(bench: Bench) -> None:
    """Decisions of several tables in frames of their own; verdicts come when all are answered."""
    tables = _tables(MOST_TABLES)
    talk = await _at_tables(bench, tables)
    most = min(MOST_TABLES, talk.most_open, talk.most_tables)
    if most < 2:
        raise Skipped("it says max_open_decisions or max_tables 1, so that only one is ever open")
    asked = [(table, talk.ask(table)) for table in tables[:most] if table.play_on()]
    for _, decision in asked:
        well_formed(decision, await talk.answer(decision))
    for table, decision in asked:
        await judged(talk, table, decision)


CHECKS: tuple[Check, ...] = (many_tables, all_of_a_frame, decisions_in_a_frame, open_at_once)
