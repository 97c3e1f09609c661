"""Numbers of things in words.

Here: `count`. May import nothing, so that every command can use it.
"""


def count(number: int, noun: str) -> str:
    """A number of things, as in `1 game` or `2 games`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
