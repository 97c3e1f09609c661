"""How far an event is, as its results directory tells: the file `event.json`.

Here: its fields, writing and reading them. Not here: where it lies (`results`). May import the standard library and
`conduct`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lastcard.tournament.conduct import Conduct

NAME = "event.json"

RUNNING, STOPPED, COMPLETE = "running", "stopped", "complete"
_STATES = (RUNNING, STOPPED, COMPLETE)


class StateError(ValueError):
    """The text is no state of an event; a sentence says what is missing or wrong."""


@dataclass(frozen=True, slots=True)
class EventState:
    """How far an event is.

    `games` is how many games had their rows, and had been counted for or against their bots, when this was written; of
    an event that is not complete there may be more. `mark` is what the processes that the event starts are known by.
    `stores` is how many arenas it was played on at most, each of which has its store. `versions` are those that the
    bots told last, of those that told any. The key is bound by its hash, and open when the event is complete.
    """

    tournament: str
    state: str
    games: int
    conduct: Conduct
    mark: str
    key_sha256: str
    key: str | None = None
    stores: int = 1
    versions: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """The file's text."""
        data: dict[str, Any] = {
            "tournament": self.tournament,
            "state": self.state,
            "games": self.games,
            "bots": self.conduct.as_dict(),
            "mark": self.mark,
            "stores": self.stores,
            "versions": dict(self.versions),
            "event_key_sha256": self.key_sha256,
        }
        if self.key is not None:
            data["event_key"] = self.key
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, data: bytes) -> "EventState":
        """The state that a file holds; one of an older version may lack `mark`, `bots`, `stores` and `versions`.

        Raises:
            StateError: it is none.
        """
        try:
            values = json.loads(data)
            conduct = Conduct.from_dict(values.get("bots", {}) if isinstance(values, dict) else {})
        except ValueError as error:
            raise StateError(str(error)) from error
        if not isinstance(values, dict):
            raise StateError("it is no JSON object")
        texts = {name: values.get(name) for name in ("tournament", "mark", "event_key_sha256", "event_key")}
        for name, value in texts.items():
            if not isinstance(value, str) and (value is not None or name in ("tournament", "event_key_sha256")):
                raise StateError(f"{name} is {value!r}, not a text")
        if values.get("state") not in _STATES:
            raise StateError(f"state is {values.get('state')!r}; valid are {', '.join(_STATES)}")
        games = values.get("games")
        if not isinstance(games, int) or games < 0:
            raise StateError(f"games is {games!r}, not a whole number from 0")
        stores = values.get("stores", 1)
        if not isinstance(stores, int) or stores < 1:
            raise StateError(f"stores is {stores!r}, not a whole number from 1")
        versions = values.get("versions", {})
        if not isinstance(versions, dict) or not all(isinstance(version, str) for version in versions.values()):
            raise StateError(f"versions is {versions!r}, not a text for each bot")
        return cls(
            tournament=values["tournament"],
            state=values["state"],
            games=games,
            conduct=conduct,
            mark=values.get("mark") or "",
            key_sha256=values["event_key_sha256"],
            key=values.get("event_key"),
            stores=stores,
            versions=versions,
        )
