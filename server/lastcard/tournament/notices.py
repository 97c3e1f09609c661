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
    """A game is on."""

    game: Game


class GameFinished(NamedTuple):
    """A game is over and its row on disk; `played` of the `games` planned so far have rows."""

    row: Row
    played: int
    games: int


class Stopping(NamedTuple):
    """The organiser wants it to end: after the `running` games, or `at_once`."""

    running: int
    at_once: bool


class Verifying(NamedTuple):
    """All games are over and their chance is revealed: `records` records are being verified."""

    records: int


Notice = Started | BotReady | BotFailed | BotSetAside | GameStarted | GameFinished | Stopping | Verifying
