import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from lastcard.services.log import configure_log, log_file


class Full(io.StringIO):
    """A stream on a disk that is full while `full` is true."""

    full = False

    def write(self, text: str) -> int:
        if self.full:
            raise OSError(28, "No space left on device")
        return super().write(text)

    def flush(self) -> None:
        if self.full:
            raise OSError(28, "No space left on device")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def test_a_log_that_cannot_be_written_loses_lines_and_stops_nothing() -> None:
    stream = Full()
    configure_log("json", "info", stream)
    log = structlog.get_logger()
    log.info("table.opened", number=1)
    stream.full = True
    log.info("table.opened", number=2)
    stream.full = False
    log.info("table.opened", number=3)
    assert [json.loads(line)["number"] for line in stream.getvalue().splitlines()] == [1, 3]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_file_that_is_full_can_be_logged_to_and_closed() -> None:
    with log_file(Path("/dev/full")) as stream:
        configure_log("json", "info", stream)
        structlog.get_logger().info("table.opened")


def test_a_file_is_logged_to_behind_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "arena.log").write_text("earlier\n")
    with log_file(tmp_path / "arena.log") as stream:
        configure_log("json", "info", stream)
        structlog.get_logger().info("table.opened")
    first, second = (tmp_path / "arena.log").read_text().splitlines()
    assert (first, json.loads(second)["event"]) == ("earlier", "table.opened")
