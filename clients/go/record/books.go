package record

import (
	"encoding/hex"
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
	rules      *rules
	commitment string
	left       []bool
	leavers    []int
	totals     []uint32
	strikes    []uint32
	round      uint32
	dealer     int
	inRound    bool
	hasExtra   bool
	isOver     bool

	// Of the present round.
	active    []bool
	hands     [][]pb.Card
	frozen    []uint32
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
	mayLapse  bool // a seat left since, and with it perhaps the penalty
	accused   int
	silent    int // the seat whose time ran out in the event before; -1 for none
	offence   offence
	played    *pb.CardPlayed // the last card played in the present turn
}

// offence is the last wild draw four, by which a challenge is judged.
type offence struct {
	seat  int
	hand  []pb.Card
	color pb.Color
	top   pb.Card
}

func newBooks(rules *rules, seats int, commitment string) *books {
	return &books{
		rules: rules, commitment: commitment, dealer: -1, left: make([]bool, seats), totals: make([]uint32, seats),
		strikes: make([]uint32, seats),
	}
}

// enter takes one event, and returns what is wrong with it.
func (b *books) enter(event *pb.Event) error {
	if b.isOver {
		return fmt.Errorf("nothing may follow the end of the match")
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
		return b.hasTurn(content.CardKept.GetSeat())
	case *pb.Event_PenaltyAccepted:
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
	b.round, b.inRound, b.starting = e.GetRound(), true, true
	seats := len(b.left)
	b.active, b.hands, b.frozen = make([]bool, seats), make([][]pb.Card, seats), make([]uint32, seats)
	b.outside, b.pile = map[pb.Card]uint32{}, uint32(len(b.rules.deck))
	b.discard, b.buried, b.rebuilt, b.played = nil, nil, false, nil
	b.turn, b.turnSeat, b.at, b.direction, b.pending, b.accused = 0, -1, -1, 1, 0, -1
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
	if text := hex.EncodeToString(e.GetCommitment()); b.round == 1 && text != b.commitment {
		return fmt.Errorf("the commitment is %s, and the header says %s", text, b.commitment)
	}
	return b.takeHands(e)
}

func (b *books) checkDealer(dealer int) error {
	if err := b.isActive(uint32(dealer)); err != nil {
		return fmt.Errorf("the dealer: %w", err)
	}
	if b.dealer < 0 && b.rules.is("first_dealer", "seat0") && dealer != 0 {
		return fmt.Errorf("seat %d deals, and it must be seat 0", dealer)
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

// takeOut takes cards out of the pile.
func (b *books) takeOut(drawn ...pb.Card) error {
	for _, card := range drawn {
		if b.outside[card] >= b.rules.counts[card] {
			return fmt.Errorf("%s comes from the pile, and all %d of the deck are elsewhere", cards.Text(card), b.rules.counts[card])
		}
		if b.pile == 0 {
			return fmt.Errorf("%s comes from the pile, which is empty", cards.Text(card))
		}
		b.outside[card]++
		b.pile--
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
		if left := b.after(b.dealer, 1); effect == "dealer_first" || b.after(left, 1) == b.dealer {
			b.at = left // so that the dealer is next
		}
	} else if b.rules.is("first_player", "random") {
		b.at = -1
	}
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
	b.hands[seat] = append(b.hands[seat], e.GetCards()...)
	slices.Sort(b.hands[seat])
	owed, isExact, err := b.owed(e)
	if err != nil {
		return err
	}
	isExhausted := b.pile == 0 && (len(b.discard)+len(b.buried) <= 1 || b.rules.is("pile_empty", "end_round"))
	if e.GetCount() > owed || isExact && e.GetCount() < owed && !isExhausted {
		return fmt.Errorf("seat %d draws %d cards, and it owes %d", seat, e.GetCount(), owed)
	}
	return nil
}

// owed returns how many cards a seat has to draw for a cause, whether it is exactly so many, and whether it may not.
func (b *books) owed(e *pb.CardsDrawn) (owed uint32, isExact bool, err error) {
	seat := int(e.GetSeat())
	switch e.GetCause() {
	case pb.DrawCause_DRAW_CAUSE_TURN:
		most := map[string]uint32{"one": 1, "up_to_n": b.rules.number("draw_limit")}[b.rules.options["draw_mode"]]
		if most == 0 {
			most = uint32(len(b.rules.deck))
		}
		return most, most == 1, b.hasTurn(e.GetSeat())
	case pb.DrawCause_DRAW_CAUSE_TIMEOUT:
		return 1, true, b.hasTurn(e.GetSeat())
	case pb.DrawCause_DRAW_CAUSE_PENALTY:
		owed, err = b.pending, b.mustAnswer(e.GetSeat())
		b.serve(seat)
		return owed, true, err
	case pb.DrawCause_DRAW_CAUSE_CHALLENGE:
		if b.pending < 4 {
			return 0, true, fmt.Errorf("nothing was challenged")
		}
		owed, b.pending = b.pending-4, 0
		if seat == b.offence.seat {
			if b.rules.is("challenge_success_turn", "challenger_skipped") {
				b.at = -1
			}
			return owed + b.rules.number("challenge_guilty_draws"), true, nil
		}
		b.at = seat
		return owed + b.rules.number("challenge_innocent_draws"), true, nil
	case pb.DrawCause_DRAW_CAUSE_CAUGHT:
		if b.accused != seat {
			err = fmt.Errorf("seat %d was not accused", seat)
		}
		b.accused = -1
		return b.rules.number("uno_penalty"), true, err
	case pb.DrawCause_DRAW_CAUSE_FALSE_CATCH:
		return b.rules.number("false_catch_penalty"), true, nil
	case pb.DrawCause_DRAW_CAUSE_FALSE_UNO:
		return b.rules.number("false_uno_penalty"), true, nil
	}
	return 0, true, fmt.Errorf("the cause %v is not known to this verifier", e.GetCause())
}

// serve lets a seat have drawn the pending penalty; whether it loses its turn is a matter of the last draw card.
func (b *books) serve(seat int) {
	b.pending = 0
	if b.turn == 0 && b.rules.is("start_draw_two", "draw_only") {
		return
	}
	top := b.discard[len(b.discard)-1]
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

// movement returns by seat whose hand it gets by the card just played: those of a swap, or all in the direction of play.
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
	} else if card := b.played.GetCard(); cards.RankOf(card) == 0 && !cards.IsWild(card) && b.rules.is("zero_rotate", "true") {
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
		b.hands[seat], b.active[seat] = nil, false
	}
	if !slices.Equal(hand, e.GetCards()) || int(e.GetHandCount()) != len(hand) {
		return fmt.Errorf("seat %d left with %s, and %s are told", seat, cards.HandText(hand), cards.HandText(e.GetCards()))
	}
	if worth := b.rules.worth(hand); e.GetPoints() != worth && b.rules.is("leaver_points", "score_for_winner") {
		return fmt.Errorf("the cards of seat %d are worth %d points, and %d are told", seat, worth, e.GetPoints())
	}
	b.left[seat], b.mayLapse = true, true
	b.leavers = append(b.leavers, seat)
	if b.inRound {
		b.frozen[seat] = e.GetPoints()
		if b.rules.is("leaver_cards", "to_discard") {
			b.buried = append(b.buried, hand...)
		}
	}
	return nil
}
