"""What happens to the server: crashes at any step, power cuts, drains, pauses, a full disk, clocks that are set.

Here: `Fate`. Not here: what bots and lines do (`habits`, `network`). One thing happens after the other, and between
them the arena has time to go on, or hardly any.
"""

from random import Random
from typing import TYPE_CHECKING

from lastcard.services.clock import STALL_NS
from lastcard.table.effects import FaultKind
from simulation.stack.bot_client import MISSED_HEARTBEATS

if TYPE_CHECKING:
    from simulation.stack.world import World

DOWN_S = (0.0, 0.1, 1.0, 5.0, 30.0, 60.0)
"""How long a server may be down, about."""

CRASHES = ("crash at a step", "crash at a commit", "crash at a time", "crash at an end")
KINDS = (
    *CRASHES,
    *CRASHES,
    "power cut",
    "drain",
    "drain and crash",
    "pause",
    "pause",
    "pause",
    "disk full",
    "clock set",
)


class Fate:
    """Draws what happens to the server, and has it happen."""

    def __init__(self, world: "World", faults: int, random: Random) -> None:
        self._world = world
        self._random = random
        self._left = faults
        self._paused_s = 0.0
        self._paused_until = -3_600.0
        self.is_busy = False
        """Whether the present server is about to end."""
        self.is_over = False
        """Whether nothing happens any more."""
        self._at_end: int | None = None
        """Steps after the next end of a table at which the server crashes."""

    def server_is_up(self) -> None:
        """The server has started: what is next?"""
        random = self._random
        self.is_busy = False
        if self._left <= 0:
            return
        self._left -= 1
        if self._world.runs > 1 and random.random() < 0.3:
            self._note("crash in recovery")
            self._fuse(random.choice((0, 1, 2, 5, 10, 20)))
            return
        kind = random.choice(KINDS)
        match kind:
            case "crash at a step":
                self._fuse(int(10 ** (random.random() * 3.5)))
            case "crash at a commit":
                self._at_commit(int(10 ** (random.random() * 2)))
            case "crash at an end":
                self._at_end = random.choice((0, 0, 1, 2, 3, 5, 10, 20))
            case _:
                self._world.loop.call_later(
                    random.random() * random.choice((2, 10, 30)), self._happen, kind, self._world.runs
                )

    def _happen(self, kind: str, run: int) -> None:
        world, random = self._world, self._random
        server = world.server
        if run != world.runs or server is None or server.is_dead or self.is_over:
            return
        self._note(kind)
        match kind:
            case "crash at a time":
                self.crash()
            case "power cut":
                self._cut_power()
            case "drain" | "drain and crash":
                self.is_busy = True
                server.stop(self._stopped)
                if kind == "drain and crash":
                    self._fuse(random.choice((0, 1, 3, 10, 30)))
            case "pause":
                self._pause()
            case "disk full":
                self.is_busy = True
                server.store.is_full = True
                world.loop.call_later(random.random() * 3, self.crash)
            case "clock set":
                self._set_clock()
                self.server_is_up()

    def _note(self, kind: str) -> None:
        self._world.reached[kind] += 1
        self._world.trace("fate: %s", kind)

    # ------------------------------------------------------------------ crashes

    def _fuse(self, steps: int) -> None:
        world = self._world
        assert world.server is not None
        world.loop.fuse = (world.server.process, steps, lambda: self.crash("crash at a step"))

    def _at_commit(self, count: int) -> None:
        world = self._world
        server = world.server
        assert server is not None
        left = [count]

        def committed() -> None:
            left[0] -= 1
            if left[0] == 0:
                world.loop.fuse = (server.process, 0, lambda: self.crash("crash at a commit"))

        server.store.after_commit = committed

    def table_ended(self) -> None:
        """A table's machine has just come to its end."""
        if self._at_end is not None and self._world.server is not None:
            steps, self._at_end = self._at_end, None
            self._world.loop.fuse = (self._world.server.process, steps, lambda: self.crash("crash at an end"))

    def crash(self, kind: str = "") -> None:
        """The process is killed."""
        world = self._world
        if world.server is None or world.server.is_dead:
            return
        if kind:
            self._note(kind)
        world.lose_server(silently=False)
        self._start_again(self._down_s())

    def _cut_power(self) -> None:
        """The machine is gone: clients hear nothing, and notice by the heartbeats that do not come."""
        world = self._world
        limits, grace_ms = world.scenario.limits, world.scenario.recovery_grace_ms
        down_s = 20 + self._random.random() * 40
        world.blame_nobody_for(FaultKind.START_UP)  # tables may be opened before they notice
        if limits.heartbeat_ms * 4 > down_s * 1_000 + grace_ms - 1_000:
            world.blame_nobody_for(FaultKind.TIMEOUT, FaultKind.DISCONNECT)
        world.lose_server(silently=True)
        self._start_again(down_s)

    def _stopped(self) -> None:
        world = self._world
        if world.server is not None and not world.server.is_dead:
            world.stop_server()
            self._start_again(self._down_s())

    def _start_again(self, down_s: float) -> None:
        if self._random.random() < 0.3:
            self._set_clock()
        self._world.loop.call_later(down_s, self._world.start_server)

    def _down_s(self) -> float:
        return self._random.choice(DOWN_S) * self._random.random()

    def _set_clock(self) -> None:
        self._world.reached["clock set"] += 1
        self._world.machine_time.offset_s += self._random.choice((-86_400.0, -3_600.0, -1.0, 1.0, 3_600.0, 86_400.0))

    # ------------------------------------------------------------------ pauses

    def _pause(self) -> None:
        """The whole process stands still for a while: it reads nothing, writes nothing, and its timers come late."""
        world = self._world
        assert world.server is not None
        process = world.server.process
        self.is_busy = True
        world.loop.pause(process)
        seconds = self._random.choice((0.4, 6.0, 8.0)) * self._random.random()
        if seconds * 1e9 < STALL_NS and any(table.clock.limit_ms < 1_000 for table in world.scenario.tables):
            world.blame_nobody_for(FaultKind.TIMEOUT)  # such a hiccup counts, and leaves too little of the limit
        # Between two heartbeats pass their interval and all pauses meanwhile.
        beat_s = world.scenario.limits.heartbeat_ms / 1_000
        if world.loop.now - self._paused_until > beat_s:
            self._paused_s = 0.0
        self._paused_s += seconds
        self._paused_until = world.loop.now + seconds
        if self._paused_s > beat_s * (MISSED_HEARTBEATS - 1) - 1:
            world.blame_nobody_for(FaultKind.TIMEOUT, FaultKind.DISCONNECT)  # clients give the server up
        world.loop.call_later(seconds, self._resume, process)

    def _resume(self, process: int) -> None:
        self.is_busy = False
        self._world.loop.resume(process)
        self.server_is_up()
