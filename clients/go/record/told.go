package record

import (
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
	"lastcard/rules"
)

// commitmentBytes is the length of a commitment.
const commitmentBytes = 32

// told is the chance that a record tells, as far as the deck holds it: before the reveal nothing else is known of it.
//
// What the record does not tell, or tells impossibly, comes out otherwise here, so that the event that says it is found
// to be another than the rules give.
type told struct {
	rules  *rules.Ruleset
	events []*pb.Event
	match  *rules.Match
	active []int
	hands  map[int][]int
	// opening is the last card turned up.
	opening pb.Card
	// pile holds the cards that are in the pile, ascending.
	pile []int
	// drawn counts the cards drawn for the event with the number drawnAt.
	drawn, drawnAt int
}

// upcoming returns an event that is still to come, from 0; an empty one behind the last.
func (t *told) upcoming(i int) *pb.Event {
	if at := int(t.match.Sequence()) + i; at < len(t.events) {
		return t.events[at]
	}
	return &pb.Event{}
}

// takeOut takes a card of a face out of the pile, or another one when there is none.
func (t *told) takeOut(face pb.Card) int {
	at := slices.IndexFunc(t.pile, func(id int) bool { return t.rules.Deck[id] == face })
	at = max(at, 0)
	id := t.pile[at]
	t.pile = slices.Delete(t.pile, at, at+1)
	return id
}

func (t *told) Begin(_ uint32, active []int) ([]byte, error) {
	t.active, t.drawnAt = active, -1
	t.pile = make([]int, len(t.rules.Deck))
	for id := range t.pile {
		t.pile[id] = id
	}
	t.deal()
	commitment := t.upcoming(0).GetRoundStarted().GetCommitment()
	if len(commitment) != commitmentBytes {
		return make([]byte, commitmentBytes), nil
	}
	return commitment, nil
}

// deal deals the hands that the record tells, but for a card if otherwise none would be left that may start.
func (t *told) deal() {
	faces := map[int][]pb.Card{}
	for _, hand := range t.upcoming(0).GetRoundStarted().GetHands() {
		faces[int(hand.GetSeat())] = hand.GetCards()
	}
	t.hands = map[int][]int{}
	for _, seat := range t.active {
		for i := range int(t.rules.Number("hand_size")) {
			t.hands[seat] = append(t.hands[seat], t.takeOut(cardAt(faces[seat], i)))
		}
	}
	if slices.ContainsFunc(t.pile, t.mayStart) {
		return
	}
	for _, hand := range t.hands {
		if i := slices.IndexFunc(hand, t.mayStart); i >= 0 {
			hand[i], t.pile[0] = t.pile[0], hand[i]
			slices.Sort(t.pile)
			return
		}
	}
}

func (t *told) mayStart(id int) bool { return !t.rules.PutsBack(t.rules.Deck[id]) }

func (t *told) FirstDealer() int {
	if dealer := int(t.upcoming(0).GetRoundStarted().GetDealer()); slices.Contains(t.active, dealer) {
		return dealer
	}
	return t.active[0]
}

func (t *told) Hand(seat int) []int { return slices.Sorted(slices.Values(t.hands[seat])) }

// cardAt returns a card of a list, or none.
func cardAt(cards []pb.Card, i int) pb.Card {
	if i < len(cards) {
		return cards[i]
	}
	return pb.Card_CARD_UNSPECIFIED
}

func (t *told) TurnUp() int {
	face := t.upcoming(0).GetStartCardTurned().GetCard()
	if !slices.ContainsFunc(t.pile, func(id int) bool { return t.rules.Deck[id] == face }) {
		face = t.rules.Deck[t.pile[slices.IndexFunc(t.pile, t.mayStart)]]
	}
	id := t.takeOut(face)
	t.opening = face
	if !t.mayStart(id) {
		t.Rebuild(append(t.pile, id))
	}
	return id
}

// FirstPlayer finds the seat that starts by the first event that is about it, behind the colour that the dealer names.
func (t *told) FirstPlayer() int {
	from := 0
	if t.rules.DealerChooses(t.opening) {
		for from = 0; t.upcoming(from).GetEvent() != nil && t.upcoming(from).GetColorChosen() == nil; from++ {
		}
		from++
	}
	for i := from; t.upcoming(i).GetEvent() != nil; i++ {
		if seat := startsAt(t.upcoming(i)); slices.Contains(t.active, seat) {
			return seat
		}
	}
	return t.active[0]
}

// startsAt returns the seat that starts, if an event behind the start card tells it: its turn, its penalty, its colour,
// its time, or that it is passed over; -1 when it tells nothing of it.
func startsAt(event *pb.Event) int {
	switch content := event.GetEvent().(type) {
	case *pb.Event_TurnStarted:
		return int(content.TurnStarted.GetSeat())
	case *pb.Event_SeatSkipped:
		return int(content.SeatSkipped.GetSeat())
	case *pb.Event_ColorChosen:
		return int(content.ColorChosen.GetSeat())
	case *pb.Event_CardPlayed:
		return int(content.CardPlayed.GetSeat())
	case *pb.Event_PenaltyAccepted:
		return int(content.PenaltyAccepted.GetSeat())
	case *pb.Event_TimedOut:
		return int(content.TimedOut.GetSeat())
	case *pb.Event_CardsDrawn:
		if content.CardsDrawn.GetCause() == pb.DrawCause_DRAW_CAUSE_PENALTY {
			return int(content.CardsDrawn.GetSeat())
		}
	}
	return -1
}

func (t *told) Draw(int) (int, bool) {
	if len(t.pile) == 0 {
		return 0, false
	}
	event := t.upcoming(0)
	if event.GetPileRebuilt() != nil {
		event = t.upcoming(1)
	}
	if at := int(event.GetSequence()); at != t.drawnAt {
		t.drawnAt, t.drawn = at, 0
	}
	t.drawn++
	return t.takeOut(cardAt(event.GetCardsDrawn().GetCards(), t.drawn-1)), true
}

func (t *told) Rebuild(ids []int) {
	t.pile = slices.Sorted(slices.Values(ids))
}

func (t *told) ColorBefore(uint32) pb.Color {
	for i := range 2 {
		if color := t.upcoming(i).GetColorChosen().GetColor(); slices.Contains(cards.Colors, color) {
			return color
		}
	}
	return cards.Colors[0]
}
