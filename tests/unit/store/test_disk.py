"""Disks that are full or cannot be written, and files that another process has: each in a process of its own.

A disk of a few pages is a file system in memory, mounted where no other process sees it; where mounting is not allowed,
a limit on the size of files stands in for it.
"""

import shutil
import subprocess
import sys

import pytest

from lastcard.store.opening import FILE, close_store, open_store
from lastcard.store.schema import StoreError
from lastcard.table.commands import Tick
from lastcard.table.journal import Commanded, TableOpened

APART = ["unshare", "--mount", "--map-root-user"]
"""Runs a command with mounts of its own; `--map-root-user` lets anybody mount where the system allows it."""

OPEN = """
import sys
from pathlib import Path
from lastcard.store.opening import open_store
from lastcard.store.schema import StoreError
try:
    open_store(Path(sys.argv[1]))
except StoreError as error:
    print(error)
else:
    print("opened")
"""

FILL = """
import resource, sys
from pathlib import Path
from lastcard.store.opening import FILE, close_store, open_store, sentence
from lastcard.table.commands import Occupy
from lastcard.table.journal import Commanded, TableOpened
directory, what = Path(sys.argv[1]), sys.argv[2]
opened = open_store(directory)
opened.file.commit([[TableOpened(1, "t", 1, "", "{}")]])
said = 0
def say(count):
    global said
    for _ in range(count):
        opened.file.commit([[Commanded(1, said + 1, Occupy(0, "x" * 3000))]])
        said += 1
say(5)
if what == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
else:
    with (directory / "filler").open("wb", buffering=0) as filler:
        filler.write(bytes(300_000))
        try:
            while what == "others" and filler.write(bytes(4096)) == 4096:
                pass
        except OSError:
            pass
try:
    say(1_000)
except Exception as error:
    print(sentence(directory / FILE, error))
close_store(opened.connection)
(directory / "filler").unlink(missing_ok=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
opened = open_store(directory)
(table,) = opened.remembered.tables
assert [at_ms for at_ms, _ in table.commands] == list(range(1, said + 1))
say(5)
close_store(opened.connection)
print(said)
print(len(open_store(directory).remembered.tables[0].commands))
"""


def output(*command):
    """The lines that a command prints; it must end well."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def python(source, *arguments):
    return [sys.executable, "-c", source, *map(str, arguments)]


def can_mount():
    return (
        shutil.which("unshare") is not None
        and not subprocess.run(
            [*APART, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
        ).returncode
    )


needs_mounts = pytest.mark.skipif(not can_mount(), reason="this system lets no process mount anything")


def on_disk_of(size, command):
    """The command, with a disk of its own of so many bytes as the directory of its last argument."""
    directory = command[3]
    mount = f'mount -t tmpfs -o size={size} none {directory} && exec "$@"'
    return [*APART, "sh", "-c", mount, "sh", *command]


@needs_mounts
@pytest.mark.parametrize("size", [4_096, 16_384, 40_960])
def test_a_disk_that_is_full_at_the_start_is_named(tmp_path, size):
    (sentence,) = output(*on_disk_of(size, python(OPEN, tmp_path)))
    assert sentence.startswith(f"the store {tmp_path / FILE} cannot be written: its disk is full; make room and start")


FULL_AT_THE_START = """
import sys
from pathlib import Path
from lastcard.store.opening import close_store, open_store
from lastcard.store.schema import StoreError
directory = Path(sys.argv[1])
close_store(open_store(directory).connection)
filler = (directory / "filler").open("wb", buffering=0)
try:
    while filler.write(bytes(4096)) == 4096:
        pass
except OSError:
    pass
try:
    open_store(directory)
except StoreError as error:
    print(error)
filler.close()
(directory / "filler").unlink()
close_store(open_store(directory).connection)
"""


@needs_mounts
def test_a_disk_that_is_full_at_a_later_start_is_named(tmp_path):
    (sentence,) = output(*on_disk_of(1 << 20, python(FULL_AT_THE_START, tmp_path)))
    assert sentence.startswith(f"the store {tmp_path / FILE} cannot be written: its disk is full; make room and start")


@needs_mounts
@pytest.mark.parametrize("by", ["others", "store"])
def test_a_disk_that_becomes_full_loses_nothing_and_serves_again_when_there_is_room(tmp_path, by):
    sentence, said, kept = output(*on_disk_of(1 << 20, python(FILL, tmp_path, by)))
    assert sentence.startswith(f"the store {tmp_path / FILE} cannot be written: its disk is full; make room")
    assert said == kept
    assert int(said) >= (10 if by == "others" else 60)


def test_a_disk_that_refuses_is_told_with_its_reason_and_loses_nothing(tmp_path):
    sentence, said, kept = output(*python(FILL, tmp_path, "limit"))
    assert sentence.startswith(f"the store {tmp_path / FILE} cannot be read or written: its disk refuses (")
    assert "SQLITE_IOERR_WRITE" in sentence
    assert said == kept
    assert int(said) >= 15


@needs_mounts
def test_a_disk_that_cannot_be_written_is_named(tmp_path):
    close_store(open_store(tmp_path / "old").connection)
    (tmp_path / "new").mkdir()
    for name in ("old", "new"):
        directory = tmp_path / name
        script = f'mount --bind {directory} {directory} && mount -o remount,ro,bind {directory} && exec "$@"'
        (sentence,) = output(*APART, "sh", "-c", script, "sh", *python(OPEN, directory))
        assert sentence.startswith(f"the store {directory / FILE} cannot be written (")
        assert sentence.endswith("give a directory that can be")
    assert [file.name for file in (tmp_path / "old").glob("*")] == [FILE]


def test_a_store_that_another_process_has_is_refused_until_it_ends(tmp_path):
    hold = OPEN + "sys.stdout.flush()\nsys.stdin.read()\n"
    with subprocess.Popen(python(hold, tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "opened\n"
        with pytest.raises(StoreError, match="in use by another server; stop that one, or give another directory"):
            open_store(tmp_path)
        other.kill()
    opened = open_store(tmp_path)
    opened.file.commit([[TableOpened(1, "t", 1, "", "{}"), Commanded(1, 1, Tick())]])
    close_store(opened.connection)
