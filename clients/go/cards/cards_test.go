package cards

import (
	"maps"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "lastcard/lastcardv1"
)

func TestTexts(t *testing.T) {
	for card, want := range map[pb.Card]string{
		pb.Card_CARD_RED_5:          "R5",
		pb.Card_CARD_YELLOW_SKIP:    "YS",
		pb.Card_CARD_GREEN_REVERSE:  "GV",
		pb.Card_CARD_BLUE_DRAW_TWO:  "BD",
		pb.Card_CARD_WILD:           "W",
		pb.Card_CARD_WILD_DRAW_FOUR: "W4",
		pb.Card_CARD_UNSPECIFIED:    "?0",
		pb.Card(99):                 "?99",
		pb.Card(29):                 "?29",
	} {
		if got := Text(card); got != want {
			t.Errorf("Text(%d) = %q, want %q", card, got, want)
		}
	}
	if got := HandText([]pb.Card{pb.Card_CARD_RED_0, pb.Card_CARD_WILD}); got != "R0 W" {
		t.Errorf("HandText = %q", got)
	}
	if ColorText(pb.Color_COLOR_GREEN) != "green" || ColorText(9) != "?9" {
		t.Errorf("ColorText = %q, %q", ColorText(pb.Color_COLOR_GREEN), ColorText(9))
	}
}

func TestActionText(t *testing.T) {
	for want, action := range map[string]*pb.Action{
		"R5":      {Kind: pb.ActionKind_ACTION_KIND_PLAY, Card: pb.Card_CARD_RED_5},
		"W/G":     {Kind: pb.ActionKind_ACTION_KIND_PLAY, Card: pb.Card_CARD_WILD, Color: pb.Color_COLOR_GREEN},
		"R7>2":    {Kind: pb.ActionKind_ACTION_KIND_PLAY, Card: pb.Card_CARD_RED_7, Target: proto.Uint32(2)},
		"jump R6": {Kind: pb.ActionKind_ACTION_KIND_JUMP_IN, Card: pb.Card_CARD_RED_6},
		"color B": {Kind: pb.ActionKind_ACTION_KIND_CHOOSE_COLOR, Color: pb.Color_COLOR_BLUE},
		"catch 3": {Kind: pb.ActionKind_ACTION_KIND_CATCH, Target: proto.Uint32(3)},
		"draw":    {Kind: pb.ActionKind_ACTION_KIND_DRAW},
		"?77":     {Kind: 77},
	} {
		if got := ActionText(action); got != want {
			t.Errorf("ActionText = %q, want %q", got, want)
		}
	}
}

func TestCountsAndPoints(t *testing.T) {
	hand := []pb.Card{pb.Card_CARD_WILD, pb.Card_CARD_RED_5, pb.Card_CARD_RED_SKIP, pb.Card_CARD_BLUE_0}
	want := map[pb.Color]int{pb.Color_COLOR_RED: 2, pb.Color_COLOR_BLUE: 1}
	if got := ColorCounts(hand); !maps.Equal(got, want) {
		t.Errorf("ColorCounts = %v, want %v", got, want)
	}
	total := 0
	for _, card := range hand {
		total += Points(card)
	}
	if total != 75 {
		t.Errorf("points = %d, want 75", total)
	}
}

func TestNextSeat(t *testing.T) {
	view := &pb.View{ActiveSeats: []uint32{0, 2, 3}, Direction: -1}
	for _, c := range []struct {
		seat  uint32
		steps int
		want  uint32
	}{{0, 1, 3}, {3, 1, 2}, {3, -1, 0}, {2, 7, 0}, {1, 1, 1}} {
		if got := NextSeat(view, c.seat, c.steps); got != c.want {
			t.Errorf("NextSeat(%d, %d) = %d, want %d", c.seat, c.steps, got, c.want)
		}
	}
}
