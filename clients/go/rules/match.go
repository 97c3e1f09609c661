// Package rules plays matches: it knows what is legal, and what follows from each move. It is written from
// server/docs/rules.md, record.md and scenario.md and tests/conformance/README.md, and shares no code with the arena.
//
// Clocks and who says what are not here: that a seat's time ran out, or that it left, is a move like any other.
package rules

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "lastcard/lastcardv1"
)

// Kind says what a move does.
type Kind int

// Deal begins the next round; every other move is a seat's, and Timeout is made for it.
const (
	Deal Kind = iota
	Play
	Draw
	Keep
	Accept
	Challenge
	ChooseColor
	Jump
	UNO
	Catch
	Leave
	Timeout
)

// NoSeat is the target of a move that has none.
const NoSeat = -1

// Move is one thing that is done at a table.
type Move struct {
	Kind  Kind
	Seat  int
	Card  pb.Card
	Color pb.Color
	// Target is the seat that a swap or a catch is aimed at, or NoSeat.
	Target int
	// CallsUNO tells whether UNO is called with a play.
	CallsUNO bool
	// Cause says why a seat leaves.
	Cause pb.LeaveCause
}

// question is what the seat to act is asked.
type question int

const (
	nothing question = iota // between rounds
	itsTurn
	aDrawnCard
	aPenalty
	aColor
)

// Match is a match at a table, from before its first deal to its end.
type Match struct {
	rules  *Ruleset
	chance Chance
	// events are those of the present move; sequence is the number of the last one of all.
	events   []*pb.Event
	sequence uint32

	left    []bool
	leavers []int
	strikes []uint32
	standings
	round  uint32
	dealer int // of the last round; -1 before the first
	isOver bool

	inRound   bool
	active    []bool
	hands     [][]int // ascending
	frozen    []uint32
	gone      []bool
	discard   []int // the top card is the last
	buried    []int // cards of those who left
	color     pb.Color
	direction int32
	first     int // the seat with the first turn of the round, while a colour is asked before it
	actor     int
	asks      question
	turn      uint32
	quiet     uint32 // turns in a row in which nobody played or drew a card, the present one not counted
	isQuiet   bool   // whether the present one is such a turn so far
	drawn     int    // the card just drawn, while it may be played
	pending   uint32
	canJump   bool // whether the top card was played, and nothing yet done that nobody may jump on any more
	isDry     bool // whether a card was needed that the pile did not have
	offence   offence
	calls
}

// NewMatch returns a match before its first deal.
func NewMatch(ruleset *Ruleset, seats int, chance Chance) *Match {
	return &Match{
		rules: ruleset, chance: chance, dealer: -1, left: make([]bool, seats), strikes: make([]uint32, seats),
		standings: newStandings(seats),
	}
}

// Apply makes a move and returns all that happens by it. A refused one changes nothing.
func (m *Match) Apply(move Move) ([]*pb.Event, *Refusal) {
	if refusal := m.refuses(move); refusal != nil {
		return nil, refusal
	}
	m.events = nil
	switch move.Kind {
	case Deal:
		if err := m.deal(); err != nil {
			return nil, refuse(pb.Reason_REASON_UNSPECIFIED, "no round can be dealt: %v", err)
		}
	case Play, Jump:
		m.play(move)
	case Draw:
		m.drawInTurn()
	case Keep:
		m.keep(move.Seat)
	case Accept:
		m.accept(move.Seat)
	case Challenge:
		m.challenge(move.Seat)
	case ChooseColor:
		m.chooseColor(move.Seat, move.Color, false)
	case UNO:
		m.callUNO(move.Seat)
	case Catch:
		m.accuse(move.Seat, move.Target)
	case Leave:
		m.leave(move.Seat, move.Cause)
	case Timeout:
		m.timeOut(move.Seat)
	}
	return m.events, nil
}

// TimeIsUp lets the time of the match be up, which stands in no record, and returns what happens by it: between rounds
// the match may end.
func (m *Match) TimeIsUp() []*pb.Event {
	m.events = nil
	m.isTimeUp = true
	if !m.inRound && !m.isOver && m.round > 0 {
		m.endMatch()
	}
	return m.events
}

// Sequence returns the number of the last event of the match.
func (m *Match) Sequence() uint32 { return m.sequence }

// IsOver tells whether the match is over.
func (m *Match) IsOver() bool { return m.isOver }

// InRound tells whether a round is on.
func (m *Match) InRound() bool { return m.inRound }

// tell adds an event to those of the present move.
func (m *Match) tell(event *pb.Event) {
	m.sequence++
	event.Sequence = m.sequence
	m.events = append(m.events, event)
}

// face returns what a card is.
func (m *Match) face(id int) pb.Card { return m.rules.Deck[id] }

// faces returns what cards are, in the same order.
func (m *Match) faces(ids []int) []pb.Card {
	faces := make([]pb.Card, len(ids))
	for i, id := range ids {
		faces[i] = m.face(id)
	}
	return faces
}

// top returns the card that lies on top.
func (m *Match) top() pb.Card { return m.face(m.discard[len(m.discard)-1]) }

// after returns the active seat after another one in the direction of play; the seat itself when it is the only one.
func (m *Match) after(seat int) int {
	count := len(m.active)
	for i := 1; i < count; i++ {
		if next := ((seat+i*int(m.direction))%count + count) % count; m.active[next] {
			return next
		}
	}
	return seat
}

// countActive returns how many seats are in the round.
func (m *Match) countActive() (count int) {
	for _, isActive := range m.active {
		if isActive {
			count++
		}
	}
	return count
}

// handsOf returns the hands of the seats that a test takes, as events tell them.
func (m *Match) handsOf(isMeant func(seat int) bool) (hands []*pb.SeatHand) {
	for seat, hand := range m.hands {
		if isMeant(seat) {
			hands = append(hands, &pb.SeatHand{Seat: uint32(seat), Cards: m.faces(hand)})
		}
	}
	return hands
}

// give adds cards to a hand.
func (m *Match) give(seat int, ids []int) {
	m.hands[seat] = slices.Concat(m.hands[seat], ids)
	slices.Sort(m.hands[seat])
	m.dropCalls(seat)
}

// Refusal says why a move is refused.
type Refusal struct {
	Reason pb.Reason
	// Text is a sentence.
	Text string
}

func (r *Refusal) Error() string { return r.Text }

func refuse(reason pb.Reason, format string, values ...any) *Refusal {
	return &Refusal{reason, fmt.Sprintf(format, values...)}
}

// seatPointer returns a seat for a field that may be absent.
func seatPointer(seat int) *uint32 {
	if seat == NoSeat {
		return nil
	}
	return proto.Uint32(uint32(seat))
}
