"""What the product takes from the machine, taken from the seed instead.

Here: `staged`. Not here: time within the loop (`loop`). Everything else of the product runs as it is.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from lastcard import app
from lastcard.services import boundary, clock, identity, play_service, watchers
from lastcard.services.server_service import ServerServicer
from lastcard.services.settings import Settings
from lastcard.store import compaction
from lastcard.table import builtin_turns, opening
from lastcard.table.session import Session
from simulation.stack.clock import MachineTime
from simulation.stack.disk import SlowStore
from simulation.stack.loop import VirtualLoop
from simulation.stack.quick_builtins import QuickBuiltins
from simulation.stack.server import RpcServer
from simulation.stack.watched import WatchedTable


class _Silence:
    """A log that nobody reads."""

    def debug(self, *_: object, **__: object) -> None:
        """Says nothing."""

    info = warning = debug


class _Complaints(_Silence):
    """A log in which the server's own faults end the simulation."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def error(self, event: str, *, exc_info: BaseException | None = None, **facts: object) -> None:
        """Ends the simulation, unless it was to happen."""
        if event != "store.failed":
            error = AssertionError(f"{event} {facts}")
            error.__cause__ = exc_info
            self._loop.fail(error)


def _about(*_: object) -> ServerServicer:
    return _the_one()


@cache
def _the_one() -> ServerServicer:
    """What tells of the server, which nobody asks here: made once, since it writes down all presets."""
    return ServerServicer(Settings(), "0", (), None)  # type: ignore[arg-type]


@contextmanager
def staged(loop: VirtualLoop, seed: int, open_store: Callable[..., SlowStore]) -> Iterator[MachineTime]:
    """Puts virtual time, drawn chance and watched machines in place; gives the clock of the simulated machine."""
    random = Random(f"stage {seed}")
    time = MachineTime(loop)
    log = _Complaints(loop)
    chance = SimpleNamespace(
        token_urlsafe=lambda size: random.randbytes(size).hex()[: size * 4 // 3],
        token_hex=lambda size: random.randbytes(size).hex(),
    )
    rpc = SimpleNamespace(aio=SimpleNamespace(server=lambda **given: RpcServer(loop, given["interceptors"])))
    numbers = count()
    replaced: tuple[tuple[Any, str, Any], ...] = (
        (clock, "time", time),
        (identity, "secrets", chance),
        (app, "secrets", chance),
        (app, "grpc", rpc),
        (app, "SqliteStore", open_store),
        # In virtual time nothing takes time: a pause is told from a quiet moment by fewer readings.
        (app, "TICK_S", 0.4),
        (app, "ShippedBuiltins", QuickBuiltins),
        (app, "ServerServicer", _about),
        (app, "reflection", SimpleNamespace(SERVICE_NAME="", enable_server_reflection=lambda *_: None)),
        (app, "_log", log),
        (boundary, "_log", log),
        (boundary, "time", SimpleNamespace(monotonic=loop.time)),
        (opening, "os", SimpleNamespace(urandom=random.randbytes)),
        (opening, "Table", WatchedTable),
        (builtin_turns, "perf_counter", loop.time),
        (play_service, "_log", log),
        # A journal as short as a match is gone through as one of a server that has run for days.
        (compaction, "LEAST", 50),
        (compaction, "SLICE", 20),
        # Sessions are kept in sets, whose order would be that of addresses in memory.
        (Session, "__hash__", lambda session: session.number),
        (watchers.Box, "__hash__", lambda box: box.__dict__.setdefault("number", next(numbers))),
    )
    with ExitStack() as stack:
        for where, name, what in replaced:
            stack.enter_context(patch.object(where, name, what))
        WatchedTable.registry = {}
        yield time
        WatchedTable.registry, WatchedTable.ended = {}, staticmethod(lambda: None)
