package rules

import (
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// isNumber tells whether a card is a number card.
func isNumber(card pb.Card) bool { return !cards.IsWild(card) && cards.RankOf(card) < cards.Skip }

// isA tells whether a card is of a rank, and no wild.
func isA(card pb.Card, rank int) bool { return !cards.IsWild(card) && cards.RankOf(card) == rank }

// fits tells whether a card may lie on the top card: by colour, number or symbol, or because it is wild.
func (m *Match) fits(card pb.Card) bool {
	top := m.top()
	switch {
	case cards.IsWild(card) || cards.ColorOf(card) == m.color:
		return true
	case cards.IsWild(top):
		return false
	case cards.RankOf(card) == cards.RankOf(top):
		return isNumber(card) || !m.rules.Is("match_symbol", "off")
	}
	return m.rules.Is("match_symbol", "any_action") && !isNumber(card) && !isNumber(top)
}

// isBluff tells whether a wild draw four is not allowed beside the other cards of a hand.
func (m *Match) isBluff(rest []int) bool {
	legality := m.rules.options["w4_legality"]
	if legality == "anytime" {
		return false
	}
	top := m.top()
	return slices.ContainsFunc(rest, func(id int) bool {
		card := m.face(id)
		switch {
		case legality == "no_other_play":
			return card != pb.Card_CARD_WILD_DRAW_FOUR && m.fits(card)
		case cards.IsWild(card):
			return false
		}
		isSameNumber := isNumber(top) && cards.RankOf(card) == cards.RankOf(top)
		return cards.ColorOf(card) == m.color || legality == "no_color_or_number" && isSameNumber
	})
}

// mayFinish tells whether a card may be the last one.
func (m *Match) mayFinish(card pb.Card) bool {
	switch m.rules.options["finish_restriction"] {
	case "no_wild":
		return !cards.IsWild(card)
	case "no_draw":
		return drawsOf(card) == 0
	case "number_only":
		return isNumber(card)
	}
	return true
}

// isAllowed tells whether a card may be played beside the rest of the hand, wherever it fits.
func (m *Match) isAllowed(card pb.Card, rest []int) bool {
	isRefused := card == pb.Card_CARD_WILD_DRAW_FOUR && m.rules.Is("w4_enforcement", "reject") && m.isBluff(rest)
	return !isRefused && (len(rest) > 0 || m.mayFinish(card))
}

// isPlayable tells whether a card of a hand may be played by the seat to act.
func (m *Match) isPlayable(hand []int, id int) bool {
	card, rest := m.face(id), without(hand, id)
	if m.asks == aPenalty {
		return m.rules.stacks(card, m.top(), m.pending+drawsOf(card)) && m.isAllowed(card, rest)
	}
	if m.drawn >= 0 && m.rules.Is("after_draw_play", "drawn_only") && card != m.face(m.drawn) {
		return false
	}
	return m.fits(card) && m.isAllowed(card, rest)
}

// without returns a hand without a card.
func without(hand []int, id int) []int {
	rest := make([]int, 0, len(hand))
	for _, other := range hand {
		if other != id {
			rest = append(rest, other)
		}
	}
	return rest
}

// find returns the card of a hand that is played for a face, the lowest by id; -1 when it is not there.
//
// Where only the card just drawn may be played, it is that one.
func (m *Match) find(seat int, face pb.Card, isJump bool) int {
	if !isJump && m.drawn >= 0 && m.face(m.drawn) == face && m.rules.Is("after_draw_play", "drawn_only") {
		return m.drawn
	}
	for _, id := range m.hands[seat] {
		if m.face(id) == face {
			return id
		}
	}
	return -1
}

// targets returns the seats with which a seat may swap hands by a card; none where it swaps nothing.
func (m *Match) targets(seat int, card pb.Card) (targets []int) {
	isOut := len(m.hands[seat]) == 1 && m.rules.Is("last_card_hand_effect", "win")
	if !m.rules.Is("seven_swap", "true") || !isA(card, 7) || isOut {
		return nil
	}
	for other, isActive := range m.active {
		isProtected := m.rules.Is("swap_uno_protected", "true") && m.hasCalled[other] && len(m.hands[other]) == 1
		if isActive && other != seat && !isProtected {
			targets = append(targets, other)
		}
	}
	return targets
}

// play plays a card, in turn or out of it.
func (m *Match) play(move Move) {
	seat, isJump := move.Seat, move.Kind == Jump
	id := m.find(seat, move.Card, isJump)
	card, rest := m.face(id), without(m.hands[seat], id)
	isEarly := m.early[seat] && !isJump && m.asks != aPenalty
	if isEarly {
		m.early[seat] = false
	}
	m.closeAtAction()
	m.offence = offence{seat: seat, isGuilty: m.isBluff(rest), hand: rest}
	targets := m.targets(seat, card)
	m.color = cards.ColorOf(card)
	if cards.IsWild(card) && len(rest) > 0 {
		m.color = move.Color
	}
	switch {
	case !isJump:
		m.pending += drawsOf(card)
		if isA(card, cards.Reverse) {
			m.direction = -m.direction
		}
	case m.rules.Is("jump_in_effect", "accumulate") && m.rules.stacks(card, card, m.pending+drawsOf(card)):
		m.pending += drawsOf(card)
	default: // the effect of the card under it is cancelled, a change of direction as well
		m.pending = drawsOf(card)
	}
	m.discard = append(m.discard, id)
	m.isQuiet, m.canJump = false, true
	m.hands[seat] = rest
	m.dropCalls(seat)
	played := &pb.CardPlayed{
		Seat: uint32(seat), Card: card, Color: m.color, UnoCalled: move.CallsUNO, JumpIn: isJump,
		HandCount: uint32(len(rest)), Direction: m.direction, Pending: m.pending,
	}
	swapsWith := NoSeat
	if len(targets) > 0 {
		swapsWith = move.Target
		played.Target = seatPointer(swapsWith)
	}
	m.tell(&pb.Event{Event: &pb.Event_CardPlayed{CardPlayed: played}})
	m.drawn = -1
	if len(rest) > 0 || m.rules.Is("last_card_hand_effect", "apply") {
		m.moveHands(seat, card, swapsWith)
	}
	if out := m.outOfCards(); out != NoSeat {
		m.goOut(out)
		return
	}
	if m.isDutyDone(seat, len(rest) == 1, move.CallsUNO || isEarly) {
		m.goOn(seat, card)
	}
}

// outOfCards returns the seat without cards, to whom a last card may have given the empty hand; NoSeat for none.
func (m *Match) outOfCards() int {
	for seat, hand := range m.hands {
		if m.active[seat] && len(hand) == 0 {
			return seat
		}
	}
	return NoSeat
}

// goOn lets a card that was played have its effect on the seats behind.
func (m *Match) goOn(seat int, card pb.Card) {
	next := m.after(seat)
	isSkip := isA(card, cards.Reverse) && m.countActive() == 2 && m.rules.Is("reverse_two_players", "skip")
	switch {
	case m.pending > 0:
		m.ask(next)
	case isA(card, cards.Skip) || isSkip:
		m.skip(next)
	default:
		m.begin(next)
	}
}

// goOut ends the round, for a seat is out of cards. A last draw card may still cost the next seat.
func (m *Match) goOut(seat int) {
	if m.pending > 0 && m.rules.Is("last_card_draw", "draw_then_score") {
		m.draw(m.after(seat), m.pending, pb.DrawCause_DRAW_CAUSE_PENALTY)
	}
	m.endRound(pb.RoundCause_ROUND_CAUSE_OUT, seat)
}

// moveHands moves the hands that a seven or a zero moves.
func (m *Match) moveHands(seat int, card pb.Card, target int) {
	from := make([]uint32, len(m.hands))
	for other := range from {
		from[other] = uint32(other)
	}
	switch {
	case target != NoSeat:
		from[seat], from[target] = uint32(target), uint32(seat)
	case m.rules.Is("zero_rotate", "true") && isA(card, 0):
		for other, isActive := range m.active {
			if isActive {
				from[m.after(other)] = uint32(other)
			}
		}
	default:
		return
	}
	moved, counts, before := make([][]int, len(m.hands)), make([]uint32, len(m.hands)), make([]int, len(m.hands))
	for other := range moved {
		before[other] = len(m.hands[other])
		moved[other] = m.hands[from[other]]
		counts[other] = uint32(len(moved[other]))
	}
	m.hands = moved
	m.tell(&pb.Event{Event: &pb.Event_HandsMoved{HandsMoved: &pb.HandsMoved{
		FromSeats: from, HandCounts: counts,
		Hands: m.handsOf(func(other int) bool { return int(from[other]) != other }),
	}}})
	for other := range moved {
		m.dropCalls(other)
		if other != seat && len(moved[other]) == 1 && before[other] != 1 && m.rules.Is("passive_uno", "required") {
			m.owe(other)
		}
	}
}
