import pytest

from lastcard.services.callers import machine_of
from lastcard.services.gate import WAIT_MS, Gate
from lastcard.table.refusals import DomainError, TransportReason

KEYS_KEPT = 1_000


class Clock:
    now = 1_000

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def gate(clock):
    return Gate("calls", clock, burst=3, per_second=2)


def is_let_in(gate, key="me"):
    try:
        gate.enter(key)
    except DomainError:
        return False
    return True


def test_a_refusal_says_how_much_is_allowed_and_when_to_try_again(gate):
    for _ in range(3):
        gate.enter("me")
    with pytest.raises(DomainError, match="too many calls: 2 a second are allowed for long and 3 at once") as refusal:
        gate.enter("me")
    assert (refusal.value.reason, refusal.value.retry_after_ms) == (TransportReason.TOO_FAST, WAIT_MS)


def test_so_many_at_once_and_then_so_many_a_second(gate, clock):
    assert [is_let_in(gate) for _ in range(5)] == [True] * 3 + [False] * 2
    clock.now += 1_000
    assert [is_let_in(gate) for _ in range(3)] == [True] * 2 + [False]
    clock.now += 60_000
    assert [is_let_in(gate) for _ in range(4)] == [True] * 3 + [False]


def test_another_caller_is_counted_apart(gate):
    assert [is_let_in(gate) for _ in range(4)][-1] is False
    assert is_let_in(gate, "you")


def test_dear_calls_count_as_several(gate, clock):
    assert is_let_in(gate)
    gate.charge("me", 6)
    assert not is_let_in(gate)
    clock.now += 2_000
    assert not is_let_in(gate)
    clock.now += 1_000
    assert is_let_in(gate)
    gate.charge("nobody", 1)


def test_who_has_been_quiet_is_forgotten_and_who_is_refused_is_not(gate, clock, monkeypatch):
    monkeypatch.setattr("lastcard.services.gate.KEYS_KEPT", KEYS_KEPT)
    for _ in range(4):
        is_let_in(gate)
    for number in range(KEYS_KEPT):
        clock.now += 1
        is_let_in(gate, str(number))
    assert len(gate) <= KEYS_KEPT + 1
    clock.now = 1_000
    for _ in range(4):
        is_let_in(gate, "flood")
    for number in range(3 * KEYS_KEPT):
        is_let_in(gate, f"new-{number}")
    assert len(gate) <= 2 * KEYS_KEPT


@pytest.mark.parametrize(
    ("peer", "machine"),
    [
        ("ipv4:127.0.0.1:5000", "127.0.0.1"),
        ("ipv4:10.1.2.3:80", "10.1.2.3"),
        ("ipv6:[::1]:5000", "::"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:5000", "2001:db8:1:2::"),
        ("ipv6:[fe80::1%25eth0]:1", "fe80::"),
        ("ipv6:[rubbish]:1", "rubbish"),
        ("unix:", "unix"),
        ("", ""),
    ],
)
def test_a_machine_is_its_address_or_its_network(peer, machine):
    assert machine_of(peer) == machine
