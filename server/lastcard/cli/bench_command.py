"""`lastcard bench`: measures engine, service or store against a control of the same run, and what duplicates are worth.

Here: the frame of the command. Not here: the measurements (`bench_engine`, `bench_service`, `bench_store`,
`bench_duplicates`).
"""

import argparse
import importlib
from types import ModuleType

EXAMPLES = {
    "engine": ("lastcard bench engine", "lastcard bench engine --json"),
    "service": ("lastcard bench service --pairs 3", "lastcard bench service --sizes 64x1 --json"),
    "store": ("lastcard bench store", "lastcard bench store --directory /var/lib/lastcard"),
    "duplicates": ("lastcard bench duplicates", "lastcard bench duplicates --bots greedy shrewd --sets 500 --json"),
}


def _epilog(*kinds: str) -> str:
    lines = [f"  {example}" for kind in kinds for example in EXAMPLES[kind]]
    advice = "Absolute figures drift with the machine and with what else runs on it; trust the ratios to the control."
    return "\n".join(["examples:", *lines, "", advice, "exit status: 0 measured, 2 it could not be measured"])


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `bench` with its measurements to the command line."""
    parser = subparsers.add_parser(
        "bench",
        help="measure engine, service or store against a control, or what duplicate deals are worth",
        description="Measure engine, service or store: medians of interleaved passes, beside a control of their run.",
        epilog=_epilog(*EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = parser.add_subparsers(title="what to measure", metavar="WHAT", dest="what", required=True)
    for what, summary in (
        ("engine", "the rules core, in process"),
        ("service", "the server, over gRPC"),
        ("store", "the store, without a server"),
        ("duplicates", "how many games duplicate deals save"),
    ):
        kind = kinds.add_parser(
            what,
            help=summary,
            description=f"Measure {summary}.",
            epilog=_epilog(what),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        _module(what).add_options(kind)


def run(args: argparse.Namespace) -> int:
    """Measures; 0 always, since a speed is no verdict."""
    status: int = _module(args.what).run(args)
    return status


def _module(what: str) -> ModuleType:
    return importlib.import_module(f"lastcard.cli.bench_{what}")
