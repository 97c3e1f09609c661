"""The `lastcard` command."""
