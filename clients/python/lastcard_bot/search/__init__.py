"""Looking ahead: hidden cards sampled, positions played on with the rules themselves, and estimated.

Here: `worlds` (a view made into states), `playout` (how the others are expected to play), `outlook` (who will win).
Imports `lastcard.rules` and `lastcard.v1`. For bots that search; `lastcard_bot.bots.shrewd_bot` is one.
"""
