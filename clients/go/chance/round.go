package chance

import (
	"fmt"
	"slices"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// Rules are those of a round's rules by which chance is used.
type Rules struct {
	Deck     Deck
	HandSize int
	// PerSeat gives each seat an order of its own; else all draw from one pile.
	PerSeat bool
	// PutsBack tells whether a card is put back when it is turned up at the start.
	PutsBack func(pb.Card) bool
}

// Round is the chance of one round: what is dealt, turned up and drawn. Cards are ids.
type Round struct {
	rules    Rules
	seed     Key
	disguise Disguise
	active   []int
	// Hands are the hands by seat, as dealt.
	Hands map[int][]int
	// Starts are the cards turned up at the start; all but the last were put back.
	Starts []int
	// Pile holds the cards that are left: the next one first, or ascending with an order a seat.
	Pile   []int
	piles  int
	orders map[int][]int
}

// NewRound deals a round to the active seats, ascending. An error says why no round can be dealt so.
func NewRound(rules Rules, seed Key, disguise Disguise, active []int) (*Round, error) {
	dealt := rules.HandSize * len(active)
	if len(active) == 0 || dealt >= len(rules.Deck) {
		return nil, fmt.Errorf("%d seats cannot be dealt %d cards each from %d", len(active), rules.HandSize, len(rules.Deck))
	}
	r := &Round{rules: rules, seed: seed, disguise: disguise, active: active}
	ids := r.all()
	for again := 0; ; again++ {
		if again > len(rules.Deck)*100 {
			return nil, fmt.Errorf("no deal leaves a card that may start")
		}
		purpose := "deal"
		if again > 0 {
			purpose = fmt.Sprintf("redeal/%d", again)
		}
		disguise.shuffle(seed, purpose, ids)
		if slices.ContainsFunc(ids[dealt:], func(id int) bool { return !rules.PutsBack(rules.Deck[id]) }) {
			break
		}
	}
	r.Hands = make(map[int][]int, len(active))
	for i, id := range ids[:dealt] {
		seat := active[i%len(active)]
		r.Hands[seat] = append(r.Hands[seat], id)
	}
	r.Pile = slices.Clone(ids[dealt:])
	for flip := 1; rules.PutsBack(rules.Deck[r.Pile[0]]); flip++ {
		r.Starts = append(r.Starts, r.Pile[0])
		disguise.shuffle(seed, fmt.Sprintf("flip/%d", flip), r.Pile)
	}
	r.Starts = append(r.Starts, r.Pile[0])
	r.Pile = r.Pile[1:]
	r.orderPile()
	return r, nil
}

// all returns all cards.
func (r *Round) all() []int {
	ids := make([]int, len(r.rules.Deck))
	for id := range ids {
		ids[id] = id
	}
	return ids
}

// orderPile begins a pile: with an order a seat, each seat gets a new one.
func (r *Round) orderPile() {
	r.piles++
	if !r.rules.PerSeat {
		return
	}
	slices.Sort(r.Pile)
	r.orders = map[int][]int{}
}

// Order returns the order of a seat for the present pile, with an order a seat.
func (r *Round) Order(seat int) []int {
	if r.orders[seat] == nil {
		ids := r.all()
		r.disguise.shuffle(r.seed, fmt.Sprintf("seat/%d/%d", r.piles, seat), ids)
		r.orders[seat] = ids
	}
	return r.orders[seat]
}

// Draw takes the next card for a seat out of the pile; false when the pile is empty.
func (r *Round) Draw(seat int) (int, bool) {
	if len(r.Pile) == 0 {
		return 0, false
	}
	at := 0
	if r.rules.PerSeat {
		for _, id := range r.Order(seat) {
			if found, ok := slices.BinarySearch(r.Pile, id); ok {
				at = found
				break
			}
		}
	}
	id := r.Pile[at]
	r.Pile = slices.Delete(r.Pile, at, at+1)
	return id, true
}

// Rebuild makes a new pile of the discards but the top card, and of the cards of those who left.
func (r *Round) Rebuild(ids []int) {
	r.Pile = slices.Clone(ids)
	slices.Sort(r.Pile)
	if !r.rules.PerSeat {
		r.disguise.shuffle(r.seed, fmt.Sprintf("rebuild/%d", r.piles), r.Pile)
	}
	r.orderPile()
}

// ColorBefore returns the colour that the server names before a turn begins.
func (r *Round) ColorBefore(turn uint32) pb.Color {
	drawn := NewWords(r.seed, fmt.Sprintf("color/%d", turn)).Below(4)
	return r.disguise.Colors[drawn+1]
}

// FirstPlayer returns the seat that starts when that is drawn by lot.
func (r *Round) FirstPlayer() int {
	return r.active[NewWords(r.seed, "first-player").Below(len(r.active))]
}

// FirstDealer returns the seat that deals the first round when that is drawn by lot.
func FirstDealer(seed Key, active []int) int {
	return active[NewWords(seed, "first-dealer").Below(len(active))]
}

// HighCardDealer returns the seat that deals the first round when the highest card decides. Cards that all count the same
// part nobody; the lowest of the level seats deals then.
func HighCardDealer(deck Deck, seed Key, disguise Disguise, active []int) int {
	drawing := active
	for attempt := 1; attempt < 1000 && len(drawing) > 1; attempt++ {
		ids := make([]int, len(deck))
		for id := range ids {
			ids[id] = id
		}
		disguise.shuffle(seed, fmt.Sprintf("high-card/%d", attempt), ids)
		highest, holders := -1, []int(nil)
		for i, seat := range drawing {
			value := cards.RankOf(deck[ids[i]])
			if value >= cards.Skip {
				value = 0
			}
			if value > highest {
				highest, holders = value, nil
			}
			if value == highest {
				holders = append(holders, seat)
			}
		}
		drawing = holders
	}
	return drawing[0]
}
