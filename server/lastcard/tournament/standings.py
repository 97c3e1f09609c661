"""The standings as files: `standings.json` for programs, `standings.csv` for spreadsheets.

Here: their text. Not here: the figures (`statistics`). May import the standard library and `statistics`.
"""

import csv
import io
import json
from fractions import Fraction
from typing import Any

from lastcard.tournament.statistics import CONFIDENCE, Estimate, Standing, Standings

JSON_NAME = "standings.json"
CSV_NAME = "standings.csv"

_FAULTS = ("timeout", "refusals", "disconnect", "start_up", "crash", "left")
_CSV_ESTIMATES = ("score", "win_share", "points", "place")


def standings_json(made: Standings, name: str) -> str:
    """The standings of the tournament `name` as JSON."""
    return json.dumps(as_dict(made, name), indent=2, ensure_ascii=False) + "\n"


def as_dict(made: Standings, name: str) -> dict[str, Any]:
    """The standings of the tournament `name` as plain data; figures are rounded to six digits."""
    return {
        "tournament": name,
        "score": made.scoring.score,
        "least_is_best": made.scoring.least_is_best,
        "confidence": CONFIDENCE,
        "unit": "set",
        "games": made.games,
        "sets": made.sets,
        "games_in_open_sets": made.games_in_open_sets,
        "ranking": [_standing(standing) for standing in made.ranking],
    }


def standings_csv(made: Standings) -> str:
    """The standings as CSV, one line a bot; an empty cell is a figure that cannot be given."""
    most = max((place for standing in made.ranking for place in standing.places), default=0)
    columns = ["rank", "bot", "games", "sets"]
    columns += [f"{figure}{part}" for figure in _CSV_ESTIMATES for part in ("", "_low", "_high")]
    columns += [f"place_{place}" for place in range(1, most + 1)]
    columns += [f"faults_{kind}" for kind in _FAULTS] + ["lost_by_ruling"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for standing in made.ranking:
        row: list[object] = [standing.rank, standing.bot, standing.games, standing.sets]
        for figure in _CSV_ESTIMATES:
            made_estimate = _estimate(getattr(standing, figure))
            row += [made_estimate[part] for part in ("mean", "low", "high")]
        row += [standing.places.get(place, 0) for place in range(1, most + 1)]
        row += [standing.faults.get(kind, 0) for kind in _FAULTS] + [standing.lost_by_ruling]
        writer.writerow(row)
    return text.getvalue()


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
