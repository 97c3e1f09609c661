"""The server under the soak: an arena as `lastcard serve` runs it, which writes down what it holds.

Here: the sampler. Not here: the load (`load`), what the figures mean (`__main__`). Run as
`python -m soak.server DATA FIGURES`; prints its address, and ends in good order at SIGTERM.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from lastcard.app import Arena, Settings
from lastcard.rules import record_json
from lastcard.services import gate, identity, requests
from lastcard.services.collector import calm_collector
from lastcard.services.log import configure_log
from lastcard.services.wire import varint
from lastcard.table import registry
from lastcard.table.effects import FaultKind
from lastcard.table.hosted import HostedTable

EVERY_S = 2.0

BOUNDS = (
    (registry, "CLOSED_KEPT"),
    (registry, "EVENTS_KEPT"),
    (requests, "KEPT"),
    (identity, "NEWCOMERS_MET"),
    (gate, "DECISIONS_KEPT"),
    (varint, "KEPT"),
    (record_json, "_KEPT"),
)
"""What bounds the things that a server keeps: a tenth here, so that they are full in minutes and not in hours, and what
still grows after the warm-up is bounded by nothing."""

PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024


class Sampler:
    """Writes a line of JSON every `EVERY_S`; reads the arena's inside, which no caller can."""

    def __init__(self, arena: Arena, data: Path, figures: Path) -> None:
        self._arena = arena
        self._data = data
        self._figures = figures.open("w")
        self._started = time.monotonic()
        self._closed: Counter[str] = Counter()
        arena.host.closed_hook = self._note_end

    def _note_end(self, table: HostedTable) -> None:
        assert table.result is not None
        self._closed["tables"] += 1
        self._closed["events"] += table.result.last_sequence
        self._closed["moves"] += table.result.decisions
        for fault in table.result.faults:
            self._closed["timeouts" if fault.kind is FaultKind.TIMEOUT else "faults"] += 1

    async def run(self) -> None:
        """Samples for ever."""
        while True:
            self._figures.write(json.dumps(self._sample()) + "\n")
            self._figures.flush()
            await asyncio.sleep(EVERY_S)

    def _sample(self) -> dict[str, float]:
        arena, host, files = (
            self._arena,
            self._arena.host,
            {path.name: path.stat().st_size for path in self._data.iterdir()},
        )
        tables = list(host.tables.values())
        running = [table for table in tables if table.result is None]
        resident = int(Path("/proc/self/statm").read_text().split()[1])
        return {
            "seconds": time.monotonic() - self._started,
            "rss_kib": resident * PAGE_KIB,
            "cpu_s": time.process_time(),
            "streams": len(arena.sessions),
            "silent": len(arena._patience),
            "watchers": len(arena._tables._watching),
            "tasks": len(asyncio.all_tasks()),
            "objects": len(gc.get_objects()),
            "tables_open": len(running),
            "tables_kept": len(tables),
            "addresses": len(arena.sessions._addresses._receivers),
            "peers": len(host.lobby.peers),
            "bound": len(host.lobby._seats),
            "waiting_seats": sum(map(len, host.lobby._kept.values())),
            "identities": len(arena.identities._known),
            "deadlines": len(host.pump._deadlines._heap),
            "outbox_kib": sum(one._outbox.bytes for one in arena.sessions._by_identity.values()) / 1024,
            "store_kib": sum(size for name, size in files.items() if not name.endswith("-wal")) / 1024,
            "wal_kib": sum(size for name, size in files.items() if name.endswith("-wal")) / 1024,
            "closed": self._closed["tables"],
            "events": self._closed["events"] + sum(table.feed.last for table in running),
            "moves": self._closed["moves"] + sum(table.machine.decision_count for table in running),
            "timeouts": self._closed["timeouts"],
            "faults": self._closed["faults"],
        }


async def serve(data: Path, figures: Path) -> None:
    """Serves until SIGTERM."""
    for module, name in BOUNDS:
        setattr(module, name, getattr(module, name) // 10)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with Arena(Settings(data=data, outbox_bytes=65_536, heartbeat_s=5.0)) as arena:
        calm_collector()
        sampling = asyncio.create_task(Sampler(arena, data, figures).run())
        print(arena.address, flush=True)
        await stop.wait()
        sampling.cancel()


def main() -> None:
    """Serves on a free port."""
    configure_log("json", "warning")
    data, figures = map(Path, sys.argv[1:3])
    try:
        import uvloop
    except ModuleNotFoundError:
        asyncio.run(serve(data, figures))
    else:
        uvloop.run(serve(data, figures))


if __name__ == "__main__":
    main()
