"""What is written on the command line for a table: seats, spans of time, counts.

Here: reading one word each, for argparse. Not here: which options a command has (`table_create`), whether a server
takes the value.
"""

import argparse
from collections.abc import Callable

from lastcard.tournament.durations import milliseconds
from lastcard.v1.table_service_pb2 import SeatRequest

SEAT_HELP = "bot:NAME, builtin:NAME or open"


def seat(word: str) -> SeatRequest:
    """Who is to play at a seat.

    Raises:
        argparse.ArgumentTypeError: the word is none for a seat.
    """
    kind, colon, name = word.partition(":")
    if word == "open":
        return SeatRequest(open=True)
    if colon and name and kind == "bot":
        return SeatRequest(bot_name=name)
    if colon and name and kind == "builtin":
        return SeatRequest(builtin=name)
    hint = f"; did you mean bot:{word} or builtin:{word}?" if word and not colon else ""
    raise argparse.ArgumentTypeError(f"{word!r} is no seat; a seat is {SEAT_HELP}{hint}")


def span(least: str, most: str = "24h") -> Callable[[str], int]:
    """A reader of spans of time from `least` to `most`, in milliseconds."""
    least_ms, most_ms = milliseconds(least), milliseconds(most)
    assert least_ms is not None
    assert most_ms is not None

    def read(text: str) -> int:
        value = milliseconds(text)
        if value is None or not least_ms <= value <= most_ms:
            valid = f"a span of time such as 500ms, 2s or 1m, from {least} to {most}"
            raise argparse.ArgumentTypeError(f"{text!r} is not {valid}")
        return value

    return read


def count(least: int, most: int) -> Callable[[str], int]:
    """A reader of whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
        return value

    return read
