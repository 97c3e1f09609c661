"""Whether the record of a game is what its row says.

Here: the check of one record. Not here: what a record must be like (`lastcard.rules.verify`), checking many
(`director.verifier`). May import the standard library and `lastcard.rules`, so that a process that does nothing else
starts fast.
"""

from pathlib import Path
from typing import NamedTuple

from lastcard.rules.verify import verify
from lastcard.tournament.packing import unpacked


class Expected(NamedTuple):
    """A record's path in the results directory, its hash, and whether its chance must be revealed or must not be."""

    record: str
    record_hash: str
    revealed: bool


class Problem(NamedTuple):
    """A record that is not as it should be."""

    record: str
    sentence: str


def problem_of(directory: Path, expected: Expected) -> Problem | None:
    """What is wrong with a game's record: chain, rules, scores, chance; `None` if nothing."""
    record = expected.record
    try:
        found = verify(unpacked((directory / record).read_bytes()))
    except OSError as error:
        return Problem(record, f"cannot be read: {error.strerror}")
    except ValueError as error:
        return Problem(record, f"cannot be read: {error}")
    if not found.ok:
        return Problem(record, f"line {found.line}: {found.problem}")
    if found.record_hash != expected.record_hash:
        return Problem(record, f"has the hash {found.record_hash}, but {expected.record_hash} in the ledger")
    if found.revealed is not expected.revealed:
        return Problem(record, "is not yet revealed" if expected.revealed else "is revealed before its set is complete")
    return None
