import pytest

from lastcard.services.channel import address_of


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1:7600"),
        ("localhost", "localhost:7600"),
        ("::1", "[::1]:7600"),
        ("[::1]", "[::1]:7600"),
        ("::", "[::]:7600"),
    ],
)
def test_an_address_of_ipv6_stands_in_brackets(host: str, address: str) -> None:
    assert address_of(host, 7600) == address
