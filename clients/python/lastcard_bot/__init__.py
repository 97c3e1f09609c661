"""The Python SDK for bots: write one method, and the arena does the rest."""
