"""The time of the simulated machine.

Here: `MachineTime`, which takes the place of the module `time` in `services.clock`. Not here: the arena's own clock,
which is the real one and reads this.
"""

from simulation.stack.loop import VirtualLoop

BEGIN_NS = 1_790_000_000_000_000_000
"""Some time in 2026."""


class MachineTime:
    """The system's clock, which people and daemons set as they like, and the steady one."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self.offset_s = 0.0
        """How far the system's clock has been moved."""

    def time_ns(self) -> int:
        return BEGIN_NS + int((self._loop.now + self.offset_s) * 1e9)

    def monotonic_ns(self) -> int:
        return int(self._loop.now * 1e9)
