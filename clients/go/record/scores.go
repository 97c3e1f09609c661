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
		return fmt.Errorf("round %d of %d seats ends, and round %d of %d seats is on",
			e.GetRound(), len(e.GetScores()), b.round, seats)
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
	points, winner := b.leftOver(), -1
	if e.Winner != nil {
		winner = int(e.GetWinner())
	}
	if want := b.lowest(points); e.GetCause() == pb.RoundCause_ROUND_CAUSE_BLOCKED && winner != want {
		return fmt.Errorf("seat %d wins the blocked round, and by the hands it is seat %d (-1 is nobody)", winner, want)
	}
	if want := b.scores(e.GetCause(), winner, points); !slices.Equal(e.GetScores(), want) {
		return fmt.Errorf("the scores are %v, and the hands give %v", e.GetScores(), want)
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

// leftOver returns what each seat was caught with: its hand, or what it held when it left in this round.
func (b *books) leftOver() []uint32 {
	left := make([]uint32, len(b.left))
	for seat, hand := range b.hands {
		if b.active[seat] {
			left[seat] = b.rules.worth(hand)
		} else if b.rules.is("leaver_points", "score_for_winner") {
			left[seat] = b.frozen[seat]
		}
	}
	return left
}

// lowest returns the seat that wins a blocked round: that with the single lowest hand, if that counts; else -1.
func (b *books) lowest(left []uint32) int {
	lowest, isSingle := -1, false
	for seat, points := range left {
		switch {
		case !b.active[seat]:
		case lowest < 0 || points < left[lowest]:
			lowest, isSingle = seat, true
		case points == left[lowest]:
			isSingle = false
		}
	}
	if !isSingle || b.rules.is("stalemate_result", "void") {
		return -1
	}
	return lowest
}

// scores returns what a round gives each seat.
func (b *books) scores(cause pb.RoundCause, winner int, left []uint32) []uint32 {
	scores := make([]uint32, len(left))
	isBlocked := cause == pb.RoundCause_ROUND_CAUSE_BLOCKED
	switch scoring := b.rules.options["scoring"]; {
	case isBlocked && b.rules.is("stalemate_result", "void"):
	case scoring == "each_keeps_own":
		copy(scores, left)
		if !isBlocked {
			scores[winner] = 0
		}
	case scoring == "placement":
		return b.placement(winner, left)
	case winner < 0:
	case scoring == "round_wins":
		scores[winner] = 1
	default:
		for seat, points := range left {
			if seat == winner {
				continue
			}
			scores[winner] += points
			if isBlocked && b.active[seat] {
				scores[winner] -= left[winner]
			}
		}
	}
	return scores
}

// placement returns a point for each seat left behind: the winner comes first, the others by their hands.
func (b *books) placement(winner int, left []uint32) []uint32 {
	scores := make([]uint32, len(left))
	for seat := range left {
		if !b.active[seat] {
			continue
		}
		for other := range left {
			isBehind := other != winner && (seat == winner || left[other] > left[seat])
			if b.gone[other] || b.active[other] && other != seat && isBehind {
				scores[seat]++
			}
		}
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
	if err := b.checkPlaces(e.GetPlaces()); err != nil {
		return err
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

// checkPlaces checks that places follow from the points, as far as the books tell how equal points are settled: a round
// won without a point still makes its winner first, and ties may have been played off.
//
// Whoever left ranks below all who finished, later leavers above earlier ones.
func (b *books) checkPlaces(places []uint32) error {
	for seat, place := range places {
		ahead := uint32(0)
		for other, otherPlace := range places {
			if otherPlace < place {
				ahead++
			}
			if b.isAhead(seat, other) && place >= otherPlace {
				return fmt.Errorf("the places are %v, and seat %d is ahead of seat %d with the points %v",
					places, seat, other, b.totals)
			}
		}
		if other := b.tiedBelow(seat, places); other >= 0 {
			return fmt.Errorf("the places are %v, and seats %d and %d have equal points", places, seat, other)
		}
		if place != ahead+1 {
			return fmt.Errorf("the places are %v, and %d seats are ahead of seat %d", places, ahead, seat)
		}
	}
	return nil
}

// tiedBelow returns a seat with the same points and another place, behind one that is ahead of both; -1 when there is
// none or the rules settle such ties.
func (b *books) tiedBelow(seat int, places []uint32) int {
	isSettled := b.rules.is("match_tie", "fewest_points_left") || b.rules.is("match_tie", "round_wins")
	if b.hasExtra || b.left[seat] || isSettled {
		return -1
	}
	isBehind := false
	for other := range places {
		isBehind = isBehind || b.isAhead(other, seat)
	}
	for other, place := range places {
		if isBehind && !b.left[other] && b.totals[other] == b.totals[seat] && place != places[seat] {
			return other
		}
	}
	return -1
}

// isAhead tells whether a seat must rank before another.
func (b *books) isAhead(seat, other int) bool {
	switch {
	case b.left[seat]:
		return b.left[other] && slices.Index(b.leavers, seat) > slices.Index(b.leavers, other)
	case b.left[other]:
		return true
	case b.hasExtra:
		return false // the round among the tied counted for them alone
	case b.rules.is("scoring", "each_keeps_own"):
		return b.totals[seat] < b.totals[other]
	}
	return b.totals[seat] > b.totals[other]
}

// isDecided tells whether the match is over by its points or rounds, and its first place not shared.
func (b *books) isDecided() bool {
	if b.round == 0 {
		return false
	}
	var isMet bool
	for _, condition := range strings.Split(b.rules.options["match_end"], "+") {
		switch condition {
		case "single_round":
			isMet = true
		case "rounds":
			isMet = isMet || b.round >= b.rules.number("match_rounds")
		case "target":
			isMet = isMet || slices.Max(b.totals) >= b.rules.number("target_points")
		}
	}
	firsts := 0
	for seat := range b.totals {
		isFirst := !b.left[seat]
		for other := range b.totals {
			isFirst = isFirst && (other == seat || !b.isAhead(other, seat))
		}
		if isFirst {
			firsts++
		}
	}
	return isMet && firsts == 1 && !b.hasExtra
}
