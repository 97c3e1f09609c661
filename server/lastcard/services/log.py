"""The form of the log.

Here: `configure_log`. Not here: what is logged. Events are `noun.past_participle`, keys are the glossary's words;
hands, pile orders and seeds never appear. The log goes to standard error, since standard output belongs to the command.

A log tells of what is done and must never stop it: when it cannot be written, because the disk is full or nobody reads
the pipe any more, its lines are lost until it can again.
"""

import contextlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

import structlog

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class _Patient:
    """A stream of text that loses what it cannot write."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


@contextlib.contextmanager
def log_file(path: Path) -> Iterator[TextIO]:
    """A file to log to, behind what is in it; what cannot be written when it is closed is lost."""
    stream = path.open("a", encoding="utf-8")
    try:
        yield stream
    finally:
        with contextlib.suppress(OSError):
            stream.close()


def configure_log(
    form: str = "auto", level: str = "info", stream: TextIO = sys.stderr, *, worker: int | None = None
) -> None:
    """Logs from `level` on to `stream`, as `console` or `json`; `auto` is console on a terminal, else json.

    Each line names the `worker`, where several server processes write to one log.
    """
    console = form == "console" or (form == "auto" and stream.isatty())
    renderer: structlog.typing.Processor
    if console:
        renderer = structlog.dev.ConsoleRenderer()
        errors: list[structlog.typing.Processor] = []
    else:
        renderer = structlog.processors.JSONRenderer()
        errors = [structlog.processors.dict_tracebacks]

    def named(_: object, __: str, facts: structlog.typing.EventDict) -> structlog.typing.EventDict:
        return facts if worker is None else {**facts, "worker": worker}

    structlog.configure(
        processors=[
            named,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *errors,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Patient(stream))),
        cache_logger_on_first_use=False,
    )
