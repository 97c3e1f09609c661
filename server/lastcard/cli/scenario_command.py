"""`lastcard scenario FILE...`: checks scenario files against the rules (scenario.md)."""

import argparse
import json
import sys
from pathlib import Path

from lastcard.cli.paths import path_of
from lastcard.rules.scenario import Result, run_scenario
from lastcard.rules.scenario_file import ScenarioFileError, read_scenarios

EPILOG = """\
example:
  lastcard scenario one-draw.toml two-players.toml

Prints `ok ID` or `FAIL ID step N ...` for each scenario, then how many passed.
exit status: 0 all passed, 1 some failed, 2 a file could not be read (the others run)
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `scenario` to the command line."""
    parser = subparsers.add_parser(
        "scenario",
        help="check scenario files against the rules",
        description="Put the table into the positions of scenario files, play their steps and check what is true.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=path_of, metavar="FILE", help="a scenario file (TOML)")
    parser.add_argument("--json", action="store_true", help="print one JSON object with all results instead")


def run(args: argparse.Namespace) -> int:
    """Plays the files' scenarios and returns 0, 1 or 2 as the help says."""
    results: list[tuple[str, Result]] = []
    unreadable = False
    for path in args.files:
        name = str(path)
        try:
            scenarios = read_scenarios(_text(path))
        except ScenarioFileError as error:
            unreadable = True
            for problem in error.problems:
                print(f"{name}: {problem}", file=sys.stderr)
            continue
        for scenario in scenarios:
            result = run_scenario(scenario)
            results.append((name, result))
            if not args.json:
                print(result.line)
    failed = sum(not result.passed for _, result in results)
    if args.json:
        print(json.dumps(_summary(results), ensure_ascii=False))
    else:
        print(f"{len(results) - failed} passed, {failed} failed")
    return 2 if unreadable else 1 if failed else 0


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except OSError as error:
        raise ScenarioFileError([f"it cannot be read: {error.strerror or error}."]) from None
    except UnicodeDecodeError as error:
        raise ScenarioFileError([f"it is not UTF-8 text: byte {error.start} is not."]) from None
    except ValueError as error:
        raise ScenarioFileError([f"it cannot be opened: {error}."]) from None


def _summary(results: list[tuple[str, Result]]) -> dict[str, object]:
    failed = sum(not result.passed for _, result in results)
    return {
        "passed": len(results) - failed,
        "failed": failed,
        "scenarios": [
            {"file": name, "id": result.id, "passed": True}
            if result.passed
            else {
                "file": name,
                "id": result.id,
                "passed": False,
                "step": result.step,
                "text": result.text,
                "expected": result.expected,
                "got": result.got,
            }
            for name, result in results
        ],
    }
