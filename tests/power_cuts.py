"""Letting the power fail, or the disk be full, at any step of what is written in a results directory.

Every change goes through `lastcard.tournament.durable`, whose steps are counted here; at one of them, and from then on
at all, `PowerLostError` is raised, before or in the middle of it. On a full disk it is an `OSError`, and only what
takes more room fails.
"""

import errno
import os
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any, Self

import pytest

from lastcard.tournament import durable, results
from lastcard.tournament.director import event
from lastcard.tournament.director.competitor import Competitor

NEVER = 1_000_000


class PowerLostError(BaseException):
    """The process ends here."""


class Power:
    """Counts the steps that change files; step `fails_at` is the last, half done if it is a write and `torn`."""

    def __init__(self) -> None:
        self.steps = 0
        self.writes: list[int] = []
        self.fails_at = NEVER
        self.torn = False

    def restore(self) -> None:
        self.steps, self.fails_at = 0, NEVER

    def step(self, function: Any) -> Any:
        def guarded(*arguments: Any, **options: Any) -> Any:
            self.steps += 1
            if function is os.write:
                self.writes.append(self.steps)
            if self.steps == self.fails_at and self.torn and function is os.write:
                function(arguments[0], arguments[1][: len(arguments[1]) // 2])
            if self.steps >= self.fails_at:
                raise PowerLostError
            return function(*arguments, **options)

        return guarded


class Disk(Power):
    """A disk that is full from step `fails_at` on; a write that is `torn` takes what room is left."""

    def step(self, function: Any) -> Any:
        guarded = super().step(function)

        def refused(*arguments: Any, **options: Any) -> Any:
            try:
                return guarded(*arguments, **options)
            except PowerLostError:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None

        return refused


def disk_with_an_end(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """The disk on which everything is written in a results directory."""
    made = Disk()
    steps = {"write": made.step(os.write), "fsync": made.step(lambda _: None)}  # some file systems find out only then
    monkeypatch.setattr(durable, "os", SimpleNamespace(**{**vars(os), **steps}))
    monkeypatch.setattr(Path, "mkdir", made.step(Path.mkdir))
    return made


def power_supply(monkeypatch: pytest.MonkeyPatch) -> Power:
    """The power on which everything depends that writes in a results directory."""
    made = Power()
    steps = {name: made.step(getattr(os, name)) for name in ("write", "ftruncate")}
    steps["fsync"] = made.step(lambda _: None)  # a step, though nothing is gained here by waiting for the disk
    monkeypatch.setattr(durable, "os", SimpleNamespace(**{**vars(os), **steps}))
    for name in ("replace", "mkdir", "unlink"):
        monkeypatch.setattr(Path, name, made.step(getattr(Path, name)))
    removes = SimpleNamespace(rmtree=made.step(results.shutil.rmtree))
    monkeypatch.setattr(results, "shutil", removes)
    return made


class NoGuard:
    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots are there as soon as they are started: what processes do is tested elsewhere."""

    async def supervise(self: Competitor, *_: object) -> None:
        self.settled.set()

    monkeypatch.setattr(Competitor, "supervise", supervise)
    monkeypatch.setattr(event, "Guard", NoGuard)
    monkeypatch.setattr(event, "kill_event", lambda _: None)
