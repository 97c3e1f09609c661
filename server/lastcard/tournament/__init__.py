"""Tournaments: formats, schedule, statistics and ledger (pure), and the director that runs them."""
