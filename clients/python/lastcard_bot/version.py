"""Name and version of this client, as `Hello` states them.

Here: looking up the installed version. Not here: the protocol's version (`session`). Imports nothing of ours.
"""

from importlib.metadata import PackageNotFoundError, version

CLIENT_NAME = "lastcard-python"


def client_version() -> str:
    """The version of the installed package; empty when it runs from a source tree that was never installed."""
    try:
        return version("lastcard")
    except PackageNotFoundError:
        return ""
