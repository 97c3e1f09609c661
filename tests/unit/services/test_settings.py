import re
from pathlib import Path

import pytest

from lastcard.services.channel import channel_options
from lastcard.services.settings import (
    Settings,
    SettingsError,
    settings_from_environment,
    settings_list,
    value_of,
)


def test_every_setting_says_what_it_is_for():
    assert all(declared.metadata["help"] for declared in settings_list())


def test_the_environment_gives_settings_by_their_type():
    given = settings_from_environment(
        {
            "LASTCARD_SERVE_PORT": "7",
            "LASTCARD_SERVE_DATA": "x",
            "LASTCARD_SERVE_ANONYMOUS": "false",
            "LASTCARD_SERVE_HEARTBEAT_S": "2.5",
            "PATH": "/",
            "LASTCARD_SERVER": "for bots",
        }
    )
    assert given == {"port": 7, "data": Path("x"), "anonymous": False, "heartbeat_s": 2.5}


def test_an_unknown_setting_is_refused_with_the_valid_ones():
    with pytest.raises(SettingsError, match=r"LASTCARD_SERVE_PROT.*LASTCARD_SERVE_PORT"):
        settings_from_environment({"LASTCARD_SERVE_PROT": "1"})


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("port", "x", "whole number"),
        ("heartbeat_s", "soon", "a number of seconds"),
        ("anonymous", "maybe", "true and false"),
    ],
)
def test_a_value_of_another_type_is_refused(name, text, word):
    declared = next(one for one in settings_list() if one.name == name)
    with pytest.raises(SettingsError, match=word):
        value_of(declared, text)


@pytest.mark.parametrize(
    "values",
    [{"log": "xml"}, {"log_level": "loud"}, {"durability": "most"}],
    ids=str,
)
def test_a_word_that_is_not_valid_is_refused_with_those_that_are(values):
    with pytest.raises(SettingsError, match=f"{next(iter(values))} is '.*'; valid are .*, "):
        Settings(**values)


NUMBERS = [one for one in settings_list() if type(one.default) in (int, float)]


@pytest.mark.parametrize("declared", NUMBERS, ids=lambda declared: declared.name)
def test_a_number_out_of_range_is_refused_with_the_valid_ones(declared):
    """Also one that is none, or that is more than can be told to anybody in milliseconds."""
    least, most = declared.metadata["least"], declared.metadata["most"]
    for wrong in (least - 1, float("nan"), float("inf"), *([] if most is None else [most + 1])):
        said = f"{declared.name} is {wrong}; " + (
            f"the least is {least:g}" if most is None else f"valid are {least:g} "
        )
        with pytest.raises(SettingsError, match=f"^{re.escape(said)}"):
            Settings(**{declared.name: wrong})
    assert least <= declared.default
    for right in (least, declared.default, *([] if most is None else [most])):
        channel_options(Settings(**{declared.name: right}))


def test_spans_are_bounded():
    assert all(one.metadata["most"] for one in NUMBERS if one.metadata["unit"] in ("seconds", "days"))


def test_none_keeps_nothing_on_disk():
    declared = next(one for one in settings_list() if one.name == "data")
    assert value_of(declared, "none") is None
