"""The formats of tournaments by name, one file each, behind the contract in `contract`."""

from collections.abc import Mapping
from types import MappingProxyType

from lastcard.tournament.formats.contract import (
    Design,
    Entrant,
    Format,
    FormatError,
    Placing,
    PlayedStage,
    SetResult,
    Stage,
)
from lastcard.tournament.formats.gauntlet import Gauntlet
from lastcard.tournament.formats.knockout import Knockout
from lastcard.tournament.formats.ladder import Ladder
from lastcard.tournament.formats.round_robin import RoundRobin
from lastcard.tournament.formats.swiss import Swiss

__all__ = ["FORMATS", "Design", "Entrant", "Format", "FormatError", "Placing", "PlayedStage", "SetResult", "Stage"]

FORMATS: Mapping[str, Format] = MappingProxyType(
    {each.name: each for each in (RoundRobin(), Gauntlet(), Swiss(), Knockout(), Ladder())}
)
"""Every format by its name in the tournament file."""
