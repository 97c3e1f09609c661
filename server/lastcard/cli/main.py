"""The `lastcard` command as a program: whatever Ctrl-C interrupts, it ends with a word and without a traceback.

Here: the entry point. Not here: everything else (`command_line`), which takes a while to import and is imported where
an interrupt is expected; so this module imports as good as nothing.
"""

import os
import signal
import sys


def main(argv: list[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return its exit status: 0, 1 or 2."""
    try:
        words = sys.argv[1:] if argv is None else argv
        if words[:1] == ["serve"]:  # before gRPC is imported, which would tell of peers that break off
            os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
        from lastcard.cli.command_line import run  # noqa: PLC0415 - see above

        return run(words)
    except KeyboardInterrupt:
        if argv is None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # at first: another one may be on its way
        print("lastcard: interrupted", file=sys.stderr)
        return 1
    finally:
        # Python answers Ctrl-C with a traceback even while it is about to end; the system's answer is to end.
        if argv is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
