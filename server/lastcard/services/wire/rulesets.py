"""Rules and time controls, both ways.

Here: `Ruleset` and `Clock` of the wire from and to plain values. Not here: which options exist (`rules.ruleset`).
"""

from functools import lru_cache

from lastcard.rules.ruleset import Ruleset, ruleset
from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import ruleset_pb2, table_pb2


def ruleset_message(rules: Ruleset) -> ruleset_pb2.Ruleset:
    """The preset and the options that differ from it."""
    options = [ruleset_pb2.RuleOption(name=name, value=value) for name, value in rules.overrides()]
    return ruleset_pb2.Ruleset(preset=rules.preset, options=options)


@lru_cache(maxsize=256)
def ruleset_body(rules: Ruleset) -> bytes:
    """The bytes of `ruleset_message`."""
    return ruleset_message(rules).SerializeToString(deterministic=True)


def ruleset_value(message: ruleset_pb2.Ruleset) -> Ruleset:
    """The rules that a message names; `official` when it names none.

    Raises:
        RulesetError: the preset, an option or a value does not exist, or an option is given twice.
    """
    names = [option.name for option in message.options]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"the option {twice[0]!r} is given {names.count(twice[0])} times; give each option once")
    return ruleset(message.preset or "official", {option.name: option.value for option in message.options})


def clock_message(clock: TimeControl) -> table_pb2.Clock:
    """A time control as durations."""
    message = table_pb2.Clock()
    message.limit.FromMilliseconds(clock.limit_ms)
    message.bank.FromMilliseconds(clock.bank_ms)
    message.reaction.FromMilliseconds(clock.reaction_ms)
    message.start_up.FromMilliseconds(clock.start_up_ms)
    message.grace.FromMilliseconds(clock.grace_ms)
    message.network_credit.FromMilliseconds(clock.network_credit_ms)
    message.network_credit_total.FromMilliseconds(clock.network_credit_total_ms)
    return message


@lru_cache(maxsize=256)
def clock_body(clock: TimeControl) -> bytes:
    """The bytes of `clock_message`."""
    return clock_message(clock).SerializeToString()
