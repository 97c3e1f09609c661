"""The settings of an arena, each declared once: name, unit, default, help, environment name and flag follow from it.

Here: `Settings`, `settings_from_environment`, `settings_list`. Not here: how the command line reads them (`cli`), what
they do. Imports nothing of ours.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any

PREFIX = "LASTCARD_SERVE_"
"""Environment names are this and the setting's name in capitals."""


class SettingsError(ValueError):
    """A setting does not exist or has a value that is not allowed; the message lists what is."""


DAY_S = 86_400
"""The longest span that is given in seconds."""


def _setting(default: Any, text: str, *, unit: str = "", least: float | None = None, most: float | None = None) -> Any:
    return field(default=default, metadata={"help": text, "unit": unit, "least": least, "most": most})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an arena is started with.

    Raises:
        SettingsError: a value is none of those that make sense.
    """

    host: str = _setting("127.0.0.1", "address to listen on; other than loopback needs tokens")
    port: int = _setting(0, "port to listen on; 0 for a free one", least=0, most=65_535)
    data: Path | None = _setting(  # noqa: RUF009 - a field, not a shared value
        None, "directory of the store, made if missing; none keeps nothing on disk"
    )
    durability: str = _setting(
        "full", "what accepted moves survive: full (a loss of power too) or normal (the death of the process; faster)"
    )
    retain_days: float = _setting(
        0.0,
        "how long results and records of closed tables are kept in the store; 0 keeps them for good",
        unit="days",
        least=0,
        most=36_500,
    )
    anonymous: bool = _setting(True, "let bots on this machine connect without a token")
    organiser_token: str = _setting(
        "", "secret of whoever registers bots and runs tournaments; `file` makes one and keeps it in the data directory"
    )
    practice: str = _setting(
        "", "seat whoever connects against these builtins, a comma between them; empty for no practice tables"
    )
    rules: str = _setting("official", "preset that practice tables play by")
    max_tables: int = _setting(20_000, "most open tables", least=1)
    max_tables_per_bot: int = _setting(1_024, "most open tables of one bot", least=1)
    max_streams: int = _setting(10_000, "most streams", least=1)
    max_watchers: int = _setting(2_000, "most calls that watch tables", least=1)
    max_tournaments: int = _setting(8, "most tournaments that run at once", least=1)
    calls_per_s: float = _setting(
        500.0, "most calls of one caller a second, and four times as many at once", unit="calls", least=1
    )
    newcomers_per_s: float = _setting(
        100.0,
        "most streams a second that bots without token or seat open from one machine, and twenty times as many at once",
        unit="streams",
        least=1,
    )
    max_frame_bytes: int = _setting(256 * 1024, "largest frame that is read", unit="bytes", least=1_024, most=1 << 28)
    outbox_bytes: int = _setting(4 << 20, "most that may wait for one reader", unit="bytes", least=65_536)
    heartbeat_s: float = _setting(
        10.0, "how often a heartbeat goes to every stream", unit="seconds", least=0.05, most=DAY_S
    )
    keepalive_s: float = _setting(
        20.0, "silence of a peer after which it is asked for a sign of life", unit="seconds", least=0.05, most=DAY_S
    )
    keepalive_timeout_s: float = _setting(
        10.0,
        "how long a peer may take to answer that before its connection is closed",
        unit="seconds",
        least=0.05,
        most=DAY_S,
    )
    grace_s: float = _setting(5.0, "how long a stop may take", unit="seconds", least=0, most=DAY_S)
    recovery_grace_s: float = _setting(
        30.0,
        "how long after a restart bots may take to come back before their clocks run",
        unit="seconds",
        least=0,
        most=DAY_S,
    )
    log: str = _setting("auto", "form of the log: console, json, or auto (console on a terminal)")
    log_level: str = _setting("info", "least level of the log: debug, info, warning or error")

    def __post_init__(self) -> None:
        for one in fields(self):
            _check_number(one.name, getattr(self, one.name), one.metadata["least"], one.metadata["most"])
        _check_word("durability", self.durability, ("full", "normal"))
        _check_word("log", self.log, ("auto", "console", "json"))
        _check_word("log_level", self.log_level, ("debug", "info", "warning", "error"))


def _check_number(name: str, value: Any, least: float | None, most: float | None) -> None:
    if least is None:
        return
    if not isfinite(value) or not least <= value <= (value if most is None else most):
        valid = f"the least is {least:g}" if most is None else f"valid are {least:g} to {most}"
        raise SettingsError(f"{name} is {value}; {valid}")


def _check_word(name: str, value: str, valid: tuple[str, ...]) -> None:
    if value not in valid:
        raise SettingsError(f"{name} is {value!r}; valid are {', '.join(valid)}")


def settings_list() -> tuple["Field[Any]", ...]:
    """The declarations, in order; `metadata` holds `help` and `unit`."""
    return fields(Settings)


def default_of(declared: "Field[Any]") -> Any:
    """The default of a setting."""
    assert declared.default is not MISSING
    return declared.default


def value_of(declared: "Field[Any]", text: str) -> Any:
    """The value of a setting that is given as text.

    Raises:
        SettingsError: the text is no value of its type.
    """
    default = default_of(declared)
    name = declared.name
    if isinstance(default, bool):
        if text.lower() not in ("true", "false", "yes", "no", "1", "0"):
            raise SettingsError(f"{name} is {text!r}; valid are true and false")
        return text.lower() in ("true", "yes", "1")
    if isinstance(default, (int, float)):
        try:
            return type(default)(text)
        except ValueError:
            kind = "a whole number" if isinstance(default, int) else "a number"
            unit = f" of {declared.metadata['unit']}" if declared.metadata["unit"] else ""
            raise SettingsError(f"{name} is {text!r}; it must be {kind}{unit}") from None
    if name == "data":
        return None if text in ("", "none") else Path(text)
    return text


def settings_from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """The settings that the environment gives, by name.

    Raises:
        SettingsError: a name with our prefix is no setting, or a value is not allowed.
    """
    by_name = {PREFIX + declared.name.upper(): declared for declared in settings_list()}
    given = {}
    for name, text in environment.items():
        if name.startswith(PREFIX):
            if name not in by_name:
                raise SettingsError(f"there is no setting {name}; valid are {', '.join(sorted(by_name))}")
            declared = by_name[name]
            given[declared.name] = value_of(declared, text)
    return given
