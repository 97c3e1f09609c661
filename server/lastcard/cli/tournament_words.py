"""What happens in a tournament, in words: one sentence a notice, and the faults of a game.

Here: sentences. Not here: the ranking's text (`tournament_ranking`), who shows them (`tournament_view`). May import
`lastcard.tournament`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from lastcard.cli.counted import count
from lastcard.tournament import notices
from lastcard.tournament.balance import balance_text
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.formats import FORMATS
from lastcard.tournament.ledger import Row
from lastcard.tournament.notices import Notice
from lastcard.tournament.outlook import designed
from lastcard.tournament.rulings import FORFEITED
from lastcard.tournament.scoring import Scoring


class ShownEvent(NamedTuple):
    """What a view must know of an event: `opening` are the sentences on what is played."""

    name: str
    bots: tuple[str, ...]
    scoring: Scoring
    opening: tuple[str, ...]


def shown_event(file: TournamentFile, directory: Path) -> ShownEvent:
    """What a view must know of the event of a file, whose results lie in `directory`."""
    return ShownEvent(
        file.name, tuple(bot.name for bot in file.bots), scoring_of(file), tuple(_opening(file, directory))
    )


def _opening(file: TournamentFile, directory: Path) -> Iterable[str]:
    """What is played, and what an organiser should know before."""
    orders = "every rotation" if file.seats == "rotations" else "every order of the seats"
    deals = f"{count(file.deals, 'deal')} in {orders}"
    if not file.duplicates:
        deals = f"{count(file.deals, 'set')} of {orders}, each game on a deal of its own"
    yield (
        f"{file.name}: {len(file.bots)} bots, {file.format}{_format_text(file)}, tables of {file.table_size}, "
        f"{deals}, rules {file.rules.preset}; results in {directory}"
    )
    made = designed(file)
    if made is not None:
        yield from balance_text(made)
    if FORMATS[file.format].continuous and "rounds" not in file.format_options:
        yield "it goes on until it is stopped: Ctrl-C stops after the running games, and --resume goes on"
    if file.stop == "significant":
        yield f"it ends as soon as the ranking is settled with a confidence of {100 * file.confidence:g} %"
    if file.seed is not None:
        yield f"seed {file.seed} makes the event reproducible: whoever knows it can compute the deals"


def _format_text(file: TournamentFile) -> str:
    """What the file says of its format, in brackets."""
    told = {
        key: ", ".join(value) if isinstance(value, tuple) else value
        for key, value in file.format_options.items()
        if value is not False and key != FORMATS[file.format].sets_key
    }
    return f" ({', '.join(key if value is True else f'{key} {value}' for key, value in told.items())})" if told else ""


def sentence_of(notice: Notice) -> str | None:
    """A notice in words; `None` for those that only move the progress."""
    match notice:
        case notices.Resumed(rows, torn):
            cut = f"; a last line of the ledger that was not written to its end ({count(torn, 'byte')}) is cut off"
            return f"resumed: {count(len(rows), 'game')} finished before" + (cut if torn else "")
        case notices.Complete(games):
            return f"the event is complete: all {count(games, 'game')} were played before"
        case notices.GameStarted(game, at):
            return f"game {game.game} goes on behind event {at}" if at else None
        case notices.Started(address, games, played):
            return f"arena on {address}, {count(games - played, 'game')} to play"
        case notices.Stopping(running, at_once):
            return (
                "stopping now; --resume goes on where this stops"
                if at_once
                else f"stopping after {count(running, 'running game')}; Ctrl-C again stops now"
            )
        case notices.WorkerDied(sentence) | notices.Told(sentence):
            return sentence
        case notices.StageStarted(number, title, games):
            return f"stage {number}{f', {title}' if title else ''}: {count(games, 'game')}"
        case notices.Looked(_, sentence):
            return sentence
        case notices.Verifying(records):
            return f"verifying {count(records, 'record')}"
    return _of_a_bot(notice)


def _of_a_bot(notice: Notice) -> str | None:
    match notice:
        case notices.RemoteAwaited(bot, server, token, path, wait_ms):
            told = f"LASTCARD_SERVER={server} LASTCARD_TOKEN={token} LASTCARD_BOT={bot}"
            return f"waiting up to {wait_ms / 1000:g} s for the remote bot {bot}: {told} (in {path})"
        case notices.BotReady(bot, starts, copy):
            start, which = f"start {starts}" if starts > 1 else "", f"copy {copy}" if copy > 1 else ""
            told = ", ".join(filter(None, (which, start)))
            return f"{bot} is connected" + (f" ({told})" if told else "")
        case notices.BotFailed(bot, why, in_a_row):
            return f"{bot} {why}" + (f" (failure {in_a_row} in a row)" if in_a_row > 1 else "")
        case notices.BotSetAside(bot, why):
            return f"{bot} is {why}; its games from now on are forfeited"
    return None


def faults_of(row: Row) -> list[str]:
    """The faults of a game, one line a bot."""
    by_bot: dict[str, list[str]] = {}
    for fault in row.faults:
        if not fault.evidence.startswith(FORFEITED):  # that it plays no more has been said once
            by_bot.setdefault(fault.bot, []).append(fault.kind)
    return [
        f"game {row.game}: {bot}: " + ", ".join(times(kinds.count(kind), kind) for kind in dict.fromkeys(kinds))
        for bot, kinds in by_bot.items()
    ]


def times(number: int, kind: str) -> str:
    """A kind of fault and how often there was one, as in `2 × timeout`."""
    return kind if number == 1 else f"{number} × {kind}"
