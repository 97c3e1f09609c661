"""The error that a command ends with.

Here: `CommandError`. Not here: how it is printed (`main`). Imports nothing.
"""


class CommandError(Exception):
    """A command cannot be done; the message is one sentence: what was wrong, the value, and what would be valid.

    Source: `main` prints it to standard error and ends with status 2.
    """
