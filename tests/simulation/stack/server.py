"""One run of the server: the arena itself, in a process of its own, on a port that is no port.

Here: `Server`, from its start to its crash or its end in good order; `RpcServer`, which stands where gRPC's server
does. Not here: what happens to it (`fate`), calls on their way (`network`).
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lastcard.app import Arena
from lastcard.services.settings import Settings
from simulation.stack.disk import SlowStore
from simulation.stack.loop import WORLD, VirtualLoop

if TYPE_CHECKING:
    from simulation.stack.network import Link

Handler = Callable[[object, object], Any]


class _Details(NamedTuple):
    method: str
    invocation_metadata: tuple[tuple[str, str], ...]


class RpcServer:
    """What the arena adds its services to, with interceptors as gRPC has them."""

    def __init__(self, loop: VirtualLoop, interceptors: Sequence[Any]) -> None:
        self.is_open = False
        self._loop = loop
        self._interceptors = interceptors
        self._handlers: list[Any] = []
        self._calls: set[asyncio.Task[None]] = set()

    def add_generic_rpc_handlers(self, handlers: Sequence[Any]) -> None:
        self._handlers += handlers

    def add_registered_method_handlers(self, service: str, handlers: object) -> None:
        """The generic ones serve as well."""

    def add_insecure_port(self, address: str) -> int:
        return 50_051

    async def start(self) -> None:
        self.is_open = True

    async def find(self, method: str) -> Any:
        """The handler of a method, within all interceptors."""

        async def find(details: _Details) -> Any:
            return next(handler for one in self._handlers if (handler := one.service(details)) is not None)

        (interceptor,) = self._interceptors
        return await interceptor.intercept_service(find, _Details(method, ()))

    def begin(self, call: "asyncio.Task[None]") -> None:
        """A call is served from now on."""
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def stop(self, grace_s: float | None) -> None:
        """Takes no more calls, and cancels those that have not ended in time."""
        self.is_open = False
        if self._calls:
            await asyncio.wait(set(self._calls), timeout=grace_s)
        for call in list(self._calls):
            call.cancel()
        if self._calls:
            await asyncio.wait(set(self._calls))


class Server:
    """One process that serves; `process` is its number in the loop."""

    def __init__(self, loop: VirtualLoop, process: int, settings: Settings) -> None:
        self.process = process
        self.is_dead = False
        self._loop = loop
        with loop.inside(process):
            self.arena = Arena(settings)
            self._starting = loop.create_task(self.arena.start())

    def when_up(self, then: Callable[[], None]) -> None:
        """Calls `then` when the arena has started."""
        self._starting.add_done_callback(lambda task: self._tell(task, then))

    def _tell(self, task: "asyncio.Task[None]", then: Callable[[], None]) -> None:
        """What the world does about it does not die with the process."""
        task.result()
        with self._loop.inside(WORLD):
            then()

    @property
    def rpc(self) -> RpcServer:
        """Where its calls go."""
        rpc: Any = self.arena._server
        assert isinstance(rpc, RpcServer)
        return rpc

    @property
    def store(self) -> SlowStore:
        """Its store."""
        store: Any = self.arena._store
        assert isinstance(store, SlowStore)
        return store

    @property
    def is_up(self) -> bool:
        """Whether it takes calls."""
        return not self.is_dead and self._starting.done() and self.rpc.is_open

    def accept(self, link: "Link") -> bool:
        """Takes a call; false when the port is closed."""
        if not self.is_up:
            return False
        with self._loop.inside(self.process):
            self.rpc.begin(link.serve(self))
        return True

    def stop(self, then: Callable[[], None]) -> None:
        """What SIGTERM leads to; `then` is called when the process has ended."""
        with self._loop.inside(self.process):
            stopping = self._loop.create_task(self.arena.stop())
        stopping.add_done_callback(lambda task: self._tell(task, then))

    def die(self) -> None:
        """The process is no more."""
        self.is_dead = True
        self._loop.kill(self.process)


def settings_of(heartbeat_ms: int, outbox_bytes: int, recovery_grace_ms: int) -> Settings:
    """An arena's settings; its outboxes may be smaller than anybody would want them."""
    settings = Settings(
        data=Path("nowhere"), heartbeat_s=heartbeat_ms / 1_000, recovery_grace_s=recovery_grace_ms / 1_000
    )
    object.__setattr__(settings, "outbox_bytes", outbox_bytes)
    return settings
