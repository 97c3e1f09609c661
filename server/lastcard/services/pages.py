"""Pages of lists: how large one may be, and where it begins.

Here: `page_size`, `page_start`. Not here: lists whose tokens are no numbers.
"""

from lastcard.table.refusals import DomainError, TransportReason

PAGE = 100
LARGEST_PAGE = 1_000
LONGEST_TOKEN = 18
"""Digits of a page token that is a number."""


def page_size(asked: int) -> int:
    """How many to list.

    Raises:
        DomainError: INVALID_ARGUMENT.
    """
    if asked > LARGEST_PAGE:
        sentence = f"page_size is {asked}; valid are 1 to {LARGEST_PAGE}, and 0 for {PAGE}"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="page_size")
    return asked or PAGE


def page_start(token: str) -> int | None:
    """The number that a page token is; `None` for the first page.

    Raises:
        DomainError: INVALID_ARGUMENT.
    """
    if not token:
        return None
    if not (token.isascii() and token.isdecimal() and len(token) <= LONGEST_TOKEN):
        sentence = f"page_token is {token!r}; send the next_page_token of an earlier page, or none"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="page_token")
    return int(token)
