"""What every test shares: how hypothesis runs, and that processes hear Ctrl-C."""

import os
import signal

from hypothesis import HealthCheck, settings

# A shell's background job ignores SIGINT, and so would every process that a test starts from it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline for an example: on a loaded machine it fails without a defect. pytest's own limit is what counts.
settings.register_profile(
    "lastcard", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("ci", settings.get_profile("lastcard"), derandomize=True, database=None)
settings.register_profile("thorough", settings.get_profile("lastcard"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "lastcard"))
