"""A server that holds no tournament does not pay for what plays them."""

import subprocess
import sys


def test_a_server_starts_without_what_computes_figures():
    program = "import sys, lastcard.app; print([name for name in ('numpy', 'scipy') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
