"""The default store: one SQLite file, written by one thread, several entries a commit.

Here: `SqliteStore`. Not here: what is read and written (`file`), opening (`opening`). The event loop hands entries over
and goes on; the thread takes all that has come meanwhile into one commit, so that durability costs a move almost
nothing and its delay adapts to the load by itself.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from lastcard.store.file import StoredTable, StoreFile
from lastcard.store.opening import FILE, close_store, open_store, sentence
from lastcard.store.schema import StoreError
from lastcard.table.journal import Entry, Remembered

_Batch = tuple[Sequence[Entry], Callable[[], None]]
_Question = tuple[Callable[[StoreFile], object], Callable[[object], None]]


class SqliteStore:
    """Keeps entries in a directory.

    `failed` is called in the event loop when the disk refuses; from then on nothing is kept, and nobody is told of
    anything as durable.

    Raises:
        StoreError: the store cannot be opened or read.
    """

    def __init__(self, directory: Path, failed: Callable[[str], None], durability: str = "full") -> None:
        self.path = directory / FILE
        self.failure: str | None = None
        """Why nothing is written any more, once that is so."""
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Batch | _Question | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="store", daemon=True)
        self._connection, self._file, self._remembered, self.notes = open_store(directory, durability)

    def start(self) -> Remembered:
        """Begins to write; what is known from before."""
        remembered, self._remembered = self._remembered, Remembered()
        self._thread.start()
        return remembered

    def append(self, entries: Sequence[Entry], then: Callable[[], None]) -> None:
        """Writes entries after all earlier ones; `then` is called in the event loop once they are durable."""
        self._queue.put((entries, then))

    async def table(self, table_id: str) -> StoredTable | None:
        """The latest closed table of an id; `None` when there is none.

        Raises:
            StoreError: it cannot be read.
        """
        if not self._thread.is_alive():
            raise StoreError(f"the store {self.path} is closed; start the server again to read it")
        answered: asyncio.Future[StoredTable | None] = self._loop.create_future()

        def answer(found: object) -> None:
            if answered.done():
                return
            if isinstance(found, Exception):
                answered.set_exception(StoreError(sentence(self.path, found)))
            else:
                answered.set_result(found)  # type: ignore[arg-type] # what the question returned

        self._queue.put((lambda file: file.table(table_id), answer))
        return await answered

    def close(self) -> None:
        """Writes what is left and closes the file."""
        self._queue.put(None)
        if self._thread.ident is None:
            self._run()
        else:
            self._thread.join()

    # ------------------------------------------------------------------ in the thread

    def _run(self) -> None:
        going = True
        while going:
            batches, questions, going = self._take()
            if batches and self.failure is None:
                self._commit(batches)
            for ask, answer in questions:
                self._call(answer, self._ask(ask))
        close_store(self._connection)

    def _commit(self, batches: list[_Batch]) -> None:
        try:
            self._file.commit([entries for entries, _ in batches])
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing is durable any more and must be told so
            self.failure = sentence(self.path, error)
            self._call(self._failed, self.failure)
        else:
            self._call(_call_all, [then for _, then in batches])

    def _ask(self, ask: Callable[[StoreFile], object]) -> object:
        try:
            return ask(self._file)
        except Exception as error:  # noqa: BLE001 - whoever asked is told; what can be written still is
            return error

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _take(self) -> tuple[list[_Batch], list[_Question], bool]:
        """Everything that waits; waits for something when nothing does. False at the end."""
        batches: list[_Batch] = []
        questions: list[_Question] = []
        item = self._queue.get()
        while item is not None:
            if callable(item[0]):
                questions.append(item)
            else:
                batches.append(item)
            if self._queue.empty():
                return batches, questions, True
            item = self._queue.get()
        return batches, questions, False


def _call_all(functions: list[Callable[[], None]]) -> None:
    for function in functions:
        function()
