"""The standings as files: `standings.json` for programs, `standings.csv` for spreadsheets.

Here: their text. Not here: the figures (`statistics`, `figures`). May import the standard library, `statistics` and the
modules of the figures. The fields are described in server/docs/statistics.md.
"""

import csv
import io
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lastcard.tournament.statistics import CONFIDENCE, Estimate, Standing, Standings

if TYPE_CHECKING:
    from lastcard.tournament.adjustment import Adjusted
    from lastcard.tournament.figures import Figures
    from lastcard.tournament.ratings import Rating
    from lastcard.tournament.sequential import Verdict
    from lastcard.tournament.thinking import Thinking

JSON_NAME = "standings.json"
CSV_NAME = "standings.csv"

_FAULTS = ("timeout", "refusals", "disconnect", "start_up", "crash", "left")
_CSV_ESTIMATES = ("score", "win_share", "points", "place")
_CSV_THINKING = ("p50", "p95", "p99", "max")


def standings_json(made: Standings, name: str, further: "Figures | None" = None) -> str:
    """The standings of the tournament `name` as JSON; `further` are the further figures, if they are known already."""
    return json.dumps(as_dict(made, name, further), indent=2, ensure_ascii=False) + "\n"


def as_dict(made: Standings, name: str, further: "Figures | None" = None) -> dict[str, Any]:
    """The standings of the tournament `name` as plain data; figures are rounded to six digits."""
    figures = further or _figures(made)
    data: dict[str, Any] = {
        "tournament": name,
        "score": made.scoring.score,
        "least_is_best": made.scoring.least_is_best,
        "confidence": CONFIDENCE,
        "unit": "set",
        "games": made.games,
        "sets": made.sets,
        "void_sets": made.void_sets,
        "games_in_open_sets": made.games_in_open_sets,
        "disqualified": [{"bot": bot, "reason": reason} for bot, reason in made.disqualified],
        "format_ranking": None if made.placings is None else [placing._asdict() for placing in made.placings],
        "ranking": [_standing(standing) | _further(standing.bot, figures) for standing in made.ranking],
    }
    if figures is not None:
        data["ratings"] = {"basis": figures.ratings.basis, "sets": figures.ratings.sets}
        data["settled"] = None if figures.verdict is None else _verdict(figures.verdict)
        data["who_beats_whom"] = [
            {"bot": bot, "other": other, "sets": cell.sets, "games": cell.games, "ahead": _estimate(cell.ahead)}
            for (bot, other), cell in figures.meetings.items()
        ]
    return data


def standings_csv(made: Standings, further: "Figures | None" = None) -> str:
    """The standings as CSV, one line a bot; an empty cell is a figure that cannot be given."""
    figures = further or _figures(made)
    most = max((place for standing in made.ranking for place in standing.places), default=0)
    estimates = (*_CSV_ESTIMATES, "rating", "luck_adjusted")
    columns = ["rank", "bot", "games", "sets"]
    columns += [f"{figure}{part}" for figure in estimates for part in ("", "_low", "_high")]
    columns += ["variance_ratio", *(f"thinking_{each}_ms" for each in _CSV_THINKING)]
    columns += [f"place_{place}" for place in range(1, most + 1)]
    columns += [f"faults_{kind}" for kind in _FAULTS] + ["lost_by_ruling", "format_place", "format_note"]
    placings = {placing.bot: placing for placing in made.placings or ()}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for standing in made.ranking:
        row: list[object] = [standing.rank, standing.bot, standing.games, standing.sets]
        data = _standing(standing) | _further(standing.bot, figures)
        for figure in estimates:
            values = data.get(figure) or {}
            row += [values.get(part) for part in ("mean", "low", "high")]
        row.append((data.get("luck_adjusted") or {}).get("variance_ratio"))
        row += [(data.get("thinking_ms") or {}).get(each) for each in _CSV_THINKING]
        row += [standing.places.get(place, 0) for place in range(1, most + 1)]
        row += [standing.faults.get(kind, 0) for kind in _FAULTS] + [standing.lost_by_ruling]
        placing = placings.get(standing.bot)
        row += ["", ""] if placing is None else [placing.place, placing.note]
        writer.writerow(row)
    return text.getvalue()


def _figures(made: Standings) -> "Figures | None":
    """The further figures, where there is something to compute them from."""
    if made.judged is None:
        return None
    from lastcard.tournament.figures import figures_of  # noqa: PLC0415 - takes long, and few commands write files

    return figures_of(made.judged, [standing.bot for standing in made.ranking])


def _further(bot: str, figures: "Figures | None") -> dict[str, Any]:
    if figures is None:
        return {}
    return {
        "rating": _rating(figures.rating[bot]),
        "luck_adjusted": _adjusted(figures.adjusted[bot]),
        "later_gain": _estimate(figures.remembering[bot]),
        "thinking_ms": _thinking(figures.thinking[bot]),
    }


def _rating(made: "Rating") -> dict[str, Any]:
    low, high = made.interval or (None, None)
    return {"mean": _rounded(made.rating), "low": _rounded(low), "high": _rounded(high), "note": made.note}


def _adjusted(made: "Adjusted") -> dict[str, Any]:
    low, high = made.interval or (None, None)
    return {
        "mean": _rounded(made.mean),
        "low": _rounded(low),
        "high": _rounded(high),
        "note": made.note,
        "variance_ratio": _rounded(made.variance_ratio),
    }


def _thinking(made: "Thinking | None") -> dict[str, Any] | None:
    if made is None:
        return None
    return {
        "decisions": made.decisions, "p50": made.p50, "p95": made.p95, "p99": made.p99, "max": made.longest
    }  # fmt: skip


def _verdict(made: "Verdict") -> dict[str, Any]:
    return {
        "settled": made.settled,
        "confidence": made.confidence,
        "rounds": made.rounds,
        "since": made.since,
        "needed": _rounded(made.needed),
        "pairs": [
            {"ahead": pair.ahead, "behind": pair.behind, "evidence": _rounded(pair.evidence)} for pair in made.pairs
        ],
        "note": made.note,
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "rank": standing.rank,
        "bot": standing.bot,
        "games": standing.games,
        "sets": standing.sets,
        "score": _estimate(standing.score),
        "win_share": _estimate(standing.win_share),
        "points": _estimate(standing.points),
        "place": _estimate(standing.place),
        "places": {str(place): count for place, count in standing.places.items()},
        "faults": dict(standing.faults),
        "lost_by_ruling": standing.lost_by_ruling,
    }


def _estimate(made: Estimate) -> dict[str, Any]:
    low, high = made.interval or (None, None)
    return {"mean": _rounded(made.mean), "low": _rounded(low), "high": _rounded(high), "note": made.note}


def _rounded(value: Fraction | float | None) -> float | None:
    return None if value is None else round(float(value), 6)
