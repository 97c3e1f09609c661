"""What a table machine is set up with.

Here: `TableSetup`, `SeatRequest` and their check. Not here: names and limits of what a user may ask for (`plan`). May
import only `lastcard.rules` and `timecontrol`.
"""

from dataclasses import dataclass, field

from lastcard.rules.ruleset import Ruleset, check_players
from lastcard.rules.shuffle import DRAW_ORDERS, KEY_BYTES
from lastcard.table.timecontrol import TimeControl

IDLE_MS = 3_600_000
"""How long a table waits for players while nobody comes or goes, by default: an hour."""


class SetupError(ValueError):
    """A table cannot be set up like this; the text is a sentence that names what is valid."""


@dataclass(frozen=True, slots=True)
class SeatRequest:
    """Who is to play at a seat: the bot `bot`, the builtin `builtin`, or (neither) whoever joins.

    `name` is shown for a builtin; its own name when empty.
    """

    bot: str = ""
    builtin: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSetup:
    """All that a table's course depends on beside its commands.

    Raises:
        SetupError: a seat, key or time is not allowed.
        RulesetError: the rules are not for so many players.
    """

    rules: Ruleset
    seats: tuple[SeatRequest, ...]
    salt: bytes
    """32 bytes for the commitments of all rounds."""
    clock: TimeControl = field(default_factory=TimeControl)
    sealed: bool = False
    """Reactions are taken sealed (architecture section 4); otherwise open."""
    draws: str = "pile"
    """`pile` or `per_seat`."""
    disguise: bool = False
    """The colours of each round are renamed (`rules.disguise`)."""
    round_pause_ms: int = 0
    """Time between the end of a round and the next deal."""
    show_hands: bool = True
    """Losers' hands are shown at the end of a round."""
    opened_ms: int = 0
    """When the table was opened; `start_up` and the idle time count from here."""
    idle_ms: int = IDLE_MS
    """Time after which a table closes that waits for players while nobody comes or goes."""

    def __post_init__(self) -> None:
        check_players(self.rules, len(self.seats))
        for number, seat in enumerate(self.seats):
            if seat.bot and seat.builtin:
                raise SetupError(f"seat {number} names the bot {seat.bot!r} and the builtin {seat.builtin!r}; give one")
        if len(self.salt) != KEY_BYTES:
            raise SetupError(f"the salt has {len(self.salt)} bytes; it needs {KEY_BYTES}")
        if self.draws not in DRAW_ORDERS:
            raise SetupError(f"draws is {self.draws!r}; valid are {' and '.join(DRAW_ORDERS)}")
        clock = self.clock
        _check("limit", clock.limit_ms, 1)
        _check("bank", clock.bank_ms, 0)
        _check("reaction", clock.reaction_ms, 1)
        _check("start_up", clock.start_up_ms, 0)
        _check("grace", clock.grace_ms, 0)
        _check("round_pause", self.round_pause_ms, 0)
        _check("idle", self.idle_ms, 0)


def _check(name: str, milliseconds: int, least: int) -> None:
    if milliseconds < least:
        raise SetupError(f"{name} is {milliseconds} ms; it must be at least {least} ms")
