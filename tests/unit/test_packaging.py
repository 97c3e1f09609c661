"""What packages promise: rules and SDK work with grpcio and protobuf alone, and all clients have one version."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = ("grpc_health", "grpc_reflection", "grpc_status", "jinja2", "numpy", "rich", "scipy", "structlog", "uvloop")

# Where a client says its version, in `clients/`: the file, how often, and a pattern whose group is the version.
VERSIONS = [
    ("go/bot/run.go", 1, r'^const Version = "(.*)"$'),
    ("typescript/package.json", 1, r'^  "version": "(.*)",$'),
    ("typescript/package-lock.json", 2, r'"name": "lastcard-bot",\s*"version": "(.*)",$'),
    ("typescript/src/version.ts", 1, r'CLIENT_VERSION = "(.*)";$'),
    ("java/pom.xml", 1, r"<artifactId>lastcard-bot</artifactId>\s*<version>(.*)</version>"),
    ("java/README.md", 1, r"`lastcard:lastcard-bot:([^`]*)`"),
    ("rust/Cargo.toml", 1, r'^name = "lastcard-bot"\nversion = "(.*)"$'),
    ("cpp/CMakeLists.txt", 1, r"^project\(lastcard VERSION (\S*) "),
]


def modules_after(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after the statement."""
    program = f"import sys; {statement}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    return set(
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    )


@pytest.mark.parametrize(
    "module",
    [
        "lastcard",
        "lastcard.rules",
        "lastcard_bot",
        "lastcard_bot.bots",
        "lastcard.cli.main",
        "lastcard.cli.bot_command",
        "lastcard.cli.rules_command",
        "lastcard.cli.scenario_command",
        "lastcard.cli.show_command",
        "lastcard.cli.table_command",
        "lastcard.cli.verify_command",
    ],
)
def test_base_install_is_enough_for(module: str) -> None:
    # grpc itself looks for its companions, so they are made impossible to import rather than looked for afterwards.
    program = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r})); import {module}"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


@pytest.mark.parametrize("package", ["lastcard", "lastcard.rules"])
def test_neither_grpc_nor_asyncio_is_loaded_by(package: str) -> None:
    assert not modules_after(f"import {package}") & {"grpc", "google", "asyncio"}


def test_base_dependencies_are_grpcio_and_protobuf() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line.split(">")[0] for line in project["dependencies"]] == ["grpcio", "protobuf"]


@pytest.mark.parametrize(("file", "times", "pattern"), VERSIONS, ids=[file for file, _, _ in VERSIONS])
def test_clients_have_the_version_of_the_server(file: str, times: int, pattern: str) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    text = (ROOT / "clients" / file).read_text(encoding="utf-8")
    assert re.findall(pattern, text, re.MULTILINE) == [version] * times


def test_no_client_is_left_out_of_that() -> None:
    languages = tomllib.loads((ROOT / "clients/languages.toml").read_text(encoding="utf-8"))["language"]
    folders = {language["folder"] for language in languages} - {"python"}  # whose version is that of the package
    assert {file.partition("/")[0] for file, _, _ in VERSIONS} == folders
