"""What a table is opened with and what comes of it, as plain values.

Here: `TablePlan` with its check, `TableResult`, `RecordFiles`. Not here: opening one (`host`). May import only
`lastcard.rules`, `effects`, `timecontrol`.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from lastcard.rules.ruleset import Ruleset, RulesetError, check_players
from lastcard.table.effects import Blame, CloseCause
from lastcard.table.timecontrol import MOST_CREDIT_MS, TimeControl

NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Names of bots, players and tables (play_service.proto, `Hello.bot_name`)."""

LONGEST_MS = 24 * 3_600_000
"""Longest time of a time control: a day."""


class PlanError(ValueError):
    """A plan cannot be opened; the message says what is wrong and what would be valid, `field` where."""

    def __init__(self, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlan:
    """Who is to play at a seat: a bot by name, a builtin by name, or (neither) whoever joins."""

    bot: str | None = None
    builtin: str | None = None
    name: str = ""
    """Name shown for a builtin; its own when empty. Ignored for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """All that a table is opened with."""

    rules: Ruleset
    seats: tuple[SeatPlan, ...]
    clock: TimeControl = field(default_factory=TimeControl)
    sealed: bool = False
    """Reactions are taken sealed (architecture section 4); otherwise open."""
    draws: str = "pile"
    """`pile` or `per_seat`."""
    disguise: bool = False
    """The colours of each round are renamed as salt and seed say, so that nobody knows a deal again."""
    round_pause_ms: int = 0
    deal_key: bytes | None = None
    """32 bytes from which the rounds' seeds follow; `None` for the system's generator."""
    salt: bytes | None = None
    """32 bytes for the commitments; `None` for the system's generator."""
    closed: bool = False
    """Losers' hands are not shown and the record is not given out."""
    table_id: str | None = None
    """`None` for a random one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """How a table came out; `faults` in the order in which they happened, times in unix milliseconds."""

    table_id: str
    names: tuple[str, ...]
    cause: CloseCause
    match_cause: int
    points: tuple[int, ...]
    places: tuple[int, ...]
    rounds: int
    faults: tuple[Blame, ...]
    last_sequence: int
    record_hash: bytes
    decisions: int
    started_ms: int
    ended_ms: int
    thinking_ms: tuple[int, ...]


class RecordFiles:
    """The record of a closed table and the receipts beside it, both as JSON lines.

    They are written down when they are first looked at, since most tables' are not: each of the two is given as bytes
    or as what gives them.
    """

    __slots__ = ("_receipts", "_record", "record_hash")

    def __init__(
        self, *, record: bytes | Callable[[], bytes], receipts: bytes | Callable[[], bytes], record_hash: bytes
    ) -> None:
        self._record = record
        self._receipts = receipts
        self.record_hash = record_hash

    @property
    def record(self) -> bytes:
        """The record, its chance revealed where it is open."""
        if not isinstance(self._record, bytes):
            self._record = self._record()
        return self._record

    @property
    def receipts(self) -> bytes:
        """The receipts and faults."""
        if not isinstance(self._receipts, bytes):
            self._receipts = self._receipts()
        return self._receipts


def check_plan(plan: TablePlan, builtins: Collection[str]) -> None:
    """Checks all of a plan.

    Raises:
        PlanError: players, a name, a key or a time is not allowed.
    """
    if not 2 <= len(plan.seats) <= 10:
        raise PlanError(f"a table has 2 to 10 seats, not {len(plan.seats)}", "seats")
    try:
        check_players(plan.rules, len(plan.seats))
    except RulesetError as error:
        raise PlanError(str(error), "seats") from error
    for number, seat in enumerate(plan.seats):
        _check_seat(seat, f"seats[{number}]", builtins)
    if plan.draws not in ("pile", "per_seat"):
        raise PlanError(f"draws is {plan.draws!r}; valid are pile and per_seat", "draws")
    for key, value in (("deal_key", plan.deal_key), ("salt", plan.salt)):
        if value is not None and len(value) != 32:
            raise PlanError(f"{key} has {len(value)} bytes; it needs 32, or none for a random one", key)
    if plan.table_id is not None:
        _check_name(plan.table_id, "table_id")
    _check_clock(plan.clock)
    _check_time("round_pause", plan.round_pause_ms, 0)


def _check_seat(seat: SeatPlan, path: str, builtins: Collection[str]) -> None:
    if seat.bot is not None and seat.builtin is not None:
        raise PlanError(f"{path} names the bot {seat.bot!r} and the builtin {seat.builtin!r}; give one of them", path)
    if seat.bot is not None:
        _check_name(seat.bot, f"{path}.bot_name")
    if seat.builtin is not None and seat.builtin not in builtins:
        valid = ", ".join(sorted(builtins))
        raise PlanError(f"there is no builtin {seat.builtin!r}; valid are {valid}", f"{path}.builtin")
    if seat.name:
        _check_name(seat.name, f"{path}.name")


def _check_name(name: str, path: str) -> None:
    if not NAME.fullmatch(name):
        raise PlanError(f"{path} is {name!r}; a name is 1 to 64 letters, digits, '-', '_' or '.'", path)


def _check_clock(clock: TimeControl) -> None:
    _check_time("clock.limit", clock.limit_ms, 1)
    _check_time("clock.bank", clock.bank_ms, 0)
    _check_time("clock.reaction", clock.reaction_ms, 1)
    _check_time("clock.start_up", clock.start_up_ms, 1)
    _check_time("clock.grace", clock.grace_ms, 0)
    _check_time("clock.network_credit", clock.network_credit_ms, 0, MOST_CREDIT_MS)
    _check_time("clock.network_credit_total", clock.network_credit_total_ms, 0)


def _check_time(path: str, milliseconds: int, least: int, most: int = LONGEST_MS) -> None:
    if not least <= milliseconds <= most:
        longest = f"{most} ms (a day)" if most == LONGEST_MS else f"{most} ms"
        raise PlanError(f"{path} is {milliseconds} ms; it must be {least} ms to {longest}", path)
