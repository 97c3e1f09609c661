from pathlib import Path

import pytest

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
    [{"port": -1}, {"port": 70_000}, {"max_tables": 0}, {"log": "xml"}, {"log_level": "loud"}, {"durability": "most"}],
    ids=str,
)
def test_a_value_out_of_range_is_refused(values):
    with pytest.raises(SettingsError, match=next(iter(values))):
        Settings(**values)


def test_none_keeps_nothing_on_disk():
    declared = next(one for one in settings_list() if one.name == "data")
    assert value_of(declared, "none") is None
