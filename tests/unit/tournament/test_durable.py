import os
import stat
from pathlib import Path

import pytest

from lastcard.tournament import durable


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    durable.replace(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            durable.replace(path, b"new and longer")
    assert path.read_bytes() == b"old"
    durable.replace(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
    assert path.read_bytes() == b"new"


def test_what_cannot_be_appended_whole_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\n")
    write = os.write

    def half(descriptor: int, data: bytes) -> int:
        write(descriptor, data[:2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", half)
        with pytest.raises(OSError, match="No space left"):
            durable.append(path, b"two\n")
    assert path.read_bytes() == b"one\n"
    durable.append(path, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"


def test_the_end_of_a_file_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo and a half")
    durable.rewrite_end(path, 4, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(("text", "torn"), [(b"", 0), (b"a\n", 0), (b"a\nbc", 2), (b"abc", 3)])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, text: bytes, torn: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(text)
    assert durable.cut_torn_line(path) == torn
    assert path.read_bytes() == text[: len(text) - torn]


def test_a_secret_is_its_owner_s_alone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    durable.write_secret(path, b"secret")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"secret", 0o600)
    with pytest.raises(FileExistsError):
        durable.write_secret(path, b"another")
