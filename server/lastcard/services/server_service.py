"""`ServerService`: what the server is and which rules it knows.

Here: the servicer. Not here: the rules (`rules`), the settings (`settings`).
"""

from typing import Any

from lastcard.rules.options import Choice, Combination, Flag, Number, Option
from lastcard.rules.presets import ABOUT
from lastcard.rules.ruleset import OPTIONS, PRESETS, Ruleset, ruleset
from lastcard.services.callers import machine_of
from lastcard.services.gate import Gate
from lastcard.services.settings import Settings
from lastcard.services.wire.frames import PROTOCOL_VERSION
from lastcard.v1 import ruleset_pb2, server_service_pb2, server_service_pb2_grpc


class ServerServicer(server_service_pb2_grpc.ServerServiceServicer):
    """Serves `ServerService`."""

    def __init__(self, settings: Settings, version: str, builtins: tuple[str, ...], calls: Gate) -> None:
        self._calls = calls
        self._info = server_service_pb2.GetServerInfoResponse(
            version=version,
            protocol_versions=[PROTOCOL_VERSION],
            max_frame_bytes=settings.max_frame_bytes,
            max_tables=settings.max_tables,
            max_tables_per_bot=settings.max_tables_per_bot,
            builtins=builtins,
        )
        self._presets = server_service_pb2.ListPresetsResponse(presets=[_preset(name) for name in PRESETS])

    async def GetServerInfo(  # noqa: N802 - the name is the wire's
        self, _request: server_service_pb2.GetServerInfoRequest, context: Any
    ) -> server_service_pb2.GetServerInfoResponse:
        """Returns version and limits."""
        self._calls.enter(machine_of(context.peer()))
        return self._info

    async def ListPresets(  # noqa: N802
        self, _request: server_service_pb2.ListPresetsRequest, context: Any
    ) -> server_service_pb2.ListPresetsResponse:
        """Returns every preset with all its options."""
        self._calls.enter(machine_of(context.peer()))
        return self._presets


def _preset(name: str) -> server_service_pb2.Preset:
    rules = ruleset(name)
    options = [_option(option, rules) for option in OPTIONS]
    return server_service_pb2.Preset(name=name, about=ABOUT[name], options=options)


def _option(option: Option, rules: Ruleset) -> server_service_pb2.PresetOption:
    value = rules.value(option.name)
    return server_service_pb2.PresetOption(
        option=ruleset_pb2.RuleOption(name=option.name, value=option.text(value)),
        about=option.help,
        meaning=option.meaning(value),
        allowed=_allowed(option),
    )


def _allowed(option: Option) -> list[str]:
    match option:
        case Choice():
            return list(option.words)
        case Combination():
            return list(option.meanings)
        case Flag():
            return ["true", "false"]
        case Number():
            return [option.valid if option.only is not None else f"{option.low}..{option.high}"]
        case _:
            return [option.valid]
