package rules

import (
	"slices"

	"lastcard/cards"
)

// Legal returns what a seat may do now, by kind, card, colour and target: the answers to what it is asked, and jumps of
// the other seats. Calls of UNO, catches, leaving and timeouts are not among them.
func (m *Match) Legal(seat int) (legal []Move) {
	if !m.inRound || seat < 0 || seat >= len(m.active) || !m.active[seat] {
		return nil
	}
	kinds := []Kind{Play, Draw, Keep, Accept, Challenge, ChooseColor, Jump}
	for _, kind := range kinds {
		for _, move := range m.candidates(seat, kind) {
			if m.refuses(move) == nil {
				legal = append(legal, move)
			}
		}
	}
	return legal
}

// candidates returns the moves of a kind that a seat could think of.
func (m *Match) candidates(seat int, kind Kind) (moves []Move) {
	plain := Move{Kind: kind, Seat: seat, Target: NoSeat}
	switch kind {
	case ChooseColor:
		for _, color := range cards.Colors {
			moves = append(moves, Move{Kind: kind, Seat: seat, Color: color, Target: NoSeat})
		}
		return moves
	case Play, Jump:
	default:
		return []Move{plain}
	}
	for _, card := range slices.Compact(m.faces(m.hands[seat])) {
		move := plain
		move.Card = card
		targets := m.targets(seat, card)
		switch {
		case cards.IsWild(card) && len(m.hands[seat]) > 1:
			for _, color := range cards.Colors {
				move.Color = color
				moves = append(moves, move)
			}
		case len(targets) > 0:
			for _, target := range targets {
				move.Target = target
				moves = append(moves, move)
			}
		default:
			moves = append(moves, move)
		}
	}
	return moves
}

// Turn returns the seat to act, or NoSeat between rounds.
func (m *Match) Turn() int {
	if m.asks == nothing {
		return NoSeat
	}
	return m.actor
}

// Catchable returns the seats that can be caught for a forgotten call.
func (m *Match) Catchable() (seats []int) {
	for seat, owes := range m.owes {
		if m.inRound && owes {
			seats = append(seats, seat)
		}
	}
	return seats
}
