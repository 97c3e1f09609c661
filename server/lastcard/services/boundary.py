"""The one error boundary of all calls, and the one line that each call leaves in the log.

Here: `ErrorBoundary`, an interceptor. Not here: which reason has which code (`errors`). Handlers below raise
`DomainError` or `Refused` and never abort by themselves.
"""

import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import grpc
import structlog
from google.protobuf.message import DecodeError
from google.rpc import status_pb2

from lastcard.rules.reasons import Refused
from lastcard.services.errors import DETAILS_KEY, incident_status, status_of
from lastcard.table.refusals import DomainError, TransportReason

_log = structlog.get_logger()

_BY_NUMBER = {code.value[0]: code for code in grpc.StatusCode}

Handler = Callable[[Any, Any], Awaitable[Any]]


class ErrorBoundary(grpc.aio.ServerInterceptor):
    """Turns whatever leaves a handler into a status, and logs `rpc.finished`."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["grpc.RpcMethodHandler[Any, Any] | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """Wraps the handler of a call, if there is one."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not method.startswith("/lastcard."):
            return handler
        for kind in ("unary_unary", "unary_stream", "stream_unary", "stream_stream"):
            inner = getattr(handler, kind)
            if inner is not None:
                reader = handler.request_deserializer if kind.startswith("unary") else None
                return _rebuilt(handler, kind, _guarded(inner if reader is None else _reading(inner, reader), method))
        return handler


def _rebuilt(
    handler: "grpc.RpcMethodHandler[Any, Any]", kind: str, behavior: Handler
) -> "grpc.RpcMethodHandler[Any, Any]":
    make = getattr(grpc, f"{kind}_rpc_method_handler")
    made: grpc.RpcMethodHandler[Any, Any] = make(
        behavior,
        request_deserializer=None if kind.startswith("unary") else handler.request_deserializer,
        response_serializer=handler.response_serializer,
    )
    return made


def _reading(inner: Handler, reader: Callable[[bytes], Any]) -> Handler:
    """A handler of one request that takes it as bytes, so that what is no message is refused like anything else."""

    async def read(request: bytes, context: Any) -> Any:
        try:
            message = reader(request)
        except DecodeError as error:
            sentence = f"the {len(request)} bytes of the request are no message of this call"
            raise DomainError(TransportReason.MALFORMED, sentence, bytes=len(request)) from error
        return await inner(message, context)

    return read


def _guarded(inner: Handler, method: str) -> Handler:
    async def guarded(request: Any, context: Any) -> Any:
        started = time.monotonic()
        code = "CANCELLED"
        try:
            answer = await inner(request, context)
            code = "OK"
            return answer
        except (DomainError, Refused) as error:
            code = error.reason.name
            await _abort(context, status_of(error))
        except Exception as error:  # noqa: BLE001 - the boundary: the text of an unknown error must not reach a client
            code = "INTERNAL"
            incident = secrets.token_hex(6)
            _log.error("rpc.failed", method=method, incident=incident, exc_info=error)
            await _abort(context, incident_status(incident))
        finally:
            seconds = round(time.monotonic() - started, 4)
            _log.debug("rpc.finished", method=method, code=code, seconds=seconds, peer=context.peer())

    return guarded


async def _abort(context: Any, status: status_pb2.Status) -> NoReturn:
    metadata = ((DETAILS_KEY, status.SerializeToString()),)
    await context.abort(_BY_NUMBER[status.code], status.message, metadata)
    raise AssertionError("abort always raises")
