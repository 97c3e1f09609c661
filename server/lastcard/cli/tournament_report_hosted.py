"""`lastcard tournament report NAME --server ADDR`: the figures and the page of a tournament that a server holds.

Here: fetching what figures follow from, which is the server's archive without records. Not here: arguments and what is
printed (`tournament_report`), the archive as such (`tournament_export`).
"""

import argparse
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from lastcard.cli.errors import CommandError
from lastcard.cli.tournament_server import TournamentServer
from lastcard.tournament import event_state, ledger
from lastcard.tournament.results import FILE
from lastcard.v1 import tournament_pb2 as pb

_NEEDED = (FILE, event_state.NAME, ledger.NAME)
_PLAYED_NOW = (pb.TOURNAMENT_STATE_RUNNING, pb.TOURNAMENT_STATE_PAUSING)


@contextmanager
def fetched(args: argparse.Namespace) -> Iterator[tuple[Path, bool]]:
    """A directory with what the figures of a server's tournament follow from, and whether it is played just now.

    Raises:
        CommandError: the server could not be asked, or sent no archive.
    """
    with tempfile.TemporaryDirectory(prefix="lastcard-report-") as there, TournamentServer(args) as server:
        archive = Path(there, "archive.tar.gz")
        with archive.open("wb") as file:
            for part in server.export_tournament(args.event, without_records=True):
                file.write(part)
        directory = Path(there, "event")
        directory.mkdir()
        try:
            _unpack(archive, directory)
        except (tarfile.TarError, EOFError) as error:
            raise CommandError(f"{server.address} sent no archive that can be read: {error}") from error
        yield directory, server.get_tournament(args.event).state in _PLAYED_NOW


def _unpack(archive: Path, directory: Path) -> None:
    with tarfile.open(archive, "r:gz") as members:
        for member in members:
            path = PurePosixPath(member.name)
            if len(path.parts) == 2 and path.name in _NEEDED and (content := members.extractfile(member)) is not None:
                (directory / path.name).write_bytes(content.read())
