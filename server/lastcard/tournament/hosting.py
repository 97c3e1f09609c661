"""What a server keeps of a tournament that it hosts, beside its results directory.

Here: `Hosted` and its JSON, and which states allow what. Not here: the results directory (`results`), running it
(`director`). May import the standard library only.

The state is what is wanted, and is on disk before anything is done about it: after a crash the server does what the
state says. What has come of it stands in the results directory.
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Self

KIND = "tournament"
"""What a tournament is registered as in the journal."""


class HostedState(StrEnum):
    """How far a hosted tournament is."""

    CREATED = "created"
    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    BROKEN = "broken"
    COMPLETE = "complete"
    CANCELLED = "cancelled"


PLAYING = frozenset({HostedState.RUNNING, HostedState.PAUSING})
"""States in which a director is at work."""

OVER = frozenset({HostedState.COMPLETE, HostedState.CANCELLED})
"""States that do not end."""

STILL = frozenset({HostedState.PAUSED, HostedState.BROKEN})
"""States in which nothing happens until the organiser goes on."""

ALLOWED: dict[str, frozenset[HostedState]] = {
    "started": frozenset({HostedState.CREATED}),
    "paused": PLAYING | {HostedState.PAUSED},
    "resumed": frozenset({HostedState.PAUSING, HostedState.PAUSED, HostedState.BROKEN}),
    "cancelled": frozenset(HostedState) - {HostedState.COMPLETE},
    "changed": STILL | {HostedState.CREATED},
    "entered": STILL | {HostedState.CREATED, HostedState.COMPLETE},
    "exported": frozenset(HostedState) - {HostedState.CREATED},
    "ruled on": STILL | OVER,
}
"""What can be done with a tournament, by the states in which it can."""


@dataclass(frozen=True, slots=True)
class Hosted:
    """A hosted tournament: its number on the server, its file, how far it is and why; times in unix milliseconds."""

    number: int
    name: str
    text: str
    state: HostedState
    reason: str = ""
    mark: str = ""
    """What its tables' ids begin with, once it has begun."""
    games: int = 0
    """How many games were planned when the state changed last, and how many of them played."""
    games_played: int = 0
    created_ms: int = 0
    started_ms: int = 0
    ended_ms: int = 0
    ruling: bool = False
    """Whether a ruling was about to be written down, so that what follows from it may be missing."""

    def to_json(self) -> str:
        """What is kept, without the name."""
        fields = asdict(self)
        del fields["name"]
        return json.dumps(fields, ensure_ascii=False)

    @classmethod
    def from_json(cls, name: str, text: str) -> Self:
        """What was kept.

        Raises:
            ValueError: it is nothing of the kind.
        """
        fields = json.loads(text)
        return cls(**{**fields, "name": name, "state": HostedState(fields["state"])})


def refusal(hosted: Hosted, wish: str) -> str | None:
    """Why a tournament cannot be `started`, `paused` or whatever `ALLOWED` has, in a sentence; `None` if it can."""
    if hosted.state in ALLOWED[wish]:
        return None
    valid = [state for state in HostedState if state in ALLOWED[wish]]
    told = valid[0] if len(valid) == 1 else f"{', '.join(valid[:-1])} or {valid[-1]}"
    hint = "; pause it, and wait until it is paused" if hosted.state in PLAYING and HostedState.PAUSED in valid else ""
    return f"the tournament {hosted.name!r} is {hosted.state}; it can be {wish} while it is {told}{hint}"
