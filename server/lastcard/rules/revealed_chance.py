"""The chance of a record's rounds from its reveal, as far as seeds and salt fit what was committed to.

Here: `RevealedChance`. Not here: the replay that uses it (`replay`), chance that was not revealed (`recorded_chance`).
Imports `deal`, `disguise`, `events`, `pile`, `shuffle` and `state`.
"""

from collections.abc import Sequence

from lastcard.rules.deal import start_round
from lastcard.rules.disguise import chance_of
from lastcard.rules.events import RoundStarted
from lastcard.rules.pile import Chance
from lastcard.rules.shuffle import commitment
from lastcard.rules.state import State


class RevealedChance:
    """Gives each round its chance; `problems` holds pairs of what is wrong and why.

    What is wrong is the number of a round whose opening event is, or 0 for the reveal itself. `started` holds the
    rounds as recorded, `header_commitment` that of the first round as the header has it.
    """

    def __init__(
        self,
        started: Sequence[RoundStarted],
        seeds: Sequence[bytes],
        salt: bytes,
        *,
        draws: str,
        disguised: bool = False,
        header_commitment: bytes,
    ) -> None:
        self.problems: list[tuple[int, str]] = []
        self._started = started
        self._seeds = seeds
        self._salt = salt
        self._draws = draws
        self._disguised = disguised
        self._given: dict[int, Chance | None] = {}
        expected = [commitment(seed, salt) for seed in seeds]
        recorded = [event.commitment for event in started]
        self._fits = [mine == theirs for mine, theirs in zip(expected, recorded, strict=False)]
        self._salt_is_right = any(self._fits) or expected[:1] == [header_commitment]
        if len(seeds) != len(started):
            self.problems.append((0, f"it reveals {len(seeds)} seeds for {len(started)} rounds."))

    def __call__(self, state: State, number: int) -> Chance | None:
        """The chance of round `number`, dealt from `state`; none when its seed is missing or wrong."""
        if number not in self._given:
            self._given[number] = self._judge(state, number)
        return self._given[number]

    def _judge(self, state: State, number: int) -> Chance | None:
        if number > len(self._fits):
            return None
        seed = self._seeds[number - 1]
        chance = chance_of(seed, self._salt, self._draws, state.faces, disguised=self._disguised)
        if self._fits[number - 1]:
            return chance
        recorded = self._started[number - 1]
        if not _deals(state, chance, recorded):
            # A salt that names the colours wrongly looks like a wrong seed, too.
            what = "seed" if self._salt_is_right or not self._disguised else "salt, or its seed"
            self.problems.append((0, f"its {what} of round {number} does not fit that round's commitment and deal."))
            return None
        if self._salt_is_right:
            given = chance.commitment.hex()
            sentence = f"its commitment is {recorded.commitment.hex() or 'empty'}, seed and salt give {given}."
            self.problems.append((number, sentence))
        else:
            self.problems.append((0, f"its salt does not fit the commitment of round {number}."))
        chance.commitment = recorded.commitment
        return chance


def _deals(state: State, chance: Chance, recorded: RoundStarted) -> bool:
    """Whether this chance gives the recorded dealer and hands."""
    try:
        given = start_round(state.clone(), chance)[0]
    except ValueError:
        return False
    return isinstance(given, RoundStarted) and (given.dealer, given.hands) == (recorded.dealer, recorded.hands)
