"""`lastcard rules [PRESET]`: shows presets and their options, each with its value and what that means."""

import argparse
import json
import textwrap
from collections.abc import Iterator

from lastcard.cli.errors import CommandError
from lastcard.cli.option_pairs import read_pairs
from lastcard.rules.options import Option
from lastcard.rules.presets import ABOUT, PRESETS
from lastcard.rules.ruleset import OPTIONS, Ruleset, RulesetError, ruleset

EPILOG = """\
examples:
  lastcard rules                     the presets, and where each departs from official
  lastcard rules german              every option of a preset, its value and what it means
  lastcard rules german --values     the same with all values that an option may have
  lastcard rules --values            every option of official with all values
  lastcard rules official jump_in=identical seven_swap=true
"""

_WIDTH = 100


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `rules` to the command line."""
    parser = subparsers.add_parser(
        "rules",
        help="show presets, their options and what they mean",
        description="Show the presets, or every option of one with its value and what that means.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("preset", nargs="?", metavar="PRESET", help=f"one of {', '.join(PRESETS)}")
    parser.add_argument("options", nargs="*", metavar="OPTION=VALUE", help="options laid over the preset")
    parser.add_argument(
        "--values",
        action="store_true",
        help="show every valid value with its meaning (of official, if no preset is named)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Prints the presets, or one preset's options, and returns 0."""
    if args.preset is None and not args.values:
        print(_presets_json() if args.json else "\n".join(_presets_text()))
        return 0
    rules = _rules("official" if args.preset is None else args.preset, args.options)
    print(_rules_json(rules) if args.json else "\n".join(_rules_text(rules, args.values)))
    return 0


def _rules(preset: str, pairs: list[str]) -> Ruleset:
    try:
        return ruleset(preset, dict(read_pairs(pairs)))
    except RulesetError as error:
        raise CommandError(str(error).removesuffix(".")) from None


def _departures(preset: str) -> dict[str, str]:
    """The options in which a preset differs from `official`, as text."""
    rules, official = ruleset(preset), ruleset("official")
    return {
        option.name: option.text(rules.value(option.name))
        for option in OPTIONS
        if rules.value(option.name) != official.value(option.name)
    }


def _presets_text() -> Iterator[str]:
    for preset in PRESETS:
        yield f"{preset}: {ABOUT[preset]}"
        departures = ", ".join(f"{name} = {value}" for name, value in _departures(preset).items())
        if departures:
            yield _indented(f"unlike official: {departures}", 2)
    yield ""
    yield "`lastcard rules PRESET` shows every option of a preset, its value and what it means."


def _presets_json() -> str:
    return json.dumps(
        [{"preset": preset, "about": ABOUT[preset], "departures": _departures(preset)} for preset in PRESETS],
        ensure_ascii=False,
    )


def _rules_text(rules: Ruleset, all_values: bool) -> Iterator[str]:
    overrides = dict(rules.overrides())
    yield f"{rules.preset}: {ABOUT[rules.preset]}" + (", with options of your own (*)" if overrides else "")
    section = ""
    for option in OPTIONS:
        if option.section != section:
            section = option.section
            yield f"\n{section.upper()}"
        mark = " *" if option.name in overrides else ""
        yield f"\n  {option.name} = {_shown(option, rules)}{mark}"
        yield _indented(option.help, 6)
        if all_values:
            yield from _values(option, rules)
        else:
            yield _indented(f"here: {option.meaning(rules.value(option.name))}.", 6)


def _shown(option: Option, rules: Ruleset) -> str:
    return option.text(rules.value(option.name)) or "-"


def _values(option: Option, rules: Ruleset) -> Iterator[str]:
    here = option.text(rules.value(option.name))
    for value, meaning in option.meanings.items():
        later = "" if _is_supported(option, value) else " (not yet supported)"
        yield _indented(f"{'>' if value == here else '-'} {value or 'empty'}: {meaning}{later}", 6)
    if here not in option.meanings:
        yield _indented(f"> {here}: {option.meaning(rules.value(option.name))}", 6)
    yield _indented(f"valid: {option.valid}", 6)


def _is_supported(option: Option, value: str) -> bool:
    try:
        option.parse(value)
    except RulesetError:
        return False
    return True


def _indented(text: str, indent: int) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2))


def _rules_json(rules: Ruleset) -> str:
    overrides = dict(rules.overrides())
    return json.dumps(
        {
            "preset": rules.preset,
            "about": ABOUT[rules.preset],
            "options": [
                {
                    "name": option.name,
                    "section": option.section,
                    "help": option.help,
                    "value": option.text(rules.value(option.name)),
                    "meaning": option.meaning(rules.value(option.name)),
                    "valid": option.valid,
                    "values": [
                        {"value": value, "meaning": meaning, "supported": _is_supported(option, value)}
                        for value, meaning in option.meanings.items()
                    ],
                    "override": option.name in overrides,
                }
                for option in OPTIONS
            ],
        },
        ensure_ascii=False,
    )
