package rules

import (
	"fmt"
	"slices"

	"lastcard/chance"
)

// Seeded is the chance that seeds give.
type Seeded struct {
	rules      *Ruleset
	perSeat    bool
	isDisguise bool
	salt       chance.Key
	seeds      []chance.Key
	seed       chance.Key
	disguise   chance.Disguise
	active     []int
	flips      int
	*chance.Round
}

// NewSeeded returns the chance that the seeds of the rounds of a match give, under a salt.
func NewSeeded(ruleset *Ruleset, perSeat, isDisguise bool, salt chance.Key, seeds []chance.Key) *Seeded {
	return &Seeded{rules: ruleset, perSeat: perSeat, isDisguise: isDisguise, salt: salt, seeds: seeds}
}

// Begin begins a round. The error says why it cannot be dealt.
func (s *Seeded) Begin(round uint32, active []int) ([]byte, error) {
	if int(round) > len(s.seeds) {
		return nil, fmt.Errorf("round %d has no seed; there are %d", round, len(s.seeds))
	}
	s.seed, s.active, s.flips = s.seeds[round-1], active, 0
	s.disguise = chance.NoDisguise(s.rules.Deck)
	if s.isDisguise {
		s.disguise = chance.NewDisguise(s.rules.Deck, chance.DisguiseKey(s.seed, s.salt))
	}
	dealt, err := chance.NewRound(chance.Rules{
		Deck:     s.rules.Deck,
		HandSize: int(s.rules.Number("hand_size")),
		PerSeat:  s.perSeat,
		PutsBack: s.rules.PutsBack,
	}, s.seed, s.disguise, active)
	s.Round = dealt
	commitment := chance.Commitment(s.seed, s.salt)
	return commitment[:], err
}

// FirstDealer returns the seat that deals the first round by lot or by the highest card.
func (s *Seeded) FirstDealer() int {
	if s.rules.Is("first_dealer", "high_card") {
		return chance.HighCardDealer(s.rules.Deck, s.seed, s.disguise, s.active)
	}
	return chance.FirstDealer(s.seed, s.active)
}

// TurnUp turns up the next start card.
func (s *Seeded) TurnUp() int {
	s.flips++
	return s.Starts[s.flips-1]
}

// Hand returns what a seat is dealt.
func (s *Seeded) Hand(seat int) []int { return slices.Sorted(slices.Values(s.Hands[seat])) }
