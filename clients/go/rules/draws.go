package rules

import (
	"slices"

	pb "lastcard/lastcardv1"
)

// take takes a card out of the pile for a seat, which is rebuilt when it is empty, if the rules and the discards allow
// it; false when there is none.
func (m *Match) take(seat int) (int, bool) {
	id, isThere := m.chance.Draw(seat)
	if isThere {
		return id, true
	}
	if m.rules.Is("pile_empty", "end_round") {
		m.isDry = true
		return 0, false
	}
	last := len(m.discard) - 1
	lying := slices.Concat(m.buried, m.discard[:last])
	if len(lying) == 0 {
		return 0, false
	}
	m.chance.Rebuild(lying)
	m.discard, m.buried = m.discard[last:], nil
	m.tell(&pb.Event{Event: &pb.Event_PileRebuilt{PileRebuilt: &pb.PileRebuilt{Count: uint32(len(lying))}}})
	return m.chance.Draw(seat)
}

// draw lets a seat draw cards, as many as there are.
func (m *Match) draw(seat int, count uint32, cause pb.DrawCause) {
	m.drawUntil(seat, count, cause, func(int) bool { return false })
}

// drawUntil lets a seat draw cards until one will do, and returns them.
func (m *Match) drawUntil(seat int, most uint32, cause pb.DrawCause, willDo func(id int) bool) (drawn []int) {
	for uint32(len(drawn)) < most {
		id, isThere := m.take(seat)
		if !isThere {
			break
		}
		drawn = append(drawn, id)
		m.give(seat, []int{id})
		if willDo(id) {
			break
		}
	}
	if len(drawn) > 0 {
		m.isQuiet = false
	}
	m.tell(&pb.Event{Event: &pb.Event_CardsDrawn{CardsDrawn: &pb.CardsDrawn{
		Seat: uint32(seat), Count: uint32(len(drawn)), Cause: cause, Cards: m.faces(drawn),
	}}})
	return drawn
}

// goesOn ends the round when a card was needed that the pile did not have, and tells whether it goes on.
func (m *Match) goesOn() bool {
	if m.isDry {
		m.endRound(pb.RoundCause_ROUND_CAUSE_BLOCKED, NoSeat)
	}
	return !m.isDry
}

// keep lets the seat to act keep the card that it has just drawn.
func (m *Match) keep(seat int) {
	m.tell(&pb.Event{Event: &pb.Event_CardKept{CardKept: &pb.CardKept{Seat: uint32(seat)}}})
	m.endTurn()
}

// drawInTurn lets the seat to act draw for its turn, and asks it about what it drew, if there is something to decide.
func (m *Match) drawInTurn() {
	seat := m.actor
	most := uint32(len(m.rules.Deck))
	switch m.rules.options["draw_mode"] {
	case "one":
		most = 1
	case "up_to_n":
		most = m.rules.Number("draw_limit")
	}
	m.closeAtAction()
	isPlayable := false
	drawn := m.drawUntil(seat, most, pb.DrawCause_DRAW_CAUSE_TURN, func(id int) bool {
		isPlayable = m.isPlayable(m.hands[seat], id)
		return isPlayable
	})
	if !m.goesOn() {
		return
	}
	if len(drawn) > 0 && !m.rules.Is("drawn_card", "never") {
		if m.rules.Is("after_draw_play", "any_card") {
			for _, id := range m.hands[seat] {
				isPlayable = isPlayable || m.isPlayable(m.hands[seat], id)
			}
		}
		if isPlayable {
			m.drawn, m.asks = drawn[len(drawn)-1], aDrawnCard
			return
		}
	}
	m.endTurn()
}
