"""Who may call, and who is the organiser.

Here: `Admission`. Not here: what tokens stand for (`identity`), what a call does. Without a token a caller on loopback
is let in where the settings say so, and is the organiser there: whoever is on the machine could start a server.
"""

from typing import Any

from lastcard.rules.reasons import Reason
from lastcard.services.callers import bearer_token, is_loopback, machine_of
from lastcard.services.gate import Gate
from lastcard.services.identity import NOBODY, Caller, Identities
from lastcard.table.refusals import DomainError, TransportReason

GUEST = NOBODY._replace(organiser=True)
"""Who calls on loopback without a token, where that is allowed."""


class Admission:
    """Lets callers in, and counts their calls."""

    def __init__(self, identities: Identities, calls: Gate) -> None:
        self._identities = identities
        self._calls = calls

    def caller(self, context: Any) -> Caller:
        """Who calls, whose call is counted.

        Raises:
            DomainError: UNAUTHENTICATED, TOO_FAST.
        """
        caller = self.known(context)
        self.enter(caller, context)
        return caller

    def known(self, context: Any) -> Caller:
        """Who calls, whose call is counted when it is nobody.

        Raises:
            DomainError: UNAUTHENTICATED, TOO_FAST.
        """
        try:
            return self._identified(context)
        except DomainError:
            self._calls.enter(machine_of(context.peer()))
            raise

    def enter(self, caller: Caller, context: Any) -> None:
        """Counts a call of somebody who is known.

        Raises:
            DomainError: TOO_FAST.
        """
        self._calls.enter(key_of(caller, context))

    def _identified(self, context: Any) -> Caller:
        guest = self._identities.anonymous and is_loopback(context.peer())
        token = bearer_token(context)
        if token:
            return self._identities.caller(token, newcomer=guest)
        if not guest:
            sentence = "this call needs a token; send it as metadata `authorization: Bearer …`"
            raise DomainError(TransportReason.UNAUTHENTICATED, sentence)
        return GUEST

    def organiser(self, context: Any) -> Caller:
        """Who calls, who must be the organiser.

        Raises:
            DomainError: UNAUTHENTICATED, TOO_FAST, FORBIDDEN.
        """
        caller = self.caller(context)
        check_organiser(caller)
        return caller

    def charge(self, caller: Caller, context: Any, cost: float) -> None:
        """Counts a call that turned out to be more work than others as several."""
        self._calls.charge(key_of(caller, context), cost)


def check_organiser(caller: Caller, bot: str = "") -> None:
    """Checks that a caller is the organiser, or (if one is named) this bot by its token.

    Raises:
        DomainError: FORBIDDEN.
    """
    if caller.organiser or (bot and caller.minted and caller.bot == bot):
        return
    who = f"the organiser and {bot!r} itself" if bot else "the organiser"
    of = f"the token of {caller.bot!r}" if caller.minted else "the caller's secret"
    sentence = f"{of} may not do this; it is for {who}, so send the organiser's token"
    raise DomainError(Reason.FORBIDDEN, sentence)


def key_of(caller: Caller, context: Any) -> str:
    """Under what a caller's calls are counted: its identity if that is known, else its machine."""
    return caller.identity if caller.bot or (caller.organiser and caller.identity) else machine_of(context.peer())
