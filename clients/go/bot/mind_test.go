package bot

import (
	"log/slog"
	"sync/atomic"
	"testing"

	pb "lastcard/lastcardv1"
)

func TestClosingWaitsForTheHooksThatWereCalledBefore(t *testing.T) {
	m := newMind(plain{}, Options{}, slog.New(slog.DiscardHandler), func(key, *pb.Act) {})
	release, closed := make(chan struct{}), make(chan struct{})
	var isTold atomic.Bool
	m.tell("OnTableClosed", func(Bot) {
		<-release
		isTold.Store(true)
	})
	var before bool
	go func() {
		m.close()
		before = isTold.Load()
		close(closed)
	}()
	for {
		m.mu.Lock()
		isClosing := m.closed
		m.mu.Unlock()
		if isClosing {
			break
		}
	}
	close(release)
	<-closed
	if !before {
		t.Error("the mind was closed before a hook had returned")
	}
}

func TestAWithdrawnDecisionIsPassedOver(t *testing.T) {
	thinker := newThinker()
	answered := make(chan key, 4)
	m := newMind(thinker, Options{}, slog.New(slog.DiscardHandler), func(key key, _ *pb.Act) { answered <- key })
	defer m.close()
	for id := range uint32(3) {
		m.ask(ask{key: key{tableID, id}, decision: twoChoices(id)})
	}
	<-thinker.asked
	m.withdraw(key{tableID, 1})
	thinker.answers <- Index(0)
	thinker.answers <- Index(0)
	if first, second := <-answered, <-answered; first.decision != 0 || second.decision != 2 {
		t.Errorf("answered were %v and %v", first, second)
	}
}
