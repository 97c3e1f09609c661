"""Why an action is refused: the game's reasons and the error that carries them.

Here: the `Reason` enum (numbered as on the wire) and `Refused`. Not here: the transport's reasons (`services`).
Imports nothing of ours.
"""

from enum import IntEnum


class Reason(IntEnum):
    """Why the game refuses an action; the first that applies is given (scenario.md, Reasons of refusal)."""

    NOT_YOUR_TURN = 1
    CARD_NOT_IN_HAND = 2
    CARD_NOT_PLAYABLE = 3
    COLOR_REQUIRED = 4
    TARGET_REQUIRED = 5
    ACTION_NOT_AVAILABLE = 6
    NOT_LIABLE = 7
    STALE_DECISION = 8
    TURN_EXPIRED = 9
    ROUND_OVER = 10
    MATCH_OVER = 11
    FORBIDDEN = 12
    SESSION_REPLACED = 13


class Refused(Exception):
    """The caller is wrong and nothing was changed.

    `sentence` says what was wrong, with the value, and what would be valid; `facts` holds every fact of the sentence.
    """

    def __init__(self, reason: Reason, sentence: str, **facts: object) -> None:
        super().__init__(f"{reason.name}: {sentence}")
        self.reason = reason
        self.sentence = sentence
        self.facts = facts
