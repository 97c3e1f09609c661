"""Registered bots: names that belong to somebody, with their tokens.

Here: `Accounts`. Not here: what tokens stand for (`identity`), messages (`bot_service`). What is registered is noted,
so that it outlives the process.
"""

import bisect
import json
import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from lastcard.services.identity import Identities
from lastcard.table.journal import Entry, Registered, Unregistered
from lastcard.table.ports import Clock
from lastcard.table.refusals import DomainError, TransportReason

KIND = "bot"
"""What a bot is registered as in the journal."""

MOST_BOTS = 10_000
MOST_TOKENS = 32
"""Tokens of one bot: one for each instance that plays at once."""

LONGEST_DESCRIPTION = 1_000
LONGEST_OWNER = 200

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Account(NamedTuple):
    """A registered bot."""

    name: str
    description: str
    owner: str
    registered_ms: int


class Accounts:
    """All registered bots.

    `plays` says whether an identity is connected or seated, and `void` ends the stream of one whose token is not valid
    any more. `needed` names the tournament that is not over and has a bot, if there is one.
    """

    def __init__(
        self,
        *,
        identities: Identities,
        note: Callable[[Entry], None],
        clock: Clock,
        builtins: Collection[str],
        plays: Callable[[str], bool],
        void: Callable[[str], None],
    ) -> None:
        self._identities = identities
        self._note = note
        self._clock = clock
        self._builtins = {name.casefold() for name in builtins}
        self._plays = plays
        self._void = void
        self.needed: Callable[[str], str | None] = lambda _bot: None
        self._accounts: dict[str, Account] = {}
        self._names: list[str] = []
        """In order."""
        self._folded: dict[str, str] = {}
        """Names by themselves in lower case."""

    def restore(self, registered: Registered) -> None:
        """Takes in a bot of an earlier run."""
        self._add(Account(registered.name, **json.loads(registered.facts)))

    def __contains__(self, name: object) -> bool:
        return name in self._accounts

    def find(self, name: str) -> Account:
        """The bot of a name.

        Raises:
            DomainError: NOT_FOUND.
        """
        account = self._accounts.get(name)
        if account is None:
            like = self._folded.get(name.casefold())
            hint = f"; did you mean {like!r}?" if like else "; ListBots lists those that there are"
            raise DomainError(TransportReason.NOT_FOUND, f"there is no registered bot {name!r}{hint}", bot=name)
        return account

    def after(self, name: str) -> Sequence[Account]:
        """The bots behind a name, in the order of their names; all for an empty one.

        Raises:
            DomainError: INVALID_ARGUMENT when it is no name, and so no page ended with it.
        """
        if name and not _NAME.fullmatch(name):
            sentence = f"page_token is {name!r}; send the next_page_token of an earlier page, or none"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="page_token")
        return [self._accounts[each] for each in self._names[bisect.bisect_right(self._names, name) :]]

    def tokens(self, name: str) -> int:
        """How many tokens of a bot are valid."""
        return len(self._identities.tokens_of(name))

    def register(self, name: str, description: str, owner: str) -> tuple[Account, str]:
        """Registers a bot; the account and its first token.

        Raises:
            DomainError: INVALID_ARGUMENT, NAME_TAKEN, LIMIT_REACHED.
        """
        self._check_name(name)
        _check_text("description", description, LONGEST_DESCRIPTION)
        _check_text("owner", owner, LONGEST_OWNER)
        if len(self._accounts) >= MOST_BOTS:
            sentence = f"{MOST_BOTS} bots are registered, which is the most; delete one that is not needed any more"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence)
        account = Account(name, description, owner, self._clock())
        facts = {"description": description, "owner": owner, "registered_ms": account.registered_ms}
        self._add(account)
        self._note(Registered(KIND, name, json.dumps(facts)))
        return account, self._identities.mint(name)

    def _check_name(self, name: str) -> None:
        if not _NAME.fullmatch(name):
            sentence = (
                f"name is {name!r}; a name is 1 to 64 letters, digits, '-', '_' or '.', beginning with a letter or "
                "digit"
            )
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="name")
        if name.casefold() in self._builtins:
            sentence = f"name is {name!r}, which is a builtin's; choose another"
            raise DomainError(TransportReason.NAME_TAKEN, sentence, field="name", name=name)
        taken = self._folded.get(name.casefold())
        if taken is not None:
            sentence = f"the name {name!r} is that of the registered bot {taken!r}; choose another"
            raise DomainError(TransportReason.NAME_TAKEN, sentence, field="name", name=taken)
        if any(map(self._plays, self._identities.without_token(name))):
            sentence = (
                f"somebody without a token plays as {name!r} just now; choose another name, or wait until it ends"
            )
            raise DomainError(TransportReason.NAME_TAKEN, sentence, field="name", name=name)

    def _add(self, account: Account) -> None:
        self._accounts[account.name] = account
        bisect.insort(self._names, account.name)
        self._folded[account.name.casefold()] = account.name
        self._identities.reserve(account.name)

    def rotate(self, name: str, *, keep: bool) -> str:
        """A new token of a bot; the earlier ones are void unless they are kept.

        Raises:
            DomainError: NOT_FOUND, LIMIT_REACHED.
        """
        self.find(name)
        if not keep:
            self.revoke(name)
        elif self.tokens(name) >= MOST_TOKENS:
            sentence = f"{name!r} has {MOST_TOKENS} tokens, which is the most; rotate without keep to void them"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence, bot=name)
        return self._identities.mint(name)

    def renew(self, name: str, identity: str) -> str:
        """A token in place of one that was told by an earlier run of the server, whose answer may have been lost.

        Raises:
            DomainError: NOT_FOUND, WRONG_STATE when that token has been voided since.
        """
        self.find(name)
        if identity not in self._identities.tokens_of(name):
            sentence = f"the token that this request gave out has been voided since; rotate the token of {name!r}"
            raise DomainError(TransportReason.WRONG_STATE, sentence, bot=name)
        self._forget(identity)
        return self._identities.mint(name)

    def revoke(self, name: str) -> int:
        """Voids all tokens of a bot; how many there were.

        Raises:
            DomainError: NOT_FOUND.
        """
        self.find(name)
        tokens = self._identities.tokens_of(name)
        for identity in tokens:
            self._forget(identity)
        return len(tokens)

    def _forget(self, identity: str) -> None:
        self._identities.forget(identity)
        self._void(identity)

    def delete(self, name: str) -> None:
        """Voids all tokens of a bot and frees its name.

        Raises:
            DomainError: NOT_FOUND, BOT_IN_USE.
        """
        self.find(name)
        tournament = self.needed(name)
        if tournament is not None:
            sentence = f"the tournament {tournament!r} is not over and has {name!r}; withdraw it there, or wait"
            raise DomainError(TransportReason.BOT_IN_USE, sentence, bot=name, tournament=tournament)
        self.revoke(name)
        del self._accounts[name]
        self._names.remove(name)
        del self._folded[name.casefold()]
        self._identities.free(name)
        self._note(Unregistered(KIND, name))


def _check_text(field: str, text: str, longest: int) -> None:
    if len(text) > longest:
        sentence = f"{field} has {len(text)} characters; the most is {longest}"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field=field)
    if not text.isprintable():
        sentence = f"{field} holds characters that cannot be printed, such as line ends; write it in one line of text"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field=field)
