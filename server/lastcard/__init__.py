"""Lastcard, an arena for UNO bots. Imports nothing: `lastcard.v1` and `lastcard.rules` stand alone."""
