"""The results directory: where everything of a tournament lies, and how it gets there durably.

Here: names, a new directory, writing records, revealing, standings, verification. Not here: the ledger's rows
(`ledger`), the figures (`statistics`), going on with an event (`resumption`), how files are written (`durable`). May
import the standard library, `lastcard.rules` and the pure modules of this package.

| name | what |
|---|---|
| `ledger.jsonl` | one row a game |
| `standings.json`, `standings.csv` | the ranking, computed from the ledger |
| `report.html` | all figures as a page, computed from the ledger too |
| `records/NNNNN.jsonl` | each game's record, receipts and faults beside it; both with `.gz` if they are compressed |
| `bots/NAME.log` | what each bot printed |
| `incidents.jsonl` | what went wrong with the bots' programs, with times |
| `arena.log` | the log of the server that the games were played on |
| `tournament.toml` | the file that was played |
| `event.json` | the event's state and, when it is complete, its key |
| `event.key`, `store/` | the secret key and the arena's store, while the event is not complete |
| `remote/` | the tokens of remote bots and the address that they dial, while the event is not complete |
"""

import json
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from lastcard.rules.events import RoundStarted
from lastcard.rules.record import line_hash, reveal_line
from lastcard.rules.record_reader import RecordError, read_record, receipts_name
from lastcard.rules.shuffle import KEY_BYTES, deal_key, event_key, game_salt, round_seed
from lastcard.tournament import durable, event_state, ledger, passes, standings
from lastcard.tournament.conduct import Conduct
from lastcard.tournament.event_state import COMPLETE, RUNNING, STOPPED, EventState, StateError
from lastcard.tournament.ledger import Row
from lastcard.tournament.packing import COMPRESSED, first_part, packed

FILE, KEY, STORE, RECORDS, BOTS, INCIDENTS, PAGE = (
    "tournament.toml", "event.key", "store", "records", "bots", "incidents.jsonl", "report.html",
)  # fmt: skip

_NAMES = (
    FILE, standings.JSON_NAME, standings.CSV_NAME, PAGE, RECORDS, BOTS, INCIDENTS, "arena.log", passes.DIRECTORY, KEY,
    STORE, ledger.NAME, event_state.NAME,
)  # fmt: skip
"""Everything in a directory, in the order in which it is removed: without the file nobody goes on with what is left,
and what says that the directory is one of results goes last.
"""


class ResultsError(ValueError):
    """A results directory cannot be used; the text says why and what to do."""


class Results:
    """A results directory that belongs to one tournament. Made by `create`, or by `resumption.resume`."""

    def __init__(self, directory: Path, key: bytes, begun: EventState | None = None) -> None:
        self.directory = directory
        self.key = key
        self.begun = begun
        """How far the event was when it was taken up again; `None` for a new one."""
        self.mark = begun.mark if begun is not None and begun.mark else secrets.token_hex(8)
        """What the processes that this event starts are known by."""
        self.stores = begun.stores if begun is not None else 1
        """How many arenas the event was played on at most, each of which has its store."""
        self.versions = dict(begun.versions) if begun is not None else {}
        """Which versions the bots told last, of those that told any."""

    @classmethod
    def create(cls, directory: Path, text: str, name: str, seed: int | None, *, overwrite: bool = False) -> "Results":
        """Make the directory of a new tournament, with its file `text` and a key from `seed` or the system.

        The state comes first, so that the directory is known for one of results from then on, and the file last.

        Raises:
            ResultsError: the directory is not empty, or holds other things than results where it is to be overwritten.
        """
        _make_room(directory, overwrite=overwrite)
        directory.mkdir(parents=True, exist_ok=True)
        durable.sync(directory.parent)
        key = secrets.token_bytes(KEY_BYTES) if seed is None else event_key(seed)
        results = cls(directory, key)
        results.write_state(RUNNING, name, games=0, conduct=Conduct())
        for part in (RECORDS, BOTS, STORE):
            durable.make_directory(directory / part)
        durable.write_secret(directory / KEY, f"{key.hex()}\n".encode())
        durable.replace(directory / FILE, text.encode())
        return results

    @property
    def ledger(self) -> Path:
        """The ledger's path."""
        return self.directory / ledger.NAME

    @property
    def store(self) -> Path:
        """The directory of the arena's store."""
        return self.directory / STORE

    def store_of(self, arena: int) -> Path:
        """The directory of the store of an arena, numbered from 0: within that of the first one."""
        return self.store / f"worker-{arena + 1}" if arena else self.store

    def add_stores(self, count: int, name: str) -> None:
        """Make room for the stores of so many arenas; that they are there is on disk when this returns."""
        for arena in range(self.stores, count):
            durable.make_directory(self.store_of(arena))
        if count > self.stores:
            self.stores = count
            games, conduct = (self.begun.games, self.begun.conduct) if self.begun is not None else (0, Conduct())
            self.write_state(RUNNING, name, games=games, conduct=conduct)

    @property
    def server_log(self) -> Path:
        """The path of the arenas' log."""
        return self.directory / "arena.log"

    def log(self, bot: str, arena: int = 0) -> Path:
        """The path of a bot's output; for each arena but the first, numbered from 0, it has one of its own."""
        return self.directory / BOTS / (f"{bot}@{arena + 1}.log" if arena else f"{bot}.log")

    def keep_records(
        self, games: Sequence[tuple[int, bytes, bytes]], *, compressed: bool = False
    ) -> list[tuple[str, int]]:
        """Write records and receipts of games to disk; the records' paths as they stand in the ledger, and sizes."""
        kept: list[tuple[str, int]] = []
        files: list[tuple[Path, bytes]] = []
        for game, *both in games:
            name = f"{game:05d}.jsonl{COMPRESSED if compressed else ''}"
            record, receipts = map(packed, both) if compressed else both
            files.append((self.directory / RECORDS / receipts_name(name), receipts))
            files.append((self.directory / RECORDS / name, record))
            kept.append((f"{RECORDS}/{name}", len(record)))
        durable.put_all(files)
        durable.sync(self.directory / RECORDS)
        return kept

    def reveal_kept(self, games: Sequence[tuple[Row, int, int]]) -> None:
        """Append seeds and salt to records that were just kept, each of so many bytes and rounds."""
        ends = [(self.directory / row.record, size, self._reveal_line(row, rounds)) for row, size, rounds in games]
        durable.rewrite_ends(ends)

    def _reveal_line(self, row: Row, rounds: int) -> bytes:
        line = reveal_line(row.record_hash, self.seeds(row.deal, rounds), game_salt(self.key, str(row.game)))
        return packed(line) if row.record.endswith(COMPRESSED) else line

    def reveal(self, rows: Iterable[Row]) -> None:
        """As `reveal_kept`, for records that are read first; what is revealed already stays.

        A reveal that was being written when the machine stopped is written anew. A record that is gone or damaged is
        left to `verify`, which says so.
        """
        for row in rows:
            path = self.directory / row.record
            try:
                data = path.read_bytes()
                record, closed = _closed(data, row.record_hash)
                events = read_record(record).events
            except (FileNotFoundError, RecordError, ValueError):
                continue
            rounds = sum(isinstance(event, RoundStarted) for event in events)
            line = self._reveal_line(row, rounds)
            if data[closed:] != line:
                durable.rewrite_end(path, closed, line)

    def seeds(self, deal: int, rounds: int) -> list[bytes]:
        """The seeds of the rounds played on a deal."""
        deal_secret = deal_key(self.key, str(deal))
        return [round_seed(deal_secret, number) for number in range(1, rounds + 1)]

    def state(self, state: str, name: str, *, games: int, conduct: Conduct) -> EventState:
        """How far the event is. While it runs the key is bound by its hash; of a complete one it is open."""
        return EventState(
            tournament=name,
            state=state,
            games=games,
            conduct=conduct,
            mark=self.mark,
            key_sha256=sha256(self.key).hexdigest(),
            key=self.key.hex() if state == COMPLETE else None,
            stores=self.stores,
            versions=self.versions,
        )

    def write_state(self, state: str, name: str, *, games: int, conduct: Conduct) -> None:
        """Write how far the event is."""
        made = self.state(state, name, games=games, conduct=conduct)
        durable.replace(self.directory / event_state.NAME, made.to_json().encode())

    def close(self) -> None:
        """Remove what only an event that goes on needs: key, store, and the tokens of remote bots."""
        durable.remove(self.directory / KEY)
        for part in (self.store, self.directory / passes.DIRECTORY):
            if part.exists():
                shutil.rmtree(part, ignore_errors=True)

    @staticmethod
    def reopen(directory: Path, state: EventState) -> None:
        """Have a complete event go on, with a store that is empty.

        Its key has been open since it was complete; from now on it is kept as that of any event that goes on.

        Raises:
            ResultsError: the key is not the event's; nothing is changed.
        """
        results = Results(directory, open_key(directory, state), state)
        for arena in range(state.stores):
            durable.make_directory(results.store_of(arena))
        if not (directory / KEY).exists():
            durable.write_secret(directory / KEY, f"{results.key.hex()}\n".encode())
        made = replace(state, state=STOPPED, key=None)
        durable.replace(directory / event_state.NAME, made.to_json().encode())

    def note_incident(self, facts: Mapping[str, object]) -> None:
        """Append an incident."""
        path = self.directory / INCIDENTS
        path.touch()
        durable.append(path, json.dumps(facts, ensure_ascii=False).encode() + b"\n")

    def mend(self) -> None:
        """Cut off an incident that was being written when the machine stopped; make room for what is to be kept.

        What bots printed may have been cleared away, and of an event without finished games the empty directory of the
        records.
        """
        for part in (RECORDS, BOTS):
            durable.make_directory(self.directory / part)
        path = self.directory / INCIDENTS
        if path.exists():
            durable.cut_torn_line(path)


def open_key(directory: Path, state: EventState) -> bytes:
    """The key of a complete event.

    Raises:
        ResultsError: it is not the event's.
    """
    try:
        key = bytes.fromhex(state.key or "")
    except ValueError:
        key = b""
    if sha256(key).hexdigest() != state.key_sha256:
        path = directory / event_state.NAME
        raise ResultsError(f"the event's key in {str(path)!r} is damaged; put it back as it was")
    return key


def holds_event(directory: Path) -> bool:
    """Whether there is a tournament in a directory, or was about to be."""
    names = (event_state.NAME, durable.temporary_name(event_state.NAME), ledger.NAME)
    return any((directory / name).exists() for name in names)


def _closed(data: bytes, record_hash: str) -> tuple[bytes, int]:
    """A record up to its closing line, and where that ends in its file; nothing when there is none with this hash.

    Raises:
        ValueError: the file is damaged.
    """
    held, size = first_part(data)
    end = 0
    for line in held.split(b"\n")[:-1]:
        end += len(line) + 1
        if line_hash(line) == record_hash:
            return held[:end], end if held is data else size
    return b"", 0


def _make_room(directory: Path, *, overwrite: bool) -> None:
    if directory.exists() and not directory.is_dir():
        raise ResultsError(f"{str(directory)!r} is no directory; name one that is empty or does not exist")
    found = {path.name for path in directory.iterdir()} if directory.exists() else set()
    if not found:
        return
    if not overwrite:
        raise ResultsError(_occupied(directory))
    ours = [name for known in _NAMES for name in (durable.temporary_name(known), known)]
    foreign = sorted(found.difference(ours))
    if foreign or not holds_event(directory):
        what = f"{foreign[0]!r}" if foreign else "no event and no ledger"
        raise ResultsError(
            f"{str(directory)!r} holds {what}, so it is no results directory, and --overwrite leaves it alone; name "
            f"another with --out"
        )
    for name in ours:
        path = directory / name
        shutil.rmtree(path) if path.is_dir() else durable.remove(path)


def _occupied(directory: Path) -> str:
    """Why a directory is not used for a new tournament."""
    sentence = f"the results directory {str(directory)!r} is not empty"
    if not holds_event(directory):
        return f"{sentence}; name another with --out"
    try:
        state = EventState.from_json((directory / event_state.NAME).read_bytes()).state
    except (OSError, StateError):
        state = ""
    if state in (RUNNING, STOPPED):
        return (
            f"{sentence}: it holds an event that has not been played to its end; go on with it with --resume, name "
            f"another directory with --out, or replace it with --overwrite"
        )
    return f"{sentence}; name another with --out, or replace earlier results with --overwrite"
