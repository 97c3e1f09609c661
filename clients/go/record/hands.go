package record

import (
	"fmt"
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

func (b *books) handsMoved(e *pb.HandsMoved) error {
	from := e.GetFromSeats()
	if len(from) != len(b.hands) || len(e.GetHandCounts()) != len(b.hands) {
		return fmt.Errorf("hands of %d seats move, and there are %d", len(from), len(b.hands))
	}
	if want := b.movement(); !slices.Equal(from, want) {
		return fmt.Errorf("the hands come from the seats %v, and the card played moves them from %v", from, want)
	}
	moved := make([][]pb.Card, len(b.hands))
	var told []*pb.SeatHand
	for seat, other := range from {
		moved[seat] = b.hands[other]
		if int(e.GetHandCounts()[seat]) != len(moved[seat]) {
			return fmt.Errorf("seat %d has %d cards afterwards, and not %d", seat, len(moved[seat]), e.GetHandCounts()[seat])
		}
		if int(other) != seat {
			told = append(told, &pb.SeatHand{Seat: uint32(seat), Cards: moved[seat]})
		}
	}
	b.hands = moved
	return sameHands(e.GetHands(), told)
}

// movement returns by seat whose hand it gets by the card just played: those of a swap, or all in the direction of
// play.
func (b *books) movement() []uint32 {
	from := make([]uint32, len(b.hands))
	for seat := range from {
		from[seat] = uint32(seat)
	}
	if b.played == nil {
		return from
	}
	seat := b.played.GetSeat()
	if b.played.Target != nil {
		from[seat], from[b.played.GetTarget()] = b.played.GetTarget(), seat
	} else if cards.RankOf(b.played.GetCard()) == 0 && b.rules.is("zero_rotate", "true") {
		for seat, isActive := range b.active {
			if isActive {
				from[seat] = uint32(b.after(seat, -b.direction))
			}
		}
	}
	return from
}

// sameHands compares the hands that an event tells with those that the books have.
func sameHands(told, want []*pb.SeatHand) error {
	if len(told) != len(want) {
		return fmt.Errorf("%d hands are told, and it must be %d", len(told), len(want))
	}
	for i, hand := range told {
		if hand.GetSeat() != want[i].GetSeat() || !slices.Equal(hand.GetCards(), want[i].GetCards()) {
			return fmt.Errorf("the hand of seat %d is %s, and seat %d is told to hold %s", want[i].GetSeat(),
				cards.HandText(want[i].GetCards()), hand.GetSeat(), cards.HandText(hand.GetCards()))
		}
	}
	return nil
}

func (b *books) seatLeft(e *pb.SeatLeft) error {
	seat := int(e.GetSeat())
	if seat >= len(b.left) || b.left[seat] {
		return fmt.Errorf("seat %d has left already, or does not exist", seat)
	}
	var hand []pb.Card
	if b.inRound {
		hand = b.hands[seat]
		b.active[seat] = false
		if b.chooser == seat {
			b.chooser = b.after(seat, b.direction)
		}
	}
	if !slices.Equal(hand, e.GetCards()) || int(e.GetHandCount()) != len(hand) {
		return fmt.Errorf("seat %d left with %s, and %s are told", seat, cards.HandText(hand), cards.HandText(e.GetCards()))
	}
	if worth := b.rules.worth(hand); e.GetPoints() != worth {
		return fmt.Errorf("the cards of seat %d are worth %d points, and %d are told", seat, worth, e.GetPoints())
	}
	b.left[seat], b.mayLapse = true, true
	b.leavers = append(b.leavers, seat)
	if b.inRound {
		b.frozen[seat], b.gone[seat] = e.GetPoints(), true
		if b.rules.is("leaver_cards", "to_discard") {
			b.buried = append(b.buried, hand...)
			b.hands[seat] = nil
		}
	}
	return nil
}
