import pytest

from lastcard.services.organiser import FILE, OrganiserError, organiser_token


def test_the_first_start_makes_a_token_that_only_its_owner_can_read(tmp_path):
    token, path = organiser_token("file", tmp_path)
    assert path == tmp_path / FILE
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == f"{token}\n"
    assert len(token) > 30
    assert organiser_token("file", tmp_path) == (token, path)
    assert [found.name for found in tmp_path.iterdir()] == [FILE]


def test_a_token_of_the_settings_is_kept_nowhere(tmp_path):
    assert organiser_token("sixteen-letters!", tmp_path) == ("sixteen-letters!", None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("given", "data"), [("", "here"), ("", None), ("file", None)])
def test_without_setting_or_directory_there_is_none(tmp_path, given, data):
    assert organiser_token(given, data and tmp_path) == ("", None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["short", "with a space in the middle", "a" * 257, "café-café-café-café"])
def test_what_can_be_guessed_or_not_be_sent_is_refused(tmp_path, given):
    with pytest.raises(OrganiserError, match="it must be 16 to 256 characters"):
        organiser_token(given, tmp_path)
    (tmp_path / FILE).write_text(given)
    with pytest.raises(OrganiserError, match=r"organiser\.token"):
        organiser_token("file", tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / FILE).mkdir()
    with pytest.raises(OrganiserError, match=r"organiser\.token' cannot be read or made: Is a directory"):
        organiser_token("file", tmp_path)
