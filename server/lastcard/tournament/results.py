"""The results directory: where everything of a tournament lies, and how it gets there durably.

Here: names, writing records, revealing, the event's key, standings, verification. Not here: the ledger's rows
(`ledger`), the figures (`statistics`). May import the standard library, `lastcard.rules` and the pure modules of this
package.

| name | what |
|---|---|
| `ledger.jsonl` | one row a game |
| `standings.json`, `standings.csv` | the ranking, computed from the ledger |
| `records/NNNNN.jsonl` | each game's record, with its receipts and faults in a second file beside it |
| `bots/NAME.log` | what each bot printed |
| `incidents.jsonl` | what went wrong with the bots' programs, with times |
| `arena.log` | the log of the server that the games were played on |
| `tournament.toml` | the file that was played |
| `event.json` | the event's state and, when it is complete, its key |
| `event.key`, `store/` | the secret key and the arena's store, while the event is not complete |
"""

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from lastcard.rules.events import RoundStarted
from lastcard.rules.record import reveal_line
from lastcard.rules.record_reader import read_record, receipts_name
from lastcard.rules.shuffle import KEY_BYTES, deal_key, event_key, game_salt, round_seed
from lastcard.rules.verify import verify
from lastcard.tournament import ledger, standings
from lastcard.tournament.ledger import Row
from lastcard.tournament.statistics import Standings

_NAMES = (
    ledger.NAME, standings.JSON_NAME, standings.CSV_NAME, "records", "bots", "incidents.jsonl", "arena.log",
    "tournament.toml", "event.json", "event.key", "store",
)  # fmt: skip


class ResultsError(ValueError):
    """A results directory cannot be used; the text says why and what to do."""


class Problem(NamedTuple):
    """A record that is not as it should be."""

    record: str
    sentence: str


class Results:
    """A results directory that belongs to one tournament. Made by `create`."""

    def __init__(self, directory: Path, key: bytes) -> None:
        self.directory = directory
        self.key = key

    @classmethod
    def create(cls, directory: Path, text: str, name: str, seed: int | None, *, overwrite: bool = False) -> "Results":
        """Make the directory of a new tournament, with its file `text` and a key from `seed` or the system.

        Raises:
            ResultsError: the directory is not empty, or holds other things than results where it is to be overwritten.
        """
        _make_room(directory, overwrite=overwrite)
        for part in ("records", "bots", "store"):
            (directory / part).mkdir(parents=True)
        key = secrets.token_bytes(KEY_BYTES) if seed is None else event_key(seed)
        results = cls(directory, key)
        _write_secret(directory / "event.key", key.hex() + "\n")
        _write(directory / "tournament.toml", text)
        results.write_state("running", name, games=0)
        return results

    @property
    def ledger(self) -> Path:
        """The ledger's path."""
        return self.directory / ledger.NAME

    @property
    def store(self) -> Path:
        """The directory of the arena's store."""
        return self.directory / "store"

    @property
    def server_log(self) -> Path:
        """The path of the arena's log."""
        return self.directory / "arena.log"

    def log(self, bot: str) -> Path:
        """The path of a bot's output."""
        return self.directory / "bots" / f"{bot}.log"

    def keep_record(self, game: int, record: bytes, receipts: bytes) -> str:
        """Write a game's record and receipts to disk and return the record's path as it stands in the ledger."""
        name = f"{game:05d}.jsonl"
        _write_durably(self.directory / "records" / receipts_name(name), receipts)
        _write_durably(self.directory / "records" / name, record)
        _sync(self.directory / "records")
        return f"records/{name}"

    def reveal(self, rows: Iterable[Row]) -> None:
        """Append seeds and salt to the records of games whose set is complete; what is revealed already stays.

        A reveal that was being written when the machine stopped is written anew.
        """
        for row in rows:
            path = self.directory / row.record
            data = path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            record = read_record(whole)
            if record.reveal is None:
                rounds = sum(isinstance(event, RoundStarted) for event in record.events)
                seeds = self.seeds(row.deal, rounds)
                with path.open("r+b") as file:
                    file.seek(len(whole))
                    file.write(reveal_line(row.record_hash, seeds, game_salt(self.key, str(row.game))))
                    file.truncate()
                    file.flush()
                    os.fsync(file.fileno())

    def seeds(self, deal: int, rounds: int) -> list[bytes]:
        """The seeds of the rounds played on a deal."""
        deal_secret = deal_key(self.key, str(deal))
        return [round_seed(deal_secret, number) for number in range(1, rounds + 1)]

    def verify(self, row: Row, *, revealed: bool) -> Problem | None:
        """What is wrong with a game's record, which must be revealed or must not be: chain, rules, scores, chance."""
        try:
            found = verify((self.directory / row.record).read_bytes())
        except OSError as error:
            return Problem(row.record, f"cannot be read: {error.strerror}")
        if not found.ok:
            return Problem(row.record, f"line {found.line}: {found.problem}")
        if found.record_hash != row.record_hash:
            return Problem(row.record, f"has the hash {found.record_hash}, but {row.record_hash} in the ledger")
        if found.revealed is not revealed:
            return Problem(row.record, "is not yet revealed" if revealed else "is revealed before its set is complete")
        return None

    def write_standings(self, made: Standings, name: str) -> None:
        """Write the ranking, whole or not at all."""
        _write(self.directory / standings.JSON_NAME, standings.standings_json(made, name))
        _write(self.directory / standings.CSV_NAME, standings.standings_csv(made))

    def write_state(self, state: str, name: str, *, games: int) -> None:
        """Write how far the event is. While it runs the key is bound by its hash; of a complete one it is open."""
        data: dict[str, object] = {
            "tournament": name,
            "state": state,
            "games": games,
            "event_key_sha256": sha256(self.key).hexdigest(),
        }
        if state == "complete":
            data["event_key"] = self.key.hex()
        _write(self.directory / "event.json", json.dumps(data, indent=2) + "\n")

    def close(self) -> None:
        """Remove what only an event that goes on needs: key and store."""
        (self.directory / "event.key").unlink(missing_ok=True)
        shutil.rmtree(self.store, ignore_errors=True)

    def note_incident(self, facts: Mapping[str, object]) -> None:
        """Append an incident."""
        with (self.directory / "incidents.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(facts, ensure_ascii=False) + "\n")


def _make_room(directory: Path, *, overwrite: bool) -> None:
    if directory.exists() and not directory.is_dir():
        raise ResultsError(f"{str(directory)!r} is no directory; name one that is empty or does not exist")
    found = sorted(path.name for path in directory.iterdir()) if directory.exists() else []
    if not found:
        return
    if not overwrite:
        raise ResultsError(
            f"the results directory {str(directory)!r} is not empty; name another with --out, or replace earlier "
            f"results with --overwrite"
        )
    foreign = [name for name in found if name not in _NAMES]
    if foreign or ledger.NAME not in found:
        what = f"{foreign[0]!r}" if foreign else "no ledger"
        raise ResultsError(
            f"{str(directory)!r} holds {what}, so it is no results directory, and --overwrite leaves it alone; name "
            f"another with --out"
        )
    for name in found:
        path = directory / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _write(path: Path, text: str) -> None:
    """Replace a file's content, whole or not at all."""
    _replace(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def _write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner may read, durably."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    _sync(path.parent)


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    temporary = path.with_name(f".{path.name}.new")
    write(temporary)
    temporary.replace(path)


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
