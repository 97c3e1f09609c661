"""Who calls, from a call's metadata.

Here: `bearer_token`, `is_loopback`, `machine_of`. Not here: whether the token is valid (`identity`).
"""

from ipaddress import IPv6Address, ip_address
from typing import Any

from lastcard.table.refusals import DomainError, TransportReason


def bearer_token(context: Any) -> str:
    """The token in the metadata `authorization: Bearer …`; empty when there is none.

    Raises:
        DomainError: UNAUTHENTICATED when the entry is of another kind.
    """
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = value.partition(" ")
            if scheme.lower() != "bearer" or not token.strip():
                sentence = f"the metadata authorization begins with {scheme!r}; it must be `Bearer` and a token"
                raise DomainError(TransportReason.UNAUTHENTICATED, sentence)
            stripped: str = token.strip()
            return stripped
    return ""


def is_loopback(peer: str) -> bool:
    """Whether a peer as gRPC names it is on this machine."""
    return peer.startswith(("ipv4:127.", "ipv6:[::1]", "ipv6:%5B::1%5D", "unix:"))


def machine_of(peer: str) -> str:
    """The machine of a peer as gRPC names it: its address, or with IPv6 its network, which has one owner."""
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind
    host = rest.rpartition(":")[0].replace("%5B", "[").replace("%5D", "]").strip("[]").partition("%")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(IPv6Address(int(address) >> 64 << 64)) if address.version == 6 else host
