"""The program that verifies a share of an event's records, beside others that verify the rest.

Here: the whole program, run with `python -m lastcard.tournament.verify_program DIRECTORY`. Not here: starting it
(`director.verifier`). May import the standard library and `verifying`.

It reads what is expected from its input, one JSON list a line, to the end; for each record it writes a line: the
problem as a JSON list, or `null`. Where nobody reads these any more, it ends.
"""

import json
import sys
from pathlib import Path

from lastcard.tournament.verifying import Expected, problem_of


def main() -> None:
    """Verify what the input names."""
    directory = Path(sys.argv[1])
    try:
        for line in sys.stdin.read().splitlines():
            sys.stdout.write(json.dumps(problem_of(directory, Expected(*json.loads(line)))) + "\n")
            sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()  # or the interpreter would complain that it cannot write what is left


if __name__ == "__main__":
    main()
