"""Checking where the games of a results directory come from: that the event has drawn them, on its own cards.

Here: what is found of it, and the event that records are held against. Not here: how it is found
(`tournament.provenance`), the ranking (`verify_figures`). May import `lastcard.tournament`, the standard library and
the bots' names.
"""

from pathlib import Path
from typing import NamedTuple

from lastcard.cli.counted import count
from lastcard.cli.record_files import LEDGER
from lastcard.cli.verify_figures import FoundFigures
from lastcard.rules.record_reader import Reveal


class Origin(NamedTuple):
    """An event whose key is open: what records reveal can be held against it."""

    key: bytes

    def difference(self, game: object, deal: object, reveal: Reveal | None) -> str | None:
        """What a record reveals that does not follow from the key, for the game and the deal in the ledger."""
        from lastcard.tournament.provenance import foreign_chance  # noqa: PLC0415 - as below

        if reveal is None or not isinstance(game, int) or not isinstance(deal, int):
            return None
        return foreign_chance(self.key, game, deal, reveal)


def verify_provenance(directory: Path) -> tuple[FoundFigures | None, Origin | None]:
    """Hold the games in the ledger of a results directory against its file and key, and the event for its records.

    There is nothing to say of an event whose key is not open yet, nor of one that cannot be read, of which the ranking
    tells why.
    """
    # Here, because single records are verified without all that formats need, which takes its time to import.
    from lastcard.tournament.provenance import foreign_game, opened_key  # noqa: PLC0415
    from lastcard.tournament.report.played import PlayedError, read_played  # noqa: PLC0415
    from lastcard_bot.bots import BOTS  # noqa: PLC0415

    path = directory / LEDGER
    try:
        played = read_played(directory, tuple(BOTS))
    except PlayedError:
        return None, None
    try:
        key = opened_key(played.file, played.state)
    except ValueError as error:
        return FoundFigures(path, str(error), what="games"), None
    if key is None:
        return None, None
    problem = foreign_game(played.file, key, played.entries)
    drawn = f"{count(len(played.entries.rows), 'game')} as file and key of the event have given them out"
    return FoundFigures(path, problem, said=drawn, what="games"), Origin(key)
