// My_bot is a bot in forty lines: it plays its longest colour, keeps wilds for later and draws when nothing fits.
package main

import (
	"lastcard/bot"
	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

type myBot struct{}

func (myBot) Choose(view *pb.View, legalActions []*pb.Action) bot.Answer {
	held := cards.ColorCounts(view.Hand)
	worth := func(action *pb.Action) int {
		color := action.Color
		if color == pb.Color_COLOR_UNSPECIFIED {
			color = cards.ColorOf(action.Card)
		}
		value := held[color]
		if !cards.IsWild(action.Card) {
			value += 1000
		}
		if action.Kind == pb.ActionKind_ACTION_KIND_PLAY {
			value += 10000
		}
		return value
	}
	best := 0
	for i, action := range legalActions {
		if worth(action) > worth(legalActions[best]) {
			best = i
		}
	}
	return bot.Index(best)
}

func main() { bot.Run(myBot{}, bot.Options{}) }
