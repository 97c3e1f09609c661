package record

import (
	"bytes"
	"fmt"
	"slices"

	"lastcard/cards"
	"lastcard/chance"
	pb "lastcard/lastcardv1"
)

// replay deals and draws a match again from its revealed seeds, and compares every card with what the events tell.
type replay struct {
	contents *contents
	rules    *rules
	round    *chance.Round
	turn     uint32
	first    bool // whether the next turn is the first of a round that starts by lot
	hands    map[int][]int
	discard  []int
	buried   []int
	starts   []int
	rebuilt  bool
	// drawn is the card that a seat may play as just drawn.
	drawn map[int]int
}

// checkSeeds compares all that follows from seeds and salt with the events.
//
// It takes so many events, which the books have found to be consistent.
func (c *contents) checkSeeds(rules *rules, count int) *Fault {
	if fault := c.checkCommitments(rules); fault != nil {
		return fault
	}
	r := &replay{contents: c, rules: rules}
	for i, event := range c.events[:count] {
		if err := r.enter(event); err != nil {
			return faultAt(i+2, "%v", err)
		}
	}
	return nil
}

// checkCommitments finds out what is wrong when seeds, salt, commitments and hands do not agree: a seed that gives
// neither commitment nor hands, or a salt that fits no commitment, is wrong in the reveal, else the line of the round.
func (c *contents) checkCommitments(rules *rules) *Fault {
	var lines []int
	for i, event := range c.events {
		if event.GetRoundStarted() != nil {
			lines = append(lines, i+2)
		}
	}
	atReveal := c.closingAt + 1
	if len(lines) != len(c.seeds) {
		return faultAt(atReveal, "%d seeds are revealed, and %d rounds began", len(c.seeds), len(lines))
	}
	fits := make([]bool, len(lines))
	for i, line := range lines {
		commitment := chance.Commitment(c.seeds[i], c.salt)
		fits[i] = bytes.Equal(c.events[line-2].GetRoundStarted().GetCommitment(), commitment[:])
	}
	if len(fits) > 0 && !slices.Contains(fits, true) && !c.isPromised() {
		return faultAt(atReveal, "no commitment follows from the salt and the seeds")
	}
	for i, line := range lines {
		if fits[i] {
			continue
		}
		if c.checkDeal(rules, c.events[line-2].GetRoundStarted(), c.seeds[i]) != nil {
			return faultAt(atReveal, "the seed of round %d gives neither its commitment nor its hands", i+1)
		}
		return faultAt(line, "the commitment does not follow from seed and salt")
	}
	return nil
}

// checkDeal deals a round, and compares the hands.
func (c *contents) checkDeal(rules *rules, e *pb.RoundStarted, seed chance.Key) error {
	round, err := c.deal(rules, e, seed)
	if err != nil {
		return err
	}
	for _, hand := range e.GetHands() {
		if dealt := facesOf(rules, round.Hands[int(hand.GetSeat())]); !slices.Equal(dealt, hand.GetCards()) {
			return fmt.Errorf("the seed deals seat %d %s, and %s is told",
				hand.GetSeat(), cards.HandText(dealt), cards.HandText(hand.GetCards()))
		}
	}
	return nil
}

func (c *contents) disguise(rules *rules, seed chance.Key) chance.Disguise {
	if c.header.Disguise == nil {
		return chance.NoDisguise(rules.deck)
	}
	return chance.NewDisguise(rules.deck, chance.DisguiseKey(seed, c.salt))
}

func (c *contents) deal(rules *rules, e *pb.RoundStarted, seed chance.Key) (*chance.Round, error) {
	return chance.NewRound(chance.Rules{
		Deck:     rules.deck,
		HandSize: int(rules.number("hand_size")),
		PerSeat:  c.header.Draws == "per_seat",
		PutsBack: rules.putsBack,
	}, seed, c.disguise(rules, seed), activeOf(e))
}

// activeOf returns the seats that are dealt to.
func activeOf(e *pb.RoundStarted) (active []int) {
	for seat, count := range e.GetHandCounts() {
		if count > 0 {
			active = append(active, seat)
		}
	}
	return active
}

// facesOf returns the faces of cards given by id, ascending.
func facesOf(rules *rules, ids []int) []pb.Card {
	faces := make([]pb.Card, len(ids))
	for i, id := range ids {
		faces[i] = rules.deck[id]
	}
	slices.Sort(faces)
	return faces
}

// enter takes one event, which the books have found to be consistent.
func (r *replay) enter(event *pb.Event) error {
	switch content := event.GetEvent().(type) {
	case *pb.Event_RoundStarted:
		return r.roundStarted(content.RoundStarted)
	case *pb.Event_StartCardTurned:
		return r.startCardTurned(content.StartCardTurned)
	case *pb.Event_TurnStarted:
		return r.turnStarted(content.TurnStarted)
	case *pb.Event_CardPlayed:
		return r.cardPlayed(content.CardPlayed)
	case *pb.Event_CardsDrawn:
		return r.cardsDrawn(content.CardsDrawn)
	case *pb.Event_PileRebuilt:
		r.rebuilt = true
	case *pb.Event_ColorChosen:
		named, want := content.ColorChosen.GetColor(), r.round.ColorBefore(r.turn+1)
		if content.ColorChosen.GetByServer() && named != want {
			return fmt.Errorf("the server names %s, and the seed %s", cards.ColorText(named), cards.ColorText(want))
		}
	case *pb.Event_HandsMoved:
		moved := map[int][]int{}
		for seat, other := range content.HandsMoved.GetFromSeats() {
			moved[seat] = r.hands[int(other)]
		}
		r.hands = moved
	case *pb.Event_SeatLeft:
		seat := int(content.SeatLeft.GetSeat())
		if r.rules.is("leaver_cards", "to_discard") {
			r.buried = append(r.buried, r.hands[seat]...)
			delete(r.hands, seat)
		}
	case *pb.Event_RoundEnded:
		r.hands = nil
	}
	return nil
}

func (r *replay) roundStarted(e *pb.RoundStarted) error {
	if e.GetRound() == 1 {
		if err := r.checkFirstDealer(e); err != nil {
			return err
		}
	}
	seed := r.contents.seeds[e.GetRound()-1]
	if err := r.contents.checkDeal(r.rules, e, seed); err != nil {
		return err
	}
	round, err := r.contents.deal(r.rules, e, seed)
	if err != nil {
		return err
	}
	r.round, r.hands, r.starts = round, round.Hands, round.Starts
	r.turn, r.first, r.rebuilt, r.discard, r.buried, r.drawn = 0, false, false, nil, nil, map[int]int{}
	return nil
}

func (r *replay) checkFirstDealer(e *pb.RoundStarted) (err error) {
	seed, active := r.contents.seeds[0], activeOf(e)
	dealer := int(e.GetDealer())
	switch r.rules.options["first_dealer"] {
	case "random":
		dealer = chance.FirstDealer(seed, active)
	case "high_card":
		dealer, err = chance.HighCardDealer(r.rules.deck, seed, r.contents.disguise(r.rules, seed), active)
	}
	if err == nil && dealer != int(e.GetDealer()) {
		err = fmt.Errorf("seat %d deals, and the seed says seat %d", e.GetDealer(), dealer)
	}
	return err
}

func (r *replay) startCardTurned(e *pb.StartCardTurned) error {
	if len(r.starts) == 0 {
		return fmt.Errorf("%s is turned up, and the seed turns up no further card", cards.Text(e.GetCard()))
	}
	id := r.starts[0]
	r.starts = r.starts[1:]
	if want := r.rules.deck[id]; e.GetCard() != want {
		return fmt.Errorf("%s is turned up, and the seed turns up %s", cards.Text(e.GetCard()), cards.Text(want))
	}
	if !e.GetPutBack() {
		r.discard = []int{id}
		r.first = startOption(e.GetCard()) == "" && r.rules.is("first_player", "random")
	}
	return nil
}

func (r *replay) turnStarted(e *pb.TurnStarted) error {
	r.turn, r.drawn = e.GetTurn(), map[int]int{}
	if want := r.round.FirstPlayer(); r.first && int(e.GetSeat()) != want {
		return fmt.Errorf("seat %d starts, and the seed says seat %d", e.GetSeat(), want)
	}
	r.first = false
	return nil
}

// cardPlayed takes a card out of a hand: the one just drawn where no other may be played, else the lowest id of the face.
func (r *replay) cardPlayed(e *pb.CardPlayed) error {
	seat := int(e.GetSeat())
	hand := r.hands[seat]
	lowest := -1
	for _, id := range hand {
		if r.rules.deck[id] == e.GetCard() && (lowest < 0 || id < lowest) {
			lowest = id
		}
	}
	drawn, ok := r.drawn[seat]
	if ok && !e.GetJumpIn() && r.rules.deck[drawn] == e.GetCard() && r.rules.is("after_draw_play", "drawn_only") {
		lowest = drawn
	}
	r.drawn = map[int]int{}
	r.hands[seat] = slices.DeleteFunc(hand, func(id int) bool { return id == lowest })
	r.discard = append(r.discard, lowest)
	return nil
}

func (r *replay) cardsDrawn(e *pb.CardsDrawn) error {
	seat := int(e.GetSeat())
	for _, card := range e.GetCards() {
		id, ok := r.round.Draw(seat)
		if !ok && r.rebuilt {
			last := len(r.discard) - 1
			r.round.Rebuild(append(slices.Clone(r.discard[:last]), r.buried...))
			r.discard, r.buried, r.rebuilt = r.discard[last:], nil, false
			id, ok = r.round.Draw(seat)
		}
		if want := r.rules.deck[id]; !ok || card != want {
			return fmt.Errorf("seat %d draws %s, and the seed gives it %s", seat, cards.Text(card), cards.Text(want))
		}
		r.hands[seat] = append(r.hands[seat], id)
		if e.GetCause() == pb.DrawCause_DRAW_CAUSE_TURN {
			r.drawn[seat] = id
		}
	}
	return nil
}
