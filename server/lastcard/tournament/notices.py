"""What a running tournament tells whoever looks on: one small tuple a notice.

Here: the notices. Not here: who shows them (`cli`), what leads to them (`director`). May import the standard library,
`ledger` and `schedule`.
"""

from typing import NamedTuple

from lastcard.tournament.ledger import Row
from lastcard.tournament.schedule import Game


class Started(NamedTuple):
    """The arena is up at `address`, `games` games are planned so far, of which `played` have their rows already."""

    address: str
    games: int
    played: int


class Resumed(NamedTuple):
    """An event is gone on with: the rows that are there, and of how many bytes a torn last line of the ledger was."""

    rows: tuple[Row, ...]
    torn: int


class Complete(NamedTuple):
    """Nothing is left to play of an event: its `games` were played by an earlier run."""

    games: int


class BotReady(NamedTuple):
    """A bot has connected; `starts` counts the starts of its program."""

    bot: str
    starts: int


class BotFailed(NamedTuple):
    """A bot's program failed: `why`, for the `in_a_row`-th time without a whole game between."""

    bot: str
    why: str
    in_a_row: int


class BotSetAside(NamedTuple):
    """A bot plays no more: its games from now on are forfeited."""

    bot: str
    why: str


class GameStarted(NamedTuple):
    """A game is on; one that was begun by an earlier run goes on behind event number `at`."""

    game: Game
    at: int = 0


class GameFinished(NamedTuple):
    """A game is over and its row on disk; `played` of the `games` planned so far have rows."""

    row: Row
    played: int
    games: int


class Stopping(NamedTuple):
    """The organiser wants it to end: after the `running` games, or `at_once`."""

    running: int
    at_once: bool


class WorkerDied(NamedTuple):
    """A server process died and is started again; its games go on. `sentence` says it."""

    sentence: str


class Verifying(NamedTuple):
    """All games are over and their chance is revealed: `records` records are being verified."""

    records: int


Notice = (
    Resumed
    | Complete
    | Started
    | BotReady
    | BotFailed
    | BotSetAside
    | GameStarted
    | GameFinished
    | Stopping
    | WorkerDied
    | Verifying
)
