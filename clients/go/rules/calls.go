package rules

import pb "lastcard/lastcardv1"

// calls are who has called UNO, and who owes it.
type calls struct {
	hasCalled []bool // and still holds the one card
	early     []bool // has called before the play, in its turn
	owes      []bool // can be caught
	// isNext tells that a seat's turn began right behind the play by which it owes the call, so that it can be caught
	// until it acts; owedIn is the turn of that play.
	isNext []bool
	owedIn []uint32
}

func newCalls(seats int) calls {
	return calls{
		make([]bool, seats), make([]bool, seats), make([]bool, seats), make([]bool, seats), make([]uint32, seats),
	}
}

// owe lets a seat owe the call, where calls are asked for and can be caught.
func (m *Match) owe(seat int) {
	m.owes[seat] = m.rules.Is("uno_required", "true") && !m.rules.Is("uno_catch_window", "none")
	m.owedIn[seat], m.isNext[seat] = m.turn, false
}

// dropCalls forgets what a seat called or owes when it does not hold one card any more.
func (m *Match) dropCalls(seat int) {
	if len(m.hands[seat]) != 1 {
		m.hasCalled[seat], m.owes[seat] = false, false
	}
}

// closeAtAction closes the windows that a turn action closes.
func (m *Match) closeAtAction() {
	for seat := range m.owes {
		if m.rules.Is("uno_catch_window", "next_turn_action") || m.isNext[seat] && seat == m.actor {
			m.owes[seat] = false
		}
	}
}

// closeAtTurn closes the window of a seat when its turn begins, unless it is the next one behind the play by which it
// owes the call.
func (m *Match) closeAtTurn(seat int) {
	if !m.rules.Is("uno_catch_window", "own_next_turn") || !m.owes[seat] {
		return
	}
	if m.turn == m.owedIn[seat]+1 {
		m.isNext[seat] = true
		return
	}
	m.owes[seat] = false
}

// isDutyDone holds a call, or none, against a play, and tells whether the round goes on. A call is right when one card is
// left, before hands move by the play or afterwards; it is owed when one is left in the end.
func (m *Match) isDutyDone(seat int, leftOne, isCalled bool) bool {
	hasOne := len(m.hands[seat]) == 1
	if hasOne {
		if m.hasCalled[seat] = isCalled; !isCalled {
			m.owe(seat)
		}
	}
	return !isCalled || leftOne || hasOne || m.punish(seat)
}

// punish lets a seat draw for a wrong call, and tells whether the round goes on.
func (m *Match) punish(seat int) bool {
	if count := m.rules.Number("false_uno_penalty"); count > 0 {
		m.draw(seat, count, pb.DrawCause_DRAW_CAUSE_FALSE_UNO)
		return m.goesOn()
	}
	return true
}

// punishVoid punishes the call of the seat to act that no play followed, and tells whether the round goes on.
func (m *Match) punishVoid() bool {
	isVoid := m.early[m.actor]
	m.early[m.actor] = false
	return !isVoid || m.punish(m.actor)
}

// mayCall tells whether a call apart from a play fits: of who owes it, or in the own turn with two cards.
func (m *Match) mayCall(seat int) bool {
	isEarly := seat == m.actor && (m.asks == itsTurn || m.asks == aDrawnCard) && len(m.hands[seat]) == 2
	return m.owes[seat] || isEarly && !m.early[seat]
}

func (m *Match) callUNO(seat int) {
	m.tell(&pb.Event{Event: &pb.Event_UnoCalled{UnoCalled: &pb.UnoCalled{Seat: uint32(seat)}}})
	switch {
	case m.owes[seat]:
		m.owes[seat], m.hasCalled[seat] = false, true
	case m.mayCall(seat):
		m.early[seat] = true
	default:
		m.punish(seat)
	}
}

// accuse lets a seat say that another forgot to call.
func (m *Match) accuse(accuser, target int) {
	isCaught := m.owes[target]
	m.tell(&pb.Event{Event: &pb.Event_SeatAccused{SeatAccused: &pb.SeatAccused{
		Accuser: uint32(accuser), Target: uint32(target), Caught: isCaught,
	}}})
	if isCaught {
		m.owes[target] = false
		m.draw(target, m.rules.Number("uno_penalty"), pb.DrawCause_DRAW_CAUSE_CAUGHT)
	} else {
		m.draw(accuser, m.rules.Number("false_catch_penalty"), pb.DrawCause_DRAW_CAUSE_FALSE_CATCH)
	}
	m.goesOn()
}
