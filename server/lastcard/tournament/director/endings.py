"""How an event can end that is not played to its end.

Here: the errors. Not here: who raises and who tells them. May import the standard library only.
"""


class EventError(Exception):
    """The tournament cannot go on; the text says why, that what is in the ledger stands, and how to go on."""


class EventBrokenOff(EventError):
    """The tournament was under way and had to be broken off; the text says how it goes on."""
