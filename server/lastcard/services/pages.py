"""Pages of lists: how large one may be.

Here: `page_size`. Not here: where a page begins, which each list says by a token of its own.
"""

from lastcard.table.refusals import DomainError, TransportReason

PAGE = 100
LARGEST_PAGE = 1_000


def page_size(asked: int) -> int:
    """How many to list.

    Raises:
        DomainError: INVALID_ARGUMENT.
    """
    if asked > LARGEST_PAGE:
        sentence = f"page_size is {asked}; valid are 1 to {LARGEST_PAGE}, and 0 for {PAGE}"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="page_size")
    return asked or PAGE
