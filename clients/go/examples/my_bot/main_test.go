package main

import (
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "lastcard/lastcardv1"
)

// TestReadmeShowsThisBot keeps the README's bot the one that is built.
func TestReadmeShowsThisBot(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```go\n"+string(source)+"```\n") {
		t.Error("the README shows another bot than main.go")
	}
	if lines := strings.Count(string(source), "\n"); lines > 40 {
		t.Errorf("the bot has %d lines; it is meant to have forty at most", lines)
	}
}

func TestItPlaysItsLongestColourAndKeepsWilds(t *testing.T) {
	view := &pb.View{Hand: []pb.Card{pb.Card_CARD_RED_1, pb.Card_CARD_BLUE_1, pb.Card_CARD_BLUE_2, pb.Card_CARD_WILD}}
	play := func(card pb.Card, color pb.Color) *pb.Action {
		return &pb.Action{Kind: pb.ActionKind_ACTION_KIND_PLAY, Card: card, Color: color}
	}
	draw := &pb.Action{Kind: pb.ActionKind_ACTION_KIND_DRAW}
	red, blue := play(pb.Card_CARD_RED_1, 0), play(pb.Card_CARD_BLUE_1, 0)
	wildRed, wildBlue := play(pb.Card_CARD_WILD, pb.Color_COLOR_RED), play(pb.Card_CARD_WILD, pb.Color_COLOR_BLUE)
	for _, c := range []struct{ legal, want []*pb.Action }{
		{[]*pb.Action{red, blue, wildBlue, draw}, []*pb.Action{blue}},
		{[]*pb.Action{wildRed, wildBlue, draw}, []*pb.Action{wildBlue}},
		{[]*pb.Action{draw}, []*pb.Action{draw}},
	} {
		if got := c.legal[myBot{}.Choose(view, c.legal).Choice]; !proto.Equal(got, c.want[0]) {
			t.Errorf("it chose %v, want %v", got, c.want[0])
		}
	}
}
