"""Who the bots are: what each is, whose it is, and which versions of it played.

Here: both in words. Not here: any figure. May import the standard library and the pure modules of `tournament`.
"""

from collections.abc import Iterable, Mapping, Sequence

from lastcard.tournament.entries import BotEntry
from lastcard.tournament.ledger import Row

_SHOWN = 3
"""So many versions of a bot are shown."""
_MOST_LETTERS = 40
"""Of one version, which a bot may make as long as it likes."""


def contenders_of(bots: Sequence[BotEntry], rows: Iterable[Row]) -> dict[str, tuple[str, str]]:
    """By bot what it is, and its versions in the order in which they first played."""
    versions: dict[str, dict[str, None]] = {bot.name: {} for bot in bots}
    for row in rows:
        for name, version in zip(row.seats, row.versions, strict=False):
            if version and name in versions:
                versions[name][version] = None
    return {bot.name: (_kind(bot), _versions(versions[bot.name])) for bot in bots}


def _kind(bot: BotEntry) -> str:
    kind = f"builtin {bot.builtin}" if bot.builtin is not None else "remote" if bot.remote else "program"
    return f"{kind} of {bot.owner}" if bot.owner else kind


def _versions(found: Mapping[str, None]) -> str:
    shown = [version if len(version) <= _MOST_LETTERS else f"{version[:_MOST_LETTERS]}…" for version in found][:_SHOWN]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"version {', '.join(shown)}{more}" if shown else ""
