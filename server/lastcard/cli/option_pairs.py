"""Options of the rules as they are written on the command line.

Here: `NAME=VALUE`. Not here: which options there are (`lastcard.rules.ruleset`).
"""

from collections.abc import Iterable

from lastcard.cli.errors import CommandError


def read_pairs(pairs: Iterable[str]) -> list[tuple[str, str]]:
    """Names and values, in the order given.

    Raises:
        CommandError: one is not of the form `NAME=VALUE`, or an option is given twice.
    """
    read: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise CommandError(f"{pair!r} is no option; options are written NAME=VALUE, as in jump_in=identical")
        if name in read:
            raise CommandError(f"option {name!r} is given twice: as {read[name]!r} and as {value!r}")
        read[name] = value
    return list(read.items())
