"""Copies of a store that is being written: each is whole, and no older than what was durable when it was begun."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import store_appender
from lastcard.store import copying
from lastcard.store.copying import copy_store
from lastcard.store.opening import FILE, close_store, open_store
from lastcard.store.schema import VERSION, StoreError
from lastcard.table.journal import IdentityMade, Remembered


def remembered(directory):
    opened = open_store(directory)
    close_store(opened.connection)
    return opened.remembered


def copied(store, directory):
    """What a server remembers that is started on a copy; the copy is one file."""
    directory.mkdir()
    assert copy_store(store, directory / FILE) == directory / FILE
    assert [path.name for path in directory.iterdir()] == [FILE]
    return remembered(directory)


@pytest.mark.slow
@pytest.mark.parametrize("pages", [4_000, 60])
def test_a_store_is_copied_whole_while_it_is_written(tmp_path, monkeypatch, pages):
    store = tmp_path / "store"
    command = [sys.executable, store_appender.__file__, str(store), "normal", "1", str(pages)]
    last, expected = 0, store_appender.Wanted()
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            for number in range(12):
                for _ in range(8):
                    told = int(process.stdout.readline())
                if pages < 1_000 and number % 3 == 2:
                    let_the_log_begin_anew(store, process.stdout, monkeypatch)
                found = copied(store, tmp_path / f"copy{number}")
                assert found.last_ms >= max(told, last)
                last = found.last_ms
                tables = {table.opened.number: (list(table.commands), list(table.identities)) for table in found.tables}
                wanted = expected.after(found.last_ms)
                assert {number: wanted[number] for number in tables} == tables
                assert tables
        finally:
            process.kill()


def let_the_log_begin_anew(store, told, monkeypatch):
    """Holds the next copy up behind the file until the log that belongs to it is gone."""
    log = store / f"{FILE}-wal"
    copy, logs = shutil.copyfile, [log.read_bytes()[:32]]

    def slow(source, target):
        copy(source, target)
        while len(logs) == 1:
            assert told.readline()
            now = log.read_bytes()[:32]
            logs.extend([now] if now != logs[0] else [])

    monkeypatch.setattr(copying.shutil, "copyfile", slow)


def made(directory, *, killed=False):
    """A store with a name in it, as a server leaves it that stopped or was killed."""
    opened = open_store(directory / "made")
    opened.file.commit([[IdentityMade("i", "b", True)]])
    if killed:
        shutil.copytree(directory / "made", directory / "store")
    close_store(opened.connection)
    if not killed:
        shutil.copytree(directory / "made", directory / "store")
    return directory / "store"


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.parametrize("killed", [False, True])
def test_a_store_without_a_server_is_copied_and_left_as_it_is(tmp_path, killed):
    store = made(tmp_path, killed=killed)
    before = content(store)
    assert (f"{FILE}-wal" in before) is killed
    assert copied(store, tmp_path / "copy").identities == (IdentityMade("i", "b", True),)
    assert content(store) == before


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_copy_may_be_read_by_the_same_as_the_store(tmp_path, monkeypatch, mode):
    store = tmp_path / "store"
    opened = open_store(store)
    opened.file.commit([[IdentityMade("i", "b", True)]])
    for path in store.iterdir():
        path.chmod(mode)
    seen = set()

    def closing(copy, path, with_log):
        assert with_log
        seen.update(file.stat().st_mode & 0o777 for file in copy.parent.iterdir())
        return real(copy, path, with_log)

    real = copying._close
    monkeypatch.setattr(copying, "_close", closing)
    (tmp_path / "copy").mkdir()
    copy = copy_store(store, tmp_path / "copy" / FILE)
    close_store(opened.connection)
    assert seen == {mode}, "nor while it is being made"
    assert copy.stat().st_mode & 0o777 == mode


def test_an_empty_store_is_copied(tmp_path):
    close_store(open_store(tmp_path / "store").connection)
    assert copied(tmp_path / "store", tmp_path / "copy") == Remembered()


def refused(store, target):
    target.mkdir()
    with pytest.raises(StoreError) as raised:
        copy_store(store, target / FILE)
    assert not list(target.iterdir()), "nothing unfinished is left"
    return str(raised.value)


def test_a_store_without_the_log_that_it_needs_is_refused(tmp_path):
    store = made(tmp_path, killed=True)
    (store / f"{FILE}-wal").unlink()
    assert "its log lastcard.sqlite3-wal with what happened last is missing" in refused(store, tmp_path / "copy")


def test_a_damaged_store_is_refused(tmp_path):
    store = made(tmp_path)
    data = bytearray((store / FILE).read_bytes())
    data[4_096:8_192] = bytes(range(256)) * 16
    (store / FILE).write_bytes(data)
    assert "is damaged or no store" in refused(store, tmp_path / "copy")


def test_a_newer_store_is_refused(tmp_path):
    store = made(tmp_path)
    connection = sqlite3.connect(store / FILE)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    assert f"newer than version {VERSION} of this server" in refused(store, tmp_path / "copy")


def test_a_directory_without_a_store_is_refused(tmp_path):
    assert "there is no store in" in refused(tmp_path, tmp_path / "copy")


def test_a_store_that_never_stands_still_is_refused(tmp_path, monkeypatch):
    store = made(tmp_path, killed=True)
    copy = shutil.copyfile

    def restless(source, target):
        copy(source, target)
        log = store / f"{FILE}-wal"
        data = log.read_bytes()
        log.write_bytes(data[:16] + bytes([(data[16] + 1) % 256]) + data[17:])

    monkeypatch.setattr(copying.shutil, "copyfile", restless)
    assert "changed too fast to be copied" in refused(store, tmp_path / "copy")


def test_the_target_of_a_copy_that_fails_stays_as_it_was(tmp_path):
    store = made(tmp_path, killed=True)
    (store / f"{FILE}-wal").unlink()
    target = Path(tmp_path / "old")
    target.write_bytes(b"old")
    with pytest.raises(StoreError):
        copy_store(store, target)
    assert target.read_bytes() == b"old"
