"""The shell that runs a tournament: it starts bots, plays games and writes down what came of them.

Everything that a result depends on is pure and elsewhere in `lastcard.tournament`.
"""

from lastcard.tournament.director.endings import EventBrokenOff, EventError
from lastcard.tournament.director.event import Director, Report, look_again

__all__ = ["Director", "EventBrokenOff", "EventError", "Report", "look_again"]
