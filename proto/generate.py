"""Writes the Python of server/lastcard/v1 from the .proto files, or proves with --check that it is current.

Run by `make proto` and `make proto-check` with the interpreter of the development environment, whose pinned
grpcio-tools and mypy-protobuf decide what comes out. Standard library and grpcio-tools only.
"""

import argparse
import filecmp
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "proto"
PACKAGE = Path("lastcard/v1")
TARGET = ROOT / "server" / PACKAGE
INIT = '"""Generated from proto/lastcard/v1 by `make proto`. Never edited by hand."""\n'


def generate(into: Path) -> None:
    """Runs the compiler over every .proto file, and the gRPC plugins over those that hold services."""
    protos = sorted(str(path.relative_to(SOURCES)) for path in (SOURCES / PACKAGE).glob("*.proto"))
    if not protos:
        sys.exit(f"no .proto files in {SOURCES / PACKAGE}")
    services = [name for name in protos if name.endswith("_service.proto")]
    run_protoc([f"--python_out={into}", f"--mypy_out=quiet:{into}"], protos)
    if services:
        run_protoc([f"--grpc_python_out={into}", f"--mypy_grpc_out=only_async,quiet:{into}"], services)
    (into / PACKAGE / "__init__.py").write_text(INIT, encoding="utf-8")


def run_protoc(outputs: list[str], protos: list[str]) -> None:
    """Runs protoc with the plugins that the outputs ask for; ends the program if it fails."""
    plugin_folder = Path(sys.executable).parent
    plugins = [
        f"--plugin={name}={plugin_folder / name}"
        for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")
        if any(out.startswith(f"--{name.removeprefix('protoc-gen-')}_out") for out in outputs)
    ]
    well_known = str(files("grpc_tools") / "_proto")
    status = protoc.main(
        ["protoc", f"--proto_path={SOURCES}", f"--proto_path={well_known}", *plugins, *outputs, *protos]
    )
    if status:
        sys.exit(status)


def names(folder: Path) -> set[str]:
    """Names the files of a folder; none if it does not exist."""
    return {path.name for path in folder.iterdir() if path.is_file()} if folder.is_dir() else set()


def differences(fresh: Path) -> list[str]:
    """Names the files of the target that are missing, left over or not what the compiler writes today."""
    wanted, present = names(fresh), names(TARGET)
    changed = {name for name in wanted & present if not filecmp.cmp(fresh / name, TARGET / name, shallow=False)}
    return sorted(wanted ^ present | changed)


def install(fresh: Path) -> None:
    """Makes the target equal to the fresh output, touching only files that differ."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in differences(fresh):
        if (fresh / name).exists():
            shutil.copyfile(fresh / name, TARGET / name)
            print(f"wrote   {TARGET.relative_to(ROOT) / name}")
        else:
            (TARGET / name).unlink()
            print(f"removed {TARGET.relative_to(ROOT) / name}")


def main() -> None:
    """Reads the command line and generates or checks."""
    parser = argparse.ArgumentParser(description="Generate server/lastcard/v1 from proto/lastcard/v1.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the committed code is not current")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        fresh = Path(folder) / PACKAGE
        if not check:
            install(fresh)
            return
        stale = differences(fresh)
    if stale:
        sys.exit(f"generated code is not current, run `make proto`: {', '.join(stale)}")


if __name__ == "__main__":
    main()
