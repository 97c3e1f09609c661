"""How many connections a server process may have open.

Here: `allow_many_files`. Not here: who calls it (`cli`), since it concerns the whole process. Imports nothing of ours.
"""

import contextlib

MANY = 65_536
"""More than any machine serves; a system without a limit of its own is not asked for more."""


def allow_many_files() -> None:
    """Raises the limit of open files to what the system allows.

    Each bot has a connection, and many systems begin with 256 or 1,024 files for a process: then bots that come later
    could not connect, and nothing would say why. Where there is no such limit nothing happens.
    """
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ModuleNotFoundError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY if hard == resource.RLIM_INFINITY else min(hard, MANY)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # a system that allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
