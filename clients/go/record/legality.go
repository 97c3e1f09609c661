package record

import (
	"fmt"
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// without returns a hand without one card of a face.
func without(hand []pb.Card, card pb.Card) []pb.Card {
	place := slices.Index(hand, card)
	if place < 0 {
		return hand
	}
	return slices.Delete(slices.Clone(hand), place, place+1)
}

// fits tells whether a card may lie on the top card: by colour, number or symbol, or because it is wild.
func (b *books) fits(card pb.Card) bool {
	top := b.discard[len(b.discard)-1]
	if cards.IsWild(card) || cards.ColorOf(card) == b.color || b.color == pb.Color_COLOR_UNSPECIFIED {
		return true
	}
	isNumber := cards.RankOf(card) < cards.Skip
	if cards.IsWild(top) {
		return false
	}
	if cards.RankOf(card) == cards.RankOf(top) {
		return isNumber || !b.rules.is("match_symbol", "off")
	}
	return b.rules.is("match_symbol", "any_action") && !isNumber && cards.RankOf(top) >= cards.Skip
}

// isBluff tells whether a wild draw four is not allowed beside the other cards of a hand.
func (b *books) isBluff(rest []pb.Card) bool {
	legality := b.rules.options["w4_legality"]
	if legality == "anytime" {
		return false
	}
	top := b.discard[len(b.discard)-1]
	isNumber := !cards.IsWild(top) && cards.RankOf(top) < cards.Skip
	return slices.ContainsFunc(rest, func(card pb.Card) bool {
		switch {
		case legality == "no_other_play":
			return card != pb.Card_CARD_WILD_DRAW_FOUR && b.fits(card)
		case cards.IsWild(card):
			return false
		}
		isSameNumber := isNumber && cards.RankOf(card) == cards.RankOf(top)
		return cards.ColorOf(card) == b.color || legality == "no_color_or_number" && isSameNumber
	})
}

// mayFinish tells whether a card may be the last one.
func (b *books) mayFinish(card pb.Card) bool {
	switch b.rules.options["finish_restriction"] {
	case "no_wild":
		return !cards.IsWild(card)
	case "no_draw":
		return drawsOf(card) == 0
	case "number_only":
		return !cards.IsWild(card) && cards.RankOf(card) < cards.Skip
	}
	return true
}

// isPlayable tells whether a card may be played in a turn, beside the rest of the hand.
func (b *books) isPlayable(card pb.Card, rest []pb.Card) bool {
	isRefused := card == pb.Card_CARD_WILD_DRAW_FOUR && b.rules.is("w4_enforcement", "reject") && b.isBluff(rest)
	return b.fits(card) && !isRefused && (len(rest) > 0 || b.mayFinish(card))
}

// cardKept checks that there was a card to be kept.
func (b *books) cardKept(seat uint32) error {
	if err := b.hasTurn(seat); err != nil {
		return err
	}
	if !b.hasDrawn || b.rules.is("after_draw_play", "drawn_only") && !b.mustKeep {
		return fmt.Errorf("seat %d keeps a card, and has drawn none that could be played", seat)
	}
	b.mustKeep = false
	return nil
}

// mayPass checks that the turn before the present one was ended: a drawn card that could be played was played or kept.
func (b *books) mayPass() error {
	isOpen := b.hasDrawn && b.mustKeep && b.played == nil && b.turnSeat >= 0 && b.active[b.turnSeat]
	if isOpen && b.rules.is("drawn_card", "may_play") {
		return fmt.Errorf("the next turn begins, and seat %d has neither played nor kept %s", b.turnSeat, cards.Text(b.drawn))
	}
	return nil
}

// mayDraw checks that a seat may draw in its turn: once, and where that is forbidden to those who can play, only when
// it cannot.
func (b *books) mayDraw(e *pb.CardsDrawn) error {
	if e.GetCause() != pb.DrawCause_DRAW_CAUSE_TURN {
		return nil
	}
	if b.hasDrawn {
		return fmt.Errorf("seat %d draws a second time in its turn", e.GetSeat())
	}
	b.hasDrawn, b.mustKeep = true, false
	hand := b.hands[e.GetSeat()]
	for i, card := range e.GetCards() {
		isLast := i == len(e.GetCards())-1
		b.drawn, b.mustKeep = card, b.isPlayable(card, hand)
		hand = append(slices.Clone(hand), card)
		if b.mustKeep && !isLast {
			return fmt.Errorf("seat %d draws on behind %s, which could be played", e.GetSeat(), cards.Text(card))
		}
		isEnough := b.mustKeep || b.rules.is("draw_mode", "one") || b.isExhausted() ||
			b.rules.is("draw_mode", "up_to_n") && e.GetCount() >= b.rules.number("draw_limit")
		if isLast && !isEnough {
			return fmt.Errorf("seat %d draws no further behind %s, which cannot be played", e.GetSeat(), cards.Text(card))
		}
	}
	if !b.rules.is("voluntary_draw", "forbidden") {
		return nil
	}
	hand = b.hands[e.GetSeat()]
	for _, card := range hand {
		rest := without(hand, card)
		// Nobody must bluff rather than draw.
		isBluff := card == pb.Card_CARD_WILD_DRAW_FOUR && b.isBluff(rest)
		if b.isPlayable(card, rest) && !isBluff {
			return fmt.Errorf("seat %d draws, and could play %s", e.GetSeat(), cards.Text(card))
		}
	}
	return nil
}
