"""Paths as they are written on the command line.

Here: `path_of`, a type for arguments. Not here: reading what is there (`record_files`). Imports the standard library.
"""

import argparse
from pathlib import Path


def path_of(text: str) -> Path:
    """The path that an argument names.

    Raises:
        argparse.ArgumentTypeError: the text is empty, as that of a variable that is not set; it would name the present
            directory.
    """
    if not text:
        raise argparse.ArgumentTypeError("'' is no path; the present directory is '.'")
    return Path(text)
