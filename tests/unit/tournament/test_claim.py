import subprocess
import sys
from pathlib import Path

import pytest

from lastcard.tournament.claim import InUseError, claimed

HOLD = """
import sys
from pathlib import Path
from lastcard.tournament.claim import claimed
with claimed(Path(sys.argv[1])):
    print("claimed", flush=True)
    sys.stdin.read()
"""


def test_a_directory_is_one_process_s_until_it_ends_however_that_is(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "claimed\n"
    with pytest.raises(InUseError, match=r"the results directory '.*' is in use by another process"), claimed(tmp_path):
        pass
    other.kill()
    other.communicate()
    with claimed(tmp_path):
        pass


def test_what_does_not_exist_is_not_claimed(tmp_path: Path) -> None:
    with claimed(tmp_path / "out"):
        assert list(tmp_path.iterdir()) == []
