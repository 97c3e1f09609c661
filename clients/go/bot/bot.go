// Package bot connects a bot to an arena: write Choose, and the rest is done for you.
//
//	type first struct{}
//
//	func (first) Choose(view *pb.View, legalActions []*pb.Action) bot.Answer { return bot.Index(0) }
//
//	func main() { bot.Run(first{}, bot.Options{}) }
//
// The messages are those of package lastcardv1, here pb; package cards has words for them. A bot may have more methods
// than Choose: those of the interfaces in this file are found by themselves.
package bot

import (
	"context"

	pb "lastcard/lastcardv1"
)

// Bot is what a bot author writes.
//
// All methods of a bot run in one goroutine, one at a time and in order, so that the stream stays alive while the bot
// thinks and a bot needs no lock; Options.Concurrent changes that.
type Bot interface {
	// Choose answers a decision in the bot's own turn. legalActions is never empty, and all of it is legal now.
	Choose(view *pb.View, legalActions []*pb.Action) Answer
}

// Reactor answers decisions out of turn: jump in, call late, catch, pass. Without it DefaultReaction does.
type Reactor interface {
	React(view *pb.View, legalActions []*pb.Action) Answer
}

// Decider answers every decision, with kind, time left, bank and receipt. Choose and React are called by ChooseOrReact.
// The context is cancelled when the decision needs no answer any more.
type Decider interface {
	Decide(ctx context.Context, decision *pb.Decision) Answer
}

// Corrector corrects an answer that was refused; with false the SDK takes another legal action.
type Corrector interface {
	OnRefused(decision *pb.Decision, refusal Refusal) (Answer, bool)
}

// Starter is handed the handle of the running bot before anything else.
type Starter interface {
	OnStart(player *Player)
}

// SeatedHook is told of each seat at a table: with rules, clock and opponents.
type SeatedHook interface {
	OnSeated(seated *pb.Seated)
}

// TableClosedHook is told the end of each table and its result, once.
type TableClosedHook interface {
	OnTableClosed(closed *pb.TableClosed)
}

// EventHook is told each numbered event, once and in order. Events are sent only to bots that have this method,
// OnSnapshot or OnNotice.
type EventHook interface {
	OnEvent(tableID string, event *pb.Event)
}

// SnapshotHook is told the state of a table in place of events that the server no longer keeps.
type SnapshotHook interface {
	OnSnapshot(snapshot *pb.TableSnapshot)
}

// NoticeHook is told of presence and other things that are not part of the game.
type NoticeHook interface {
	OnNotice(notice *pb.Notice)
}

// ReceiptHook is told the account of each closed decision, once: when it was sent and answered, the time charged, and
// the bank left.
type ReceiptHook interface {
	OnReceipt(tableID string, receipt *pb.Receipt)
}

// Refusal tells why an answer did not count: by the game (Reason), by the transport (ProtocolReason) or, with both
// unset, by the SDK before it was sent.
type Refusal struct {
	// Message is one sentence: what was wrong and what would be valid.
	Message        string
	Reason         pb.Reason
	ProtocolReason pb.ProtocolReason
	// RefusalsLeft is how many more the server allows at this decision.
	RefusalsLeft int
}

// Player is the handle of a running bot. Its methods may be called from any goroutine.
type Player struct {
	leave func(tableID string)
	stop  func()
}

// Leave leaves a table for good.
func (p *Player) Leave(tableID string) { p.leave(tableID) }

// Stop ends the run cleanly.
func (p *Player) Stop() { p.stop() }

// ChooseOrReact has Choose answer a decision of the bot's own turn, and React, or DefaultReaction, one out of turn.
// It knows no Options: a bot with NoAutoCatch that has no React calls DefaultReaction itself.
func ChooseOrReact(bot Bot, decision *pb.Decision) Answer {
	if decision.GetKind() != pb.DecisionKind_DECISION_KIND_REACTION {
		return bot.Choose(decision.GetView(), decision.GetLegalActions())
	}
	if reactor, ok := bot.(Reactor); ok {
		return reactor.React(decision.GetView(), decision.GetLegalActions())
	}
	return DefaultReaction(decision.GetView(), decision.GetLegalActions(), true)
}

// DefaultReaction is the safe reaction: the own late call, else a catch that costs nothing (if catch is true), else
// passing. With a penalty for false catches a catch is left out: somebody else may have been faster.
func DefaultReaction(view *pb.View, legalActions []*pb.Action, catch bool) Answer {
	wanted := []pb.ActionKind{pb.ActionKind_ACTION_KIND_UNO}
	if catch && catchesAreFree(view) {
		wanted = append(wanted, pb.ActionKind_ACTION_KIND_CATCH)
	}
	wanted = append(wanted, pb.ActionKind_ACTION_KIND_PASS, pb.ActionKind_ACTION_KIND_KEEP)
	for _, kind := range wanted {
		for i, action := range legalActions {
			if action.GetKind() == kind {
				return Index(i)
			}
		}
	}
	return Index(len(legalActions) - 1)
}
