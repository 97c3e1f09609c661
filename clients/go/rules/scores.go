package rules

import pb "lastcard/lastcardv1"

// endRound ends the round, and the match if that decides it.
func (m *Match) endRound(cause pb.RoundCause, winner int) {
	left := m.leftOver()
	isBlocked := cause == pb.RoundCause_ROUND_CAUSE_BLOCKED
	if isBlocked {
		winner = m.lowest(left)
	}
	scores := m.scores(isBlocked, winner, left)
	for seat, score := range scores {
		m.totals[seat] += score
		m.caught[seat] += left[seat]
	}
	if winner != NoSeat {
		m.wins[winner]++
	}
	m.lastWinner = winner
	m.inRound, m.asks = false, nothing
	m.tell(&pb.Event{Event: &pb.Event_RoundEnded{RoundEnded: &pb.RoundEnded{
		Round: m.round, Cause: cause, Winner: seatPointer(winner), Scores: scores, Totals: append([]uint32(nil), m.totals...),
		Hands: m.handsOf(func(seat int) bool { return len(m.hands[seat]) > 0 }),
	}}})
	m.endMatch()
}

// leftOver returns what each seat was caught with: its hand, or what it held when it left in this round.
func (m *Match) leftOver() []uint32 {
	left := make([]uint32, len(m.hands))
	for seat, hand := range m.hands {
		if m.active[seat] {
			left[seat] = m.rules.worth(m.faces(hand))
		} else if m.rules.Is("leaver_points", "score_for_winner") {
			left[seat] = m.frozen[seat]
		}
	}
	return left
}

// lowest returns the seat that wins a blocked round: that with the single lowest hand, if that counts.
func (m *Match) lowest(left []uint32) int {
	lowest, isSingle := NoSeat, false
	for seat, points := range left {
		switch {
		case !m.active[seat]:
		case lowest == NoSeat || points < left[lowest]:
			lowest, isSingle = seat, true
		case points == left[lowest]:
			isSingle = false
		}
	}
	if !isSingle || m.rules.Is("stalemate_result", "void") {
		return NoSeat
	}
	return lowest
}

// scores returns what a round gives each seat.
func (m *Match) scores(isBlocked bool, winner int, left []uint32) []uint32 {
	scores := make([]uint32, len(left))
	switch scoring := m.rules.options["scoring"]; {
	case isBlocked && m.rules.Is("stalemate_result", "void"):
	case scoring == "each_keeps_own":
		copy(scores, left)
		if !isBlocked {
			scores[winner] = 0
		}
	case scoring == "placement":
		return m.placement(winner, left)
	case winner == NoSeat:
	case scoring == "round_wins":
		scores[winner] = 1
	default:
		for seat, points := range left {
			if seat == winner {
				continue
			}
			scores[winner] += points
			if isBlocked && m.active[seat] {
				scores[winner] -= left[winner]
			}
		}
	}
	return scores
}

// placement returns a point for each seat left behind: the winner comes first, the others by their hands.
func (m *Match) placement(winner int, left []uint32) []uint32 {
	scores := make([]uint32, len(left))
	for seat := range left {
		if !m.active[seat] {
			continue
		}
		for other := range left {
			isBehind := other != winner && (seat == winner || left[other] > left[seat])
			if m.gone[other] || m.active[other] && other != seat && isBehind {
				scores[seat]++
			}
		}
	}
	return scores
}
