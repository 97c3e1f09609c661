"""What bots of the full simulation do, and do wrong.

Here: `Habits` and the kinds of bots. Not here: how they do it (`bot_client`, `wild`).
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How likely a bot does something, at each decision unless said otherwise; all 0 is a flawless one."""

    ignores: float = 0.0
    """Does not answer."""
    late: float = 0.0
    """Answers about when its time is over, just before or after."""
    wrong: float = 0.0
    """Answers something that is refused, and corrects itself or not."""
    apart: float = 0.0
    """Calls UNO or catches somebody by itself before it plays."""
    catches: float = 0.0
    """Accuses whoever comes to mind."""
    leaves: float = 0.0
    cuts: float = 0.0
    """Loses its connection."""
    mute: float = 0.0
    """Loses what the server says, while the server hears it well."""
    dies: float = 0.0
    """Its process ends, and comes back or not."""
    twins: float = 0.0
    """A second process comes with the same identity."""
    stalls: float = 0.0
    """Does not read for a while."""
    blocks: float = 0.0
    """Does nothing at all for a while, reading and writing included."""
    repeats: float = 0.0
    """Sends an answer once more: at once, later, or on the next stream."""
    reorders: float = 0.0
    """Holds an answer back until after the next one."""
    strays: float = 0.0
    """Answers decisions that are closed, another's, or nobody's."""
    floods: float = 0.0
    rubbish: float = 0.0
    """Sends bytes that are no message, or messages that must not come."""
    never_comes: float = 0.0
    """Does not connect at all (once a bot)."""
    silent: bool = False
    """Does not answer heartbeats."""
    forgets: bool = False
    """Does not acknowledge the ends of tables until it comes back for them."""

    @property
    def is_flawless(self) -> bool:
        """Whether nothing it does may be held against it."""
        return self in (FLAWLESS, HARMLESS)


FLAWLESS = Habits()
HARMLESS = Habits(repeats=0.3, reorders=0.1, apart=0.0, forgets=True)
"""Does nothing wrong, but says it more than once."""
CLUMSY = Habits(wrong=0.1, strays=0.1, repeats=0.2, catches=0.1, apart=0.1)
SLOW = Habits(ignores=0.05, late=0.2, repeats=0.1, blocks=0.03)
SHAKY = Habits(cuts=0.15, mute=0.05, repeats=0.2, ignores=0.01)
DYING = Habits(dies=0.1, twins=0.05, cuts=0.05, forgets=True)
STALLING = Habits(stalls=0.2, silent=True, late=0.02)
WILD = Habits(
    ignores=0.05,
    late=0.1,
    wrong=0.2,
    apart=0.1,
    catches=0.2,
    leaves=0.01,
    cuts=0.05,
    mute=0.05,
    dies=0.03,
    twins=0.03,
    stalls=0.03,
    blocks=0.03,
    repeats=0.4,
    reorders=0.2,
    strays=0.2,
    floods=0.01,
    rubbish=0.03,
)
DEAD = Habits(ignores=1.0)
ABSENT = Habits(never_comes=1.0)

KINDS: tuple[tuple[str, Habits], ...] = (
    *[("flawless", FLAWLESS)] * 5,
    ("harmless", HARMLESS),
    ("clumsy", CLUMSY),
    ("slow", SLOW),
    ("shaky", SHAKY),
    ("dying", DYING),
    ("stalling", STALLING),
    ("wild", WILD),
    ("flooding", replace(CLUMSY, floods=0.02)),
    ("dead", DEAD),
    ("absent", ABSENT),
)
