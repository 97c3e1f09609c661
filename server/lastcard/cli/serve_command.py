"""`lastcard serve`: runs the arena until it is told to stop.

Here: options from the settings' declarations, signals, the first line. Not here: the arena (`app`).
"""

import argparse
import asyncio
import os
from pathlib import Path
from typing import Any

from lastcard.app import Arena, ArenaError, Settings
from lastcard.cli.errors import CommandError
from lastcard.services.collector import calm_collector
from lastcard.services.log import configure_log
from lastcard.services.open_files import allow_many_files
from lastcard.services.organiser import IN_FILE
from lastcard.services.settings import (
    PREFIX,
    SettingsError,
    default_of,
    settings_from_environment,
    settings_list,
    value_of,
)
from lastcard_bot.signals import listening

DEFAULTS: dict[str, Any] = {"port": 7600, "data": Path("lastcard-data"), "organiser_token": IN_FILE}
"""Where the command departs from an arena in process: that takes a free port, keeps nothing, and has no organiser."""

PRACTICE = "greedy,greedy,greedy"
"""Who sits at practice tables when `--practice` names nobody."""

FAILED_GRACE_S = 1.0
"""How long those who are connected have to hear that the arena ends because its store failed."""

EPILOG = f"""\
examples:
  lastcard serve
  lastcard serve --practice
  lastcard serve --practice shrewd,random --rules german --port 0
  lastcard serve --data /var/lib/lastcard --log json

Every option can be given by the environment too: {PREFIX} and its name in capitals, for example {PREFIX}PORT=7600.
Bots of other machines need a token: `lastcard bot register NAME --server HOST:PORT` gives one out, to the organiser.
The organiser is who calls from this machine without a token, or with the one in DATA/organiser.token, made at the
first start. server/docs/hosting.md tells how bots of others are let in and tournaments are run on a server.
SIGTERM or Ctrl-C drains: health says NOT_SERVING, tables stand still and are stored, streams are told and end, and the
command ends within --grace-s seconds. A second one ends it at once, by the signal, and loses nothing either.
Tables that were open go on when the server is started again with the same --data, after a kill or a crash too.
exit status: 0 it was stopped, 1 its store failed while it ran (what was told is kept), 2 it could not start
Faster on Linux: install uvloop, and set GRPC_EXPERIMENTS=-event_engine_listener (measured with grpcio 1.85).
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the parser of `serve`, an option for each setting."""
    parser = subparsers.add_parser(
        "serve",
        help="run the arena",
        description="Run the arena: a gRPC server on which bots play.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for declared in settings_list():
        name, default = declared.name, DEFAULTS.get(declared.name, default_of(declared))
        flag = "--" + name.replace("_", "-")
        text = declared.metadata["help"]
        if isinstance(default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, help=text, default=None)
        elif name == "practice":
            parser.add_argument(flag, metavar="BUILTINS", nargs="?", const=PRACTICE, help=text)
        else:
            unit = declared.metadata["unit"].upper() or name.upper()
            shown = "none" if default in (None, "") else default
            parser.add_argument(flag, metavar=unit, help=f"{text} (default: {shown})")


def run(args: argparse.Namespace) -> int:
    """Runs the arena until a signal comes; 0 when it stopped in good order.

    Raises:
        CommandError: it could not start (status 2), or its store failed meanwhile (status 1).
    """
    try:
        settings = _settings(args)
    except SettingsError as error:
        raise CommandError(str(error)) from error
    configure_log(settings.log, settings.log_level)
    allow_many_files()
    try:
        failure = _run_loop(settings)
    except ArenaError as error:
        taken = str(error).startswith("cannot listen")
        hint = "; free it, or name another with --port, 0 for any that is free" if taken else ""
        raise CommandError(f"{error}{hint}") from error
    if failure is not None:
        raise CommandError(failure, status=1)
    return 0


def _settings(args: argparse.Namespace) -> Settings:
    values = DEFAULTS | settings_from_environment(os.environ)
    for declared in settings_list():
        given = getattr(args, declared.name)
        if given is not None:
            values[declared.name] = value_of(declared, str(given))
    return Settings(**values)


def _run_loop(settings: Settings) -> str | None:
    try:
        import uvloop  # noqa: PLC0415 - an optional extra: faster, never required
    except ModuleNotFoundError:
        return asyncio.run(_serve(settings))
    else:
        return uvloop.run(_serve(settings))


async def _serve(settings: Settings) -> str | None:
    """Runs the arena; why it failed, if it did."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def ask_to_stop() -> None:
        loop.call_soon_threadsafe(stop.set)

    with listening(ask_to_stop):
        arena = Arena(settings)
        await arena.start()
        calm_collector()
        print(f"lastcard: serving on {arena.address}", flush=True)
        if arena.organiser_file is not None:
            print(f"lastcard: the organiser's token is in {arena.organiser_file}", flush=True)
        await _first(stop, arena.failed)
        # A store that failed says nothing any more that could be waited for.
        await arena.stop(FAILED_GRACE_S if arena.failed.is_set() else None)
        return arena.failure


async def _first(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
