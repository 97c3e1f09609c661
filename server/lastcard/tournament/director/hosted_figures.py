"""The figures of a hosted tournament, computed from its results directory.

Here: ranking and all figures as far as the ledger goes, and the refusal when they cannot be read. Not here: the
tournament (`hosted_event`), how figures are computed (`statistics`, `report`). May import the standard library,
`lastcard.table`'s values and the pure modules of `tournament`.
"""

from collections.abc import Sequence
from pathlib import Path

from lastcard.table.refusals import DomainError, TransportReason
from lastcard.tournament import ledger
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.ledger import LedgerError, read_entries
from lastcard.tournament.outlook import with_placings
from lastcard.tournament.report.played import PlayedError, read_played
from lastcard.tournament.report.written import figures_of
from lastcard.tournament.standings import standings_json
from lastcard.tournament.statistics import Standings, standings


def ranking_of(directory: Path, file: TournamentFile, last: int) -> Standings:
    """The ranking of a tournament whose ledger has `last` lines.

    Raises:
        DomainError: NOT_KEPT when the ledger cannot be read.
    """
    names = [bot.name for bot in file.bots]
    try:
        entries = list(read_entries(directory / ledger.NAME)) if last else []
    except (LedgerError, OSError) as error:
        raise unreadable(file.name, error) from error
    return with_placings(standings(entries, names, scoring_of(file)), file, entries)


def all_figures_of(
    directory: Path, file: TournamentFile, builtins: Sequence[str], last: int
) -> tuple[int, Standings, str]:
    """How many lines the ledger had, the ranking by them, and all figures as they stand in `standings.json`.

    Raises:
        DomainError: NOT_KEPT when the results cannot be read.
    """
    if not last:
        made_of_nothing = ranking_of(directory, file, last)
        return last, made_of_nothing, standings_json(made_of_nothing, file.name)
    try:
        made = figures_of(read_played(directory, builtins), scoring_of(file))
    except PlayedError as error:
        raise unreadable(file.name, error) from error
    last = len(list(made.played.entries))
    return last, made.standings, standings_json(made.standings, file.name, made.further)


def unreadable(name: str, error: Exception) -> DomainError:
    """The refusal of what a results directory cannot give or take."""
    sentence = f"the results of {name!r} cannot be read or written: {error}"
    return DomainError(TransportReason.NOT_KEPT, sentence, tournament=name)
