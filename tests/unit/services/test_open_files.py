import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

PROGRAM = """
import resource
from lastcard.services.open_files import allow_many_files
soft, hard = {limits}
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
allow_many_files()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(("limits", "after"), [((64, 512), "512 512"), ((512, 512), "512 512")], ids=["low", "high"])
def test_a_process_may_open_as_many_files_as_the_system_allows(limits, after):
    program = PROGRAM.format(limits=limits)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == after
