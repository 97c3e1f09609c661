"""A bad line as numbers: when what is said at one end arrives at the other.

Here: `Conditions`, `Direction`, `Carried`. Not here: bytes and clocks (`slow_link`). Imports the standard library only;
chance comes from a seed.

The model is what TCP makes of a line, seen from above it. Nothing that an application says is lost: a packet that is
lost is sent again after a retransmission time-out, which doubles each time, and all that was said after it waits for it
(head-of-line blocking). The time-out is that of Linux: the usual round trip, and 200 ms or four times its usual
deviation, whichever is more (RFC 6298, with the kernel's least of 200 ms). A game is a thin stream, with too few
packets under way for TCP's quicker ways to notice a loss. Not modelled are bandwidth and the opening of a connection.
"""

import random
from dataclasses import dataclass
from typing import NamedTuple

PACKET_BYTES = 1_448
"""What one packet of TCP carries over Ethernet, with time stamps."""
LEAST_VARIATION_MS = 200.0
"""Source: Linux, `TCP_RTO_MIN`, which bounds four times the deviation of the round trip from below."""
MOST_LOSSES = 8
"""A packet is never lost more often in a row, so that no line stands still for minutes."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """A line: its round trip, how much longer one may take by chance, and the share of packets lost on each way."""

    delay_ms: int = 0
    jitter_ms: int = 0
    loss: float = 0.0
    seed: int = 0

    @property
    def timeout_ms(self) -> float:
        """How long after a packet was sent it is sent again, when it was lost."""
        # Each way takes up to half of the jitter longer; the sum deviates from its mean by a sixth of it on average.
        return self.delay_ms + self.jitter_ms / 2 + max(LEAST_VARIATION_MS, 4 * self.jitter_ms / 6)


class Carried(NamedTuple):
    """Something that was said at one end: when, and when it arrived at the other; unix milliseconds."""

    said_ms: float
    arrived_ms: float


class Direction:
    """One way of one connection. `number` tells it apart from others of the same line."""

    __slots__ = ("_chance", "_conditions", "_last_ms")

    def __init__(self, conditions: Conditions, number: int) -> None:
        self._conditions = conditions
        self._chance = random.Random(f"lastcard practice {conditions.seed} {number}")
        self._last_ms = 0.0

    def arrival_ms(self, now_ms: float, size: int) -> float:
        """When so many bytes arrive that are said now: all of them together, and after all that was said before."""
        packets = max(1, -(-size // PACKET_BYTES))
        arrives = now_ms + max(self._under_way_ms() for _ in range(packets))
        self._last_ms = max(self._last_ms, arrives)
        return self._last_ms

    def _under_way_ms(self) -> float:
        """How long one packet takes, its repetitions included."""
        conditions, chance = self._conditions, self._chance
        took = conditions.delay_ms / 2 + chance.random() * conditions.jitter_ms / 2
        again = conditions.timeout_ms
        for _ in range(MOST_LOSSES):
            if chance.random() >= conditions.loss:
                break
            took += again
            again *= 2
        return took
