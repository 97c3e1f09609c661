"""The round robin over tables: every table of k out of n bots, or a balanced choice of them, equally often.

Here: the format. Not here: the tables (`designs`), seats and rotations (`schedule`). May import the standard library,
`contract` and `designs`.
"""

from collections.abc import Sequence

from lastcard.tournament.formats.contract import Design, Placing, PlayedStage, Stage
from lastcard.tournament.formats.designs import KEEP_APART, MEETINGS, check_owners, check_size, tables_of


class RoundRobin:
    """All tables of `table_size` out of all bots, or a balanced choice; each plays the same number of sets.

    Bots that enter late make a stage of their own: the tables that are missing with them.
    """

    name = "round-robin"
    about = "every table of k out of n bots plays the same number of sets; of very many tables a balanced choice"
    options = (MEETINGS, KEEP_APART)
    sets_key = "deals"
    by_score = True
    continuous = False

    def check(self, design: Design) -> None:
        """Check that there are enough bots, and owners, for a table.

        Raises:
            FormatError: there are not.
        """
        check_size(design, design.bots)
        check_owners(design, design.bots, design.table_size)

    def next_stage(self, design: Design, played: Sequence[PlayedStage]) -> Stage | None:
        """All tables at once; after them only those with bots that have entered since."""
        number = len(played)
        bots = design.playing(number)
        seen = {bot for stage in played for table in stage.stage.compositions for bot in table}
        newcomers = tuple(bot for bot in bots if bot not in seen) if played else ()
        if len(bots) < design.table_size or (played and not newcomers):
            return None
        tables = tables_of(
            bots,
            design.table_size,
            meetings=design.number("meetings"),
            owners=design.owners if design.switched("keep_apart") else None,
            newcomers=newcomers,
        )
        if not tables:
            return None
        return Stage(tables, design.deals, title=f"with {', '.join(newcomers)}" if newcomers else "", round=number + 1)

    def ranking(self, design: Design, played: Sequence[PlayedStage]) -> tuple[Placing, ...] | None:  # noqa: ARG002
        """None of its own."""
        return None
