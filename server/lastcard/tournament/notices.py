"""What a running tournament tells whoever looks on: one small tuple a notice.

Here: the notices. Not here: who shows them (`cli`), what leads to them (`director`). May import the standard library,
`ledger`, `schedule` and `statistics`.
"""

from typing import NamedTuple

from lastcard.tournament.ledger import Row
from lastcard.tournament.schedule import Game
from lastcard.tournament.statistics import Standings


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


class RemoteAwaited(NamedTuple):
    """A remote bot is waited for: it dials in at `server` with `token`, which are in the file `path`, too."""

    bot: str
    server: str
    token: str
    path: str
    wait_ms: int


class BotReady(NamedTuple):
    """A bot has connected; `starts` counts the starts of its program, `copy` its copies from 1."""

    bot: str
    starts: int
    copy: int = 1


class BotFailed(NamedTuple):
    """A bot's program failed: `why`, for the `in_a_row`-th time without a whole game between."""

    bot: str
    why: str
    in_a_row: int


class BotSetAside(NamedTuple):
    """A bot plays no more: its games from now on are forfeited."""

    bot: str
    why: str


class StageStarted(NamedTuple):
    """A stage is on, by its number from 1: `title` says which where it has one, `games` are in it."""

    number: int
    title: str
    games: int


class Looked(NamedTuple):
    """It was looked whether the ranking is settled, so that the event can end; `sentence` says what was found."""

    settled: bool
    sentence: str


class Ranked(NamedTuple):
    """The standings as they are now, where whoever looks on does not have the rows to compute them from."""

    standings: Standings


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


class Told(NamedTuple):
    """Something that whoever looks on from elsewhere knows as a sentence alone."""

    sentence: str


class Verifying(NamedTuple):
    """All games are over and their chance is revealed: `records` records are being verified."""

    records: int


Notice = (
    Resumed
    | Complete
    | Started
    | RemoteAwaited
    | BotReady
    | BotFailed
    | BotSetAside
    | StageStarted
    | Looked
    | Ranked
    | GameStarted
    | GameFinished
    | Stopping
    | WorkerDied
    | Told
    | Verifying
)
