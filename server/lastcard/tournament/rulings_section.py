"""The table `[rulings]` of a tournament file: what follows from each kind of fault.

Here: reading it. Not here: what a ruling does (`rulings`, `judging`). May import the standard library, `file_section`
and `rulings`.
"""

from types import MappingProxyType

from lastcard.tournament.file_section import Section, Source, shown, unknown
from lastcard.tournament.rulings import DEFAULT_RULINGS, Fault, Policy, Ruling, Rulings

MOST_POINTS = 100_000
"""More penalty points for one fault than this would only look like a slip of the hand."""

_WORDS = tuple(ruling.value for ruling in Ruling if ruling is not Ruling.PENALTY)
_PENALTY = Ruling.PENALTY.value
_POINTS = f"a whole number from 1 to {MOST_POINTS}"
_VALID = ", ".join(f'"{word}"' for word in _WORDS) + f" and {{ {_PENALTY} = 20 }}, with {_POINTS}"


def read_rulings(source: Source, values: object) -> Rulings:
    """The rulings of a file, of which `values` is the table as it stands there, `None` when it is absent.

    Raises:
        FileError: something in it is wrong.
    """
    section = Section(source, ("rulings",), {} if values is None else values, [kind.value for kind in Fault])
    return MappingProxyType(
        {kind: _policy(section, kind) if kind in section else DEFAULT_RULINGS[kind] for kind in Fault}
    )


def _policy(section: Section, kind: Fault) -> Policy:
    value = section.raw(kind)
    if isinstance(value, dict):
        inner = Section(section.source, (*section.path, kind.value), value, (_PENALTY,))
        return Policy(Ruling.PENALTY, inner.number(_PENALTY, 1, MOST_POINTS))
    if value == _PENALTY:
        raise section.refuse(kind, f"a penalty needs its points; write {{ {_PENALTY} = 20 }}, with {_POINTS}")
    if not isinstance(value, str):
        raise section.refuse(kind, f"must be one of {_VALID}, not {shown(value)}")
    if value not in _WORDS:
        raise section.refuse(kind, unknown("ruling", value, [*_WORDS, f"{{ {_PENALTY} = 20 }}"]))
    return Policy(Ruling(value))
