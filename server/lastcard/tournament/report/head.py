"""The head of the page: which event this is, and how far it is.

Here: its facts in words. Not here: any figure of a bot. May import the standard library and the pure modules of
`tournament`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lastcard.rules.ruleset import Ruleset
from lastcard.tournament.durations import duration_text
from lastcard.tournament.event_state import COMPLETE, RUNNING, STOPPED
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.report.played import Played
from lastcard.tournament.report.text import count_text, moment_text, span_text, title_of
from lastcard.tournament.statistics import Standings

STATE_WORDS: Mapping[tuple[str, bool], tuple[str, str]] = {
    (COMPLETE, False): ("complete", "All games are played."),
    (COMPLETE, True): ("complete", "All games are played."),
    (STOPPED, False): ("stopped", "Stopped before its end; the figures are those of the games so far."),
    (STOPPED, True): ("being played", "Being played while this page was made; the figures are those of then."),
    (RUNNING, True): ("being played", "Being played while this page was made; the figures are those of then."),
    (RUNNING, False): (
        "broken off",
        "Broken off: its process ended before its end; the figures are those of the games so far.",
    ),
}
"""By the state in the directory and whether a process works in it: the state in a word, and in a sentence."""


class Head(NamedTuple):
    """What the page begins with; `facts` are pairs of term and text."""

    name: str
    state: str
    sentence: str
    facts: tuple[tuple[str, str], ...]


def head_of(played: Played, made: Standings, *, in_use: bool) -> Head:
    """The head of an event's page; `in_use`: a process works in the directory."""
    word, sentence = STATE_WORDS[played.state.state, in_use]
    return Head(played.file.name, word, sentence, tuple(_facts(played, made)))


def _facts(played: Played, made: Standings) -> Iterator[tuple[str, str]]:
    file = played.file
    open_ = f" ({count_text(made.games_in_open_sets, 'game')} in sets not yet complete)"
    yield (
        "Played",
        (
            f"{count_text(made.games, 'game')}, {count_text(made.sets, 'complete set')}"
            f"{open_ if made.games_in_open_sets else ''}"
        ),
    )
    yield "Format", _format(file)
    yield "Rules", _rules(file.rules)
    yield "Score", f"{title_of(made.scoring)}, {'smaller' if made.scoring.least_is_best else 'larger'} is better"
    yield "Deals", _deals(file)
    clock = file.clock
    yield (
        "Clock",
        (
            f"{duration_text(clock.limit_ms)} a decision, {duration_text(clock.bank_ms)} in reserve, "
            f"{duration_text(clock.reaction_ms)} for a reaction"
        ),
    )
    times = [row.times for row in played.entries.rows]
    if moments := _from_to(times):
        yield "When", moments
    yield "Chance", _chance(played)


def _format(file: TournamentFile) -> str:
    given = {name: value for name, value in file.format_options.items() if value is not False}
    options = ", ".join(name if value is True else f"{name} = {_listed(value)}" for name, value in given.items())
    told = f"{file.format}, tables of {file.table_size}" + (f", {options}" if options else "")
    if file.stop == "significant":
        told += f"; over as soon as the ranking is settled with {file.confidence:.4g} confidence"
    return told


def _listed(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _deals(file: TournamentFile) -> str:
    if file.duplicates:
        orders = "order" if file.seats == "all" else "rotation"
        played = f"{count_text(file.deals, 'deal')} for each table, each in every {orders} of the seats"
    else:
        played = f"{count_text(file.deals, 'set')} for each table, a deal of its own for each game"
    draws = "an order of draws for each seat" if file.draws == "per_seat" else "one pile for all seats"
    return f"{played}; {draws}{'; colours renamed in each game' if file.disguise else ''}"


def _rules(rules: Ruleset) -> str:
    options = ", ".join(f"{name} = {value}" for name, value in rules.overrides())
    return f"{rules.preset}, with {options}" if options else rules.preset


def _chance(played: Played) -> str:
    if played.file.seed is not None:
        return f"from the seed {played.file.seed}: whoever knew it could compute the deals"
    digest = f"SHA-256 {played.state.key_sha256}"
    if played.state.key is not None:
        return f"from a secret key, bound before the first game by {digest}, open in event.json since the end"
    return f"from a secret key, bound by {digest}; it is opened at the end"


def _from_to(times: list[Mapping[str, Any]]) -> str:
    begun = [each["started_ms"] for each in times if isinstance(each.get("started_ms"), int)]
    ended = [each["ended_ms"] for each in times if isinstance(each.get("ended_ms"), int)]
    if not begun or not ended:
        return ""
    first, last = min(begun), max(ended)
    return f"{moment_text(first)} to {moment_text(last)} ({span_text(last - first)})"
