import os
import sys
from pathlib import Path

import pytest

from lastcard.tournament.file import ClockSettings, FileError, TournamentFile, load
from lastcard.tournament.formats import FORMATS

BUILTINS = ("random", "greedy", "shrewd")

TOURNAMENT = """\
[tournament]
name = "cup"
seed = 7
rules = "official"
options = { match_end = "single_round" }
format = "round-robin"
table_size = 2
deals = 3
"""
CLOCK = """\
[clock]
limit = "2s"
"""
BOTS = """\
[[bot]]
name = "a"
builtin = "greedy"
[[bot]]
name = "b"
builtin = "random"
"""


def read(tmp_path: Path, text: str) -> TournamentFile:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    return load(path, BUILTINS)


def refusal(tmp_path: Path, text: str) -> str:
    """What `FILE:` is followed by when the file is refused."""
    with pytest.raises(FileError) as caught:
        read(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'cup.toml'}:")
    assert "\n" not in message
    return message.removeprefix(f"{tmp_path / 'cup.toml'}:")


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    made = read(
        tmp_path,
        """
        [tournament]
        name = "cup"
        seed = 0
        rules = "danish"
        options = { match_end = "rounds", match_rounds = 2 }
        format = "round-robin"
        table_size = 2
        deals = 5
        draws = "pile"
        duplicates = false
        disguise = false
        score = "points"
        concurrency = 3
        round_pause = "1.5s"
        [clock]
        limit = "500ms"
        bank = "0s"
        reaction = "1s"
        start_up = "2m"
        grace = "1h"
        network_credit = "80ms"
        network_credit_total = "3s"
        reactions = "open"
        [[bot]]
        name = "a"
        builtin = "shrewd"
        [[bot]]
        name = "b"
        command = ["python", "-c", "pass"]
        directory = "mine"
        environment = { LEVEL = "3" }
        """,
    )
    assert (made.name, made.seed, made.format, made.table_size, made.deals) == ("cup", 0, "round-robin", 2, 5)
    assert (made.draws, made.score, made.concurrency, made.round_pause_ms) == ("pile", "points", 3, 1500)
    assert (made.duplicates, made.disguise) == (False, False)
    assert (made.rules.preset, made.rules.match_end, made.rules.match_rounds) == ("danish", "rounds", 2)
    assert made.clock == ClockSettings(500, 0, 1_000, 120_000, 3_600_000, 80, 3_000, sealed=False)
    builtin, command = made.bots
    assert (builtin.name, builtin.builtin, builtin.command) == ("a", "shrewd", None)
    assert command.command == (str(Path(sys.executable).parent / "python"), "-c", "pass")
    assert (command.directory, dict(command.environment)) == (tmp_path / "mine", {"LEVEL": "3"})


def test_defaults_are_those_of_the_documentation(tmp_path: Path) -> None:
    made = read(tmp_path, f'[tournament]\nname = "cup"\ntable_size = 2\ndeals = 1\n{BOTS}')
    assert (made.seed, made.format, made.draws, made.score) == (None, "round-robin", "per_seat", "wins")
    assert (made.duplicates, made.disguise) == (True, True)
    assert (made.rules.preset, made.rules.overrides(), made.round_pause_ms) == ("official", (), 0)
    assert made.clock == ClockSettings(2_000, 60_000, 500, 30_000, 40_000, 0, 10_000, sealed=True)
    assert made.concurrency == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('name = "cup"', 'nmae = "cup"', "2: tournament.nmae: unknown key \"nmae\" (did you mean 'name'?); valid are "),
        ('name = "cup"', "name = 5", "2: tournament.name: must be a text in quotes, not 5"),
        ('name = "cup"', 'name = "../x"', "2: tournament.name: must be 1 to 64 letters"),
        ('name = "cup"', 'name = ""', "2: tournament.name: must be 1 to 64 letters"),
        ('name = "cup"\n', "", "1: tournament: the key 'name' is missing"),
        ("seed = 7", "seed = -1", "3: tournament.seed: must be a whole number from 0 to"),
        ("seed = 7", 'seed = "x"', "3: tournament.seed: must be a whole number from 0"),
        ('rules = "official"', 'rules = "oficial"', "4: tournament.rules: unknown value \"oficial\" (did you mean 'of"),
        ('"single_round"', '"sinle_round"', "5: tournament.options.match_end: match_end must be one or several of tar"),
        ("{ match_end =", "{ mach_end =", "5: tournament.options.mach_end: unknown key \"mach_end\" (did you mean 'ma"),
        ('"single_round" }', '"single_round", hand_size = 99 }', "5: tournament.options.hand_size: hand_size must be"),
        ('"single_round" }', '"target", deck = "swap112" }', "5: tournament.options.deck: deck = swap112 is not yet"),
        ('"single_round" }', '"target", max_players = 2, min_players = 3 }', "5: tournament.options: min_players = 3"),
        ('{ match_end = "single_round" }', "3", "5: tournament.options: must be a table, not 3"),
        ('format = "round-robin"', 'format = "league"', '6: tournament.format: unknown value "league"; valid are roun'),
        ("deals = 3", "deals = 3\nrounds = 2", "9: tournament.rounds: is for the format swiss, ladder, not for round-"),
        ("deals = 3", "deals = 3\nmeetings = 0", "9: tournament.meetings: must be a whole number from 1 to 1000, not "),
        ("deals = 3", 'deals = 3\nkeep_apart = "yes"', '9: tournament.keep_apart: must be true or false, not "yes"'),
        ("deals = 3", 'deals = 3\nseats = "some"', '9: tournament.seats: unknown value "some"; valid are rotations, '),
        ("deals = 3", 'deals = 3\nstop = "soon"', '9: tournament.stop: unknown value "soon"; valid are deals, sign'),
        ("deals = 3", "deals = 3\nconfidence = 0.9", '9: tournament.confidence: is for stop = "significant"; leave i'),
        ("deals = 3", 'deals = 3\nstop = "significant"\nconfidence = 1', "10: tournament.confidence: must be a number"),
        ("table_size = 2", "table_size = 3", "7: tournament.table_size: 2 bots are not enough for tables of 3"),
        ("table_size = 2", "table_size = 1", "7: tournament.table_size: must be a whole number from 2 to 10, not 1"),
        ("table_size = 2", "table_size = 11", "7: tournament.table_size: must be a whole number from 2 to 10, not 11"),
        ("table_size = 2", "table_size = 2.0", "7: tournament.table_size: must be a whole number from 2 to 10, not 2."),
        ("deals = 3", "deals = 0", "8: tournament.deals: must be a whole number from 1 to"),
        ("deals = 3", "deals = true", "8: tournament.deals: must be a whole number from 1 to 1000000, not true"),
        ("deals = 3", "deals = 3\ndeals = 4", "9: not TOML: 'deals' is there twice, or is a table elsewhere"),
        ("deals = 3", 'deals = 3\ndraws = "both"', '9: tournament.draws: unknown value "both"; valid are pile, per_se'),
        ("deals = 3", "deals = 3\nduplicates = 0", "9: tournament.duplicates: must be true or false, not 0"),
        ("deals = 3", 'deals = 3\ndisguise = "no"', '9: tournament.disguise: must be true or false, not "no"'),
        ("deals = 3", 'deals = 3\nscore = "elo"', '9: tournament.score: unknown value "elo"; valid are wins, points, '),
        ("deals = 3", "deals = 3\nconcurrency = 0", "9: tournament.concurrency: must be a whole number from 1 to 256"),
        ("[clock]", "[clok]", "9: clok: unknown key \"clok\" (did you mean 'clock'?); valid are tournament, clock, ru"),
        ('limit = "2s"', "limit = 2", '10: clock.limit: must be a span of time in quotes such as "500ms", "2s" or "1m'),
        ('limit = "2s"', 'limit = "2 sec"', "10: clock.limit: must be a span of time"),
        ('limit = "2s"', 'limit = "0s"', "10: clock.limit: must be a span of time in quotes"),
        ('limit = "2s"', 'limit = "0.5ms"', "10: clock.limit: must be a span of time"),
        ('limit = "2s"', 'limit = "25h"', "10: clock.limit: must be a span of time"),
        ('limit = "2s"', 'bank = "-1s"', "10: clock.bank: must be a span of time"),
        ('limit = "2s"', 'reactions = "closed"', '10: clock.reactions: unknown value "closed"; valid are sealed, open'),
        ('name = "b"', 'name = "a"', "15: bot[2].name: 'a' is taken by bot[1] in line 12; names must differ"),
        ('name = "b"', 'name = "A"', "15: bot[2].name: 'A' is taken by bot[1] in line 12; names must differ"),
        ('name = "b"', 'name = "b c"', "15: bot[2].name: must be 1 to 64 letters"),
        ('builtin = "random"', 'builtin = "randon"', "16: bot[2].builtin: unknown value \"randon\" (did you mean 'ran"),
        ('builtin = "random"', "", "14: bot[2]: 'b' has none of these; it must have one of 'command', 'b"),
        ('builtin = "random"', 'builtin = "random"\ncommand = ["x"]', "14: bot[2]: 'b' has 'command' and 'builtin'"),
        ('builtin = "random"', 'builtin = "random"\ndirectory = "."', "17: bot[2].directory: is for a bot with 'comma"),
        ('builtin = "random"', 'command = "python3"', '16: bot[2].command: must be a list of texts such as ["pyt'),
        ('builtin = "random"', "command = []", "16: bot[2].command: must be a list of texts"),
        ('builtin = "random"', 'command = ["python3",\n3]', "17: bot[2].command[2]: must be a text in quotes, not 3"),
        ('builtin = "random"', 'command = ["python3", "bot.py"]', "16: bot[2].command[2]: there is no file 'bot.py' i"),
        ('builtin = "random"', 'command = ["no-such-bot"]', "16: bot[2].command: there is no program 'no-such-bot'"),
        ('builtin = "random"', 'command = ["./cup.toml"]', "16: bot[2].command: there is no program './cup.toml' that"),
        ('builtin = "random"', 'command = ["sh"]\ndirectory = "x"', "17: bot[2].directory: there is no directory '"),
        ('builtin = "random"', 'command = ["sh"]\nenvironment = 1', "17: bot[2].environment: must be a table of texts"),
        ('builtin = "random"', 'command = ["sh"]\nenvironment.A = 1', "17: bot[2].environment.A: must be a text in qu"),
        (
            'builtin = "random"',
            'command = ["sh"]\n[bot.environment]\n# c\nLASTCARD_TOKEN = "x"',
            "19: bot[2].environment.LASTCARD_TOKEN: is set by the tournament",
        ),
        (
            'builtin = "random"',
            'command = ["sh"]\nenvironment.LASTCARD_RUN = "x"',
            "17: bot[2].environment.LASTCARD_RUN: is set by the tournament",
        ),
        (
            'builtin = "random"',
            'command = ["sh"]\nenvironment.A = "\\u0000"',
            '17: bot[2].environment.A: must be a text without \\u0000, not "\\u0000"',
        ),
        ("[[bot]]", "[bot]", None),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_file_line_and_key(
    tmp_path: Path, old: str, new: str, expected: str | None
) -> None:
    whole = TOURNAMENT + CLOCK + BOTS
    assert old in whole
    head, tail = whole.rsplit(old, 1)
    found = refusal(tmp_path, head + new + tail)
    if expected is None:
        assert "not TOML" in found
    else:
        assert found.startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1: the table [tournament] is missing"),
        (TOURNAMENT, "1: the table [[bot]] is missing"),
        (TOURNAMENT + "[bot]\nname = 'a'\n", "9: bot: must be one or several tables [[bot]]"),
        ("tournament = 3\n" + BOTS, "1: tournament: must be a table, not 3"),
        ("[tournament]\nname = \n", "2: not TOML: Invalid value"),
        ('[tournament]\nname = "', "2: not TOML: Unterminated string"),
        (
            TOURNAMENT.replace("table_size = 2", "table_size = 2 # far more\nhand_size = 3") + BOTS,
            '8: tournament.hand_size: unknown key "hand_size"; valid are name, seed, rules, options, format, table_siz',
        ),
        (
            TOURNAMENT.replace("table_size = 2", "table_size = 2\noptions.min_players = 3").replace(
                'options = { match_end = "single_round" }\n', ""
            )
            + BOTS,
            "6: tournament.table_size: These rules are for 3 to 10 players, not 2",
        ),
    ],
)
def test_a_file_without_shape_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    assert refusal(tmp_path, text).startswith(expected)


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_bytes(b"[tournament]\n# \xff\n")
    with pytest.raises(FileError, match=r"cup\.toml:2: not UTF-8 text: byte 0xff"):
        load(path, BUILTINS)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cup\.toml: cannot be read: No such file or directory"):
        load(tmp_path / "cup.toml", BUILTINS)


@pytest.mark.parametrize(
    "command", [["python3", "mine.py"], ["sh", "-c", "exec mine"], ["python3"], ["lastcard", "bot", "run", "greedy"]]
)
def test_a_command_that_can_be_run_is_taken(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "mine.py").write_text("")
    text = TOURNAMENT + BOTS.replace('builtin = "random"', f"command = {command}")
    taken = read(tmp_path, text).bots[1].command
    assert taken is not None
    assert list(taken[1:]) == command[1:]
    assert Path(taken[0]).name == command[0]


def test_a_command_with_a_slash_is_looked_for_in_its_directory(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    program = tmp_path / "bots" / "mine.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    text = TOURNAMENT + BOTS.replace('builtin = "random"', 'command = ["./mine.sh"]\ndirectory = "bots"')
    assert read(tmp_path, text).bots[1].command == (str(program),)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('format = "swiss"', "5: tournament: the key 'rounds' is missing; it must be a whole number from 1 to 1000"),
        ('format = "gauntlet"', "5: tournament: the key 'challenger' is missing; it must be one of a, b, c, d, e"),
        ('format = "gauntlet"\nchallenger = "f"', '12: tournament.challenger: unknown value "f"; valid are a, b, c, d'),
        (
            'format = "swiss"\nrounds = 6',
            "12: tournament.rounds: 5 bots at tables of 2 leave 1 without a table in each",
        ),
        ('format = "swiss"\nrounds = 2\nbest_of = 2', "13: tournament.best_of: is for the format knockout, not for sw"),
        ('format = "knockout"\nadvance = 2', "12: tournament.advance: must be less than table_size, so that somebody"),
        (
            'format = "knockout"\nseeds = ["a", "f"]',
            '12: tournament.seeds[2]: unknown bot "f"; valid are a, b, c, d, e',
        ),
        (
            'format = "knockout"\nseeds = "a"',
            '12: tournament.seeds: must be a list of texts such as ["a", "b"], not "a"',
        ),
        ('format = "knockout"\nseeds = ["a", "a"]', "12: tournament.seeds: must name each bot once, not ['a', 'a']"),
    ],
)
def test_what_is_wrong_with_a_format_is_refused(tmp_path: Path, keys: str, message: str) -> None:
    deals = "" if "knockout" in keys else "deals = 3"
    text = TOURNAMENT.replace('format = "round-robin"\n', "").replace("deals = 3", f"draws = 'pile'\n{deals}\n{keys}")
    bots = "".join(f'[[bot]]\nname = "{name}"\nbuiltin = "random"\n' for name in "abcde")
    line, _, rest = refusal(tmp_path, text + bots).partition(":")
    expected_line, _, expected = message.partition(":")
    assert rest.startswith(expected)
    assert abs(int(line) - int(expected_line)) <= 4
    assert keys.splitlines()[-1] == text.splitlines()[int(line) - 1] or "missing" in rest


def test_a_knockout_says_with_best_of_how_many_sets_are_played(tmp_path: Path) -> None:
    text = TOURNAMENT.replace("round-robin", "knockout")
    assert refusal(tmp_path, text + BOTS).startswith("8: tournament.deals: is not for knockout, where best_of says how")
    made = read(tmp_path, text.replace("deals = 3", 'best_of = 5\nseeds = ["b"]') + BOTS)
    assert (made.deals, made.design.deals) == (5, 5)
    assert made.format_options == {"best_of": 5, "seeds": ("b",), "keep_apart": False}


def test_all_orders_of_the_seats_are_for_small_tables(tmp_path: Path) -> None:
    bots = "".join(f'[[bot]]\nname = "{name}"\nbuiltin = "random"\n' for name in "abcdef")
    text = TOURNAMENT.replace("deals = 3", 'deals = 3\nseats = "all"') + bots
    assert read(tmp_path, text).seats == "all"
    assert refusal(tmp_path, text.replace("table_size = 2", "table_size = 6")).startswith(
        '9: tournament.seats: "all" is for tables of at most 5; valid at tables of 6 is "rotations"'
    )


def test_a_design_knows_owners_and_which_scores_are_good(tmp_path: Path) -> None:
    bots = BOTS.replace('builtin = "random"', 'builtin = "random"\nowner = "ann"')
    design = read(tmp_path, TOURNAMENT + bots).design
    assert [each.owner for each in design.entrants] == ["", "ann"]
    assert not design.least_is_best
    assert read(tmp_path, TOURNAMENT.replace("deals = 3", 'deals = 3\nscore = "places"') + bots).design.least_is_best


def test_more_tables_than_anybody_plays_are_a_balanced_choice(tmp_path: Path) -> None:
    bots = "".join(f'[[bot]]\nname = "b{number}"\nbuiltin = "random"\n' for number in range(60))
    design = read(tmp_path, TOURNAMENT.replace("table_size = 2", "table_size = 5") + bots).design
    stage = FORMATS["round-robin"].next_stage(design, [])
    assert stage is not None
    assert len(stage.compositions) == 720  # of 5,461,512


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeff" + TOURNAMENT + CLOCK + BOTS).name == "cup"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, " its lists or tables are nested too deeply; three levels are valid"),
        ("a = " + "9" * 5000, " a number in it has more than 4300 digits; valid are far smaller"),
        ("a = 0x" + "f" * 5000, " a number in it has more than 4300 digits; valid are far smaller"),
        ("a = [[0x" + "f" * 5000 + "]]", " a number in it has more than 4300 digits; valid are far smaller"),
    ],
    ids=["nested", "long-number", "long-hexadecimal", "long-hexadecimal-in-lists"],
)
def test_what_the_reader_of_toml_cannot_bear_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    assert refusal(tmp_path, text) == sentence


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('{ match_end = "single_round" }', "[]", "5: tournament.options: must be a table, not []"),
        ('{ match_end = "single_round" }', '""', '5: tournament.options: must be a table, not ""'),
        (
            'builtin = "greedy"',
            'command = ["true"]\nenvironment = []',
            '14: bot[1].environment: must be a table of texts such as { DEBUG = "1" }, not []',
        ),
        (
            'builtin = "greedy"',
            'command = ["true"]\ndirectory = "a\\u0000b"',
            '14: bot[1].directory: must be a text without \\u0000, not "a\\u0000b"',
        ),
    ],
    ids=["list-for-options", "text-for-options", "list-for-environment", "nul-in-a-path"],
)
def test_what_is_empty_or_unprintable_is_judged_like_the_rest(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert refusal(tmp_path, (TOURNAMENT + CLOCK + BOTS).replace(old, new, 1)) == told


def test_of_a_file_that_was_played_the_programs_need_not_be_here(tmp_path: Path) -> None:
    text = TOURNAMENT + BOTS.replace('builtin = "random"', 'command = ["elsewhere", "mine.py"]\ndirectory = "gone"')
    with pytest.raises(FileError, match="there is no directory"):
        read(tmp_path, text)
    bot = load(tmp_path / "cup.toml", BUILTINS, played=True).bots[1]
    assert bot.command == ("elsewhere", "mine.py")
    assert bot.directory == tmp_path / "gone"
