"""Generated from proto/lastcard/v1 by `make proto`. Never edited by hand."""
