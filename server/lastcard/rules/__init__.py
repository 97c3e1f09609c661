"""The game itself: cards, rulesets, deals, legality, scores, views and records. Pure, standard library only."""
