"""Spans of time as people write them: "500ms", "2s", "1.5s", "1m", "1h".

Here: the one reader of such texts, for tournament files and for the command line. Not here: which spans a key or an
option allows. May import the standard library.
"""

import re

_DURATION = re.compile(r"(\d{1,12})(?:\.(\d{1,3}))?\s*(ms|s|m|h)", re.ASCII)
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}

LONGEST_MS = 24 * _UNIT_MS["h"]
"""The longest span that any setting takes: a day."""


def milliseconds(text: str) -> int | None:
    """The whole milliseconds of a span; `None` when the text is none or has a fraction of a millisecond."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return None
    whole, fraction, unit = match.groups()
    thousandths = int(whole) * 1_000 + int((fraction or "").ljust(3, "0"))
    span, rest = divmod(thousandths * _UNIT_MS[unit], 1_000)
    return span if rest == 0 else None


def duration_text(span_ms: int) -> str:
    """A span as it may be written, in the largest unit in which it is short: `2s`, `1.5s`, `500ms`, `1m`."""
    if span_ms % 1_000 and span_ms < 1_000:
        return f"{span_ms}ms"
    for unit in ("h", "m"):
        if span_ms and span_ms % _UNIT_MS[unit] == 0:
            return f"{span_ms // _UNIT_MS[unit]}{unit}"
    return f"{span_ms // 1_000}" + (f".{span_ms % 1_000:03}".rstrip("0") if span_ms % 1_000 else "") + "s"
