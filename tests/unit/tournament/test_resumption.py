"""What `--resume` refuses, and that a refusal leaves everything as it is."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lastcard.rules.shuffle import event_key
from lastcard.tournament.conduct import Conduct
from lastcard.tournament.event_state import COMPLETE, RUNNING, STOPPED
from lastcard.tournament.file import TournamentFile, load
from lastcard.tournament.ledger import Row, RulingKind, RulingRow
from lastcard.tournament.results import Results, ResultsError
from lastcard.tournament.resumption import differences, resume

TEXT = """\
[tournament]
name = "cup"
seed = 7
table_size = 2
deals = 3

[[bot]]
name = "ann"
builtin = "greedy"

[[bot]]
name = "ben"
builtin = "random"
"""
ROW = Row(1, 1, 1, 0, ("ann", "ben"), (0, 9), (2, 1), "single_round", (), "records/00001.jsonl", "0" * 64)


def load_text(tmp_path: Path, text: str, name: str = "cup.toml") -> TournamentFile:
    path = tmp_path / name
    path.write_text(text)
    return load(path, ("greedy", "random"))


@pytest.fixture
def secret(tmp_path: Path) -> TournamentFile:
    """A file without a seed, so that the key is a secret."""
    return load_text(tmp_path, TEXT.replace("seed = 7\n", ""), "secret.toml")


def begun(tmp_path: Path, file: TournamentFile, rows: int = 1) -> Results:
    """An event that was killed when it had so many rows."""
    results = Results.create(tmp_path / "out", file.text, file.name, file.seed)
    results.ledger.write_text("".join(f"{ROW.to_json()}\n" for _ in range(rows)))
    return results


def content(directory: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_an_event_is_taken_up_as_it_was_left(tmp_path: Path) -> None:
    file = load_text(tmp_path, TEXT)
    first = begun(tmp_path, file)
    first.write_state(STOPPED, "cup", games=1, conduct=Conduct({"ann": 2}, {"ben": "set aside"}))
    again = resume(first.directory, file)
    assert (again.key, again.mark) == (event_key(7), first.mark)
    assert again.begun is not None
    assert (again.begun.state, again.begun.games) == (STOPPED, 1)
    assert again.begun.conduct.failures("ann") == 2
    assert again.begun.conduct.aside("ben") == "set aside"


def test_a_secret_key_is_kept(tmp_path: Path, secret: TournamentFile) -> None:
    first = begun(tmp_path, secret)
    assert resume(first.directory, secret).key == first.key


def test_of_a_complete_event_neither_key_nor_store_is_needed(tmp_path: Path, secret: TournamentFile) -> None:
    first = begun(tmp_path, secret)
    first.write_state(COMPLETE, "cup", games=1, conduct=Conduct())
    first.close()
    assert resume(first.directory, secret).key == first.key


def test_with_a_seed_the_key_need_not_be_kept(tmp_path: Path) -> None:
    file = load_text(tmp_path, TEXT)
    first = begun(tmp_path, file)
    (first.directory / "event.key").unlink()
    assert resume(first.directory, file).key == event_key(7)


def test_an_event_of_an_older_version_is_taken_up(tmp_path: Path) -> None:
    file = load_text(tmp_path, TEXT)
    path = begun(tmp_path, file).directory / "event.json"
    state = json.loads(path.read_text())
    del state["bots"], state["mark"]
    path.write_text(json.dumps(state))
    assert resume(path.parent, file).mark


def remove(name: str) -> Callable[[Path], None]:
    return lambda out: (out / name).unlink()


def write(name: str, text: str) -> Callable[[Path], None]:
    return lambda out: (out / name).write_text(text) and None  # type: ignore[return-value]


def changed_state(**values: object) -> Callable[[Path], None]:
    def change(out: Path) -> None:
        state = json.loads((out / "event.json").read_text())
        (out / "event.json").write_text(json.dumps(state | values))

    return change


def empty(out: Path) -> None:
    for path in out.iterdir():
        path.unlink() if path.is_file() else path.rmdir()


def without_ledger(out: Path) -> None:
    (out / "records" / "00001.jsonl").write_text("")
    (out / "ledger.jsonl").unlink()


STANDS = "1 finished game stands in its ledger"
MISSING_KEY = (
    "the event's key 'out/event.key' is missing, and without it nothing more can be dealt or revealed; put it back as "
    f"it was to go on; {STANDS}"
)
MISSING_FILE = f"'out/tournament.toml' is missing; put it back to go on, or begin anew with --overwrite; {STANDS}"
MISSING_STORE = (
    "the store 'out/store' is missing, so the games that were being played cannot go on where they were; put it back, "
    f"or make an empty directory there to have them played again from their beginning; {STANDS}"
)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (empty, "there is no event in 'out'; name its directory with --out, or leave --resume out to begin one"),
        (remove("event.json"), "'out/event.json' is missing; put it back as it was to go on; what is in"),
        (write("event.json", "{"), "'out/event.json' is damaged: Expecting property name"),
        (write("event.json", "[]"), "'out/event.json' is damaged: it is no JSON object; put it back as it was"),
        (changed_state(state="paused"), "'out/event.json' is damaged: state is 'paused'; valid are running, stopped"),
        (changed_state(games=-1), "'out/event.json' is damaged: games is -1, not a whole number from 0; put it back"),
        (changed_state(event_key_sha256=None), "'out/event.json' is damaged: event_key_sha256 is None, not a text"),
        (changed_state(versions=["1"]), "'out/event.json' is damaged: versions is ['1'], not a text for each bot; put"),
        (changed_state(bots={"ann": {}}), "'out/event.json' is damaged: bots: 'ann' has no failures_in_a_row"),
        (changed_state(event_key_sha256="ab"), "the event's key 'out/event.key' is damaged, and without it noth"),
        (remove("event.key"), MISSING_KEY),
        (write("event.key", "00"), "the event's key 'out/event.key' is damaged, and without it nothing"),
        (write("event.key", "no key"), "the event's key 'out/event.key' is damaged, and without it noth"),
        (remove("tournament.toml"), MISSING_FILE),
        (write("tournament.toml", "["), "'out/tournament.toml' is damaged: "),
        (write("ledger.jsonl", "{}\n"), "out/ledger.jsonl:1: not a row of a ledger: the row has no game, set, deal"),
        (without_ledger, "'out/ledger.jsonl' is missing, though games were played; put it back to go on"),
        (lambda out: (out / "store").rmdir(), MISSING_STORE),
        (lambda out: (out / "records").rmdir(), "'out/records' is missing, though games were played; put it back to"),
    ],
)  # fmt: skip
def test_what_is_missing_or_damaged_is_said_and_nothing_is_changed(
    tmp_path: Path,
    secret: TournamentFile,
    monkeypatch: pytest.MonkeyPatch,
    damage: Callable[[Path], None],
    sentence: str,
) -> None:
    out = begun(tmp_path, secret).directory
    damage(out)
    monkeypatch.chdir(tmp_path)
    before = content(out)
    with pytest.raises(ResultsError) as refused:
        resume(Path("out"), secret)
    assert str(refused.value).startswith(sentence)
    assert content(out) == before


def test_a_directory_that_does_not_exist_holds_no_event(tmp_path: Path, secret: TournamentFile) -> None:
    with pytest.raises(ResultsError, match=r"there is no event in '.*out', which does not exist; name its directory"):
        resume(tmp_path / "out", secret)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("left", [".event.json.new", "event.json"])
def test_an_event_that_was_killed_while_it_was_made_is_begun_anew(tmp_path: Path, left: str) -> None:
    file = load_text(tmp_path, TEXT)
    results = Results.create(tmp_path / "out", file.text, file.name, file.seed)
    (results.directory / "event.json").rename(results.directory / left)
    for path in results.directory.iterdir():
        if path.name != left:
            path.unlink() if path.is_file() else path.rmdir()
    with pytest.raises(ResultsError, match=r"was stopped before it had begun; begin it anew with --overwrite"):
        resume(results.directory, file)
    again = Results.create(results.directory, file.text, file.name, file.seed, overwrite=True)
    assert sorted(path.name for path in again.directory.iterdir()) == [
        "bots", "event.json", "event.key", "records", "store", "tournament.toml",
    ]  # fmt: skip


def test_a_ledger_that_was_not_made_yet_is_none_that_is_missing(tmp_path: Path) -> None:
    file = load_text(tmp_path, TEXT)
    results = Results.create(tmp_path / "out", file.text, file.name, file.seed)
    assert resume(results.directory, file).begun is not None


def test_a_seed_that_does_not_give_the_key_is_refused(tmp_path: Path) -> None:
    file = load_text(tmp_path, TEXT)
    first = begun(tmp_path, file)
    changed_state(event_key_sha256="0" * 64)(first.directory)
    with pytest.raises(ResultsError, match=r"event\.json' binds another key than that of the seed 7, so it is damaged"):
        resume(first.directory, file)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("deals = 3", "deals = 4", "tournament.deals is 4 (line 5), but was 3 (line 5)"),
        ("seed = 7\n", "", "tournament.seed is missing, but was 7 (line 3)"),
        ("deals = 3", 'deals = 3\nrules = "german"', 'tournament.rules is "german" (line 6), but was not there'),
        ('"random"', '"greedy"', 'bot[2].builtin is "greedy" (line 13), but was "random" (line 13)'),
        ('name = "cup"', '# a comment\nname = "bowl"', 'tournament.name is "bowl" (line 3), but was "cup" (line 2)'),
        ("deals = 3\n", 'deals = 3\n[clock]\nlimit = "1s"\n', 'clock.limit is "1s" (line 7), but was not there'),
        (
            "deals = 3",
            'deals = 4\noptions = { match_end = "single_round" }',
            "tournament.deals is 4 (line 5), but was 3 (line 5) (and 1 more: tournament.options.match_end)",
        ),
    ],
)
def test_a_changed_file_is_refused_with_the_difference(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    first = begun(tmp_path, load_text(tmp_path, TEXT))
    changed = load_text(tmp_path, TEXT.replace(old, new), "changed.toml")
    with pytest.raises(ResultsError) as refused:
        resume(first.directory, changed)
    assert str(refused.value) == (
        f"{changed.path} is not the file that the event in {str(first.directory)!r} was begun with: {sentence}; go on "
        f"with the file as it was, of which {str(first.directory / 'tournament.toml')!r} is a copy, or play the new "
        f"one with another --out"
    )


def test_layout_comments_and_order_make_no_difference(tmp_path: Path) -> None:
    first = begun(tmp_path, load_text(tmp_path, TEXT))
    text = "# mine\n" + TEXT.replace("seed = 7\n", "").replace("deals = 3", "deals   = 3 # as before\nseed = 7")
    assert resume(first.directory, load_text(tmp_path, text)).key == first.key


def test_values_that_python_takes_for_equal_differ() -> None:
    found = differences("a = 1\nb = true\nc = [1]", "a = 1.0\nb = 1\nc = [true]")
    assert [each.path for each in found] == [("a",), ("b",), ("c",)]


CIS = '\n[[bot]]\nname = "cis"\nbuiltin = "greedy"\n'
DAN = '\n[[bot]]\nname = "dan"\nbuiltin = "random"\n'


def enter(directory: Path, *names: str) -> None:
    """The rows of bots that have entered, as an organiser leaves them before the file is replaced."""
    rows = [RulingRow(number, RulingKind.ENTER, "late", 1, 6, bot=name) for number, name in enumerate(names, 1)]
    with (directory / "ledger.jsonl").open("a") as ledger:
        ledger.writelines(f"{row.to_json()}\n" for row in rows)


def test_a_bot_may_be_new_that_enters_now_or_has_entered_before(tmp_path: Path) -> None:
    first = begun(tmp_path, load_text(tmp_path, TEXT))
    changed = load_text(tmp_path, TEXT + CIS + DAN, "changed.toml")
    assert resume(first.directory, changed, ("dan", "cis")).key == first.key
    enter(first.directory, "cis")
    assert resume(first.directory, changed, ("dan",)).key == first.key
    assert resume(first.directory, changed, ("dan", "cis")).key == first.key
    with pytest.raises(ResultsError, match=r"bot\[4\]\.name is \"dan\" \(line 20\), but was not there"):
        resume(first.directory, changed)


@pytest.mark.parametrize(
    ("text", "entering", "sentence"),
    [
        (
            TEXT + CIS,
            (),
            "a bot enters with --enter NAME, and stands behind the others (cis); go on with the file as it",
        ),
        (TEXT + CIS, ("cys",), "there is no bot 'cys' to enter in the tournament file; new in it are cis"),
        (TEXT, ("cis",), "there is no bot 'cis' to enter in the tournament file; no bot in it is new"),
        (TEXT + CIS, ("cis", "ann"), "'ann' is in the event already; leave --enter ann out to go on"),
        (TEXT.replace("deals = 3", "deals = 4") + CIS, ("cis",), "tournament.deals is 4 (line 5), but was 3 (line 5);"),
        (
            TEXT.replace('"random"', '"greedy"') + CIS,
            ("cis",),
            'bot[2].builtin is "greedy" (line 13), but was "random"',
        ),
        (
            TEXT.replace("\n[[bot]]", CIS + "\n[[bot]]", 1),
            ("cis",),
            'bot[1].name is "cis" (line 8), but was "ann" (lin',
        ),
    ],
)
def test_nothing_else_may_differ_when_a_bot_enters(
    tmp_path: Path, text: str, entering: tuple[str, ...], sentence: str
) -> None:
    first = begun(tmp_path, load_text(tmp_path, TEXT))
    before = content(first.directory)
    with pytest.raises(ResultsError) as refused:
        resume(first.directory, load_text(tmp_path, text, "changed.toml"), entering)
    assert sentence in str(refused.value)
    assert content(first.directory) == before


def test_a_bot_that_has_entered_stays_in_the_file(tmp_path: Path) -> None:
    file = load_text(tmp_path, TEXT)
    first = begun(tmp_path, file)
    enter(first.directory, "cis")
    with pytest.raises(
        ResultsError, match=r"'cis' has entered the event and is not in the tournament file; go on with"
    ):
        resume(first.directory, file)


@pytest.mark.parametrize("state", [RUNNING, STOPPED])
def test_without_resume_the_refusal_names_it(tmp_path: Path, state: str) -> None:
    file = load_text(tmp_path, TEXT)
    first = begun(tmp_path, file)
    first.write_state(state, "cup", games=0, conduct=Conduct())
    before = content(first.directory)
    with pytest.raises(
        ResultsError, match=r"it holds an event that has not been played to its end; go on with it with "
    ):
        Results.create(first.directory, file.text, file.name, file.seed)
    assert content(first.directory) == before
