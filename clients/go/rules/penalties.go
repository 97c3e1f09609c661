package rules

import (
	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// offence is the last card played, by which a challenge is judged.
type offence struct {
	seat     int
	isGuilty bool
	hand     []int
}

// drawsOf returns how many cards a draw card costs.
func drawsOf(card pb.Card) uint32 {
	switch {
	case card == pb.Card_CARD_WILD_DRAW_FOUR:
		return 4
	case isA(card, cards.DrawTwo):
		return 2
	}
	return 0
}

// canStack tells whether the rules let any card answer the pending penalty.
func (m *Match) canStack() bool {
	return m.rules.stacks(pb.Card_CARD_RED_DRAW_TWO, m.top(), m.pending+2) ||
		m.rules.stacks(pb.Card_CARD_WILD_DRAW_FOUR, m.top(), m.pending+4)
}

// canChallenge tells whether the wild draw four on top may be challenged: one that was played, not one turned up.
func (m *Match) canChallenge() bool {
	return m.canJump && m.top() == pb.Card_CARD_WILD_DRAW_FOUR && m.rules.Is("w4_challenge", "next_player")
}

// ask asks a seat about the pending penalty, where there is something to decide, or where jumping in is allowed at all;
// else it draws at once.
func (m *Match) ask(seat int) {
	if m.canStack() || m.canChallenge() || m.canJump && !m.rules.Is("jump_in", "off") {
		m.actor, m.asks, m.drawn = seat, aPenalty, -1
		return
	}
	m.serve(seat)
}

// accept lets a seat take the pending penalty.
func (m *Match) accept(seat int) {
	m.tell(&pb.Event{Event: &pb.Event_PenaltyAccepted{PenaltyAccepted: &pb.PenaltyAccepted{Seat: uint32(seat)}}})
	m.serve(seat)
}

// serve lets a seat draw the pending penalty.
func (m *Match) serve(seat int) {
	count := m.pending
	wasPlayed := m.canJump
	m.pending, m.canJump = 0, false
	if m.draw(seat, count, pb.DrawCause_DRAW_CAUSE_PENALTY); !m.goesOn() {
		return
	}
	losesTurn := "draw_two_target_loses_turn"
	if m.top() == pb.Card_CARD_WILD_DRAW_FOUR {
		losesTurn = "w4_target_loses_turn"
	}
	isOnlyDrawn := !wasPlayed && isA(m.top(), cards.DrawTwo) && m.rules.Is("start_draw_two", "draw_only")
	if m.rules.Is(losesTurn, "true") && !isOnlyDrawn {
		seat = m.after(seat)
	}
	m.begin(seat)
}

// challenge lets a seat challenge the wild draw four on top.
func (m *Match) challenge(seat int) {
	offender := m.offence.seat
	m.tell(&pb.Event{Event: &pb.Event_ChallengeResolved{ChallengeResolved: &pb.ChallengeResolved{
		Challenger: uint32(seat), Offender: uint32(offender), Guilty: m.offence.isGuilty, Hand: m.faces(m.offence.hand),
	}}})
	count := m.pending - 4
	m.pending, m.canJump = 0, false
	if !m.offence.isGuilty {
		m.draw(seat, count+m.rules.Number("challenge_innocent_draws"), pb.DrawCause_DRAW_CAUSE_CHALLENGE)
	} else if m.active[offender] {
		m.draw(offender, count+m.rules.Number("challenge_guilty_draws"), pb.DrawCause_DRAW_CAUSE_CHALLENGE)
	}
	if !m.goesOn() {
		return
	}
	if !m.offence.isGuilty || m.rules.Is("challenge_success_turn", "challenger_skipped") {
		seat = m.after(seat)
	}
	m.begin(seat)
}

// isJumpedOn tells whether the rules let anybody jump in with a card on the top card.
func (m *Match) isJumpedOn(card pb.Card) bool {
	if !m.canJump || m.rules.Is("jump_in", "off") {
		return false
	}
	return !cards.IsWild(card) ||
		card == pb.Card_CARD_WILD_DRAW_FOUR && m.rules.Is("jump_in", "identical_incl_w4")
}
