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

// mayDraw checks that a seat may draw in its turn: once, and where that is forbidden to those who can play, only when
// it cannot.
func (b *books) mayDraw(e *pb.CardsDrawn) error {
	if e.GetCause() != pb.DrawCause_DRAW_CAUSE_TURN {
		return nil
	}
	if b.hasDrawn {
		return fmt.Errorf("seat %d draws a second time in its turn", e.GetSeat())
	}
	b.hasDrawn = true
	if len(e.GetCards()) > 0 {
		b.drawn = e.GetCards()[len(e.GetCards())-1]
	}
	if !b.rules.is("voluntary_draw", "forbidden") {
		return nil
	}
	hand := b.hands[e.GetSeat()]
	for _, card := range hand {
		isRefused := card == pb.Card_CARD_WILD_DRAW_FOUR && b.rules.is("w4_enforcement", "reject") &&
			b.isBluff(without(hand, card))
		if b.fits(card) && !isRefused && (len(hand) > 1 || b.mayFinish(card)) {
			return fmt.Errorf("seat %d draws, and could play %s", e.GetSeat(), cards.Text(card))
		}
	}
	return nil
}
