package rules

import (
	"slices"
	"strings"

	pb "lastcard/lastcardv1"
)

// standings are the points of a match, and what settles ties.
type standings struct {
	totals     []uint32
	wins       []uint32 // rounds won
	caught     []uint32 // points of the cards left in the hands at the ends of rounds, a winner's too
	lastWinner int
	// extra is the round that those play alone who share the first place, and tied are they; 0 while there is none.
	extra uint32
	tied  []bool
	// ending is the condition that was met when they had to.
	ending   pb.MatchCause
	isTimeUp bool
}

func newStandings(seats int) standings {
	return standings{
		totals: make([]uint32, seats), wins: make([]uint32, seats), caught: make([]uint32, seats), lastWinner: NoSeat,
		tied: make([]bool, seats),
	}
}

// PlaysOn tells whether a seat is dealt to in the next round.
func (m *Match) PlaysOn(seat int) bool {
	return !m.left[seat] && (m.extra == 0 || m.tied[seat])
}

// endMatch ends the match between rounds, if it is decided. Where the first place is shared and must not be, those who
// share it play on.
func (m *Match) endMatch() {
	staying := 0
	for _, hasLeft := range m.left {
		if !hasLeft {
			staying++
		}
	}
	cause := m.cause()
	if m.extra > 0 {
		cause = m.ending
	}
	switch {
	case staying <= 1:
		cause = pb.MatchCause_MATCH_CAUSE_LAST_SEAT
	case cause == pb.MatchCause_MATCH_CAUSE_UNSPECIFIED:
		return
	case m.rules.Is("match_tie", "extra_round") && m.mustPlayOff(cause):
		return
	}
	m.isOver = true
	m.tell(&pb.Event{Event: &pb.Event_MatchEnded{MatchEnded: &pb.MatchEnded{
		Cause: cause, Places: m.places(), Totals: append([]uint32(nil), m.totals...),
	}}})
}

// mustPlayOff lets those who share the first place play a round more alone, and tells whether they must. There is one
// such round; who leaves before it is not waited for.
func (m *Match) mustPlayOff(cause pb.MatchCause) bool {
	if m.extra > 0 && m.extra <= m.round {
		return false
	}
	m.extra, m.tied = 0, make([]bool, len(m.left))
	leaders := m.Leaders()
	if len(leaders) == 1 {
		return false
	}
	m.extra, m.ending = m.round+1, cause
	for _, seat := range leaders {
		m.tied[seat] = true
	}
	return true
}

// Leaders returns the seats that have the first place, or share it.
func (m *Match) Leaders() (leaders []int) {
	for seat, place := range m.places() {
		if place == 1 {
			leaders = append(leaders, seat)
		}
	}
	return leaders
}

// cause returns the first condition that ends the match.
func (m *Match) cause() pb.MatchCause {
	if m.round == 0 {
		return pb.MatchCause_MATCH_CAUSE_UNSPECIFIED
	}
	for _, condition := range strings.Split(m.rules.options["match_end"], "+") {
		switch condition {
		case "target":
			if slices.Max(m.totals) >= m.rules.Number("target_points") {
				return pb.MatchCause_MATCH_CAUSE_TARGET
			}
		case "rounds":
			if m.round >= m.rules.Number("match_rounds") {
				return pb.MatchCause_MATCH_CAUSE_ROUNDS
			}
		case "time":
			if m.isTimeUp {
				return pb.MatchCause_MATCH_CAUSE_TIME
			}
		case "single_round":
			return pb.MatchCause_MATCH_CAUSE_SINGLE_ROUND
		}
	}
	return pb.MatchCause_MATCH_CAUSE_UNSPECIFIED
}

// isAhead tells whether a seat ranks before another: whoever left behind all who did not, later leavers before earlier
// ones; then those who played off the first place; then by points.
func (m *Match) isAhead(seat, other int) bool {
	switch {
	case m.left[seat]:
		return m.left[other] && slices.Index(m.leavers, seat) > slices.Index(m.leavers, other)
	case m.left[other]:
		return true
	case m.extra > 0 && m.tied[seat] != m.tied[other]:
		return m.tied[seat]
	case m.totals[seat] != m.totals[other]:
		return m.totals[seat] < m.totals[other] == m.rules.Is("scoring", "each_keeps_own")
	case m.rules.Is("match_tie", "fewest_points_left"):
		return m.caught[seat] < m.caught[other]
	case m.rules.Is("match_tie", "round_wins"):
		return m.wins[seat] > m.wins[other]
	}
	return m.isSingle() && seat == m.lastWinner
}

// isSingle tells whether a single round decides the match, so that its winner comes first with whatever points.
func (m *Match) isSingle() bool { return slices.Contains(m.rules.MatchEnd(), "single_round") }

// places returns the place of each seat; equal ones are shared.
func (m *Match) places() []uint32 {
	places := make([]uint32, len(m.left))
	for seat := range places {
		places[seat] = 1
		for other := range places {
			if other != seat && m.isAhead(other, seat) {
				places[seat]++
			}
		}
	}
	return places
}
