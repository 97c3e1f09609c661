package record

import (
	"bytes"
	"slices"

	"lastcard/chance"
	pb "lastcard/lastcardv1"
	"lastcard/rules"
)

// checkCommitments finds out what is wrong when seeds, salt, commitments and hands do not agree: a seed that gives
// neither commitment nor hands, or a salt that fits no commitment, is wrong in the reveal, else the line of the round.
func (c *contents) checkCommitments(ruleset *rules.Ruleset) *Fault {
	if !c.revealed {
		return nil
	}
	var lines []int
	for i, event := range c.events {
		if event.GetRoundStarted() != nil {
			lines = append(lines, i+2)
		}
	}
	atReveal := c.closingAt + 1
	if len(lines) != len(c.seeds) {
		return faultAt(atReveal, "%d seeds are revealed, and %d rounds began", len(c.seeds), len(lines))
	}
	fits := make([]bool, len(lines))
	for i, line := range lines {
		commitment := chance.Commitment(c.seeds[i], c.salt)
		fits[i] = bytes.Equal(c.events[line-2].GetRoundStarted().GetCommitment(), commitment[:])
	}
	if len(fits) > 0 && !slices.Contains(fits, true) && !c.isPromised() {
		return faultAt(atReveal, "no commitment follows from the salt and the seeds")
	}
	for i, line := range lines {
		switch {
		case fits[i]:
		case c.isDealt(ruleset, i, c.events[line-2].GetRoundStarted()):
			return faultAt(line, "the commitment does not follow from seed and salt")
		default:
			return faultAt(atReveal, "the seed of round %d gives neither its commitment nor its hands", i+1)
		}
	}
	return nil
}

// isDealt tells whether the seed of a round, from 0, gives the hands that its event tells.
func (c *contents) isDealt(ruleset *rules.Ruleset, round int, e *pb.RoundStarted) bool {
	var active []int
	for seat, count := range e.GetHandCounts() {
		if count > 0 {
			active = append(active, seat)
		}
	}
	dealt := c.chance(ruleset)
	if _, err := dealt.Begin(uint32(round+1), active); err != nil {
		return false
	}
	return !slices.ContainsFunc(e.GetHands(), func(hand *pb.SeatHand) bool {
		var faces []pb.Card
		for _, id := range dealt.Hand(int(hand.GetSeat())) {
			faces = append(faces, ruleset.Deck[id])
		}
		slices.Sort(faces)
		return !slices.Equal(faces, hand.GetCards())
	})
}

// chance returns the chance that the seeds of the reveal give.
func (c *contents) chance(ruleset *rules.Ruleset) *rules.Seeded {
	return rules.NewSeeded(ruleset, c.header.Draws == "per_seat", c.header.Disguise != nil, c.salt, c.seeds)
}
