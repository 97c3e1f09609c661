package record

import (
	"fmt"
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// books keep account of a match as its events tell it: whose cards are where, whose turn it is, who has which points.
//
// They are no rules engine: they check what one event says against those before it. What they do not check is listed in
// NotChecked.
type books struct {
	rules    *rules
	left     []bool
	leavers  []int
	totals   []uint32
	strikes  []uint32
	round    uint32
	dealer   int
	inRound  bool
	hasExtra bool
	isOver   bool

	// Of the present round.
	active    []bool
	hands     [][]pb.Card
	frozen    []uint32           // what the cards counted of who left in this round,
	gone      []bool             // and who did
	outside   map[pb.Card]uint32 // cards that are not in the pile
	pile      uint32
	discard   []pb.Card
	buried    []pb.Card
	rebuilt   bool
	starting  bool
	color     pb.Color
	turn      uint32
	turnSeat  int // -1 when no turn is open
	at        int // the seat from which the next one is counted; -1 when that is not known
	direction int32
	pending   uint32
	mayLapse  bool         // a seat left since, and with it perhaps the penalty
	hasDrawn  bool         // whether a card was drawn in the present turn,
	drawn     pb.Card      // and the last one drawn,
	mustKeep  bool         // which could be played and was not kept yet
	accused   int          // the seat that draws for the last accusation
	expects   pb.DrawCause // for what cards must be drawn next
	open      bool         // whether the top card was played, and nobody has yet drawn for it
	chooser   int          // who names the colour of a wild that opens the round; -1 when that is not known
	silent    int          // the seat whose time ran out in the event before, and
	late      int          // the one whose time ran out in the present turn; -1 for none
	offence   offence
	played    *pb.CardPlayed // the last card played in the present turn
}

// offence is the last wild draw four, by which a challenge is judged.
type offence struct {
	seat    int
	hand    []pb.Card
	color   pb.Color
	isBluff bool
}

func newBooks(rules *rules, seats int) *books {
	return &books{
		rules: rules, dealer: -1, left: make([]bool, seats), totals: make([]uint32, seats),
		strikes: make([]uint32, seats),
	}
}

// enter takes one event, and returns what is wrong with it.
func (b *books) enter(event *pb.Event) error {
	if b.isOver {
		return fmt.Errorf("nothing may follow the end of the match")
	}
	if b.expects != pb.DrawCause_DRAW_CAUSE_UNSPECIFIED && event.GetCardsDrawn() == nil && event.GetPileRebuilt() == nil {
		return fmt.Errorf("cards must be drawn for %v", b.expects)
	}
	if event.GetColorChosen() == nil {
		b.silent = -1
	}
	switch content := event.GetEvent().(type) {
	case *pb.Event_RoundStarted:
		return b.roundStarted(content.RoundStarted)
	case *pb.Event_MatchEnded:
		return b.matchEnded(content.MatchEnded)
	case *pb.Event_SeatLeft:
		return b.seatLeft(content.SeatLeft)
	}
	if !b.inRound {
		return fmt.Errorf("no round is on")
	}
	if start := event.GetStartCardTurned(); b.starting || start != nil {
		if !b.starting || start == nil {
			return fmt.Errorf("the start card must be turned up once, right after the deal")
		}
		return b.startCardTurned(start)
	}
	switch content := event.GetEvent().(type) {
	case *pb.Event_TurnStarted:
		return b.turnStarted(content.TurnStarted)
	case *pb.Event_CardPlayed:
		return b.cardPlayed(content.CardPlayed)
	case *pb.Event_CardsDrawn:
		return b.cardsDrawn(content.CardsDrawn)
	case *pb.Event_CardKept:
		return b.cardKept(content.CardKept.GetSeat())
	case *pb.Event_PenaltyAccepted:
		b.expects = pb.DrawCause_DRAW_CAUSE_PENALTY
		return b.mustAnswer(content.PenaltyAccepted.GetSeat())
	case *pb.Event_ChallengeResolved:
		return b.challengeResolved(content.ChallengeResolved)
	case *pb.Event_ColorChosen:
		return b.colorChosen(content.ColorChosen)
	case *pb.Event_SeatSkipped:
		return b.seatSkipped(content.SeatSkipped.GetSeat())
	case *pb.Event_HandsMoved:
		return b.handsMoved(content.HandsMoved)
	case *pb.Event_PileRebuilt:
		return b.pileRebuilt(content.PileRebuilt)
	case *pb.Event_UnoCalled:
		return b.isActive(content.UnoCalled.GetSeat())
	case *pb.Event_SeatAccused:
		return b.seatAccused(content.SeatAccused)
	case *pb.Event_TimedOut:
		return b.timedOut(content.TimedOut)
	case *pb.Event_RoundEnded:
		return b.roundEnded(content.RoundEnded)
	}
	return fmt.Errorf("it is of a kind that this verifier does not know")
}

// isActive returns an error when a seat does not take part.
func (b *books) isActive(seat uint32) error {
	if int(seat) >= len(b.active) || !b.active[seat] {
		return fmt.Errorf("seat %d does not take part", seat)
	}
	return nil
}

// after returns the active seat after another one in a direction.
func (b *books) after(seat int, direction int32) int {
	count := len(b.active)
	for i := 1; i <= count; i++ {
		next := ((seat+i*int(direction))%count + count) % count
		if b.active[next] {
			return next
		}
	}
	return seat
}

func (b *books) roundStarted(e *pb.RoundStarted) error {
	if b.inRound {
		return fmt.Errorf("a round is on already")
	}
	if e.GetRound() != b.round+1 {
		return fmt.Errorf("round %d begins, and %d must come here", e.GetRound(), b.round+1)
	}
	if len(e.GetHandCounts()) != len(b.left) {
		return fmt.Errorf("%d seats are dealt to, and there are %d", len(e.GetHandCounts()), len(b.left))
	}
	if b.isDecided() {
		return fmt.Errorf("round %d begins, and the match was decided with the points %v", e.GetRound(), b.totals)
	}
	b.round, b.inRound, b.starting = e.GetRound(), true, true
	seats := len(b.left)
	b.active, b.hands, b.frozen = make([]bool, seats), make([][]pb.Card, seats), make([]uint32, seats)
	b.gone = make([]bool, seats)
	b.outside, b.pile = map[pb.Card]uint32{}, uint32(len(b.rules.deck))
	b.discard, b.buried, b.rebuilt, b.played, b.open, b.chooser = nil, nil, false, nil, false, -1
	b.turn, b.turnSeat, b.at, b.direction, b.pending, b.accused, b.late = 0, -1, -1, 1, 0, -1, -1
	b.color, b.offence, b.mayLapse = pb.Color_COLOR_UNSPECIFIED, offence{seat: -1}, false
	for seat, count := range e.GetHandCounts() {
		switch {
		case count == 0 && !b.left[seat] && b.round > 1:
			b.hasExtra = true // a round among those who are tied
		case count == 0 && b.left[seat]:
		case b.left[seat]:
			return fmt.Errorf("seat %d is dealt cards, and has left", seat)
		case count != b.rules.number("hand_size"):
			return fmt.Errorf("seat %d is dealt %d cards, and hand_size is %s", seat, count, b.rules.options["hand_size"])
		default:
			b.active[seat] = true
		}
	}
	if err := b.checkDealer(int(e.GetDealer())); err != nil {
		return err
	}
	if len(e.GetCommitment()) != 32 {
		return fmt.Errorf("the commitment has %d bytes; it has 32", len(e.GetCommitment()))
	}
	return b.takeHands(e)
}

func (b *books) checkDealer(dealer int) error {
	if err := b.isActive(uint32(dealer)); err != nil {
		return fmt.Errorf("the dealer: %w", err)
	}
	if first := b.after(-1, 1); b.dealer < 0 && b.rules.is("first_dealer", "seat0") && dealer != first {
		return fmt.Errorf("seat %d deals, and it must be seat %d", dealer, first)
	}
	if b.dealer >= 0 && b.rules.is("dealer_rotation", "clockwise") {
		if want := b.after(b.dealer, 1); dealer != want {
			return fmt.Errorf("seat %d deals, and it is the turn of seat %d", dealer, want)
		}
	}
	b.dealer = dealer
	return nil
}

// takeHands takes the opening hands: those of all active seats.
func (b *books) takeHands(e *pb.RoundStarted) error {
	var dealt []uint32
	for _, hand := range e.GetHands() {
		dealt = append(dealt, hand.GetSeat())
		if err := b.isActive(hand.GetSeat()); err != nil {
			return err
		}
		if len(hand.GetCards()) != int(e.GetHandCounts()[hand.GetSeat()]) {
			return fmt.Errorf("seat %d is dealt %d cards, and hand_counts says %d",
				hand.GetSeat(), len(hand.GetCards()), e.GetHandCounts()[hand.GetSeat()])
		}
		if !slices.IsSorted(hand.GetCards()) {
			return fmt.Errorf("the hand of seat %d is not ascending", hand.GetSeat())
		}
		if err := b.takeOut(hand.GetCards()...); err != nil {
			return err
		}
		b.hands[hand.GetSeat()] = slices.Clone(hand.GetCards())
	}
	var want []uint32
	for seat, isActive := range b.active {
		if isActive {
			want = append(want, uint32(seat))
		}
	}
	if !slices.Equal(dealt, want) {
		return fmt.Errorf("hands of the seats %v are told, and %v were dealt to", dealt, want)
	}
	return nil
}

func (b *books) startCardTurned(e *pb.StartCardTurned) error {
	card := e.GetCard()
	if e.GetPutBack() != b.rules.putsBack(card) {
		return fmt.Errorf("put_back is %v, and the rules say otherwise for %s", e.GetPutBack(), cards.Text(card))
	}
	if err := b.takeOut(card); err != nil {
		return err
	}
	if e.GetPutBack() {
		b.outside[card]--
		b.pile++
		return nil
	}
	b.starting = false
	b.discard = []pb.Card{card}
	b.color = cards.ColorOf(card)
	b.openRound(card)
	return nil
}

// openRound sets who comes first, in which direction, behind a start card.
func (b *books) openRound(card pb.Card) {
	effect := b.rules.options[startOption(card)]
	if effect == "apply" || effect == "draw_only" || effect == "dealer_chooses_apply" {
		b.pending = drawsOf(card)
	}
	b.at = b.dealer
	if startOption(card) == "start_reverse" && effect != "ignore" {
		b.direction = -1
		skips := b.rules.is("reverse_two_players", "skip")
		if left := b.after(b.dealer, 1); effect == "dealer_first" || skips && b.after(left, 1) == b.dealer {
			b.at = left // so that the dealer is next
		}
	} else if b.rules.is("first_player", "random") {
		b.at = -1
	}
	if effect != "first_player_chooses" {
		b.chooser = b.dealer
	} else if b.at >= 0 {
		b.chooser = b.after(b.at, b.direction)
	}
}
