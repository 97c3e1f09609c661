from pathlib import Path

from lastcard.tournament.director.output import Output


def test_what_a_bot_prints_is_kept_over_all_its_starts(tmp_path: Path) -> None:
    output = Output(tmp_path / "a.log")
    output.note("start 1")
    output.write(b"hello\nwor")
    output.write(b"ld\n")
    assert output.last_line == "world"
    output.note("start 2")
    assert output.last_line == ""
    output.close()
    assert (tmp_path / "a.log").read_text() == "--- start 1\nhello\nworld\n--- start 2\n"


def test_the_file_is_bounded_and_keeps_the_newest(tmp_path: Path) -> None:
    output = Output(tmp_path / "a.log", limit=100)
    for number in range(1_000):
        output.write(b"line %04d\n" % number)
    output.close()
    files = sorted(tmp_path.iterdir())
    assert [path.name for path in files] == ["a.log", "a.log.1"]
    assert sum(path.stat().st_size for path in files) <= 200
    kept = (files[1].read_text() + files[0].read_text()).splitlines()
    assert kept == [f"line {number:04}" for number in range(1_000 - len(kept), 1_000)]


def test_a_last_line_that_is_no_text_or_too_long_still_fits_a_sentence(tmp_path: Path) -> None:
    output = Output(tmp_path / "a.log")
    output.write(b"\xff" * 5_000 + b"end")
    assert output.last_line.endswith("end")
    assert len(output.last_line) <= 200
    output.close()


def test_a_full_disk_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "a.log").symlink_to("/dev/full")
    output = Output(tmp_path / "a.log", limit=50)
    for number in range(10):
        output.write(b"line %04d\n" % number)
    output.note("it is still there")
    output.write(b"I die\n")
    assert output.last_line == "I die"
    output.close()
