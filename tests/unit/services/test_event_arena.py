import asyncio

from lastcard.rules.ruleset import ruleset
from lastcard.services.event_arena import EventArena
from lastcard.table.effects import CloseCause
from lastcard.table.plan import RecordFiles, SeatPlan, TablePlan, TableResult

PLAN = TablePlan(rules=ruleset("official"), seats=(SeatPlan(bot="a"), SeatPlan(bot="b")), table_id="game")
RESULT = TableResult(
    table_id="game",
    names=("a", "b"),
    cause=CloseCause.FINISHED,
    match_cause=1,
    points=(1, 0),
    places=(1, 2),
    rounds=1,
    faults=(),
    last_sequence=7,
    record_hash=bytes(32),
    decisions=3,
    started_ms=1,
    ended_ms=2,
    thinking_ms=(0, 0),
)


class Arena:
    """An arena that has dealt before anybody asks how far a table is; tables end when `over` is set."""

    address = "127.0.0.1:1"

    def __init__(self, *known: str) -> None:
        self.failed = asyncio.Event()
        self.failure: str | None = None
        self.known = set(known)
        self.over = asyncio.Event()

    def is_known(self, table_id: str) -> bool:
        return table_id in self.known

    def open_table(self, plan: TablePlan) -> str:
        assert plan.table_id is not None
        assert plan.table_id not in self.known
        self.known.add(plan.table_id)
        return plan.table_id

    def progress(self, _: str) -> tuple[int, int, tuple[int, ...]]:
        return 3, 1, ()

    async def result(self, _: str) -> TableResult:
        await self.over.wait()
        return RESULT

    def record(self, _: str) -> RecordFiles:
        return RecordFiles(record=b"record", receipts=b"receipts", record_hash=bytes(32))


async def test_a_game_that_is_only_begun_is_not_said_to_go_on_and_one_of_an_earlier_run_is() -> None:
    for known, at in (((), 0), (("game",), 3)):
        arena = Arena(*known)
        told: list[int] = []
        playing = asyncio.create_task(EventArena(arena).play(PLAN, told.append))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        assert (told, playing.done()) == ([at], False)
        arena.over.set()
        played = await playing
        assert (played.result, played.files.record, played.files.receipts) == (RESULT, b"record", b"receipts")


async def test_an_arena_that_fails_says_why() -> None:
    arena = Arena()
    arena.failure = "the disk is full; make room"
    arena.failed.set()
    sentence = await EventArena(arena).failed()  # type: ignore[arg-type]
    assert sentence == "the arena cannot store games any more: the disk is full; make room"
