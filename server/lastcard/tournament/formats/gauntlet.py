"""The gauntlet: one challenger against a field.

Here: the format. Not here: the tables of the field (`designs`), seats and rotations (`schedule`). May import the
standard library, `contract` and `designs`.
"""

from collections.abc import Sequence

from lastcard.tournament.formats.contract import Design, FormatError, Option, Placing, PlayedStage, Stage, named
from lastcard.tournament.formats.designs import KEEP_APART, MEETINGS, check_owners, check_size, tables_of


class Gauntlet:
    """The challenger sits at every table, with every choice of k − 1 out of the field, or a balanced part of them."""

    name = "gauntlet"
    about = "one challenger against a field: it sits at every table, and the field takes turns"
    options = (
        Option("challenger", "bot", "the bot that sits at every table", required=True),
        MEETINGS._replace(meaning=MEETINGS.meaning.replace("two bots", "two bots of the field")),
        KEEP_APART,
    )
    sets_key = "deals"
    by_score = True
    continuous = False

    def check(self, design: Design) -> None:
        """Check that there are enough bots, and that nobody's owner keeps it away from the challenger.

        Raises:
            FormatError: there are not, or it does.
        """
        check_size(design, design.bots)
        challenger, field = _sides(design, design.bots)
        check_owners(design, field, design.table_size - 1)
        if design.switched("keep_apart"):
            kin = [bot for bot in field if design.owners[bot] == design.owners[challenger]]
            if kin:
                raise FormatError(
                    "keep_apart",
                    f"the challenger {challenger!r} and {named(kin)} have one owner, and a gauntlet has the challenger "
                    f"at every table; valid is a field of other owners",
                )

    def next_stage(self, design: Design, played: Sequence[PlayedStage]) -> Stage | None:
        """All tables at once; after them only those with bots that have entered since."""
        number = len(played)
        bots = design.playing(number)
        challenger, field = _sides(design, bots)
        seen = {bot for stage in played for table in stage.stage.compositions for bot in table}
        newcomers = tuple(bot for bot in field if bot not in seen) if played else ()
        size = design.table_size - 1
        if challenger not in bots or len(field) < size or (played and not newcomers):
            return None
        tables = tables_of(
            field,
            size,
            meetings=design.number("meetings"),
            owners=design.owners if design.switched("keep_apart") else None,
            newcomers=newcomers,
        )
        if not tables:
            return None
        title = f"with {', '.join(newcomers)}" if newcomers else ""
        return Stage(tuple((challenger, *table) for table in tables), design.deals, title=title, round=number + 1)

    def ranking(self, design: Design, played: Sequence[PlayedStage]) -> tuple[Placing, ...] | None:  # noqa: ARG002
        """None of its own."""
        return None


def _sides(design: Design, bots: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    challenger = str(design.options["challenger"])
    return challenger, tuple(bot for bot in bots if bot != challenger)
