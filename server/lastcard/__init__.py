"""Lastcard, an arena for UNO bots. Imports nothing of its own: `lastcard.v1` and `lastcard.rules` stand alone."""

import os

# Whatever of Lastcard, its SDK included, is imported comes here first, and so before gRPC, which reads this once. Its
# handlers around a fork would have a child go on with its parent's connections (decision 0032).
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
