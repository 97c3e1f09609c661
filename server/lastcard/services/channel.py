"""The server's port: how it is written, and how it speaks HTTP/2.

Here: `address_of`, `channel_options`. Not here: limits of calls and streams (`gate`, `table.greeting`).
"""

from lastcard.services.settings import Settings


def address_of(host: str, port: int) -> str:
    """Host and port in one; an IPv6 address stands in brackets there."""
    return f"[{host}]:{port}" if ":" in host and not host.startswith("[") else f"{host}:{port}"


def channel_options(settings: Settings) -> list[tuple[str, int]]:
    """The options of the gRPC server."""
    answer_ms = int(settings.keepalive_timeout_s * 1000)
    return [
        # A peer that is gone is noticed within half a minute; clients may ping as often as every 10 s. gRPC waits a
        # minute for the answer to its own ping unless the second of the time-outs is set too.
        ("grpc.keepalive_time_ms", int(settings.keepalive_s * 1000)),
        ("grpc.keepalive_timeout_ms", answer_ms),
        ("grpc.http2.ping_timeout_ms", answer_ms),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        # A connection on which nobody speaks HTTP/2 is closed after this, and one without a call after that.
        ("grpc.server_handshake_timeout_ms", 10_000),
        ("grpc.max_connection_idle_ms", 600_000),
        # Frames over our own limit are answered with a reason; the transport's limit only guards memory.
        ("grpc.max_receive_message_length", 4 * settings.max_frame_bytes),
        ("grpc.so_reuseport", 0),
    ]
