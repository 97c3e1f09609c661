"""The page: one file that loads nothing, whose figures are those of the standings and whose links lead somewhere."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from html_pages import Element, page_tree
from lastcard.tournament.conduct import DISCONNECTS, STARTS, Conduct
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.formats.contract import Placing
from lastcard.tournament.ledger import Row
from lastcard.tournament.report.played import read_played
from lastcard.tournament.report.written import figures_of, html_of
from lastcard.tournament.standings import as_dict
from results_directories import COMPLETE, STOPPED, event_directory, fault, file_text, rotated, set_rows

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
ORDERS = [("ann", "ben", "cis"), ("ann", "cis", "ben"), ("ben", "ann", "cis"), ("ann", "ben", "cis")]
CIS_TOO = [*ORDERS, ("cis", "ben", "ann")]


def pages(directory: Path, **options: Any) -> tuple[Element, str, dict[str, Any]]:
    """The page of a directory as a tree and as text, and the standings as plain data."""
    played = read_played(directory, ("greedy",))
    made = figures_of(played, scoring_of(played.file))
    text = html_of(made, **options)
    return page_tree(text), text, as_dict(made.standings, "cup")


def cup(directory: Path, rows: list[Row] | None = None, state: str = COMPLETE, conduct: Conduct | None = None) -> Path:
    made = rotated(ORDERS) if rows is None else rows
    return event_directory(directory, file_text(("ann", "ben", "cis"), size=3), made, state, conduct)


def spoilt() -> list[Row]:
    """Games with faults, whose ledger was written by somebody who means harm."""
    first, *others = rotated(ORDERS)
    faults = tuple(fault(first, "ben", kind, f"{kind}: {HOSTILE}") for kind in ("timeout", "timeout", "crash"))
    hostile = set_rows(
        5, ("ann", "ben", "cis"), ("cis", "ben", "ann"), cause=HOSTILE, record="javascript:alert(3)", faults=faults
    )
    stranger = set_rows(6, ("ann", HOSTILE, "cis"), (HOSTILE, "ann", "cis"))
    return [first, *others, *hostile, *stranger]


@pytest.mark.parametrize("rows", [None, [], rotated(ORDERS)[:2], spoilt()], ids=["whole", "none", "open", "faults"])
def test_a_page_is_one_file_that_loads_nothing(tmp_path: Path, rows: list[Row] | None) -> None:
    tree, text, _ = pages(cup(tmp_path / "out", rows, STOPPED))
    assert not list(tree.all("link", "img", "iframe", "object", "embed", "base", "audio", "video"))
    assert not any(name in each.attributes for each in tree.all() for name in ("src", "srcset", "background", "action"))
    assert not re.search(r"(?<![\w.])(https?:)?//\w", text.replace("// Narrows", ""))
    assert "@import" not in text
    assert "url(" not in text
    (policy,) = (each for each in tree.all("meta") if each.attributes.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy.attributes["content"]


@pytest.mark.parametrize("rows", [None, [], spoilt()], ids=["whole", "none", "faults"])
def test_a_page_can_be_read_without_seeing_it(tmp_path: Path, rows: list[Row] | None) -> None:
    tree, _, _ = pages(cup(tmp_path / "out", rows))
    (html,) = tree.all("html")
    assert html.attributes["lang"] == "en"
    assert [each.text for each in tree.all("h1")] == ["cup"]
    assert all(each.attributes["href"].startswith("#") for each in tree.all("use"))
    for table in tree.all("table"):
        assert len(list(table.all("caption"))) == 1
        assert list(table.all("th"))
    assert all(each.attributes.get("scope") in ("col", "row") for each in tree.all("th"))
    drawn = [each for each in tree.all("svg") if "viewbox" not in each.attributes]  # the others are within these
    assert all(each.attributes.get("aria-hidden") == "true" for each in drawn)
    ids = [each.attributes["id"] for each in tree.all() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    named = [name for each in tree.all() for name in each.attributes.get("aria-labelledby", "").split()]
    assert set(named) <= set(ids)
    labelled = [field for label in tree.all("label") for field in label.all("select", "input")]
    assert labelled == list(tree.all("select", "input"))


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    directory = cup(tmp_path / "out", spoilt())
    (directory / "records" / "00002.jsonl").unlink()
    for name in ("ben.log", "ben@2.log", "ben2.log"):
        (directory / "bots" / name).write_text("printed")
    (directory / "records" / "00003.jsonl").rename(directory / "records" / "00003.jsonl.gz")
    tree, _, _ = pages(directory)
    ids = {each.attributes["id"] for each in tree.all() if "id" in each.attributes}
    links = [each.attributes["href"] for each in tree.all("a")]
    for link in links:
        assert link[1:] in ids if link.startswith("#") else (directory / unquote(link)).is_file()
    records = [link for link in links if link.startswith("records/")]
    plain = {f"records/{game:05}.jsonl" for game in range(1, 19) if game not in (2, 3, 13)}
    assert set(records) == {*plain, "records/00003.jsonl.gz"}
    assert [link for link in links if link.startswith("bots/")] == ["bots/ben.log", "bots/ben%402.log"]


def test_a_page_elsewhere_links_to_the_directory(tmp_path: Path) -> None:
    directory = cup(tmp_path / "the out")
    tree, _, _ = pages(directory, base="../the out")
    links = [each.attributes["href"] for each in tree.all("a") if "records" in each.attributes["href"]]
    assert links[0] == "../the%20out/records/00001.jsonl"


def test_what_a_ledger_holds_is_text_and_nothing_else(tmp_path: Path) -> None:
    aside = Conduct({}, {"ben": f"set aside after 3 failures in a row, the last: it printed '{HOSTILE}'"})
    tree, text, _ = pages(cup(tmp_path / "out", spoilt(), conduct=aside))
    assert len(list(tree.all("script"))) == 1
    assert not any(name.startswith("on") for each in tree.all() for name in each.attributes)
    assert not any("javascript:" in value for each in tree.all() for value in each.attributes.values())
    seen = 3 + 1 + 2 + 3  # the evidence of each fault, why it was set aside, the cause twice, a name in three games
    assert tree.text.count(HOSTILE) >= seen
    assert "alert(3)" not in text


def test_the_figures_are_those_of_the_standings(tmp_path: Path) -> None:
    tree, _, data = pages(cup(tmp_path / "out"))
    (table,) = tree.with_id("figures").all("table")
    (head, *lines) = ([cell.text for cell in line.all("th", "td")] for line in table.all("tr"))
    assert len(lines) == len(data["ranking"]) == 3
    for line, standing in zip(lines, data["ranking"], strict=True):
        shown = dict(zip(head, line, strict=True))
        assert shown["rank"] == str(standing["rank"])
        assert shown["bot"] == standing["bot"]
        assert (shown["games"], shown["sets"]) == (str(standing["games"]), str(standing["sets"]))
        for title, name, form in (
            ("share of the wins", "win_share", "{:.1%}"), ("points a game", "points", "{:.2f}"),
            ("mean place", "place", "{:.2f}"),
        ):  # fmt: skip
            figures = [form.format(standing[name][part]) for part in ("mean", "low", "high")]
            assert shown[title] == "{} {} to {}".format(*figures)
    chart = [[cell.text for cell in line.all("th", "td")] for line in tree.with_id("ranking").all("tr")][1:4]
    assert [line[1] for line in chart] == ["ann", "ben", "cis"]
    shares = [f"{standing['score']['mean']:.1%}" for standing in data["ranking"]]
    assert [line[3] for line in chart] == shares


def test_scores_below_nothing_are_drawn_where_they_are_and_called_what_they_are(tmp_path: Path) -> None:
    """A penalty takes a score below the least that a game gives; what was played is told beside it as it was."""
    rows = rotated(ORDERS)
    sinner = replace(rows[0], faults=tuple(fault(rows[0], "cis", "timeout", f"{number}") for number in range(9)))
    text = file_text(("ann", "ben", "cis"), size=3) + "[rulings]\ntimeout = { penalty = 100 }\n"
    tree, _, data = pages(event_directory(tmp_path / "out", text, [sinner, *rows[1:]], COMPLETE))
    last = data["ranking"][-1]
    assert (last["bot"], last["score"]["mean"], last["win_share"]["mean"]) == ("cis", -0.75, 0)
    ranking = tree.with_id("ranking")
    assert "share of the wins after penalties" in ranking.text
    (axis,) = (each for each in ranking.all("svg") if "axis" in each.attributes["class"])
    assert axis.text.startswith("-")
    tracks = [each for each in ranking.all("svg") if "track" in each.attributes["class"]]
    (mean,) = tracks[-1].all("circle")
    assert float(mean.attributes["cx"].rstrip("%")) > 0
    assert "after penalties" not in pages(cup(tmp_path / "without"))[0].text


def test_the_head_names_seeds_as_the_file_does(tmp_path: Path) -> None:
    text = file_text(("ann", "ben"), more='format = "knockout"\nseeds = ["ben", "ann"]\n').replace("deals", "best_of")
    tree, _, _ = pages(event_directory(tmp_path / "out", text, [], COMPLETE))
    assert "seeds = ben ann" in tree.text


def test_luck_is_taken_out_and_ratings_given_as_in_the_standings(tmp_path: Path) -> None:
    orders = CIS_TOO * 10
    chance = random.Random(5)
    rows = [replace(row, luck=tuple((chance.gauss(), chance.gauss()) for _ in row.seats)) for row in rotated(orders)]
    tree, _, data = pages(cup(tmp_path / "out", rows))
    (table,) = tree.with_id("figures").all("table")
    (head, *lines) = ([cell.text for cell in line.all("th", "td")] for line in table.all("tr"))
    for line, standing in zip(lines, data["ranking"], strict=True):
        shown = dict(zip(head, line, strict=True))
        adjusted, rating = standing["luck_adjusted"], standing["rating"]
        assert shown["luck taken out"] == f"{adjusted['mean']:.1%} {adjusted['low']:.1%} to {adjusted['high']:.1%}"
        assert shown["variance left"] == f"{adjusted['variance_ratio']:.0%}"
        assert shown["rating"] == f"{rating['mean']:.0f} {rating['low']:.0f} to {rating['high']:.0f}"
    (chart,) = (table for table in tree.with_id("ranking").all("table"))
    drawn = [each.attributes["class"] for each in chart.all("g")]
    assert drawn == ["raw", "adjusted"] * 3
    assert "with luck taken out" in tree.with_id("ranking").text


def test_the_ranking_says_whether_it_is_settled(tmp_path: Path) -> None:
    few, _, _ = pages(cup(tmp_path / "few"))
    assert "not settled yet with 95% confidence" in few.with_id("ranking").text
    many, _, data = pages(cup(tmp_path / "many", rotated([("ann", "ben", "cis")] * 40)))
    assert data["settled"]["settled"] is True or "still open" in many.with_id("ranking").text
    text = file_text(("ann", "ben", "cis"), size=3, more="confidence = 0.8\nstop = 'significant'")
    other, _, _ = pages(event_directory(tmp_path / "other", text, rotated(ORDERS)))
    assert "80% confidence" in other.with_id("ranking").text


def test_faults_are_counted_by_bot_and_kind(tmp_path: Path) -> None:
    tree, _, _ = pages(cup(tmp_path / "out", spoilt()))
    table, gains = tree.with_id("faults").all("table")
    (head, *lines) = ([cell.text for cell in line.all("th", "td")] for line in table.all("tr"))
    counts = {line[0]: dict(zip(head, line, strict=True)) for line in lines}
    assert counts["ben"]["timeout"] == "2"
    assert counts["ben"]["crash"] == "1"
    assert counts["ann"]["timeout"] == "0"
    assert counts["ben"]["starts"] == "–"  # a builtin has no program
    assert [line.text for line in gains.all("tr")][1:]
    clean, _, _ = pages(cup(tmp_path / "clean"))
    assert "No bot was at fault" in clean.with_id("faults").text


def test_programs_are_told_how_often_they_started_and_lost_their_connection(tmp_path: Path) -> None:
    text = file_text(("ann", "ben", "cis"), size=3).replace('builtin = "greedy"', 'command = ["gone"]', 1)
    conduct = Conduct()
    for what, often in ((STARTS, 3), (DISCONNECTS, 2)):
        for _ in range(often):
            conduct.note("ann", what)
    tree, _, _ = pages(event_directory(tmp_path / "out", text, spoilt(), conduct=conduct))
    table = next(tree.with_id("faults").all("table"))
    (head, *lines) = ([cell.text for cell in line.all("th", "td")] for line in table.all("tr"))
    counts = {line[0]: dict(zip(head, line, strict=True)) for line in lines}
    assert (counts["ann"]["starts"], counts["ann"]["lost and came back"]) == ("3", "2")


def test_a_format_with_a_ranking_of_its_own_has_it_first(tmp_path: Path) -> None:
    played = read_played(cup(tmp_path / "out"), ("greedy",))
    made = figures_of(played, scoring_of(played.file))
    placings = (Placing("cis", 1, "won the final"), Placing("ann", 2, "second in the final"))
    tree = page_tree(html_of(made._replace(standings=made.standings._replace(placings=placings))))
    first, chart = tree.with_id("ranking").all("table")
    lines = [[cell.text for cell in line.all("th", "td")] for line in first.all("tr")]
    assert lines == [["place", "bot", "why"], ["1", "cis", "won the final"], ["2", "ann", "second in the final"]]
    assert [line.text for line in chart.all("th") if line.attributes["scope"] == "row"] == ["ann", "ben", "cis"]


def test_an_event_without_a_game_has_a_page(tmp_path: Path) -> None:
    tree, text, _ = pages(cup(tmp_path / "out", [], STOPPED))
    assert "No game is over yet." in tree.with_id("games").text
    assert "No interval for ann, ben, cis: no complete set." in text
    assert "Luck is not taken out of the score of ann, ben, cis: an adjustment for luck needs at least" in text
    assert "nan" not in text.replace("ann", "").lower()


def test_a_page_says_how_far_its_event_is(tmp_path: Path) -> None:
    def state(name: str, word: str, **options: Any) -> str:
        tree, _, _ = pages(cup(tmp_path / name, state=word), **options)
        (pill,) = (each for each in tree.all("span") if "pill" in each.attributes.get("class", ""))
        return pill.text

    assert state("a", "complete") == "complete"
    assert state("b", "stopped") == "stopped"
    assert state("c", "running") == "broken off"
    assert state("d", "running", in_use=True) == "being played"
    assert state("e", "stopped", in_use=True) == "being played"


def test_a_page_says_who_played_in_which_versions(tmp_path: Path) -> None:
    text = file_text(("ann", "ben", "cis"), size=3).replace(
        'builtin = "greedy"', 'command = ["gone"]\nowner = "eva"', 1
    )
    text = text.replace('builtin = "greedy"', "remote = true", 1)
    versions = [HOSTILE, "1.0", "1.1", "2", "x" * 99]
    rows = [
        replace(row, versions=tuple({"ben": "", "cis": "0.1"}.get(bot, versions[row.set - 1]) for bot in row.seats))
        for row in rotated(CIS_TOO)
    ]
    tree, _, _ = pages(event_directory(tmp_path / "out", text, rows))
    (table,) = tree.with_id("figures").all("table")
    kinds = {line[1]: line[2] for line in ([cell.text for cell in each.all("th", "td")] for each in table.all("tr"))}
    assert kinds["ann"] == f"program of eva version {HOSTILE[:40]}…, 1.0, 1.1 and 2 more"
    assert kinds["ben"] == "remote"
    assert kinds["cis"] == "builtin greedy version 0.1"


def test_a_page_says_what_was_played(tmp_path: Path) -> None:
    def facts(name: str, more: str) -> dict[str, str]:
        text = file_text(("ann", "ben", "cis"), size=3, more=more)
        tree, _, _ = pages(event_directory(tmp_path / name, text, rotated(ORDERS)))
        (found,) = tree.all("dl")
        return dict(zip((each.text for each in found.all("dt")), (each.text for each in found.all("dd")), strict=True))

    plain = facts("plain", "")
    assert plain["Played"] == "12 games, 4 complete sets"
    assert plain["Format"] == "round-robin, tables of 3"
    rotations = "4 deals for each table, each in every rotation of the seats"
    assert plain["Deals"] == f"{rotations}; an order of draws for each seat; colours renamed in each game"
    assert plain["Chance"] == "from the seed 7: whoever knew it could compute the deals"
    other = facts("other", "stop = 'significant'\ndisguise = false\ndraws = 'pile'\nduplicates = false")
    assert other["Format"].endswith("; over as soon as the ranking is settled with 0.95 confidence")
    assert other["Deals"] == "4 sets for each table, a deal of its own for each game; one pile for all seats"


def test_the_same_directory_gives_the_same_page(tmp_path: Path) -> None:
    directory = cup(tmp_path / "out", spoilt())
    assert pages(directory)[1] == pages(directory)[1]
