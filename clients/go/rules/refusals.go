package rules

import (
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// refuses returns why a move is refused, or nil. Of several reasons it is the first in the order of scenario.md.
func (m *Match) refuses(move Move) *Refusal {
	switch {
	case m.isOver:
		return refuse(pb.Reason_REASON_MATCH_OVER, "the match is over")
	case move.Kind == Deal:
		if m.inRound {
			return refuse(pb.Reason_REASON_ACTION_NOT_AVAILABLE, "a round begins, and round %d is on", m.round)
		}
		return nil
	case move.Kind == Leave && !m.inRound:
		return m.refusesSeat(move.Seat, m.left)
	case !m.inRound:
		return refuse(pb.Reason_REASON_ROUND_OVER, "no round is on")
	}
	if refusal := m.refusesSeat(move.Seat, m.left); refusal != nil {
		return refusal
	}
	if move.Kind == Leave {
		return nil
	}
	if !m.active[move.Seat] {
		return refuse(pb.Reason_REASON_FORBIDDEN, "seat %d does not play in this round", move.Seat)
	}
	switch move.Kind {
	case UNO:
		return m.refusesCall(move.Seat)
	case Catch:
		return m.refusesCatch(move.Seat, move.Target)
	case Jump:
		return m.refusesJump(move)
	}
	if move.Seat != m.actor {
		return refuse(pb.Reason_REASON_NOT_YOUR_TURN, "it is not for seat %d to act, but for seat %d", move.Seat, m.actor)
	}
	return m.refusesAnswer(move)
}

// refusesSeat refuses a seat that does not exist or has left.
func (m *Match) refusesSeat(seat int, left []bool) *Refusal {
	if seat < 0 || seat >= len(left) {
		return refuse(pb.Reason_REASON_FORBIDDEN, "there is no seat %d; the last one is %d", seat, len(left)-1)
	}
	if left[seat] {
		return refuse(pb.Reason_REASON_FORBIDDEN, "seat %d has left", seat)
	}
	return nil
}

// refusesAnswer refuses a move of the seat to act that is none of the answers to what it is asked.
func (m *Match) refusesAnswer(move Move) *Refusal {
	unavailable := func(text string) *Refusal {
		return refuse(pb.Reason_REASON_ACTION_NOT_AVAILABLE, "seat %d "+text, move.Seat)
	}
	switch move.Kind {
	case Timeout:
		return nil
	case Play:
		switch {
		case m.asks == aColor:
			return unavailable("plays a card, and must name a colour")
		case m.asks == aPenalty && !m.canStack():
			return unavailable("plays a card, and no card answers the pending penalty")
		}
		return m.refusesCard(move)
	case Draw:
		switch {
		case m.asks == aDrawnCard:
			return unavailable("draws a second time in its turn")
		case m.asks != itsTurn:
			return unavailable("draws, and is asked something else")
		}
		return m.refusesDraw(move.Seat)
	case Keep:
		switch {
		case m.asks != aDrawnCard:
			return unavailable("keeps a card, and has drawn none that could be played")
		case m.rules.Is("drawn_card", "must_play") && m.isPlayable(m.hands[move.Seat], m.drawn):
			return unavailable("keeps a card that it must play, since drawn_card is must_play")
		}
	case Accept:
		if m.asks != aPenalty {
			return unavailable("takes a penalty, and none is pending")
		}
	case Challenge:
		if m.asks != aPenalty || !m.canChallenge() {
			return unavailable("challenges a wild draw four, and there is none that could be challenged")
		}
	case ChooseColor:
		if m.asks != aColor {
			return unavailable("names a colour, and is not asked for one")
		}
		if !slices.Contains(cards.Colors, move.Color) {
			return refuse(pb.Reason_REASON_COLOR_REQUIRED, "seat %d names %s, which is no colour",
				move.Seat, cards.ColorText(move.Color))
		}
	}
	return nil
}

// refusesDraw refuses a draw of a seat that can play, where it must: nobody must bluff rather than draw.
func (m *Match) refusesDraw(seat int) *Refusal {
	if !m.rules.Is("voluntary_draw", "forbidden") {
		return nil
	}
	hand := m.hands[seat]
	for _, id := range hand {
		isBluff := m.face(id) == pb.Card_CARD_WILD_DRAW_FOUR && m.isBluff(without(hand, id))
		if m.isPlayable(hand, id) && !isBluff {
			return refuse(pb.Reason_REASON_ACTION_NOT_AVAILABLE, "seat %d draws, and could play %s",
				seat, cards.Text(m.face(id)))
		}
	}
	return nil
}

// refusesCard refuses a card that is not held, lacks a colour or a target, or may not be played.
func (m *Match) refusesCard(move Move) *Refusal {
	seat := move.Seat
	hand, name := m.hands[seat], cards.Text(move.Card)
	id := m.find(seat, move.Card, move.Kind == Jump)
	if id < 0 {
		return refuse(pb.Reason_REASON_CARD_NOT_IN_HAND, "seat %d plays %s, and holds %s",
			seat, name, cards.HandText(m.faces(hand)))
	}
	if cards.IsWild(move.Card) && len(hand) > 1 && !slices.Contains(cards.Colors, move.Color) {
		return refuse(pb.Reason_REASON_COLOR_REQUIRED, "seat %d plays %s without a colour", seat, name)
	}
	if targets := m.targets(seat, move.Card); len(targets) > 0 && !slices.Contains(targets, move.Target) {
		return refuse(pb.Reason_REASON_TARGET_REQUIRED, "seat %d plays %s to swap hands with seat %d, and may do so with %v",
			seat, name, move.Target, targets)
	}
	rest := without(hand, id)
	switch {
	case move.Kind == Jump && move.Card != m.top():
		return refuse(pb.Reason_REASON_CARD_NOT_PLAYABLE, "seat %d jumps in with %s, and %s lies on top",
			seat, name, cards.Text(m.top()))
	case len(rest) == 0 && !m.mayFinish(move.Card):
		return refuse(pb.Reason_REASON_CARD_NOT_PLAYABLE, "seat %d goes out with %s, and finish_restriction is %s",
			seat, name, m.rules.options["finish_restriction"])
	case !m.isAllowed(move.Card, rest):
		return refuse(pb.Reason_REASON_CARD_NOT_PLAYABLE, "seat %d plays %s on %s, and holds %s",
			seat, name, cards.ColorText(m.color), cards.HandText(m.faces(rest)))
	case move.Kind == Jump || m.isPlayable(hand, id):
		return nil
	case m.asks == aPenalty:
		return refuse(pb.Reason_REASON_CARD_NOT_PLAYABLE, "seat %d plays %s on %s, and a penalty of %d is pending",
			seat, name, cards.Text(m.top()), m.pending)
	case m.drawn >= 0 && m.fits(move.Card):
		return refuse(pb.Reason_REASON_CARD_NOT_PLAYABLE, "seat %d plays %s, and has just drawn %s",
			seat, name, cards.Text(m.face(m.drawn)))
	}
	return refuse(pb.Reason_REASON_CARD_NOT_PLAYABLE, "seat %d plays %s, which fits neither %s nor the colour in force, %s",
		seat, name, cards.Text(m.top()), cards.ColorText(m.color))
}

// refusesJump refuses a jump of the seat to act, on a card that nobody may jump on any more, or with another card.
func (m *Match) refusesJump(move Move) *Refusal {
	if !m.isJumpedOn(m.top()) || move.Seat == m.actor {
		return refuse(pb.Reason_REASON_ACTION_NOT_AVAILABLE, "seat %d jumps in with %s, which it may not on %s now",
			move.Seat, cards.Text(move.Card), cards.Text(m.top()))
	}
	return m.refusesCard(move)
}

// refusesCall refuses a call of UNO that fits nothing, where it costs nothing.
func (m *Match) refusesCall(seat int) *Refusal {
	if m.mayCall(seat) || m.rules.Number("false_uno_penalty") > 0 {
		return nil
	}
	return refuse(pb.Reason_REASON_ACTION_NOT_AVAILABLE, "seat %d calls UNO, and has nothing to call it for", seat)
}

// refusesCatch refuses an accusation of oneself or of a seat that does not play, and a wrong one where it costs nothing.
func (m *Match) refusesCatch(accuser, target int) *Refusal {
	if accuser == target {
		return refuse(pb.Reason_REASON_ACTION_NOT_AVAILABLE, "seat %d accuses itself", accuser)
	}
	isThere := target >= 0 && target < len(m.active) && m.active[target]
	if isThere && (m.owes[target] || m.rules.Number("false_catch_penalty") > 0) {
		return nil
	}
	return refuse(pb.Reason_REASON_NOT_LIABLE, "seat %d accuses seat %d, which owes no call", accuser, target)
}
