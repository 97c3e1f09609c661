"""How an event can end that is not played to its end.

Here: the errors, and what is said of a disk that refuses. Not here: who raises and who tells them. May import the
standard library only.
"""

import errno


class EventError(Exception):
    """The tournament cannot go on; the text says why, that what is in the ledger stands, and how to go on."""


class EventBrokenOff(EventError):
    """The tournament was under way and had to be broken off; the text says how it goes on."""


def refused(error: OSError) -> str:
    """That results cannot be written, and what to do."""
    what = error.strerror or str(error)
    remedy = "; make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return f"cannot write results: {what}{remedy}"
