"""What every test shares: how hypothesis runs, and that processes hear signals."""

import os
import signal

from hypothesis import HealthCheck, settings

# A shell's background job ignores SIGINT, one under `nohup` SIGHUP; so would every process that a test starts from it.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

# No deadline for an example: on a loaded machine it fails without a defect. pytest's own limit is what counts.
settings.register_profile(
    "lastcard", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("ci", settings.get_profile("lastcard"), derandomize=True, database=None)
settings.register_profile("thorough", settings.get_profile("lastcard"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "lastcard"))
