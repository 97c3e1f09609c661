package record

import (
	"fmt"
	"slices"
	"strings"

	pb "lastcard/lastcardv1"
)

func (b *books) roundEnded(e *pb.RoundEnded) error {
	seats := len(b.left)
	if e.GetRound() != b.round || len(e.GetScores()) != seats || len(e.GetTotals()) != seats {
		return fmt.Errorf("round %d of %d seats ends, and round %d of %d seats is on", e.GetRound(), len(e.GetScores()), b.round, seats)
	}
	if e.Winner != nil {
		if err := b.isActive(e.GetWinner()); err != nil {
			return fmt.Errorf("the winner: %w", err)
		}
	}
	var left []*pb.SeatHand
	for seat, hand := range b.hands {
		if len(hand) > 0 {
			left = append(left, &pb.SeatHand{Seat: uint32(seat), Cards: hand})
		}
	}
	if err := sameHands(e.GetHands(), left); err != nil {
		return err
	}
	if want := b.scores(e); want != nil && !slices.Equal(e.GetScores(), want) {
		return fmt.Errorf("the scores are %v, and the hands give %v", e.GetScores(), want)
	}
	switch e.GetCause() {
	case pb.RoundCause_ROUND_CAUSE_OUT:
		if e.Winner == nil || len(b.hands[e.GetWinner()]) > 0 {
			return fmt.Errorf("the round is won by going out, and its winner still holds cards or is not named")
		}
	case pb.RoundCause_ROUND_CAUSE_LEFT:
		if e.Winner == nil || b.after(int(e.GetWinner()), 1) != int(e.GetWinner()) {
			return fmt.Errorf("the round is won by the last seat that is left, and another is left too")
		}
	default:
		if len(b.leavers) > 0 && b.after(0, 1) == b.after(b.after(0, 1), 1) {
			return fmt.Errorf("the round ends as %v, and one seat is left", e.GetCause())
		}
		for seat, hand := range b.hands {
			if b.active[seat] && len(hand) == 0 {
				return fmt.Errorf("the round ends as %v, and seat %d is out of cards", e.GetCause(), seat)
			}
		}
	}
	for seat, score := range e.GetScores() {
		b.totals[seat] += score
	}
	if !slices.Equal(e.GetTotals(), b.totals) {
		return fmt.Errorf("the totals are %v, and the scores give %v", e.GetTotals(), b.totals)
	}
	b.inRound = false
	return nil
}

// scores returns what the hands that are left give each seat; nil where the books do not tell.
func (b *books) scores(e *pb.RoundEnded) []uint32 {
	isBlocked := e.GetCause() != pb.RoundCause_ROUND_CAUSE_OUT && e.GetCause() != pb.RoundCause_ROUND_CAUSE_LEFT
	if isBlocked || e.Winner == nil {
		return nil
	}
	scores := make([]uint32, len(b.left))
	for seat, hand := range b.hands {
		worth := b.rules.worth(hand)
		if b.rules.is("leaver_points", "score_for_winner") {
			worth += b.frozen[seat]
		} else if b.frozen[seat] > 0 {
			return nil
		}
		switch b.rules.options["scoring"] {
		case "winner_takes_sum":
			if seat != int(e.GetWinner()) {
				scores[e.GetWinner()] += worth
			}
		case "each_keeps_own":
			scores[seat] = worth
		case "round_wins":
			scores[e.GetWinner()] = 1
		default:
			return nil
		}
	}
	if e.GetCause() == pb.RoundCause_ROUND_CAUSE_LEFT && b.rules.is("scoring", "each_keeps_own") {
		scores[e.GetWinner()] = 0
	}
	return scores
}

func (b *books) matchEnded(e *pb.MatchEnded) error {
	if b.inRound {
		return fmt.Errorf("the match ends within a round")
	}
	if !slices.Equal(e.GetTotals(), b.totals) {
		return fmt.Errorf("the final points are %v, and the rounds give %v", e.GetTotals(), b.totals)
	}
	if len(e.GetPlaces()) != len(b.left) {
		return fmt.Errorf("there are %d places for %d seats", len(e.GetPlaces()), len(b.left))
	}
	if want := b.places(); want != nil && !slices.Equal(e.GetPlaces(), want) {
		return fmt.Errorf("the places are %v, and the points give %v", e.GetPlaces(), want)
	}
	b.isOver = true
	return b.checkEnd(e.GetCause())
}

// checkEnd checks that a match may end for a cause.
func (b *books) checkEnd(cause pb.MatchCause) error {
	if cause == pb.MatchCause_MATCH_CAUSE_LAST_SEAT {
		if len(b.leavers) < len(b.left)-1 {
			return fmt.Errorf("the match ends because one seat is left, and %d have left of %d", len(b.leavers), len(b.left))
		}
		return nil
	}
	word := strings.ToLower(strings.TrimPrefix(cause.String(), "MATCH_CAUSE_"))
	if !slices.Contains(strings.Split(b.rules.options["match_end"], "+"), word) {
		return fmt.Errorf("the match ends by %s, and match_end is %s", word, b.rules.options["match_end"])
	}
	isEarly := word == "target" && slices.Max(b.totals) < b.rules.number("target_points") ||
		word == "rounds" && b.round < b.rules.number("match_rounds")
	if isEarly {
		return fmt.Errorf("the match ends by %s after %d rounds with the points %v", word, b.round, b.totals)
	}
	return nil
}

// places returns the places that the points give; nil where ties were settled in a way that the books do not tell.
//
// Whoever left ranks below all who finished, later leavers above earlier ones.
func (b *books) places() []uint32 {
	if b.hasExtra || b.rules.is("match_tie", "fewest_points_left") || b.rules.is("match_tie", "round_wins") {
		return nil
	}
	isBetter := func(seat, other int) bool {
		if b.left[seat] || b.left[other] {
			return !b.left[seat] || b.left[other] && slices.Index(b.leavers, seat) > slices.Index(b.leavers, other)
		}
		if b.rules.is("scoring", "each_keeps_own") {
			return b.totals[seat] < b.totals[other]
		}
		return b.totals[seat] > b.totals[other]
	}
	places := make([]uint32, len(b.left))
	for seat := range places {
		places[seat] = 1
		for other := range places {
			if other != seat && isBetter(other, seat) {
				places[seat]++
			}
		}
	}
	return places
}
