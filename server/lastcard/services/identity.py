"""Who is calling: minted tokens and, on loopback, resume secrets.

Here: `Identities`. Not here: streams and tables. Tokens and secrets are never kept, only their hashes, which serve as
identities; a log or a stolen store gives nobody away.

A resume secret stands for itself: whoever sends one that has never had a seat is a newcomer with that secret. Nothing
is stored of newcomers, and of those who come and go only the last names are remembered; so they leave nothing behind
and push nobody out, and a bot that waits for a seat may come back with its secret even after a restart. With its first
seat a secret is stored, with the name under which it plays.
"""

import re
import secrets
from collections.abc import Callable, Collection
from hashlib import sha256
from typing import NamedTuple

from lastcard.table.journal import Entry, IdentityMade, IdentityRevoked
from lastcard.table.refusals import DomainError, TransportReason

SECRETS_KEPT = 20_000
"""Resume secrets of bots that have had a seat; the oldest of those that nobody plays by go first."""

NEWCOMERS_MET = 10_000
"""Newcomers whose names are remembered, so that one that lost its stream need not say its name again."""

_LOOKS = 8
"""How many secrets are looked at for each that is new, so that no call pays for all that there are."""

_SECRET = re.compile(r"lcs_[A-Za-z0-9_-]{32}")


class Caller(NamedTuple):
    """Who is calling: identity and name, which is empty for a newcomer; `minted` for a token, whose name is bound.

    `organiser` for the organiser's token, which has no bot.
    """

    identity: str
    bot: str
    minted: bool
    organiser: bool = False


NOBODY = Caller("", "", False)
"""A caller without a token."""


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
        self._minted_names: dict[str, dict[str, None]] = {}
        """The identities of the tokens of each bot, oldest first."""
        self._reserved: set[str] = set()
        """Names that nobody can take without a token, in lower case."""
        self._organiser = ""
        """The identity of the organiser; empty when there is none."""
        self._secrets: dict[str, None] = {}
        self._met: dict[str, str] = {}
        """Names of newcomers by identity, oldest first."""

    def restore(self, made: IdentityMade) -> None:
        """Takes in an identity from the store."""
        self._add(Caller(made.identity, made.bot, made.minted))  # none goes: who has a seat is not known yet

    def mint(self, bot: str) -> str:
        """A new token for an instance of `bot`."""
        token = f"lct_{secrets.token_urlsafe(24)}"
        self._add(Caller(identity_of(token), bot, True))
        self._note(IdentityMade(identity_of(token), bot, True))
        return token

    def adopt(self, bot: str, token: str) -> None:
        """A token that was minted earlier is one of this bot; nothing happens when it is valid."""
        if identity_of(token) not in self._known:
            self._add(Caller(identity_of(token), bot, True))
            self._note(IdentityMade(identity_of(token), bot, True))

    def is_valid(self, identity: str) -> bool:
        """Whether somebody may come with the token or secret of an identity that is known."""
        return identity in self._known

    def know_organiser(self, token: str) -> None:
        """Whoever sends this token is the organiser."""
        self._organiser = identity_of(token)

    def revoke(self, token: str) -> str:
        """Makes a token invalid and returns the identity that it stood for.

        Raises:
            KeyError: the token is not valid.
        """
        identity = identity_of(token)
        self.forget(identity)
        return identity

    def forget(self, identity: str) -> None:
        """Makes the token or secret of an identity invalid.

        Raises:
            KeyError: it is not valid.
        """
        caller = self._known.pop(identity)
        self._secrets.pop(identity, None)
        if caller.minted:
            of_bot = self._minted_names[caller.bot]
            del of_bot[identity]
            if not of_bot:
                del self._minted_names[caller.bot]
        self._note(IdentityRevoked(identity))

    def tokens_of(self, bot: str) -> list[str]:
        """The identities of the tokens of a bot, oldest first."""
        return list(self._minted_names.get(bot, ()))

    def reserve(self, name: str) -> None:
        """Nobody can take a name without a token any more; secrets of those who played by it are forgotten."""
        self._reserved.add(name.casefold())
        for identity in self.without_token(name):
            if self._met.pop(identity, None) is None:
                self.forget(identity)

    def free(self, name: str) -> None:
        """Whoever comes may take a name again."""
        self._reserved.discard(name.casefold())

    def without_token(self, name: str) -> list[str]:
        """The identities of those who came by a name without a token."""
        wanted = name.casefold()
        known = [known.identity for known in self._known.values() if _plays_by(known, wanted)]
        return known + [identity for identity, met in self._met.items() if met.casefold() == wanted]

    def revoke_minted(self, keep: Collection[str] = ()) -> list[str]:
        """Makes all tokens but those of the identities in `keep` invalid; the identities that they stood for."""
        minted = [identity for identity, caller in self._known.items() if caller.minted and identity not in keep]
        for identity in minted:
            self.forget(identity)
        return minted

    def new_secret(self, bot: str) -> tuple[str, Caller]:
        """A resume secret for a newcomer, and who it stands for; see `meet` for what it raises."""
        secret = f"lcs_{secrets.token_urlsafe(24)}"
        return secret, self.meet(identity_of(secret), bot)

    def meet(self, identity: str, bot: str) -> Caller:
        """A newcomer says its name.

        Raises:
            DomainError: UNAUTHENTICATED when it belongs to a bot with tokens.
        """
        if bot in self._minted_names or bot.casefold() in self._reserved:
            sentence = f"the name {bot!r} belongs to a bot with a token; send its token, or choose another name"
            raise DomainError(TransportReason.UNAUTHENTICATED, sentence, bot=bot)
        self._met[identity] = bot
        if len(self._met) > NEWCOMERS_MET:
            del self._met[next(iter(self._met))]
        return Caller(identity, bot, False)

    def keep(self, identity: str, bot: str) -> None:
        """An identity gets a seat: a newcomer's is stored, with the name under which it plays."""
        if identity in self._known:
            return
        self._met.pop(identity, None)
        self._add(Caller(identity, bot, False))
        self._note(IdentityMade(identity, bot, False))
        if len(self._secrets) > self._most_secrets:
            self._drop_oldest()

    def caller(self, token: str, *, newcomer: bool = False) -> Caller:
        """Who a token or secret stands for; `newcomer` says whether it may be a secret that nothing is known of.

        Raises:
            DomainError: UNAUTHENTICATED.
        """
        identity = identity_of(token)
        if identity == self._organiser:
            return Caller(identity, "", False, organiser=True)
        caller = self._known.get(identity)
        if caller is None and newcomer and _SECRET.fullmatch(token):
            return Caller(identity, self._met.get(identity, ""), False)
        if caller is None:
            sentence = "the token or resume secret is unknown or revoked; send a valid one as `authorization: Bearer …`"
            raise DomainError(TransportReason.UNAUTHENTICATED, sentence)
        return caller

    def _add(self, caller: Caller) -> None:
        self._known[caller.identity] = caller
        if caller.minted:
            self._minted_names.setdefault(caller.bot, {})[caller.identity] = None
        else:
            self._secrets[caller.identity] = None

    def _drop_oldest(self) -> None:
        """Forgets the oldest secrets that nobody plays by; those that somebody plays by count as new again."""
        for _ in range(_LOOKS):
            if len(self._secrets) <= self._most_secrets:
                return
            oldest = next(iter(self._secrets))
            del self._secrets[oldest]
            if self._in_use(oldest):
                self._secrets[oldest] = None
            else:
                del self._known[oldest]
                self._note(IdentityRevoked(oldest))


def _plays_by(caller: Caller, name: str) -> bool:
    """Whether a caller came without a token and said this name, which is in lower case."""
    return not caller.minted and caller.bot.casefold() == name
