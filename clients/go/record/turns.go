package record

import (
	"fmt"
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// hasTurn returns an error when a seat is not in its turn.
func (b *books) hasTurn(seat uint32) error {
	if int(seat) != b.turnSeat {
		return fmt.Errorf("it is not the turn of seat %d", seat)
	}
	return nil
}

// isNext returns an error when a seat is not the one that comes next.
func (b *books) isNext(seat uint32) error {
	if err := b.isActive(seat); err != nil {
		return err
	}
	if b.at < 0 {
		return nil
	}
	if next := b.after(b.at, b.direction); next != int(seat) {
		return fmt.Errorf("seat %d comes, and seat %d is next", seat, next)
	}
	return nil
}

// mustAnswer returns an error when a seat is not the one that a pending penalty is for.
func (b *books) mustAnswer(seat uint32) error {
	if b.pending == 0 {
		return fmt.Errorf("no penalty is pending")
	}
	return b.isNext(seat)
}

func (b *books) turnStarted(e *pb.TurnStarted) error {
	if e.GetTurn() != b.turn+1 {
		return fmt.Errorf("turn %d begins, and %d must come here", e.GetTurn(), b.turn+1)
	}
	if err := b.isNext(e.GetSeat()); err != nil {
		return err
	}
	if most := b.rules.number("max_turns_per_round"); e.GetTurn() > most {
		return fmt.Errorf("turn %d begins, and a round has %d at most", e.GetTurn(), most)
	}
	if err := b.mayPass(); err != nil {
		return err
	}
	if b.pending > 0 && !b.mayLapse {
		return fmt.Errorf("a turn begins, and a penalty of %d was not drawn", b.pending)
	}
	b.pending, b.mayLapse = 0, false
	b.turn, b.played, b.hasDrawn, b.late = e.GetTurn(), nil, false, -1
	b.turnSeat = int(e.GetSeat())
	b.at = b.turnSeat
	return nil
}

func (b *books) seatSkipped(seat uint32) error {
	err := b.isNext(seat)
	if b.at >= 0 {
		b.at = int(seat)
	}
	return err
}

func (b *books) timedOut(e *pb.TimedOut) error {
	if err := b.isActive(e.GetSeat()); err != nil {
		return err
	}
	b.strikes[e.GetSeat()]++
	b.silent, b.late = int(e.GetSeat()), int(e.GetSeat())
	if want := b.strikes[e.GetSeat()]; e.GetStrikes() != want {
		return fmt.Errorf("seat %d has %d timeouts, and not %d", e.GetSeat(), want, e.GetStrikes())
	}
	return nil
}

func (b *books) seatAccused(e *pb.SeatAccused) error {
	if err := b.isActive(e.GetAccuser()); err != nil {
		return err
	}
	if err := b.isActive(e.GetTarget()); err != nil {
		return err
	}
	if e.GetAccuser() == e.GetTarget() {
		return fmt.Errorf("seat %d accuses itself", e.GetAccuser())
	}
	if held := len(b.hands[e.GetTarget()]); e.GetCaught() && held != 1 {
		return fmt.Errorf("seat %d is caught, and holds %d cards", e.GetTarget(), held)
	}
	if !e.GetCaught() && b.rules.number("false_catch_penalty") == 0 {
		return fmt.Errorf("seat %d accuses wrongly, which is refused where it costs nothing", e.GetAccuser())
	}
	b.accused, b.expects = int(e.GetAccuser()), pb.DrawCause_DRAW_CAUSE_FALSE_CATCH
	if e.GetCaught() {
		b.accused, b.expects = int(e.GetTarget()), pb.DrawCause_DRAW_CAUSE_CAUGHT
	}
	return nil
}

func (b *books) colorChosen(e *pb.ColorChosen) error {
	if err := b.isActive(e.GetSeat()); err != nil {
		return err
	}
	if top := b.discard[len(b.discard)-1]; len(b.discard) != 1 || !cards.IsWild(top) || b.turn != 0 {
		return fmt.Errorf("a colour is named, and no wild has just opened the round")
	}
	if !slices.Contains(cards.Colors, e.GetColor()) {
		return fmt.Errorf("%v is no colour", e.GetColor())
	}
	if b.chooser >= 0 && int(e.GetSeat()) != b.chooser {
		return fmt.Errorf("seat %d names a colour, and it is for seat %d to do so", e.GetSeat(), b.chooser)
	}
	if e.GetByServer() != (b.silent == int(e.GetSeat())) {
		return fmt.Errorf("by_server is %v, and the server names a colour when a seat's time has run out", e.GetByServer())
	}
	b.color = e.GetColor()
	return nil
}

func (b *books) cardPlayed(e *pb.CardPlayed) error {
	seat, card := int(e.GetSeat()), e.GetCard()
	if err := b.isActive(e.GetSeat()); err != nil {
		return err
	}
	if !slices.Contains(b.hands[seat], card) {
		return fmt.Errorf("seat %d plays %s, and holds %s", seat, cards.Text(card), cards.HandText(b.hands[seat]))
	}
	if err := b.mayPlay(e); err != nil {
		return err
	}
	if len(b.hands[seat]) == 1 && !b.mayFinish(card) {
		return fmt.Errorf("seat %d goes out with %s, and finish_restriction is %s",
			seat, cards.Text(card), b.rules.options["finish_restriction"])
	}
	hand := without(b.hands[seat], card)
	if int(e.GetHandCount()) != len(hand) {
		return fmt.Errorf("seat %d has %d cards left, and not %d", seat, len(hand), e.GetHandCount())
	}
	if err := b.checkEffects(e); err != nil {
		return err
	}
	if card == pb.Card_CARD_WILD_DRAW_FOUR {
		b.offence = offence{seat, slices.Clone(hand), b.color, b.isBluff(hand)}
	}
	b.hands[seat] = hand
	b.discard = append(b.discard, card)
	b.color, b.direction, b.pending = e.GetColor(), e.GetDirection(), e.GetPending()
	b.at, b.turnSeat, b.played, b.open = seat, -1, e, true
	return nil
}

// mayPlay checks that it is for the seat to play, and that the card fits the top card.
func (b *books) mayPlay(e *pb.CardPlayed) error {
	card, top := e.GetCard(), b.discard[len(b.discard)-1]
	if e.GetJumpIn() {
		isWanted := !b.rules.is("jump_in", "off") && (!cards.IsWild(card) ||
			card == pb.Card_CARD_WILD_DRAW_FOUR && b.rules.is("jump_in", "identical_incl_w4"))
		if !isWanted || card != top || !b.open || int(e.GetSeat()) == b.turnSeat {
			return fmt.Errorf("seat %d jumps in with %s on %s", e.GetSeat(), cards.Text(card), cards.Text(top))
		}
		return nil
	}
	if b.pending > 0 {
		if !b.rules.stacks(card, top, e.GetPending()) {
			return fmt.Errorf("seat %d plays %s on %s, and a penalty is pending",
				e.GetSeat(), cards.Text(card), cards.Text(top))
		}
		return b.mustAnswer(e.GetSeat())
	}
	if err := b.hasTurn(e.GetSeat()); err != nil {
		return err
	}
	isOther := b.rules.is("after_draw_play", "drawn_only") && card != b.drawn
	if b.hasDrawn && (isOther || b.rules.is("drawn_card", "never")) {
		return fmt.Errorf("seat %d plays %s, and has just drawn %s", e.GetSeat(), cards.Text(card), cards.Text(b.drawn))
	}
	if !b.fits(card) {
		return fmt.Errorf("seat %d plays %s, which fits neither %s nor the colour in force, %s",
			e.GetSeat(), cards.Text(card), cards.Text(top), cards.ColorText(b.color))
	}
	if rest := without(b.hands[e.GetSeat()], card); card == pb.Card_CARD_WILD_DRAW_FOUR &&
		b.rules.is("w4_enforcement", "reject") && b.isBluff(rest) {
		return fmt.Errorf("seat %d plays W4 on the colour %s, and holds %s",
			e.GetSeat(), cards.ColorText(b.color), cards.HandText(rest))
	}
	return nil
}

// checkEffects checks what a play says of colour, target, direction and penalty.
func (b *books) checkEffects(e *pb.CardPlayed) error {
	card := e.GetCard()
	isLast := e.GetHandCount() == 0
	isNamed := slices.Contains(cards.Colors, e.GetColor())
	if cards.IsWild(card) && isNamed == isLast || !cards.IsWild(card) && e.GetColor() != cards.ColorOf(card) {
		return fmt.Errorf("after %s the colour is %s", cards.Text(card), cards.ColorText(e.GetColor()))
	}
	if e.Target != nil {
		if err := b.isActive(e.GetTarget()); err != nil {
			return err
		}
		mayAim := b.rules.is("seven_swap", "true") && !cards.IsWild(card) && cards.RankOf(card) == 7
		if !mayAim || e.GetTarget() == e.GetSeat() {
			return fmt.Errorf("%s swaps no hands with seat %d", cards.Text(card), e.GetTarget())
		}
	}
	isReverse := !cards.IsWild(card) && cards.RankOf(card) == cards.Reverse
	direction := b.direction
	if isReverse {
		direction = -direction
	}
	// A jump cancels what it jumps on.
	if e.GetDirection() != direction && !e.GetJumpIn() || e.GetDirection()*e.GetDirection() != 1 {
		return fmt.Errorf("after %s the direction is %d", cards.Text(card), e.GetDirection())
	}
	want := b.pending + drawsOf(card)
	// A jump cancels the penalty of the card under it, or adds to it where that accumulates and cards may be stacked so.
	accumulates := b.rules.is("jump_in_effect", "accumulate") && b.rules.stacks(card, card, want)
	if e.GetJumpIn() && !accumulates {
		want = drawsOf(card)
	}
	if e.GetPending() != want {
		return fmt.Errorf("after %s a penalty of %d is pending, and not %d", cards.Text(card), want, e.GetPending())
	}
	return nil
}

func (b *books) challengeResolved(e *pb.ChallengeResolved) error {
	if err := b.mustAnswer(e.GetChallenger()); err != nil {
		return err
	}
	o := b.offence
	if int(e.GetOffender()) != o.seat || b.discard[len(b.discard)-1] != pb.Card_CARD_WILD_DRAW_FOUR {
		return fmt.Errorf("seat %d has not played the wild draw four on top", e.GetOffender())
	}
	if !slices.Equal(e.GetHand(), o.hand) {
		return fmt.Errorf("seat %d held %s, and %s is told", o.seat, cards.HandText(o.hand), cards.HandText(e.GetHand()))
	}
	isGuilty := o.isBluff
	if e.GetGuilty() != isGuilty {
		return fmt.Errorf("the verdict is guilty: %v, and seat %d held %s against %s",
			e.GetGuilty(), o.seat, cards.HandText(o.hand), cards.ColorText(o.color))
	}
	if !isGuilty || b.active[o.seat] {
		b.expects = pb.DrawCause_DRAW_CAUSE_CHALLENGE
	}
	return nil
}
