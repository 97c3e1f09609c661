package rules

import pb "lastcard/lastcardv1"

// timeOut lets the time of the seat to act run out: the server does the least for it, and removes it when that happened
// too often.
func (m *Match) timeOut(seat int) {
	m.strikes[seat]++
	m.tell(&pb.Event{Event: &pb.Event_TimedOut{TimedOut: &pb.TimedOut{Seat: uint32(seat), Strikes: m.strikes[seat]}}})
	most := m.rules.Number("max_timeouts")
	isRemoved := most > 0 && m.strikes[seat] >= most || m.rules.Is("timeout_action", "forfeit")
	if !m.rules.Is("timeout_action", "forfeit") {
		m.actFor(seat)
	}
	if isRemoved && m.inRound {
		m.leave(seat, pb.LeaveCause_LEAVE_CAUSE_TIMEOUTS)
	}
}

// actFor does what is done for a seat whose time ran out.
func (m *Match) actFor(seat int) {
	switch m.asks {
	case itsTurn:
		m.closeAtAction()
		if m.draw(seat, 1, pb.DrawCause_DRAW_CAUSE_TIMEOUT); m.goesOn() {
			m.endTurn()
		}
	case aDrawnCard:
		m.keep(seat)
	case aPenalty:
		m.accept(seat)
	case aColor:
		m.chooseColor(seat, m.chance.ColorBefore(m.turn+1), true)
	}
}

// leave lets a seat leave the match. In a round its cards go under the top card, or stay where they are.
func (m *Match) leave(seat int, cause pb.LeaveCause) {
	m.left[seat] = true
	m.leavers = append(m.leavers, seat)
	event := &pb.SeatLeft{Seat: uint32(seat), Cause: cause}
	if m.inRound && m.active[seat] {
		hand := m.faces(m.hands[seat])
		event.HandCount, event.Cards, event.Points = uint32(len(hand)), hand, m.rules.worth(hand)
		m.active[seat], m.gone[seat], m.frozen[seat] = false, true, event.Points
		m.owes[seat], m.early[seat], m.hasCalled[seat] = false, false, false
		if m.rules.Is("leaver_cards", "to_discard") {
			m.buried = append(m.buried, m.hands[seat]...)
			m.hands[seat] = nil
		}
	}
	m.tell(&pb.Event{Event: &pb.Event_SeatLeft{SeatLeft: event}})
	switch {
	case !m.inRound:
		m.endMatch()
	case m.countActive() == 1:
		m.endRound(pb.RoundCause_ROUND_CAUSE_LEFT, m.after(seat))
	default:
		m.passOn(seat)
	}
}

// passOn lets the round go on without a seat that left.
func (m *Match) passOn(seat int) {
	next := m.after(seat)
	if m.first == seat {
		m.first = next
	}
	if m.actor != seat {
		return
	}
	if m.asks == aColor {
		m.actor = next
		return
	}
	m.pending = 0
	m.begin(next)
}
