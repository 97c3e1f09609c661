// Listening_bot thinks about all its decisions at once, each for a while, and listens to what the others do meanwhile.
//
// It plays the first legal card of the colour that was played least at its table, and says at the end of each table how
// many cards each seat played.
package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"lastcard/bot"
	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// thought is how long a decision is thought about.
const thought = 300 * time.Millisecond

// listeningBot counts the cards played at each table, by seat. Decisions are thought about in goroutines of their own,
// so that what they share with the hooks needs a lock.
type listeningBot struct {
	mu     sync.Mutex
	played map[string]map[uint32]int
	colors map[string]map[pb.Color]int
}

// Choose is never called: Decide is, which is told when it need not think any more.
func (b *listeningBot) Choose(*pb.View, []*pb.Action) bot.Answer { return bot.Index(0) }

func (b *listeningBot) Decide(ctx context.Context, decision *pb.Decision) bot.Answer {
	timer := time.NewTimer(thought)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return bot.Answer{} // the decision was closed: nobody waits for an answer
	}
	if decision.Kind == pb.DecisionKind_DECISION_KIND_REACTION {
		return bot.DefaultReaction(decision.View, decision.LegalActions, true)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	best, fewest := 0, -1
	for i, action := range decision.LegalActions {
		if action.Kind != pb.ActionKind_ACTION_KIND_PLAY {
			continue
		}
		if count := b.colors[decision.TableId][cards.ColorOf(action.Card)]; fewest < 0 || count < fewest {
			best, fewest = i, count
		}
	}
	return bot.Index(best)
}

func (b *listeningBot) OnSeated(seated *pb.Seated) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.played[seated.TableId], b.colors[seated.TableId] = map[uint32]int{}, map[pb.Color]int{}
}

func (b *listeningBot) OnEvent(tableID string, event *pb.Event) {
	play := event.GetCardPlayed()
	if play == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.played[tableID][play.Seat]++
	b.colors[tableID][cards.ColorOf(play.Card)]++
}

func (b *listeningBot) OnTableClosed(closed *pb.TableClosed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Printf("table %s: cards played by seat: %v\n", closed.TableId, b.played[closed.TableId])
	delete(b.played, closed.TableId)
	delete(b.colors, closed.TableId)
}

func main() {
	listener := &listeningBot{played: map[string]map[uint32]int{}, colors: map[string]map[pb.Color]int{}}
	bot.Run(listener, bot.Options{Concurrent: true})
}
