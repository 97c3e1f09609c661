"""Whatever of Lastcard comes first into a process, gRPC finds its handlers around a fork switched off."""

import os
import subprocess
import sys

import pytest

VARIABLE = "GRPC_ENABLE_FORK_SUPPORT"
PROGRAM = f"""
import os, sys

class Looks:
    def find_spec(self, name, *_):
        if name == "grpc":
            print(os.environ.get({VARIABLE!r}))

sys.meta_path.insert(0, Looks())
"""


@pytest.mark.parametrize(
    ("module", "before", "found"),
    [("lastcard.app", None, "0"), ("lastcard_bot", None, "0"), ("lastcard_bot", "1", "1")],
)
def test_grpc_finds_when_it_is_imported_by(module, before, found):
    """It reads the variable then; whoever has set it has his way."""
    environment = {name: text for name, text in os.environ.items() if name != VARIABLE}
    environment |= {} if before is None else {VARIABLE: before}
    command = [sys.executable, "-c", f"{PROGRAM}import {module}"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == (f"{found}\n", "")
