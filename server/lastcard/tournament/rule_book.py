"""What an organiser may rule in an event, and the rulings that were made in words.

Here: checking a ruling against what was played, its row, and sentences on rulings. Not here: writing it down
(`director.organiser`), what follows from it (`judging`). May import the standard library, `ledger` and `judging`.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from lastcard.tournament.judging import in_force
from lastcard.tournament.ledger import Row, RulingBy, RulingKind, RulingRow

MOST_REASON = 1_000
"""A reason has at most so many characters."""

_MOST_NAMED = 12


class RulingError(ValueError):
    """A ruling cannot be made; the text says why, and what is valid."""


class Wish(NamedTuple):
    """What an organiser wants to rule: `about` is a game's number, a bot's name or, to take it back, a ruling's number.

    With `replay` the set of an annulled game is played again on a fresh deal. `by` is who wants it, and `request` marks
    the call that wants it, if it is known again by that.
    """

    kind: RulingKind
    about: int | str
    reason: str
    replay: bool = False
    by: RulingBy = RulingBy.ORGANISER
    request: str = ""


def ruling_row(
    wish: Wish, entries: Sequence[Row | RulingRow], bots: Collection[str], *, stage: int, after: int, at: str
) -> RulingRow:
    """The row of a ruling, as the next one of an event with these rows and `bots`.

    `stage` is the first stage that is not decided yet, `after` the number of the last game that was given out.

    Raises:
        RulingError: it cannot be made.
    """
    rulings = [row for row in entries if isinstance(row, RulingRow)]
    reason = _reason(wish.reason)
    game = bot = ruling = None
    if wish.kind is RulingKind.ANNUL:
        game = _game(wish, entries, rulings)
    elif wish.kind is RulingKind.TAKE_BACK:
        ruling = _ruling(wish, rulings)
    else:
        bot = _bot(wish, rulings, bots)
    return RulingRow(
        len(rulings) + 1, wish.kind, reason, stage, after, at, game, bot, ruling, wish.replay, wish.by, wish.request
    )


def _reason(text: str) -> str:
    reason = " ".join(text.split())
    if not reason:
        raise RulingError("a ruling needs a reason, which everybody can read")
    if len(reason) > MOST_REASON or not reason.isprintable():
        raise RulingError(
            f"a reason is one sentence of at most {MOST_REASON} printable characters, not {reason[:60]!r}"
        )
    return reason


def _game(wish: Wish, entries: Sequence[Row | RulingRow], rulings: Sequence[RulingRow]) -> int:
    games = [row.game for row in entries if isinstance(row, Row)]
    if not isinstance(wish.about, int) or wish.about not in games:
        valid = f"valid are {_ranges(games)}" if games else "no game is over yet"
        raise RulingError(f"no game {wish.about} has been played; {valid}")
    _check_new(rulings, "game", wish.about, (RulingKind.ANNUL,))
    return wish.about


def _bot(wish: Wish, rulings: Sequence[RulingRow], bots: Collection[str]) -> str:
    if wish.about not in bots or not isinstance(wish.about, str):
        raise RulingError(f"there is no bot {wish.about!r} in the event; valid are {', '.join(sorted(bots))}")
    out = (RulingKind.DISQUALIFY,)
    _check_new(rulings, "bot", wish.about, out if wish.kind is RulingKind.DISQUALIFY else (*out, wish.kind))
    return wish.about


def _check_new(rulings: Sequence[RulingRow], field: str, about: int | str, kinds: Collection[RulingKind]) -> None:
    for row in in_force(rulings):
        if row.kind in kinds and getattr(row, field) == about:
            raise RulingError(f"that is so already by ruling {row.number}: {sentence_of(row)}")


def _ruling(wish: Wish, rulings: Sequence[RulingRow]) -> int:
    open_ones = {row.number: row for row in in_force(rulings) if row.kind is not RulingKind.ENTER}
    if wish.about in open_ones and isinstance(wish.about, int):
        return wish.about
    valid = f"valid are {', '.join(map(str, open_ones))}" if open_ones else "there is none that could be"
    numbers = {row.number: row for row in rulings}
    found = numbers.get(wish.about) if isinstance(wish.about, int) else None
    if found is None:
        raise RulingError(f"there is no ruling {wish.about} to take back; {valid}")
    if found.kind is RulingKind.ENTER:
        raise RulingError(f"{found.bot} has entered with the tournament file; withdraw it instead of taking that back")
    if found.kind is RulingKind.TAKE_BACK:
        raise RulingError(f"ruling {found.number} took one back; make that one anew instead; {valid}")
    raise RulingError(f"ruling {found.number} has been taken back already; {valid}")


def sentence_of(row: RulingRow) -> str:
    """A ruling in words, with its reason."""
    what = {
        RulingKind.ANNUL: f"game {row.game} is annulled",
        RulingKind.DISQUALIFY: f"{row.bot} is disqualified",
        RulingKind.WITHDRAW: f"{_withdrawn(row)} from stage {row.stage + 1} on",
        RulingKind.ENTER: f"{row.bot} enters with stage {row.stage + 1}",
        RulingKind.TAKE_BACK: f"ruling {row.ruling} is taken back",
    }[row.kind]
    return f"{what}{', its set is played again' if row.replay else ''}: {row.reason}"


def _withdrawn(row: RulingRow) -> str:
    return f"{row.bot} withdraws" if row.by == RulingBy.BOT else f"{row.bot} is withdrawn"


def listing(rulings: Sequence[RulingRow]) -> list[str]:
    """All rulings in words, one a line, with those that do not hold any more marked."""
    holding = {row.number for row in in_force(rulings)}
    taken = {row.ruling: row.number for row in rulings if row.kind is RulingKind.TAKE_BACK}
    return [
        f"{row.number}  {row.at}  {sentence_of(row)}"
        + ("" if row.number in holding or row.number not in taken else f" (taken back by {taken[row.number]})")
        for row in rulings
    ]


def _ranges(numbers: Collection[int]) -> str:
    """Numbers in as few words as can be: `1 to 16, 18`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][-1] == number - 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    texts = [f"{part[0]} to {part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts]
    return ", ".join(texts if len(texts) <= _MOST_NAMED else [*texts[: _MOST_NAMED - 1], f"… {parts[-1][-1]}"])
