"""Verifying a record offline: chain, rules, scores and, once revealed, chance.

Here: `verify` and what it finds. Not here: the syntax of lines (`record_reader`), the replay (`replay`). Imports
`events`, `record`, `record_reader`, `replay`, `revealed_chance`, `ruleset`, `shuffle` and `state`.
"""

from dataclasses import dataclass
from itertools import pairwise

from lastcard.rules.events import MatchEnded, RoundStarted
from lastcard.rules.pile import Chance
from lastcard.rules.record import Header
from lastcard.rules.record_reader import (
    Closing,
    Line,
    Numbered,
    RecordError,
    Reveal,
    first_misplaced,
    read_lines,
)
from lastcard.rules.replay import ChanceOf, Replay
from lastcard.rules.revealed_chance import RevealedChance
from lastcard.rules.ruleset import Ruleset, RulesetError, check_players, ruleset
from lastcard.rules.state import State, new_match


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found: the number of the first wrong `line` from 1 and the `problem` with it; none when all holds.

    `revealed` tells whether the chance could be checked too, `complete` whether the match was played to its end;
    `record_hash` is that of the closing line, in hexadecimal.
    """

    line: int | None
    problem: str | None
    revealed: bool
    complete: bool
    rounds: int
    events: int
    record_hash: str | None

    @property
    def ok(self) -> bool:
        """Whether everything that can be checked holds."""
        return self.line is None


def verify(data: bytes) -> Verification:
    """Checks all that a record can be checked for.

    Where the chance is not revealed yet, the cards dealt and drawn are taken as recorded, as far as the deck holds
    them; everything else is checked all the same.
    """
    lines, unreadable = read_lines(data)
    misplaced = first_misplaced(lines)
    problems = [error for error in (unreadable, misplaced) if error is not None]
    problems += _chain_problems(lines, misplaced)
    if misplaced is not None:
        lines = lines[: misplaced.line - 1]
    problems += _game_problems(lines)
    problems += _commitment_problems(lines, problems)
    if not problems:
        problems += _end_problems(lines)
    first = min((problem.line for problem in problems), default=None)
    # A set that keeps its order: one fault may be found in two ways.
    sentences = dict.fromkeys(problem.sentence for problem in problems if problem.line == first)
    events = [line.content.event for line in lines if isinstance(line.content, Numbered)]
    return Verification(
        first,
        " ".join(sentences) or None,
        any(isinstance(line.content, Reveal) for line in lines),
        any(isinstance(event, MatchEnded) for event in events),
        sum(isinstance(event, RoundStarted) for event in events),
        len(events),
        next((line.hash for line in lines if isinstance(line.content, Closing)), None),
    )


def _chain_problems(lines: list[Line], misplaced: RecordError | None) -> list[RecordError]:
    """The first break of the chain, blamed on the line that was changed.

    A changed line no longer has the hash that the next one carries. Where the next one's own place or its link onwards
    is wrong too, or nothing follows it, it is the next one that was changed.
    """
    broken = {line.number for before, line in pairwise(lines) if line.previous != before.hash}
    if not broken:
        return []
    at = min(broken)
    if at + 1 in broken or at == len(lines) or (misplaced is not None and misplaced.line == at):
        return [
            RecordError(at, f"it does not carry the SHA-256 of line {at - 1}, so it is not the line written there.")
        ]
    return [RecordError(at - 1, f"its SHA-256 is not the one that line {at} carries, so it was changed afterwards.")]


def _commitment_problems(lines: list[Line], problems: list[RecordError]) -> list[RecordError]:
    """The header repeats the first round's commitment; it is to blame unless that round's line is known to be wrong."""
    header = lines[0].content if lines else None
    if not isinstance(header, Header):
        return []
    for line in lines:
        if isinstance(line.content, Numbered) and isinstance(line.content.event, RoundStarted):
            first = line.content.event.commitment.hex()
            if header.commitment == first or any(problem.line == line.number for problem in problems):
                return []
            return [RecordError(1, f"its commitment is not {first}, that of the first round in line {line.number}.")]
    if header.commitment and any(isinstance(line.content, Closing) for line in lines):
        return [RecordError(1, "it has a commitment, but no round began.")]
    return []


def _end_problems(lines: list[Line]) -> list[RecordError]:
    closing = next((line for line in lines if isinstance(line.content, Closing)), None)
    if closing is None:
        return [RecordError(len(lines) + 1, "the record ends without its closing line.")]
    assert isinstance(closing.content, Closing)
    last = lines[closing.number - 2].content
    ended = isinstance(last, Numbered) and isinstance(last.event, MatchEnded)
    if closing.content.complete != ended:
        claim, truth = ("", "not ") if closing.content.complete else ("not ", "")
        return [RecordError(closing.number, f"it says that the match was {claim}played to its end; it was {truth}so.")]
    return []


def _game_problems(lines: list[Line]) -> list[RecordError]:
    """What is wrong with header, events and reveal, when the lines are in order."""
    if not lines:
        return [RecordError(1, "the record is empty.")]
    header = lines[0].content
    assert isinstance(header, Header)
    try:
        state = new_match(_rules_of(header), len(header.bots))
    except RulesetError as error:
        return [RecordError(1, str(error))]
    return _Game(header, lines).problems(state)


def _rules_of(header: Header) -> Ruleset:
    rules = ruleset(header.preset, header.options)
    if dict(rules.overrides()) != header.options:
        differ = ", ".join(f"{name}={value}" for name, value in rules.overrides()) or "none"
        raise RulesetError(f"The options must be those that differ from the preset, as text: {differ}.")
    check_players(rules, len(header.bots))
    return rules


class _Game:
    """The game that lines in order tell."""

    def __init__(self, header: Header, lines: list[Line]) -> None:
        self._header = header
        self._numbered = [(line.number, line.content.event) for line in lines if isinstance(line.content, Numbered)]
        self._started = [(number, event) for number, event in self._numbered if isinstance(event, RoundStarted)]
        self._closed = any(isinstance(line.content, Closing) for line in lines)
        self._reveal = next((line for line in lines if isinstance(line.content, Reveal)), None)

    def problems(self, state: State) -> list[RecordError]:
        """All that is found to be wrong with it, played from `state`."""
        chance = self._chance()
        mismatch = Replay(state, [event for _, event in self._numbered], self._header.draws, chance).run()
        found = []
        # Where the lines end before the closing line, that the events end is no fault of the game.
        if mismatch is not None and (self._closed or mismatch.at < len(self._numbered)):
            found.append(RecordError(mismatch.at + 2, mismatch.sentence))
        if isinstance(chance, RevealedChance):
            assert self._reveal is not None
            lines = [self._reveal.number, *(number for number, _ in self._started)]
            found += [RecordError(lines[round_number], sentence) for round_number, sentence in chance.problems]
        return found

    def _chance(self) -> ChanceOf:
        if self._reveal is None:
            return _not_revealed
        reveal = self._reveal.content
        assert isinstance(reveal, Reveal)
        return RevealedChance(
            [event for _, event in self._started],
            reveal.seeds,
            reveal.salt,
            draws=self._header.draws,
            disguised=self._header.disguise,
            header_commitment=bytes.fromhex(self._header.commitment),
        )


def _not_revealed(state: State, number: int) -> Chance | None:  # noqa: ARG001 - the signature of `ChanceOf`
    return None
