// Package cards has words for cards, actions and views, as a bot author needs them: text, colour, rank, points, counts.
//
// Which cards may be played is not here: the legal actions of each decision say so.
package cards

import (
	"fmt"
	"strings"

	pb "lastcard/lastcardv1"
)

// Ranks of cards: 0 to 9 are the numbers.
const (
	Skip         = 10
	Reverse      = 11
	DrawTwo      = 12
	Wild         = 13
	WildDrawFour = 14
)

// Colors are the four colours, in their order.
var Colors = []pb.Color{pb.Color_COLOR_RED, pb.Color_COLOR_YELLOW, pb.Color_COLOR_GREEN, pb.Color_COLOR_BLUE}

const (
	letters = "?RYGB"
	ranks   = "0123456789SVD"
)

var (
	colorNames = []string{"none", "red", "yellow", "green", "blue"}
	wilds      = map[pb.Card]string{
		pb.Card_CARD_WILD:           "W",
		pb.Card_CARD_WILD_DRAW_FOUR: "W4",
		pb.Card_CARD_SHUFFLE_HANDS:  "WH",
		pb.Card_CARD_SWAP_HANDS:     "WX",
		pb.Card_CARD_CUSTOMIZABLE:   "WC",
	}
	words = map[pb.ActionKind]string{
		pb.ActionKind_ACTION_KIND_DRAW:      "draw",
		pb.ActionKind_ACTION_KIND_KEEP:      "keep",
		pb.ActionKind_ACTION_KIND_ACCEPT:    "accept",
		pb.ActionKind_ACTION_KIND_CHALLENGE: "challenge",
		pb.ActionKind_ACTION_KIND_UNO:       "uno",
		pb.ActionKind_ACTION_KIND_PASS:      "pass",
	}
)

// ColorOf returns the colour of a card; COLOR_UNSPECIFIED for wilds and for no card.
func ColorOf(card pb.Card) pb.Color { return pb.Color(card >> 4) }

// RankOf returns the rank of a card: its number, or Skip, Reverse, DrawTwo, Wild or WildDrawFour.
func RankOf(card pb.Card) int { return int(card & 15) }

// IsWild tells whether a card has no colour of its own.
func IsWild(card pb.Card) bool { return card < 16 }

// Points returns what a card counts in an opponent's hand: its number, 20 for action cards, 50 for wilds.
func Points(card pb.Card) int {
	switch {
	case IsWild(card):
		return 50
	case RankOf(card) >= Skip:
		return 20
	}
	return RankOf(card)
}

// ColorCounts returns how many of the cards have each of the four colours; wilds are not counted.
func ColorCounts(hand []pb.Card) map[pb.Color]int {
	counts := make(map[pb.Color]int, len(Colors))
	for _, card := range hand {
		if !IsWild(card) {
			counts[ColorOf(card)]++
		}
	}
	return counts
}

// Text returns a card in the notation of records: R5, YS, GV, BD, W, W4; ? and its number if unknown.
func Text(card pb.Card) string {
	if text, known := wilds[card]; known {
		return text
	}
	color, rank := int(ColorOf(card)), RankOf(card)
	if color < 1 || color >= len(letters) || rank >= len(ranks) {
		return fmt.Sprintf("?%d", card)
	}
	return letters[color:color+1] + ranks[rank:rank+1]
}

// HandText returns several cards in notation, separated by blanks.
func HandText(hand []pb.Card) string {
	texts := make([]string, len(hand))
	for i, card := range hand {
		texts[i] = Text(card)
	}
	return strings.Join(texts, " ")
}

// ColorText returns the English name of a colour; none for COLOR_UNSPECIFIED, ? and its number if unknown.
func ColorText(color pb.Color) string {
	if color < 0 || int(color) >= len(colorNames) {
		return fmt.Sprintf("?%d", color)
	}
	return colorNames[color]
}

// ActionText returns an action in the notation of records: R5, W/G, R7>2, draw, color G, jump R6, catch 2.
func ActionText(action *pb.Action) string {
	if word, known := words[action.GetKind()]; known {
		return word
	}
	letter := fmt.Sprintf("?%d", action.GetColor())
	if color := int(action.GetColor()); color > 0 && color < len(letters) {
		letter = letters[color : color+1]
	}
	text := ""
	switch action.GetKind() {
	case pb.ActionKind_ACTION_KIND_CHOOSE_COLOR:
		return "color " + letter
	case pb.ActionKind_ACTION_KIND_CATCH:
		return fmt.Sprintf("catch %d", action.GetTarget())
	case pb.ActionKind_ACTION_KIND_JUMP_IN:
		text = "jump "
	case pb.ActionKind_ACTION_KIND_PLAY:
	default:
		return fmt.Sprintf("?%d", action.GetKind())
	}
	text += Text(action.GetCard())
	if IsWild(action.GetCard()) && action.GetColor() != pb.Color_COLOR_UNSPECIFIED {
		text += "/" + letter
	}
	if action.Target != nil {
		text += fmt.Sprintf(">%d", action.GetTarget())
	}
	return text
}

// NextSeat returns the active seat that is so many places after a seat in the direction of play (before it, when steps
// is negative); the seat itself when it is not active.
func NextSeat(view *pb.View, seat uint32, steps int) uint32 {
	active := view.GetActiveSeats()
	for i, other := range active {
		if other == seat {
			direction := 1
			if view.GetDirection() < 0 {
				direction = -1
			}
			at := (i + steps*direction) % len(active)
			return active[(at+len(active))%len(active)]
		}
	}
	return seat
}

// Option returns the value of a rule option as text if the table departs from its preset in it, otherwise "".
func Option(view *pb.View, name string) string {
	for _, option := range view.GetRuleset().GetOptions() {
		if option.GetName() == name {
			return option.GetValue()
		}
	}
	return ""
}
