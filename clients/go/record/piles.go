package record

import (
	"fmt"
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// takeOut takes cards out of the pile.
func (b *books) takeOut(drawn ...pb.Card) error {
	for _, card := range drawn {
		if b.outside[card] >= b.rules.counts[card] {
			return fmt.Errorf("%s comes from the pile, and all %d of the deck are elsewhere",
				cards.Text(card), b.rules.counts[card])
		}
		if b.pile == 0 {
			return fmt.Errorf("%s comes from the pile, which is empty", cards.Text(card))
		}
		b.outside[card]++
		b.pile--
	}
	return nil
}

// drawsOf returns how many cards a draw card costs.
func drawsOf(card pb.Card) uint32 {
	switch {
	case card == pb.Card_CARD_WILD_DRAW_FOUR:
		return 4
	case !cards.IsWild(card) && cards.RankOf(card) == cards.DrawTwo:
		return 2
	}
	return 0
}

func (b *books) cardsDrawn(e *pb.CardsDrawn) error {
	seat := e.GetSeat()
	if err := b.isActive(seat); err != nil {
		return err
	}
	if int(e.GetCount()) != len(e.GetCards()) {
		return fmt.Errorf("%d cards are counted, and %d told", e.GetCount(), len(e.GetCards()))
	}
	if b.rebuilt && e.GetCount() <= b.pile {
		return fmt.Errorf("the pile was rebuilt before %d cards were drawn, and it had %d", e.GetCount(), b.pile)
	}
	before := int(min(b.pile, e.GetCount()))
	if err := b.takeOut(e.GetCards()[:before]...); err != nil {
		return err
	}
	if b.rebuilt {
		b.rebuild()
	}
	if err := b.takeOut(e.GetCards()[before:]...); err != nil {
		return err
	}
	if err := b.mayDraw(e); err != nil {
		return err
	}
	b.hands[seat] = slices.Concat(b.hands[seat], e.GetCards())
	slices.Sort(b.hands[seat])
	owed, isExact, err := b.owed(e)
	if err != nil {
		return err
	}
	isExhausted := b.isExhausted()
	if e.GetCount() > owed || isExact && e.GetCount() < owed && !isExhausted {
		return fmt.Errorf("seat %d draws %d cards, and it owes %d", seat, e.GetCount(), owed)
	}
	return nil
}

// isExhausted tells whether no card can be drawn any more.
func (b *books) isExhausted() bool {
	return b.pile == 0 && (len(b.discard)+len(b.buried) <= 1 || b.rules.is("pile_empty", "end_round"))
}

// owed returns how many cards a seat has to draw for a cause, whether it is exactly so many, and whether it may not.
func (b *books) owed(e *pb.CardsDrawn) (owed uint32, isExact bool, err error) {
	seat := int(e.GetSeat())
	expected := b.expects
	b.expects = pb.DrawCause_DRAW_CAUSE_UNSPECIFIED
	if expected != b.expects && e.GetCause() != expected {
		return 0, true, fmt.Errorf("cards are drawn for %v, and %v must come here", e.GetCause(), expected)
	}
	switch e.GetCause() {
	case pb.DrawCause_DRAW_CAUSE_TURN:
		most := map[string]uint32{"one": 1, "up_to_n": b.rules.number("draw_limit")}[b.rules.options["draw_mode"]]
		if most == 0 {
			most = uint32(len(b.rules.deck))
		}
		return most, most == 1, b.hasTurn(e.GetSeat())
	case pb.DrawCause_DRAW_CAUSE_TIMEOUT:
		if b.late != seat {
			return 1, true, fmt.Errorf("seat %d draws because its time ran out, and it did not", seat)
		}
		return 1, true, b.hasTurn(e.GetSeat())
	case pb.DrawCause_DRAW_CAUSE_PENALTY:
		owed, err = b.pending, b.mustAnswer(e.GetSeat())
		b.serve(seat)
		return owed, true, err
	case pb.DrawCause_DRAW_CAUSE_CHALLENGE:
		if b.pending < 4 {
			return 0, true, fmt.Errorf("nothing was challenged")
		}
		owed, b.pending, b.open = b.pending-4, 0, false
		if seat == b.offence.seat {
			if b.rules.is("challenge_success_turn", "challenger_skipped") {
				b.at = -1
			}
			return owed + b.rules.number("challenge_guilty_draws"), true, nil
		}
		b.at = seat
		return owed + b.rules.number("challenge_innocent_draws"), true, nil
	case pb.DrawCause_DRAW_CAUSE_CAUGHT:
		return b.rules.number("uno_penalty"), true, b.isAccused(seat, expected, e.GetCause())
	case pb.DrawCause_DRAW_CAUSE_FALSE_CATCH:
		return b.rules.number("false_catch_penalty"), true, b.isAccused(seat, expected, e.GetCause())
	case pb.DrawCause_DRAW_CAUSE_FALSE_UNO:
		return b.rules.number("false_uno_penalty"), true, nil
	}
	return 0, true, fmt.Errorf("the cause %v is not known to this verifier", e.GetCause())
}

// isAccused returns an error when no accusation makes a seat draw for a cause.
func (b *books) isAccused(seat int, expected, cause pb.DrawCause) error {
	if expected != cause || b.accused != seat {
		return fmt.Errorf("seat %d draws for %v, and no accusation says so", seat, cause)
	}
	return nil
}

// serve lets a seat have drawn the pending penalty; whether it loses its turn is a matter of the last draw card.
func (b *books) serve(seat int) {
	b.pending, b.open = 0, false
	top := b.discard[len(b.discard)-1]
	if b.turn == 0 && !cards.IsWild(top) && b.rules.is("start_draw_two", "draw_only") {
		return
	}
	losesTurn := "draw_two_target_loses_turn"
	if top == pb.Card_CARD_WILD_DRAW_FOUR {
		losesTurn = "w4_target_loses_turn"
	}
	if b.at >= 0 && b.rules.is(losesTurn, "true") {
		b.at = seat
	}
}

func (b *books) pileRebuilt(e *pb.PileRebuilt) error {
	if want := len(b.discard) - 1 + len(b.buried); int(e.GetCount()) != want || b.rebuilt || want == 0 {
		return fmt.Errorf("the new pile has %d cards, and %d lie under the top card", e.GetCount(), want)
	}
	b.rebuilt = true
	return nil
}

// rebuild puts the discards but the top card, and the cards of those who left, into the empty pile.
func (b *books) rebuild() {
	last := len(b.discard) - 1
	for _, card := range append(slices.Clone(b.discard[:last]), b.buried...) {
		b.outside[card]--
		b.pile++
	}
	b.discard, b.buried, b.rebuilt = b.discard[last:], nil, false
}
