"""The formats of tournaments by name, one file each, behind the contract in `contract`."""

from collections.abc import Mapping
from types import MappingProxyType

from lastcard.tournament.formats.contract import Design, Format, FormatError, SetResult, Stage
from lastcard.tournament.formats.round_robin import RoundRobin

__all__ = ["FORMATS", "Design", "Format", "FormatError", "SetResult", "Stage"]

FORMATS: Mapping[str, Format] = MappingProxyType({each.name: each for each in (RoundRobin(),)})
"""Every format by its name in the tournament file."""
