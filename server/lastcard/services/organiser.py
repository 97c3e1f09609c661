"""The organiser's token: given by a setting, or made at the first start and kept in a file that its owner may read.

Here: `organiser_token`. Not here: what the organiser may do (`admission`). It is the one secret of the server that is
kept as it is, since people have to find it.
"""

import os
import re
import secrets
from pathlib import Path

FILE = "organiser.token"
"""The file's name in the data directory."""

IN_FILE = "file"
"""The setting for a token that is made and kept in the file."""

LEAST = 16
"""Characters that a token must have at least, so that nobody guesses it."""

_TOKEN = re.compile(rf"[\x21-\x7e]{{{LEAST},256}}")


class OrganiserError(Exception):
    """The token cannot be used; the message says why and what to do."""


def organiser_token(given: str, data: Path | None) -> tuple[str, Path | None]:
    """The token that a setting gives, and the file in which it is, if it is in one; empty when there is none.

    Raises:
        OrganiserError: the token is none, or the file cannot be read or made.
    """
    valid = f"it must be {LEAST} to 256 characters of ASCII without spaces"
    if given != IN_FILE:
        if given and not _TOKEN.fullmatch(given):
            raise OrganiserError(f"organiser_token cannot be used; {valid}, or {IN_FILE!r}")
        return given, None
    if data is None:
        return "", None
    path = data / FILE
    try:
        token = path.read_text(encoding="ascii").strip() if path.exists() else _made(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it holds other characters than ASCII"
        raise OrganiserError(
            f"the organiser's token {str(path)!r} cannot be read or made: {why}; remove the file to have a new one made"
        ) from error
    if not _TOKEN.fullmatch(token):
        raise OrganiserError(f"the file {str(path)!r} holds no token; {valid}; remove it to have a new one made")
    return token, path


def _made(path: Path) -> str:
    """A new token in a file that is there whole or not at all."""
    token = f"lco_{secrets.token_urlsafe(24)}"
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, f"{token}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    temporary.replace(path)
    return token
