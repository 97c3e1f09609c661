import os
import signal
import subprocess
import sys
import types

import pytest

from lastcard.cli import command_line
from lastcard.cli.errors import CommandError
from lastcard.cli.main import main


@pytest.fixture
def command(monkeypatch):
    """Puts a command in place of `rules` that does what it is told."""

    def put(run):
        def add_parser(subparsers):
            subparsers.add_parser("rules").add_argument("words", nargs="*")

        module = types.SimpleNamespace(add_parser=add_parser, run=run)
        monkeypatch.setattr(command_line, "_module", lambda _: module)

    return put


def test_help_lists_every_command(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    listed = {line.split()[0] for line in shown.splitlines() if line.startswith("    ")}
    assert listed >= set(command_line.COMMANDS)


@pytest.mark.parametrize(
    ("command", "before", "after"),
    [("serve", None, "ERROR"), ("serve", "DEBUG", "DEBUG"), ("tournament", None, None)],
)
def test_the_log_of_a_server_has_its_own_lines_alone(command, before, after):
    """The variable is read when gRPC is imported; bots that a tournament starts do not inherit one."""
    program = f"""
import sys
from lastcard.cli.main import main
assert "grpc" not in sys.modules
try:
    main([{command!r}, "--help"])
finally:
    import os
    print(os.environ.get("GRPC_VERBOSITY"))
"""
    given = {key: value for key, value in os.environ.items() if key != "GRPC_VERBOSITY"}
    given |= {} if before is None else {"GRPC_VERBOSITY": before}
    arguments = [sys.executable, "-c", program]
    ended = subprocess.run(arguments, env=given, capture_output=True, text=True, timeout=100, check=True)
    assert ended.stdout.splitlines()[-1] == str(after)


@pytest.mark.parametrize("command", command_line.COMMANDS)
def test_the_help_of_every_command_has_examples(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"\n  lastcard {command} " in capsys.readouterr().out.replace(f"\n  lastcard {command}\n", "")


@pytest.mark.parametrize(
    "words",
    [
        ("bot", "list"),
        ("bot", "run"),
        ("tournament", "run"),
        ("table", "create"),
        ("table", "list"),
        ("table", "watch"),
        ("table", "record"),
        ("bench", "engine"),
        ("bench", "service"),
    ],
    ids=" ".join,
)
def test_the_help_of_every_part_of_a_command_has_an_example(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    assert stop.value.code == 0
    assert f"\n  lastcard {' '.join(words)}" in capsys.readouterr().out


def test_no_command_shows_the_help(capsys):
    assert main([]) == 0
    assert "examples:" in capsys.readouterr().out


def test_an_unknown_command_is_refused_with_the_valid_ones(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["serv"])
    assert stop.value.code == 2
    shown = capsys.readouterr().err
    assert "'serv'" in shown
    assert "tournament" in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize("status", [0, 1])
def test_the_status_of_a_command_is_the_exit_status(command, status):
    command(lambda _: status)
    assert main(["rules", "official"]) == status


def _raise(error):
    def run(_):
        raise error

    return run


def test_a_command_error_is_one_sentence_and_status_2(command, capsys):
    command(_raise(CommandError("there is no preset 'x'; the presets are official")))
    assert main(["rules"]) == 2
    assert capsys.readouterr().err == "lastcard: there is no preset 'x'; the presets are official\n"


def test_an_unexpected_error_shows_no_traceback(command, capsys):
    command(_raise(KeyError("x")))
    assert main(["rules"]) == 2
    shown = capsys.readouterr().err
    assert "internal error" in shown
    assert "Traceback" not in shown


def test_an_unexpected_error_shows_its_traceback_on_request(command, capsys, monkeypatch):
    monkeypatch.setenv("LASTCARD_TRACEBACK", "1")
    command(_raise(KeyError("x")))
    assert main(["rules"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_is_quiet(command, capsys):
    command(_raise(KeyboardInterrupt()))
    assert main(["rules"]) == 1
    assert capsys.readouterr().err == "lastcard: interrupted\n"


def program(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("module", ["argparse", "lastcard.cli.command_line", "lastcard.cli.rules_command"])
def test_ctrl_c_is_quiet_while_modules_are_imported(module):
    found = program(
        "import signal, sys; from lastcard.cli.main import main\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "sys.argv = ['lastcard', 'rules']\n"
        "status = main()\n"
        "assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL, 'the next one must be quiet too'\n"
        "sys.exit(status)\n"
    )
    assert (found.returncode, found.stderr) == (1, "lastcard: interrupted\n")


def test_ctrl_c_is_quiet_once_the_command_is_done():
    found = program(
        "import atexit, signal, sys; from lastcard.cli.main import main\n"
        "atexit.register(signal.raise_signal, signal.SIGINT)\n"
        "sys.argv = ['lastcard', 'rules']\n"
        "sys.exit(main())\n"
    )
    assert (found.returncode, found.stderr) == (-signal.SIGINT, "")


def test_ctrl_c_in_a_program_that_calls_the_command_is_left_to_that(command):
    before = signal.getsignal(signal.SIGINT)
    command(_raise(KeyboardInterrupt()))
    assert main(["rules"]) == 1
    assert signal.getsignal(signal.SIGINT) is before


def test_the_entry_point_imports_next_to_nothing():
    found = program(
        "import sys; before = set(sys.modules); import lastcard.cli.main; print(*set(sys.modules) - before)"
    )
    assert set(found.stdout.split()) <= {
        *("lastcard", "lastcard.cli", "lastcard.cli.main"),
        *("signal", "enum", "types", "operator", "_operator", "functools", "_functools", "collections", "_collections"),
        *("keyword", "itertools", "reprlib"),
    }


def test_text_that_no_encoding_holds_is_printed_as_an_escape(command, capsys):
    command(lambda _: sys.stdout.write("a\ud800b\n") - 4)
    assert main(["rules"]) == 0
    assert capsys.readouterr().out == "a\\ud800b\n"


def test_a_missing_package_names_the_extra_that_brings_it(monkeypatch, capsys):
    def missing(_):
        raise ModuleNotFoundError("No module named 'structlog'", name="structlog")

    monkeypatch.setattr(command_line.importlib, "import_module", missing)
    assert main(["serve"]) == 2
    assert "pip install 'lastcard[server]'" in capsys.readouterr().err


def test_a_reader_that_goes_away_leaves_no_traceback():
    code = (
        "import sys, types; from lastcard.cli import command_line, main\n"
        "def run(_):\n    [print('x' * 1000) for _ in range(1000)]\n    return 0\n"
        "command_line._module = lambda _: types.SimpleNamespace(add_parser=lambda s: s.add_parser('rules'), run=run)\n"
        "sys.exit(main.main(['rules']))\n"
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
        main(words)
    assert stop.value.code == 2
    assert capsys.readouterr().err == names + "\n"


def test_the_version_goes_to_stdout(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("lastcard ")


def test_what_the_system_refuses_is_no_internal_error(command, capsys):
    command(_raise(OSError(28, "No space left on device", "records/00001.jsonl")))
    assert main(["rules"]) == 2
    assert capsys.readouterr().err == "lastcard: the system refused: No space left on device (records/00001.jsonl)\n"


@pytest.mark.parametrize(("closed", "told"), [(">&-", ""), ("<&- >&- 2>&-", ""), (">/dev/full", "No space left")])
def test_a_stream_that_cannot_be_written_shows_no_traceback(closed, told):
    shown = subprocess.run(
        ["sh", "-c", f'exec "$0" -m lastcard.cli.main rules {closed}', sys.executable],
        stderr=subprocess.PIPE,
        text=True,
        timeout=100,
        check=False,
    )
    assert shown.returncode == (2 if told else 0)
    assert told in shown.stderr
    assert "internal error" not in shown.stderr
    assert shown.stderr.count("\n") == bool(told)
