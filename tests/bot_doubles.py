"""Bots for tests of the SDK: they do what a test says, and remember what they were told."""

import asyncio
import threading

from lastcard_bot import AsyncBot, Bot

BOUND_S = 60.0


class First(Bot):
    """Takes the first action, at once."""

    threaded = False
    max_open_decisions = 0

    def choose(self, view, legal_actions):
        return 0


class Listener(First):
    """Takes the first action and remembers everything that it is told, as hook and arguments."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, tuple]] = []

    def of(self, hook: str) -> list:
        """The arguments of each call of a hook."""
        return [arguments for name, arguments in self.heard if name == hook]

    def on_seated(self, seated):
        self.heard.append(("seated", (seated.table_id, seated.seat)))

    def on_event(self, table_id, event):
        self.heard.append(("event", (table_id, event.sequence)))

    def on_snapshot(self, snapshot):
        self.heard.append(("snapshot", (snapshot.table_id, snapshot.sequence)))

    def on_notice(self, notice):
        self.heard.append(("notice", (notice.table_id, notice.kind)))

    def on_receipt(self, table_id, receipt):
        self.heard.append(("receipt", (table_id, receipt.decision_id)))

    def on_table_closed(self, closed):
        self.heard.append(("closed", (closed.table_id,)))


class Thinker(Bot):
    """Blocks at each decision until `go` is set; `began` holds the decisions it has thought about."""

    def __init__(self) -> None:
        self.began: list[tuple[str, int]] = []
        self.go = threading.Event()

    def choose(self, view, legal_actions):
        raise AssertionError("decide is overridden")

    def decide(self, decision):
        self.began.append((decision.table_id, decision.decision_id))
        assert self.go.wait(BOUND_S)
        return 0


class Many(AsyncBot):
    """Waits at each decision until the test settles its future in `open`."""

    def __init__(self) -> None:
        self.open: dict[tuple[str, int], asyncio.Future[int]] = {}

    async def choose(self, view, legal_actions):
        raise AssertionError("decide is overridden")

    async def decide(self, decision):
        key = (decision.table_id, decision.decision_id)
        self.open[key] = asyncio.get_running_loop().create_future()
        return await self.open[key]


class Gated(AsyncBot):
    """Takes the first action as long as `go` is set, and waits for it otherwise; deterministic."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.go.set()
        self.asked = 0
        """How many decisions it was asked for, without those of a health probe, which it answers at once."""
        self.hold = "nowhere"
        """The end of a table's id: at its first decision there it clears `go`."""

    async def choose(self, view, legal_actions):
        raise AssertionError("decide is overridden")

    async def decide(self, decision):
        if "-probe-" not in decision.table_id:
            self.asked += 1
            if decision.table_id.endswith(self.hold):
                self.hold = "nowhere"
                self.go.clear()
            await self.go.wait()
        return 0
