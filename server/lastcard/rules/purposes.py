"""Every use of chance in a round, each with a name of its own.

Here: the purpose strings, all of them. Not here: how a purpose becomes an order or a number (`shuffle`). Imports
nothing.

A purpose is used at most once a round, since the same purpose gives the same chance again. Numbers in a purpose are
decimal and count from 1, seats from 0.
"""

DEAL = "deal"
"""The order of the deck before the deal: hands first, then the start card, then the pile."""

FIRST_DEALER = "first-dealer"
"""The first dealer drawn by lot (`first_dealer = random`)."""

FIRST_PLAYER = "first-player"
"""The player who starts, drawn by lot (`first_player = random`)."""


def redeal(attempt: int) -> str:
    """The order for the `attempt`-th new deal of a round that found no start card (rules.md K30)."""
    return f"redeal/{attempt}"


def flip(times: int) -> str:
    """The order of the pile after the `times`-th start card that was put back (rules.md C1)."""
    return f"flip/{times}"


def rebuild(times: int) -> str:
    """The order of the `times`-th pile rebuilt from the discards (rules.md C11), where one order serves all seats."""
    return f"rebuild/{times}"


def seat_order(pile: int, seat: int) -> str:
    """The order in which `seat` draws from the `pile`-th pile of the round, where each seat has its own."""
    return f"seat/{pile}/{seat}"


def high_card(draw: int) -> str:
    """The deck from which the seats draw for the `draw`-th time to find the first dealer."""
    return f"high-card/{draw}"


COLOR = "color/"
"""How the purposes of lots begin that draw a colour."""


def color(turn: int) -> str:
    """The colour that the server names before turn number `turn` (rules.md C9)."""
    return f"{COLOR}{turn}"


def colors(least: int) -> str:
    """The new names of colours, of which `least` is the least, in a disguised round (`disguise`); under its own key."""
    return f"colors/{least}"


SCENARIO = "scenario"
"""The cards whose place a scenario leaves open (`scenario_keys`)."""
