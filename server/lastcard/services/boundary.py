"""The one error boundary of all calls, and the one line that each call leaves in the log.

Here: `ErrorBoundary`, an interceptor. Not here: which reason has which code (`errors`). Handlers below raise
`DomainError` or `Refused` and never abort by themselves. The one request of a call is read here and not by gRPC, which
would wait for it for ever and answer what is no message with a bare INTERNAL; on the wire there is no difference.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NoReturn

import grpc
import structlog
from google.protobuf.message import DecodeError
from google.rpc import status_pb2

from lastcard.rules.reasons import Refused
from lastcard.services.errors import DETAILS_KEY, incident_status, status_of
from lastcard.services.patience import Patience
from lastcard.table.refusals import DomainError, TransportReason

_log = structlog.get_logger()

_BY_NUMBER = {code.value[0]: code for code in grpc.StatusCode}

Handler = Callable[[Any, Any], Awaitable[Any]]

STATUS_S = 10.0
"""How long the writing of a status may take before the handler is done all the same; a peer that reads on later still
gets it."""


class ErrorBoundary(grpc.aio.ServerInterceptor):
    """Turns whatever leaves a handler into a status, and logs `rpc.finished`."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["grpc.RpcMethodHandler[Any, Any] | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """Wraps the handler of a call, if there is one."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None:
            return None
        for kind in ("unary_unary", "unary_stream", "stream_unary", "stream_stream"):
            inner = getattr(handler, kind)
            if inner is None:
                continue
            if kind.startswith("unary"):
                inner = _reading(inner, handler.request_deserializer, self._patience)
            elif not method.startswith("/lastcard."):
                return handler  # a stream of somebody else's, who writes and aborts as he likes
            return _rebuilt(handler, kind.replace("unary_", "stream_", 1), _guarded(inner, method))
        return handler


def _rebuilt(
    handler: "grpc.RpcMethodHandler[Any, Any]", kind: str, behavior: Handler
) -> "grpc.RpcMethodHandler[Any, Any]":
    make = getattr(grpc, f"{kind}_rpc_method_handler")
    made: grpc.RpcMethodHandler[Any, Any] = make(
        behavior,
        request_deserializer=None if handler.unary_unary or handler.unary_stream else handler.request_deserializer,
        response_serializer=handler.response_serializer,
    )
    return made


def _reading(inner: Handler, reader: Callable[[bytes], Any] | None, patience: Patience) -> Handler:
    """A handler of one request that reads it itself."""

    async def read(_requests: object, context: Any) -> Any:
        try:
            async with patience.waiting():
                request = await context.read()
        except TimeoutError:
            sentence = f"the call sent no request within {patience.seconds:g} s, or too many such calls wait; try again"
            raise DomainError(TransportReason.MALFORMED, sentence) from None
        if request is grpc.aio.EOF:
            raise DomainError(TransportReason.MALFORMED, "the call ended without a request; send one")
        try:
            message = request if reader is None else reader(request)
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
        except grpc.aio.AbortError:
            code = "ABORTED"  # gRPC's own services abort by themselves
            raise
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
    """Ends a call with a status; a peer that reads nothing cannot be told it, and is not waited for for long."""
    metadata = ((DETAILS_KEY, status.SerializeToString()),)
    with suppress(TimeoutError):
        async with asyncio.timeout(STATUS_S):
            await context.abort(_BY_NUMBER[status.code], status.message, metadata)
    raise asyncio.CancelledError  # the one exception by which gRPC lets a handler go without a word
