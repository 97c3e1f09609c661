import subprocess
import sys
import types

import pytest

from lastcard.cli import main as main_module
from lastcard.cli.errors import CommandError


@pytest.fixture
def command(monkeypatch):
    """Puts a command in place of `rules` that does what it is told."""

    def put(run):
        def add_parser(subparsers):
            subparsers.add_parser("rules").add_argument("words", nargs="*")

        module = types.SimpleNamespace(add_parser=add_parser, run=run)
        monkeypatch.setattr(main_module, "_module", lambda _: module)

    return put


def test_help_lists_every_command(capsys):
    with pytest.raises(SystemExit) as stop:
        main_module.main(["--help"])
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    listed = {line.split()[0] for line in shown.splitlines() if line.startswith("    ")}
    assert listed >= set(main_module.COMMANDS)


def test_no_command_shows_the_help(capsys):
    assert main_module.main([]) == 0
    assert "examples:" in capsys.readouterr().out


def test_an_unknown_command_is_refused_with_the_valid_ones(capsys):
    with pytest.raises(SystemExit) as stop:
        main_module.main(["serv"])
    assert stop.value.code == 2
    shown = capsys.readouterr().err
    assert "'serv'" in shown
    assert "tournament" in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize("status", [0, 1])
def test_the_status_of_a_command_is_the_exit_status(command, status):
    command(lambda _: status)
    assert main_module.main(["rules", "official"]) == status


def _raise(error):
    def run(_):
        raise error

    return run


def test_a_command_error_is_one_sentence_and_status_2(command, capsys):
    command(_raise(CommandError("there is no preset 'x'; the presets are official")))
    assert main_module.main(["rules"]) == 2
    assert capsys.readouterr().err == "lastcard: there is no preset 'x'; the presets are official\n"


def test_an_unexpected_error_shows_no_traceback(command, capsys):
    command(_raise(KeyError("x")))
    assert main_module.main(["rules"]) == 2
    shown = capsys.readouterr().err
    assert "internal error" in shown
    assert "Traceback" not in shown


def test_an_unexpected_error_shows_its_traceback_on_request(command, capsys, monkeypatch):
    monkeypatch.setenv("LASTCARD_TRACEBACK", "1")
    command(_raise(KeyError("x")))
    assert main_module.main(["rules"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_is_quiet(command, capsys):
    command(_raise(KeyboardInterrupt()))
    assert main_module.main(["rules"]) == 1
    assert capsys.readouterr().err == "lastcard: interrupted\n"


def test_a_missing_package_names_the_extra_that_brings_it(monkeypatch, capsys):
    def missing(_):
        raise ModuleNotFoundError("No module named 'structlog'", name="structlog")

    monkeypatch.setattr(main_module.importlib, "import_module", missing)
    assert main_module.main(["serve"]) == 2
    assert "pip install 'lastcard[server]'" in capsys.readouterr().err


def test_a_reader_that_goes_away_leaves_no_traceback():
    code = (
        "import sys, types; from lastcard.cli import main as m\n"
        "def run(_):\n    [print('x' * 1000) for _ in range(1000)]\n    return 0\n"
        "m._module = lambda _: types.SimpleNamespace(add_parser=lambda s: s.add_parser('rules'), run=run)\n"
        "sys.exit(m.main(['rules']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(10) == 1


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["rules", "--vaules"], "lastcard rules: unrecognized arguments: --vaules (see `lastcard rules --help`)"),
        (["rules", "--val"], "lastcard rules: unrecognized arguments: --val (see `lastcard rules --help`)"),
        (["bot", "list", "x"], "lastcard bot list: unrecognized arguments: x (see `lastcard bot list --help`)"),
    ],
    ids=["unknown", "abbreviated", "of-an-action"],
)
def test_an_unknown_argument_points_to_the_help_of_its_own_command(words, names, capsys):
    with pytest.raises(SystemExit) as stop:
        main_module.main(words)
    assert stop.value.code == 2
    assert capsys.readouterr().err == names + "\n"


def test_the_version_goes_to_stdout(capsys):
    with pytest.raises(SystemExit) as stop:
        main_module.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("lastcard ")


def test_what_the_system_refuses_is_no_internal_error(command, capsys):
    command(_raise(OSError(28, "No space left on device", "records/00001.jsonl")))
    assert main_module.main(["rules"]) == 2
    assert capsys.readouterr().err == "lastcard: the system refused: No space left on device (records/00001.jsonl)\n"


@pytest.mark.parametrize(("closed", "told"), [(">&-", ""), ("<&- >&- 2>&-", ""), (">/dev/full", "No space left")])
def test_a_stream_that_cannot_be_written_shows_no_traceback(closed, told):
    shown = subprocess.run(
        ["sh", "-c", f'exec "$0" -m lastcard.cli.main rules {closed}', sys.executable],
        stderr=subprocess.PIPE,
        text=True,
        timeout=30,
        check=False,
    )
    assert shown.returncode == (2 if told else 0)
    assert told in shown.stderr
    assert "internal error" not in shown.stderr
    assert shown.stderr.count("\n") == bool(told)
