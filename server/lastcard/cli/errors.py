"""The error that a command ends with.

Here: `CommandError`. Not here: how it is printed (`main`). Imports nothing.
"""


class CommandError(Exception):
    """A command cannot be done; the message is one sentence: what was wrong, the value, and what would be valid.

    It is printed to standard error, and the command ends with `status`: 2 when it was refused, 1 when it had to be
    broken off.
    """

    def __init__(self, sentence: str, status: int = 2) -> None:
        super().__init__(sentence)
        self.status = status
