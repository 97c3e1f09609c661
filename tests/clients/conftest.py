"""The example bots of all languages as `make clients` built them; run by `make clients` alone."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _build() -> Any:
    spec = importlib.util.spec_from_file_location("clients_build", ROOT / "clients" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUILD = _build()
LANGUAGES = BUILD.languages()
CHOSEN = {language.folder for language in BUILD.chosen(os.environ.get("LANGUAGES", "").split())}


def folder_of(language: Any) -> Path:
    """Where a language's bot is started."""
    return ROOT / "clients" / str(language.folder)


def command_of(language: Any, words: tuple[str, ...] | None = None) -> list[str]:
    """How a language's bot is started in its folder, or the program of `words`.

    The test is skipped when it was not to be built or cannot be.
    """
    if language.folder not in CHOSEN:
        pytest.skip(f"{language.name} is not among the chosen languages")
    missing = language.missing()
    if missing and "CI" not in os.environ:
        pytest.skip(f"{language.name} needs {', '.join(missing)}")
    program, *rest = language.bot if words is None else words
    return [sys.executable if program == "python" else program, *rest]


@pytest.fixture(params=LANGUAGES, ids=lambda language: language.folder)
def language(request: pytest.FixtureRequest) -> Any:
    return request.param
