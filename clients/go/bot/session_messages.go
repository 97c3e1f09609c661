package bot

import (
	"fmt"
	"slices"
	"time"

	pb "lastcard/lastcardv1"
)

const (
	// apartMost is how many calls and catches by themselves a bot may make at one decision before it is told to play: it
	// could go on for ever.
	apartMost = 3
	// tooFastWait is how long to wait with an answer that came too fast; the server's allowance is full again within a
	// few times that.
	tooFastWait = 200 * time.Millisecond
)

// final are refusals that no other answer can mend. After all others, also unknown ones, the decision is still open.
var final = []pb.Reason{
	pb.Reason_REASON_NOT_YOUR_TURN,
	pb.Reason_REASON_STALE_DECISION,
	pb.Reason_REASON_TURN_EXPIRED,
	pb.Reason_REASON_ROUND_OVER,
	pb.Reason_REASON_MATCH_OVER,
	pb.Reason_REASON_FORBIDDEN,
	pb.Reason_REASON_SESSION_REPLACED,
}

// finalForTransport are refusals by the transport that no other answer can mend.
var finalForTransport = []pb.ProtocolReason{
	pb.ProtocolReason_PROTOCOL_REASON_UNKNOWN_TABLE,
	pb.ProtocolReason_PROTOCOL_REASON_UNKNOWN_DECISION,
}

func (s *session) onWelcome(welcome *pb.Welcome) error {
	if welcome.GetProtocolVersion() != protocolVersion {
		return fmt.Errorf("the server speaks protocol version %d; this client speaks %d: take a matching client",
			welcome.GetProtocolVersion(), protocolVersion)
	}
	s.welcome = true
	if welcome.GetResumeSecret() != "" {
		s.secret = welcome.GetResumeSecret()
	}
	s.do.welcomed(welcome)
	return nil
}

func (s *session) onSeated(seated *pb.Seated) {
	table := s.table(seated.GetTableId())
	if table.cursor == nil && seated.GetLastSequence() == 0 {
		table.cursor = new(uint32) // nothing has happened yet, so that all events can be had from now on
	}
	if table.seat == nil {
		seat := seated.GetSeat()
		table.seat = &seat
		s.do.inform("seated at " + seatText(seated))
		s.do.tell("OnSeated", func(bot Bot) {
			if hook, ok := bot.(SeatedHook); ok {
				hook.OnSeated(seated)
			}
		})
	}
	s.receipt(seated.GetTableId(), seated.GetPreviousReceipt())
	if s.leaving[seated.GetTableId()] {
		s.sendLeave(seated.GetTableId())
	}
}

func (s *session) onDecision(decision *pb.Decision) {
	table := s.table(decision.GetTableId())
	s.receipt(decision.GetTableId(), decision.GetPreviousReceipt())
	key := key{decision.GetTableId(), decision.GetDecisionId()}
	if entry := table.open[key.decision]; entry != nil {
		entry.stream = s.stream
		s.put(entry)
		return
	}
	if former := table.answers.values[key.decision]; former != nil {
		s.sendAct(former)
		return
	}
	s.dropOutdated(decision)
	if len(decision.GetLegalActions()) == 0 {
		s.do.warn(fmt.Sprintf("the server asked %v without any legal action; it stays unanswered", key))
		return
	}
	table.open[key.decision] = &openDecision{decision: decision, stream: s.stream}
	s.do.ask(ask{key: key, decision: decision})
}

// dropOutdated drops what a new decision shows to be closed, the news of it having been lost with an earlier stream. A
// seat is asked one question of its turn at a time, and beside it one for a reaction.
func (s *session) dropOutdated(decision *pb.Decision) {
	table := s.tables[decision.GetTableId()]
	reaction := decision.GetKind() == pb.DecisionKind_DECISION_KIND_REACTION
	for _, id := range table.openIDs() {
		entry := table.open[id]
		ofReaction := entry.decision.GetKind() == pb.DecisionKind_DECISION_KIND_REACTION
		if entry.stream != s.stream && ofReaction == reaction {
			delete(table.open, id)
			s.do.withdraw(key{decision.GetTableId(), id})
		}
	}
}

func (s *session) onActResult(result *pb.ActResult) {
	key := key{result.GetTableId(), result.GetDecisionId()}
	for _, refused := range result.GetRefusedCatches() {
		s.do.inform(fmt.Sprintf("catch of seat %d at %v refused: %s", refused.GetSeat(), key, refused.GetMessage()))
	}
	if entry := s.entry(key); entry != nil && entry.act != nil {
		entry.unjudged = max(0, entry.unjudged-1)
		if result.GetAccepted() {
			s.onAccepted(key, entry, result)
		} else if entry.unjudged == 0 { // otherwise it is a verdict on what was sent before; that on the answer follows
			s.onRefused(key, entry, result)
		}
	}
	s.receipt(result.GetTableId(), result.GetReceipt())
}

// onAccepted takes a verdict: a call or catch apart from the turn leaves it open; everything else closes the decision.
func (s *session) onAccepted(key key, entry *openDecision, result *pb.ActResult) {
	if !isApart(entry.act) || result.GetReceipt() != nil {
		s.close(key)
		return
	}
	entry.decision = afterApart(entry.decision, entry.act)
	entry.act = nil
	entry.apart++
	again := ask{key: key, decision: entry.decision}
	if entry.apart >= apartMost {
		text := fmt.Sprintf("%d calls and catches by themselves at %v; choose from legalActions", entry.apart, key)
		s.do.warn(text)
		again.refusal = &Refusal{Message: text, RefusalsLeft: 2}
		again.refused = slices.Clone(entry.refused)
	}
	s.do.ask(again)
}

func (s *session) onRefused(key key, entry *openDecision, result *pb.ActResult) {
	name := reasonName(result.GetReason())
	if result.GetReason() == pb.Reason_REASON_UNSPECIFIED {
		name = protocolReasonName(result.GetProtocolReason())
	}
	text := fmt.Sprintf("answer at %v refused, %s: %s", key, name, result.GetMessage())
	switch {
	case result.GetProtocolReason() == pb.ProtocolReason_PROTOCOL_REASON_TOO_FAST:
		s.do.warn(text)
		s.do.sendLater(tooFastWait, key.table)
		return
	case slices.Contains(final, result.GetReason()), slices.Contains(finalForTransport, result.GetProtocolReason()):
		s.do.inform(text)
		s.close(key)
		return
	}
	s.do.warn(text)
	if result.GetRefusalsLeft() == 0 {
		s.close(key)
		return
	}
	if choice, ok := entry.act.GetAnswer().(*pb.Act_Choice); ok {
		entry.refused = append(entry.refused, int(choice.Choice))
	}
	entry.act = nil
	refusal := &Refusal{result.GetMessage(), result.GetReason(), result.GetProtocolReason(), int(result.GetRefusalsLeft())}
	s.do.ask(ask{key, entry.decision, refusal, slices.Clone(entry.refused)})
}

func (s *session) onDecisionClosed(closed *pb.DecisionClosed) {
	key := key{closed.GetTableId(), closed.GetDecisionId()}
	if s.close(key) {
		s.do.withdraw(key)
		if closed.GetReason() == pb.Reason_REASON_TURN_EXPIRED {
			s.do.warn(fmt.Sprintf("no answer in time at %v", key))
		}
	}
	s.receipt(closed.GetTableId(), closed.GetReceipt())
}

func (s *session) onTableEvents(events *pb.TableEvents) {
	id := events.GetTableId()
	table := s.table(id)
	for _, event := range events.GetEvents() {
		seen := uint32(0)
		if table.cursor != nil {
			seen = *table.cursor
		}
		if event.GetSequence() <= seen {
			continue
		}
		if table.cursor != nil && event.GetSequence() != seen+1 {
			gap := fmt.Sprintf("events %d to %d at table %s", seen+1, event.GetSequence()-1, id)
			if table.gap == nil || *table.gap != seen {
				table.gap = &seen
				s.broken = true
				s.do.warn(gap + " did not come; reconnecting to have them")
				s.do.resume()
				return
			}
			s.do.warn(gap + " never came")
		}
		sequence := event.GetSequence()
		table.cursor = &sequence
		if event.GetEvent() != nil {
			s.do.tell("OnEvent", func(bot Bot) {
				if hook, ok := bot.(EventHook); ok {
					hook.OnEvent(id, event)
				}
			})
		}
	}
}

func (s *session) onTableSnapshot(snapshot *pb.TableSnapshot) {
	table := s.table(snapshot.GetTableId())
	if table.cursor != nil && snapshot.GetSequence() < *table.cursor {
		return
	}
	sequence := snapshot.GetSequence()
	table.cursor = &sequence
	s.do.tell("OnSnapshot", func(bot Bot) {
		if hook, ok := bot.(SnapshotHook); ok {
			hook.OnSnapshot(snapshot)
		}
	})
}

func (s *session) onNotice(notice *pb.Notice) {
	if notice.GetKind() == pb.NoticeKind_NOTICE_KIND_RECOVERED {
		s.do.inform("the server was restarted and goes on with table " + notice.GetTableId())
	}
	s.do.tell("OnNotice", func(bot Bot) {
		if hook, ok := bot.(NoticeHook); ok {
			hook.OnNotice(notice)
		}
	})
}

func (s *session) onTableClosed(closed *pb.TableClosed) {
	id := closed.GetTableId()
	isNews := !s.closed.has(id)
	if isNews {
		s.receipt(id, closed.GetPreviousReceipt())
	}
	s.withdrawAll(id)
	var seat *uint32
	if table := s.tables[id]; table != nil {
		seat = table.seat
	}
	delete(s.tables, id)
	delete(s.leaving, id)
	if isNews {
		for _, text := range faultTexts(closed, seat) {
			s.do.warn(text)
		}
		s.do.inform(resultText(closed, seat))
		s.do.tell("OnTableClosed", func(bot Bot) {
			if hook, ok := bot.(TableClosedHook); ok {
				hook.OnTableClosed(closed)
			}
		})
	}
	s.closed.put(id, struct{}{}, keptTables)
	received := &pb.TableClosedReceived{TableId: id}
	s.do.send(&pb.ClientMessage{Message: &pb.ClientMessage_TableClosedReceived{TableClosedReceived: received}})
}

func (s *session) onMessageRefused(refused *pb.MessageRefused) {
	id := refused.GetTableId()
	about := ""
	if id == "" {
		// The last message of a stream that the server ends says why; its status may be lost to a failed write.
		s.farewell = &pb.ErrorCause{ProtocolReason: refused.GetReason()}
		s.farewellText = refused.GetMessage()
	} else {
		about = " about table " + id
	}
	name := protocolReasonName(refused.GetReason())
	s.do.warn(fmt.Sprintf("message%s refused, %s: %s", about, name, refused.GetMessage()))
	table := s.tables[id]
	switch {
	case refused.GetReason() == pb.ProtocolReason_PROTOCOL_REASON_CURSOR_BEYOND_END && table != nil:
		table.cursor = nil
	case refused.GetReason() == pb.ProtocolReason_PROTOCOL_REASON_UNKNOWN_TABLE && table != nil:
		s.withdrawAll(id)
		delete(s.leaving, id)
		delete(s.tables, id)
	case refused.GetRetryAfter() != nil:
		s.do.sendLater(refused.GetRetryAfter().AsDuration(), id)
	}
}

// receipt tells a receipt once, however often the server repeats it; its decision needs no thought any more.
func (s *session) receipt(tableID string, receipt *pb.Receipt) {
	if receipt == nil || s.closed.has(tableID) && s.tables[tableID] == nil {
		return
	}
	table := s.table(tableID)
	if table.receipts.has(receipt.GetDecisionId()) {
		return
	}
	table.receipts.put(receipt.GetDecisionId(), struct{}{}, keptAnswers)
	if key := (key{tableID, receipt.GetDecisionId()}); s.close(key) {
		s.do.withdraw(key)
	}
	s.do.tell("OnReceipt", func(bot Bot) {
		if hook, ok := bot.(ReceiptHook); ok {
			hook.OnReceipt(tableID, receipt)
		}
	})
}
