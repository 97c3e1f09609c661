package chance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// Deck is the faces of a deck, ascending; a card's id is its place in it.
type Deck []pb.Card

// Classic returns the deck of 108 cards.
func Classic() Deck {
	counts := map[pb.Card]int{pb.Card_CARD_WILD: 4, pb.Card_CARD_WILD_DRAW_FOUR: 4}
	for _, color := range cards.Colors {
		for rank := 0; rank <= cards.DrawTwo; rank++ {
			counts[face(color, rank)] = 2
		}
		counts[face(color, 0)] = 1
	}
	return deckOf(counts)
}

// Custom returns the deck that the option deck_counts describes: NAME=COUNT, joined by commas, where a name is a card
// (R5, W4) or a rank (5, S), which stands for the four cards of that rank; what is said of a card counts before what is
// said of its rank.
func Custom(counts string) (Deck, error) {
	ofRanks, ofCards := map[pb.Card]int{}, map[pb.Card]int{}
	for _, entry := range strings.Split(counts, ",") {
		name, number, _ := strings.Cut(entry, "=")
		count, err := strconv.Atoi(number)
		if err != nil || count < 0 {
			return nil, fmt.Errorf("deck_counts has %q; an entry is CARD=COUNT or RANK=COUNT", entry)
		}
		faces, isRank := facesNamed(name)
		if len(faces) == 0 {
			return nil, fmt.Errorf("deck_counts names %q; it is no card and no rank", name)
		}
		for _, card := range faces {
			if isRank {
				ofRanks[card] = count
			} else {
				ofCards[card] = count
			}
		}
	}
	for card, count := range ofCards {
		ofRanks[card] = count
	}
	return deckOf(ofRanks), nil
}

// Named returns the card with a text in the notation; CARD_UNSPECIFIED when there is none.
func Named(text string) pb.Card {
	for number := range pb.Card_name {
		if number != 0 && cards.Text(pb.Card(number)) == text {
			return pb.Card(number)
		}
	}
	return pb.Card_CARD_UNSPECIFIED
}

// facesNamed returns the cards that a name stands for, and whether it is a rank of four colours.
func facesNamed(name string) ([]pb.Card, bool) {
	if card := Named(name); card != pb.Card_CARD_UNSPECIFIED {
		return []pb.Card{card}, false
	}
	var faces []pb.Card
	for _, color := range []string{"R", "Y", "G", "B"} {
		if card := Named(color + name); card != pb.Card_CARD_UNSPECIFIED {
			faces = append(faces, card)
		}
	}
	return faces, true
}

func deckOf(counts map[pb.Card]int) Deck {
	var deck Deck
	for card, count := range counts {
		deck = append(deck, slices.Repeat([]pb.Card{card}, count)...)
	}
	slices.Sort(deck)
	return deck
}

func face(color pb.Color, rank int) pb.Card { return pb.Card(int(color)*16 + rank) }

// Disguise is how the colours of a round are renamed.
type Disguise struct {
	// Colors are the new names of colours 1 to 4, at places 1 to 4.
	Colors [5]pb.Color
	// Becomes is what each card becomes, by id.
	Becomes []int
	former  []int
}

// NoDisguise leaves every colour its name.
func NoDisguise(deck Deck) Disguise { return disguiseOf(deck, [5]pb.Color{0, 1, 2, 3, 4}) }

// NewDisguise renames the colours of a deck under a disguise's key. Colours change names only with colours of which the
// deck holds the same cards.
func NewDisguise(deck Deck, key Key) Disguise {
	groups := map[string][]int{}
	for color := 1; color <= 4; color++ {
		ranks := ""
		for _, card := range deck {
			if int(cards.ColorOf(card)) == color {
				ranks += strconv.Itoa(cards.RankOf(card)) + " "
			}
		}
		groups[ranks] = append(groups[ranks], color)
	}
	var colors [5]pb.Color
	for _, group := range groups {
		names := slices.Clone(group)
		Shuffle(key, fmt.Sprintf("colors/%d", group[0]), names)
		for i, color := range group {
			colors[color] = pb.Color(names[i])
		}
	}
	return disguiseOf(deck, colors)
}

func disguiseOf(deck Deck, colors [5]pb.Color) Disguise {
	d := Disguise{Colors: colors, Becomes: make([]int, len(deck)), former: make([]int, len(deck))}
	for id, card := range deck {
		first := slices.Index(deck, card)
		renamed := face(colors[cards.ColorOf(card)], cards.RankOf(card))
		d.Becomes[id] = slices.Index(deck, renamed) + id - first
		d.former[d.Becomes[id]] = id
	}
	return d
}

// shuffle shuffles cards, given by id, for a purpose: those that become them are shuffled, and become them again.
func (d Disguise) shuffle(seed Key, purpose string, ids []int) {
	for i, id := range ids {
		ids[i] = d.former[id]
	}
	slices.Sort(ids)
	Shuffle(seed, purpose, ids)
	for i, id := range ids {
		ids[i] = d.Becomes[id]
	}
}
