"""Keeps its wilds for later and plays its highest card; needs nothing but Python."""

import json
import sys

for line in sys.stdin:
    decision = json.loads(line).get("decision")
    if decision:
        cards = [(action["kind"] == "ACTION_KIND_PLAY", str(action["card"])) for action in decision["legal_actions"]]
        best = max(range(len(cards)), key=lambda at: (cards[at][0], "WILD" not in cards[at][1], at))
        print(json.dumps({"choice": best}), flush=True)
