"""Who is calling: minted tokens and, on loopback, resume secrets.

Here: `Identities`. Not here: streams and tables. Tokens and secrets are never kept, only their hashes, which serve as
identities; a log or a stolen store gives nobody away.
"""

import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from lastcard.table.journal import Entry, IdentityMade, IdentityRevoked
from lastcard.table.refusals import DomainError, TransportReason

SECRETS_KEPT = 100_000
"""Resume secrets kept; the oldest of those that nobody plays by go first."""


class Caller(NamedTuple):
    """Who is calling: identity and name; `minted` for a token, whose name is bound."""

    identity: str
    bot: str
    minted: bool


def identity_of(token: str) -> str:
    """The identity that a token or secret stands for."""
    return sha256(token.encode()).hexdigest()[:32]


class Identities:
    """All identities that are valid now.

    `note` is told of every one made or revoked, so that it can be stored; `in_use` says whether somebody is connected
    or seated by one, which is then not forgotten.
    """

    def __init__(
        self,
        note: Callable[[Entry], None],
        anonymous: bool,
        in_use: Callable[[str], bool],
        most_secrets: int = SECRETS_KEPT,
    ) -> None:
        self.anonymous = anonymous
        """Whether callers on loopback may come without a token."""
        self._note = note
        self._in_use = in_use
        self._most_secrets = most_secrets
        self._known: dict[str, Caller] = {}
        self._minted_names: dict[str, int] = {}
        self._secrets: dict[str, None] = {}

    def restore(self, made: IdentityMade) -> None:
        """Takes in an identity from the store."""
        self._add(Caller(made.identity, made.bot, made.minted))

    def mint(self, bot: str) -> str:
        """A new token for an instance of `bot`."""
        token = f"lct_{secrets.token_urlsafe(24)}"
        self._add(Caller(identity_of(token), bot, True))
        self._note(IdentityMade(identity_of(token), bot, True))
        return token

    def revoke(self, token: str) -> str:
        """Makes a token invalid and returns the identity that it stood for.

        Raises:
            KeyError: the token is not valid.
        """
        identity = identity_of(token)
        caller = self._known.pop(identity)
        self._secrets.pop(identity, None)
        if caller.minted:
            self._minted_names[caller.bot] -= 1
            if not self._minted_names[caller.bot]:
                del self._minted_names[caller.bot]
        self._note(IdentityRevoked(identity))
        return identity

    def new_secret(self, bot: str) -> tuple[str, Caller]:
        """A resume secret for a caller on loopback, and who it stands for.

        Raises:
            DomainError: UNAUTHENTICATED when the name belongs to a bot with tokens.
        """
        if bot in self._minted_names:
            sentence = f"the name {bot!r} belongs to a bot with a token; send its token, or choose another name"
            raise DomainError(TransportReason.UNAUTHENTICATED, sentence, bot=bot)
        secret = f"lcs_{secrets.token_urlsafe(24)}"
        caller = Caller(identity_of(secret), bot, False)
        self._add(caller)
        self._note(IdentityMade(caller.identity, bot, False))
        return secret, caller

    def caller(self, token: str) -> Caller:
        """Who a token or secret stands for.

        Raises:
            DomainError: UNAUTHENTICATED.
        """
        caller = self._known.get(identity_of(token))
        if caller is None:
            sentence = "the token or resume secret is unknown or revoked; send a valid one as `authorization: Bearer …`"
            raise DomainError(TransportReason.UNAUTHENTICATED, sentence)
        return caller

    def _add(self, caller: Caller) -> None:
        self._known[caller.identity] = caller
        if caller.minted:
            self._minted_names[caller.bot] = self._minted_names.get(caller.bot, 0) + 1
            return
        self._secrets[caller.identity] = None
        if len(self._secrets) > self._most_secrets:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Forgets the oldest secret that nobody plays by; those that somebody plays by count as new again."""
        for _ in range(len(self._secrets)):
            oldest = next(iter(self._secrets))
            del self._secrets[oldest]
            if not self._in_use(oldest):
                del self._known[oldest]
                self._note(IdentityRevoked(oldest))
                return
            self._secrets[oldest] = None
