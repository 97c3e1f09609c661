"""Bots named on the command line: shipped ones by name, others by file and class.

Here: `find_bot`. Not here: what is done with them (`bot_command`, `match_command`). May import `lastcard_bot`.
"""

import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

from lastcard.cli.errors import CommandError
from lastcard_bot.bot import AsyncBot, Bot
from lastcard_bot.bots import BOTS, make_bot
from lastcard_bot.minds import check_methods
from lastcard_bot.settings import BotError

BOT_HELP = f"{', '.join(BOTS)}, or FILE.py:CLASS for one of your own (CLASS may be left out when there is one only)"


def find_bot(text: str, *, seed: int = 0, budget_ms: float | None = None) -> Bot | AsyncBot:
    """The bot that `text` names.

    Raises:
        CommandError: there is none, or it cannot be made; the sentence says what would be valid.
    """
    if text in BOTS:
        return _shipped(text, seed, budget_ms)
    path, colon, name = text.rpartition(":")
    file = Path(path if colon else text)
    if file.suffix != ".py":
        raise CommandError(f"there is no bot {text!r}; give {BOT_HELP}")
    if budget_ms is not None:
        raise CommandError("--budget-ms is for shipped bots that search; a bot from a file has settings of its own")
    kind = _class_in(_load(file), file, name if colon else "")
    try:
        bot = kind()
    except (Exception, SystemExit) as error:
        raise CommandError(f"{file}: {kind.__name__}() failed: {type(error).__name__}: {error}") from error
    try:
        check_methods(bot)
    except BotError as error:
        raise CommandError(f"{file}: {error}") from error
    return bot


def _shipped(name: str, seed: int, budget_ms: float | None) -> Bot:
    if budget_ms is None:
        return make_bot(name, seed)
    if not budget_ms > 0:
        raise CommandError(f"--budget-ms {budget_ms:g}: a time must be above 0 ms")
    maker = BOTS[name]
    if "budget_ms" not in inspect.signature(maker).parameters:
        raise CommandError(f"--budget-ms: {name} does not search and takes no time to speak of")
    return maker(seed, budget_ms=budget_ms)  # type: ignore[call-arg]  # the signature was looked at


def _load(file: Path) -> ModuleType:
    if not file.is_file():
        raise CommandError(f"there is no file {str(file)!r}")
    name = file.stem
    if name in sys.modules or name in sys.stdlib_module_names:
        name = f"bot of {file.resolve()}"  # a file called random.py must not be everybody's `random`
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise CommandError(f"{file} cannot be read as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    before = set(sys.modules)
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise CommandError(f"{file} could not be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(file.parent))
        _forget_neighbours(file, before)
    return module


def _forget_neighbours(file: Path, before: set[str]) -> None:
    """Forget the modules that a bot took from its own directory: the next bot's of the same name may be others."""
    for name in set(sys.modules) - before:
        source = getattr(sys.modules[name], "__file__", None)
        if source is not None and Path(source).resolve().is_relative_to(file.parent.resolve()):
            del sys.modules[name]


def _class_in(module: ModuleType, file: Path, name: str) -> type[Bot] | type[AsyncBot]:
    found = {
        key: value
        for key, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, Bot | AsyncBot) and value.__module__ == module.__name__
    }
    if name:
        if name not in found:
            raise CommandError(f"{file} has no bot {name!r}; it has {', '.join(found) or 'none'}")
        return found[name]
    if len(found) != 1:
        raise CommandError(f"{file} has {len(found)} bots ({', '.join(found) or 'none'}); name one as {file}:CLASS")
    return next(iter(found.values()))
