package bot

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	pb "lastcard/lastcardv1"
)

// closeWait is how long a bot may take, when its connection has ended, with what it was told before: the end of its
// last table.
const closeWait = time.Second

// mind lets one bot think, away from the stream: one thing after the other, or about all decisions at once.
//
// A bot that panics or returns nonsense still answers: the fault is logged and another legal action taken, since a
// defect in one position should not cost a match.
type mind struct {
	bot        Bot
	habits     habits
	concurrent bool
	log        *slog.Logger
	// answered takes an answer; it is called without the mind's lock.
	answered func(key, *pb.Act)

	mu       sync.Mutex
	wake     *sync.Cond
	jobs     []job
	thoughts map[key]*thought
	closed   bool
	done     chan struct{}
}

// job is a thought or a hook to be called.
type job struct {
	thought *thought
	hook    string
	call    func(Bot)
}

// thought is a decision that is not answered yet.
type thought struct {
	ask    ask
	ctx    context.Context
	cancel context.CancelFunc
}

func newMind(bot Bot, options Options, log *slog.Logger, answered func(key, *pb.Act)) *mind {
	m := &mind{
		bot:        bot,
		habits:     habits{callUNO: !options.NoAutoUNO, catch: !options.NoAutoCatch},
		concurrent: options.Concurrent,
		log:        log,
		answered:   answered,
		thoughts:   map[key]*thought{},
		done:       make(chan struct{}),
	}
	m.wake = sync.NewCond(&m.mu)
	go m.work()
	return m
}

// ask puts a decision to the bot; the answer comes by the callback, unless it is withdrawn before.
func (m *mind) ask(ask ask) {
	ctx, cancel := context.WithCancel(context.Background())
	thought := &thought{ask, ctx, cancel}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.thoughts[ask.key] = thought
	m.add(job{thought: thought})
}

// tell calls a hook, after everything that was asked and told before.
func (m *mind) tell(hook string, call func(Bot)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(job{hook: hook, call: call})
}

// add needs the lock.
func (m *mind) add(job job) {
	if !m.closed {
		m.jobs = append(m.jobs, job)
		m.wake.Signal()
	}
}

// withdraw drops a decision; an answer that is already on its way may still come.
func (m *mind) withdraw(key key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if thought := m.thoughts[key]; thought != nil {
		delete(m.thoughts, key)
		thought.cancel()
	}
}

// close ends all thinking, after the hooks that were called for before; a bot that does not return is left behind.
func (m *mind) close() {
	m.mu.Lock()
	for key, thought := range m.thoughts {
		delete(m.thoughts, key)
		thought.cancel()
	}
	m.closed = true
	m.wake.Signal()
	m.mu.Unlock()
	select {
	case <-m.done:
	case <-time.After(closeWait):
	}
}

// work does one job after the other. A decision withdrawn before its turn is passed over.
func (m *mind) work() {
	defer close(m.done)
	for {
		m.mu.Lock()
		for len(m.jobs) == 0 && !m.closed {
			m.wake.Wait()
		}
		if len(m.jobs) == 0 {
			m.mu.Unlock()
			return
		}
		job := m.jobs[0]
		m.jobs = m.jobs[1:]
		wanted := job.thought == nil || m.thoughts[job.thought.ask.key] == job.thought
		m.mu.Unlock()
		switch {
		case job.thought == nil:
			m.callHook(job)
		case wanted && m.concurrent:
			go m.think(job.thought)
		case wanted:
			m.think(job.thought)
		}
	}
}

func (m *mind) callHook(job job) {
	if fault := guarded(func() { job.call(m.bot) }); fault != nil {
		m.log.Error(fmt.Sprintf("%T panicked in %s: %s", m.bot, job.hook, fault))
	}
}

// think has the bot answer, and hands the answer on unless the decision was withdrawn meanwhile.
func (m *mind) think(thought *thought) {
	act := m.deliberate(thought.ctx, thought.ask)
	m.mu.Lock()
	wanted := m.thoughts[thought.ask.key] == thought
	if wanted {
		delete(m.thoughts, thought.ask.key)
	}
	m.mu.Unlock()
	thought.cancel()
	if wanted {
		m.answered(thought.ask.key, act)
	}
}

// deliberate returns the bot's answer to a decision, or a legal one in its place.
func (m *mind) deliberate(ctx context.Context, ask ask) *pb.Act {
	instead := Index(fallback(ask.decision, ask.refused))
	answer := instead
	fault := guarded(func() {
		if ask.refusal == nil {
			answer = m.decide(ctx, ask.decision)
		} else if corrected, ok := m.correct(ask.decision, *ask.refusal); ok {
			answer = corrected
		}
	})
	if fault != nil {
		if ctx.Err() == nil { // a bot that is told to stop thinking may well break off so
			m.log.Error(fmt.Sprintf("%T panicked at %v; another legal action is taken: %s", m.bot, ask.key, fault))
		}
		answer = instead
	}
	act, wrong := actFor(ask.decision, answer, m.habits)
	if wrong == nil {
		return act
	}
	m.log.Error(fmt.Sprintf("%T at %v: %v", m.bot, ask.key, wrong))
	fault = guarded(func() {
		if corrected, ok := m.correct(ask.decision, Refusal{Message: wrong.Error(), RefusalsLeft: 2}); ok {
			act, wrong = actFor(ask.decision, corrected, m.habits)
		}
	})
	if fault != nil {
		m.log.Error(fmt.Sprintf("%T could not correct its answer at %v: %s", m.bot, ask.key, fault))
	}
	if act == nil || wrong != nil {
		act, wrong = actFor(ask.decision, instead, m.habits)
	}
	if wrong != nil { // no legal action at all: the server never asks so
		m.log.Error(fmt.Sprintf("nothing can be answered to %v: %v", ask.key, wrong))
		return &pb.Act{TableId: ask.key.table, DecisionId: ask.key.decision, Answer: &pb.Act_Choice{}}
	}
	return act
}

func (m *mind) decide(ctx context.Context, decision *pb.Decision) Answer {
	if decider, ok := m.bot.(Decider); ok {
		return decider.Decide(ctx, decision)
	}
	_, reacts := m.bot.(Reactor)
	if !reacts && decision.GetKind() == pb.DecisionKind_DECISION_KIND_REACTION {
		return DefaultReaction(decision.GetView(), decision.GetLegalActions(), m.habits.catch)
	}
	return ChooseOrReact(m.bot, decision)
}

func (m *mind) correct(decision *pb.Decision, refusal Refusal) (Answer, bool) {
	if corrector, ok := m.bot.(Corrector); ok {
		return corrector.OnRefused(decision, refusal)
	}
	return Answer{}, false
}

// fault is a panic of the bot, with the stack that led to it.
type fault struct {
	value any
	stack []byte
}

func (f *fault) String() string { return fmt.Sprintf("%v\n%s", f.value, f.stack) }

// guarded calls, and returns the panic that it ended in; nil when there was none.
func guarded(call func()) (broken *fault) {
	defer func() {
		if value := recover(); value != nil {
			broken = &fault{value, debug.Stack()}
		}
	}()
	call()
	return nil
}
