"""The tournament file: what an organiser writes, read and checked before anything starts.

Here: the keys of the event and its clock with their defaults, and the checks between them. Not here: the bots
(`entries`), who plays whom (`format_keys`, `formats`), how a table is read (`file_section`), the options of the rules
(`rules.ruleset`). May import the standard library, `lastcard.rules` and the pure modules of this package.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from lastcard.rules.options import RulesetError
from lastcard.rules.ruleset import OPTIONS, PRESETS, Ruleset, check_players, ruleset
from lastcard.rules.shuffle import DRAW_ORDERS
from lastcard.tournament.entries import BotEntry, read_bots, read_name
from lastcard.tournament.file_section import FileError, Section, Source
from lastcard.tournament.format_keys import FORMAT_KEYS, Stop, read_format
from lastcard.tournament.formats import FORMATS, Design, Entrant, FormatError
from lastcard.tournament.formats.contract import OptionValue
from lastcard.tournament.reach import ReachError, reach_of
from lastcard.tournament.rulings import Rulings
from lastcard.tournament.rulings_section import read_rulings
from lastcard.tournament.schedule import Seats
from lastcard.tournament.scoring import SCORES, Score, Scoring, loss_points_of
from lastcard.tournament.toml_lines import has_long_keys, toml_lines

__all__ = ["BotEntry", "ClockSettings", "FileError", "TournamentFile", "load", "parse"]

TOURNAMENT_KEYS = (
    "name", "seed", "rules", "options", *FORMAT_KEYS, "draws", "duplicates", "disguise", "score", "concurrency",
    "round_pause", "records",
)  # fmt: skip
RECORD_FILES = ("plain", "gzip")
"""How records are written down: as text, or compressed."""

CLOCK_KEYS = (
    "limit", "bank", "reaction", "start_up", "grace", "network_credit", "network_credit_total", "reactions",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The time control of every game (rules.md 7.8); `sealed` says how reactions are taken."""

    limit_ms: int = 2_000
    bank_ms: int = 60_000
    reaction_ms: int = 500
    start_up_ms: int = 30_000
    grace_ms: int = 40_000
    network_credit_ms: int = 0
    network_credit_total_ms: int = 10_000
    sealed: bool = True


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file describes it; `text` is the file itself. Made by `parse` alone, which checks it.

    `deals` is the number of sets that a table plays in a stage; `format_options` are the keys of the format alone.
    """

    path: Path
    text: str
    name: str
    seed: int | None
    rules: Ruleset
    format: str
    table_size: int
    deals: int
    seats: Seats
    stop: Stop
    confidence: float
    format_options: Mapping[str, OptionValue]
    draws: str
    duplicates: bool
    disguise: bool
    records: str
    score: Score
    concurrency: int
    round_pause_ms: int
    clock: ClockSettings
    rulings: Rulings
    bots: tuple[BotEntry, ...]

    @property
    def design(self) -> Design:
        """What the format needs to know, with all bots in it from the first stage on."""
        return Design(
            tuple(Entrant(bot.name, bot.owner) for bot in self.bots),
            self.table_size,
            self.deals,
            self.format_options,
            least_is_best=self.scoring.least_is_best,
        )

    @property
    def scoring(self) -> Scoring:
        """How its games are scored."""
        return Scoring(
            self.score,
            fewest_points_win=self.rules.scoring == "each_keeps_own",
            rulings=self.rulings,
            all_orders=self.seats == "all",
            loss_points=loss_points_of(self.rules),
        )


def load(path: Path, builtins: Sequence[str], *, played: bool = False) -> TournamentFile:
    """Read and check a tournament file; `builtins` are the bots that the server plays itself.

    Of the copy in a results directory, which was `played`, the bots' programs need not be here any more.

    Raises:
        FileError: it cannot be read, or something in it is wrong.
    """
    return parse(_read(path), path, builtins, played=played)


def parse(text: str, path: Path, builtins: Sequence[str], *, played: bool = False) -> TournamentFile:
    """Read and check the text of a tournament file that is, or might be, at `path`; as `load`."""
    too_deep = "its lists or tables are nested too deeply; three levels are valid"
    if has_long_keys(text):
        raise FileError(str(path), 0, "", too_deep)
    try:
        values = tomllib.loads(text)
        source = Source(str(path), toml_lines(text))
        str(values)  # 0x… may be longer than what can be written in a sentence
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(path, text, error) from error
    except ValueError as error:
        raise FileError(str(path), 0, "", "a number in it has more than 4300 digits; valid are far smaller") from error
    except RecursionError as error:
        raise FileError(str(path), 0, "", too_deep) from error
    top = Section(source, (), values, ("tournament", "clock", "rulings", "bot"))
    for key, header in (("tournament", "[tournament]"), ("bot", "[[bot]]")):
        if key not in top:
            raise source.refuse((), f"the table {header} is missing")
    bots = read_bots(source, top.raw("bot"), path.parent, builtins, played=played)
    section = Section(source, ("tournament",), top.raw("tournament"), TOURNAMENT_KEYS)
    choice = read_format(section, [bot.name for bot in bots])
    made = TournamentFile(
        path=path,
        text=text,
        name=read_name(section),
        seed=section.number("seed", 0, 2**63 - 1) if "seed" in section else None,
        rules=_rules(section),
        format=choice.format,
        table_size=choice.table_size,
        deals=choice.deals,
        seats=choice.seats,
        stop=choice.stop,
        confidence=choice.confidence,
        format_options=choice.options,
        draws=section.word("draws", DRAW_ORDERS, "per_seat"),
        duplicates=section.flag("duplicates", default=True),
        disguise=section.flag("disguise", default=True),
        records=section.word("records", RECORD_FILES, "plain"),
        score=cast(Score, section.word("score", SCORES, "wins")),
        concurrency=section.number("concurrency", 1, 256, _cores()),
        round_pause_ms=section.duration_ms("round_pause", 0),
        clock=_clock(source, top),
        rulings=read_rulings(source, top.raw("rulings")),
        bots=bots,
    )
    _check_design(section, made)
    return made


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileError(str(path), line, "", f"not UTF-8 text: byte {error.object[error.start]:#04x}") from error
    except OSError as error:
        raise FileError(str(path), 0, "", f"cannot be read: {error.strerror}") from error


def _syntax_error(path: Path, text: str, error: tomllib.TOMLDecodeError) -> FileError:
    """The reader's message with its line in front; at the end of the text it tells none."""
    message = str(error)
    place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    line = int(place[1]) if place else text.count("\n") + 1
    sentence = message[: place.start()] if place else message.removesuffix(" (at end of document)")
    if sentence == "Cannot overwrite a value":
        key = text.splitlines()[line - 1].partition("=")[0].strip()
        sentence = f"{key!r} is there twice, or is a table elsewhere; valid is once"
    return FileError(str(path), line, "", f"not TOML: {sentence}")


def _cores() -> int:
    """How many cores this process may use: the default number of games at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _rules(section: Section) -> Ruleset:
    """The rules, with an error on the line of the option that is wrong."""
    preset = section.word("rules", PRESETS, "official")
    names = tuple(option.name for option in OPTIONS)
    values = section.raw("options") if "options" in section else {}
    options = Section(section.source, (*section.path, "options"), values, names)
    given = {name: options.raw(name) for name in names if name in options}
    for option in OPTIONS:
        if option.name in given:
            try:
                option.parse(given[option.name])
            except RulesetError as error:
                raise options.refuse(option.name, _lowered(error)) from error
    try:
        return ruleset(preset, given)
    except RulesetError as error:
        raise section.refuse("options", _lowered(error)) from error


def _lowered(error: ValueError) -> str:
    """An error's sentence without its full stop, to follow a key."""
    return str(error).removesuffix(".")


def _clock(source: Source, top: Section) -> ClockSettings:
    section = Section(source, ("clock",), top.raw("clock") if "clock" in top else {}, CLOCK_KEYS)
    default = ClockSettings()
    return ClockSettings(
        limit_ms=section.duration_ms("limit", default.limit_ms, least_ms=1),
        bank_ms=section.duration_ms("bank", default.bank_ms),
        reaction_ms=section.duration_ms("reaction", default.reaction_ms, least_ms=1),
        start_up_ms=section.duration_ms("start_up", default.start_up_ms, least_ms=1),
        grace_ms=section.duration_ms("grace", default.grace_ms),
        network_credit_ms=section.duration_ms("network_credit", default.network_credit_ms, most_ms=1_000),
        network_credit_total_ms=section.duration_ms("network_credit_total", default.network_credit_total_ms),
        sealed=section.word("reactions", ("sealed", "open"), "sealed") == "sealed",
    )


def _check_design(section: Section, made: TournamentFile) -> None:
    """Check what no key can be blamed for alone: players for the rules, bots for the tables."""
    try:
        FORMATS[made.format].check(made.design)
    except FormatError as error:
        raise section.refuse(error.key, str(error)) from error
    try:
        check_players(made.rules, made.table_size)
    except RulesetError as error:
        raise section.refuse("table_size", _lowered(error)) from error
    if made.stop == "significant":
        try:
            reach_of(made.scoring, made.rules, made.table_size)
        except ReachError as error:
            raise section.refuse("stop", str(error)) from error
