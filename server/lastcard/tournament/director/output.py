"""What a bot prints, kept in a file that cannot grow without bound.

Here: the file. Not here: the program that prints (`program`). May import the standard library.
"""

import contextlib
from pathlib import Path

LIMIT_BYTES = 4 << 20
"""A file that has grown so large becomes `NAME.log.1`, in place of an older one: at most twice this is kept a bot."""

_TAIL_BYTES = 400


class Output:
    """The file of one bot's output, over all starts of its program, those of an earlier run of the event included.

    What cannot be written, on a full disk, is lost: a bot must not be held up by it, nor the event.
    """

    def __init__(self, path: Path, limit: int = LIMIT_BYTES) -> None:
        self.path = path
        self._limit = limit
        self._tail = b""
        self._file = path.open("ab", buffering=0)
        self._size = self._file.tell()
        self._fresh_line = self._size == 0

    @property
    def last_line(self) -> str:
        """The last line since the last `note`, cut to a length for a sentence; empty when there is none."""
        lines = self._tail.decode(errors="replace").strip().splitlines()
        return lines[-1].strip()[-200:] if lines else ""

    def note(self, sentence: str) -> None:
        """Write a line of the tournament's own."""
        begin = "" if self._fresh_line else "\n"
        self.write(f"{begin}--- {sentence}\n".encode())
        self._tail = b""

    def write(self, data: bytes) -> None:
        """Write what the bot printed."""
        self._tail = (self._tail + data)[-_TAIL_BYTES:]
        with contextlib.suppress(OSError):
            if self._size + len(data) > self._limit and self._size:
                self._begin_anew()
            self._file.write(data)
            self._size += len(data)
            self._fresh_line = data.endswith(b"\n")

    def _begin_anew(self) -> None:
        """Go on in a new file; the old one stays beside it in place of an older one."""
        self.path.replace(self.path.with_name(f"{self.path.name}.1"))
        old, self._file = self._file, self.path.open("wb", buffering=0)
        old.close()
        self._size = 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()
