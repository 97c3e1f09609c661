package bot

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	pb "lastcard/lastcardv1"
)

const protocolVersion = 1

// ask is a decision to be thought about; with a refusal, an answer to be corrected.
type ask struct {
	key      key
	decision *pb.Decision
	refusal  *Refusal
	// refused are the choices that were refused at this decision.
	refused []int
}

// effects is what a session has others do.
type effects interface {
	// send sends a message, with whatever else is ready in the same frame.
	send(message *pb.ClientMessage)
	// sendLater calls session.resend for the table after a wait.
	sendLater(wait time.Duration, tableID string)
	// ask lets the bot think, and gives its answer to session.answered.
	ask(ask ask)
	// withdraw tells that a decision needs no thought any more.
	withdraw(key key)
	// tell calls a hook of the bot.
	tell(hook string, call func(Bot))
	// welcomed tells that the stream is open.
	welcomed(welcome *pb.Welcome)
	// resume breaks the stream off and comes back: something that should have come on it did not.
	resume()
	// inform and warn tell what a bot author should know.
	inform(text string)
	warn(text string)
}

// session is one bot's side of the protocol, over all its streams. It knows no network, no goroutine and no clock.
//
// A stream is one call of Play. A decision is thought about once. Its answer is sent each time that the server puts the
// decision, on whatever stream, and is the same each time unless it was refused.
type session struct {
	hello   *pb.Hello
	do      effects
	stream  int
	tables  map[string]*table
	closed  recent[string, struct{}]
	leaving map[string]bool
	// welcome tells whether the present stream is open.
	welcome bool
	// secret is the resume secret, once the server gave one.
	secret string
	// draining tells whether the server said on this stream that it shuts down, farewell why it ends the stream.
	draining     bool
	farewell     *pb.ErrorCause
	farewellText string
	// broken tells that something is missing on the present stream, so that nothing more is taken from it.
	broken bool
}

func newSession(hello *pb.Hello, do effects) *session {
	return &session{hello: hello, do: do, tables: map[string]*table{}, leaving: map[string]bool{}}
}

// openStream begins a stream: it returns the Hello for it, with a cursor for each table of which events were seen.
func (s *session) openStream() *pb.ClientMessage {
	s.stream++
	s.welcome, s.draining, s.broken = false, false, false
	s.farewell, s.farewellText = nil, ""
	hello := proto.CloneOf(s.hello)
	for _, id := range s.tableIDs() {
		table := s.tables[id]
		for _, entry := range table.open {
			entry.unjudged = 0
		}
		if table.cursor != nil && !hello.GetDecisionsOnly() {
			hello.Cursors = append(hello.Cursors, &pb.TableCursor{TableId: id, LastSequence: *table.cursor})
		}
	}
	return &pb.ClientMessage{Message: &pb.ClientMessage_Hello{Hello: hello}}
}

// forget begins anew after the server has lost the session: all tables are dropped, and so is the secret.
func (s *session) forget() {
	for _, id := range s.tableIDs() {
		s.withdrawAll(id)
	}
	s.tables, s.leaving, s.closed = map[string]*table{}, map[string]bool{}, recent[string, struct{}]{}
	s.secret = ""
}

// answered takes the bot's answer to a decision; nothing is sent when it was closed, or not put again on this stream.
func (s *session) answered(key key, act *pb.Act) {
	entry := s.entry(key)
	if entry == nil || entry.act != nil {
		return
	}
	entry.act = act
	s.tables[key.table].answers.put(key.decision, act, keptAnswers)
	if entry.stream == s.stream && s.welcome {
		s.put(entry)
	}
}

// leave leaves a table for good; it is said again after a reconnect, until the table is over for the bot.
func (s *session) leave(tableID string) {
	if _, known := s.tables[tableID]; !known {
		return
	}
	s.leaving[tableID] = true
	if s.welcome {
		s.sendLeave(tableID)
	}
}

// resend says again at a table (all tables when empty) what came too fast: leaving, and answers without a verdict.
func (s *session) resend(tableID string) {
	if !s.welcome {
		return
	}
	names := []string{tableID}
	if tableID == "" {
		names = s.tableIDs()
	}
	for _, name := range names {
		if s.leaving[name] {
			s.sendLeave(name)
		}
		table, known := s.tables[name]
		if !known {
			continue
		}
		for _, id := range table.openIDs() {
			if entry := table.open[id]; entry.unjudged == 0 && entry.stream == s.stream {
				s.put(entry)
			}
		}
	}
}

// receive takes one message of the server. Unknown messages are ignored. An error says why the bot must not go on.
func (s *session) receive(message *pb.ServerMessage) error {
	s.farewell, s.farewellText = nil, ""
	if message.GetMessage() == nil || s.broken {
		return nil
	}
	if welcome := message.GetWelcome(); welcome != nil {
		return s.onWelcome(welcome)
	}
	if refused := message.GetMessageRefused(); refused != nil {
		s.onMessageRefused(refused)
		return nil
	}
	if !s.welcome {
		return fmt.Errorf("the server opened the stream with %q; it must begin with \"welcome\"", messageName(message))
	}
	switch content := message.GetMessage().(type) {
	case *pb.ServerMessage_Seated:
		s.onSeated(content.Seated)
	case *pb.ServerMessage_Decision:
		s.onDecision(content.Decision)
	case *pb.ServerMessage_ActResult:
		s.onActResult(content.ActResult)
	case *pb.ServerMessage_DecisionClosed:
		s.onDecisionClosed(content.DecisionClosed)
	case *pb.ServerMessage_TableEvents:
		s.onTableEvents(content.TableEvents)
	case *pb.ServerMessage_TableSnapshot:
		s.onTableSnapshot(content.TableSnapshot)
	case *pb.ServerMessage_Notice:
		s.onNotice(content.Notice)
	case *pb.ServerMessage_TableClosed:
		s.onTableClosed(content.TableClosed)
	case *pb.ServerMessage_Heartbeat:
		reply := &pb.HeartbeatReply{Number: content.Heartbeat.GetNumber()}
		s.do.send(&pb.ClientMessage{Message: &pb.ClientMessage_HeartbeatReply{HeartbeatReply: reply}})
	case *pb.ServerMessage_Draining:
		s.draining = true
		left := content.Draining.GetTimeLeft().AsDuration()
		s.do.warn(fmt.Sprintf("the server shuts down within %.0f s; reconnecting when the stream ends", left.Seconds()))
	}
	return nil
}

// messageName returns the name of what a message says, as in the .proto file.
func messageName(message *pb.ServerMessage) string {
	reflected := message.ProtoReflect()
	field := reflected.WhichOneof(reflected.Descriptor().Oneofs().ByName("message"))
	if field == nil {
		return ""
	}
	return string(field.Name())
}

func (s *session) tableIDs() []string { return slices.Sorted(maps.Keys(s.tables)) }

// table returns what is remembered of a table, from now on if nothing was.
func (s *session) table(id string) *table {
	if known := s.tables[id]; known != nil {
		return known
	}
	s.tables[id] = &table{open: map[uint32]*openDecision{}}
	return s.tables[id]
}

// entry returns an open decision; nil when it is not open.
func (s *session) entry(key key) *openDecision {
	if table := s.tables[key.table]; table != nil {
		return table.open[key.decision]
	}
	return nil
}

// close drops an open decision, and tells whether there was one.
func (s *session) close(key key) bool {
	if s.entry(key) == nil {
		return false
	}
	delete(s.tables[key.table].open, key.decision)
	return true
}

// put sends the answer of an open decision, if the bot has given it.
func (s *session) put(entry *openDecision) {
	if entry.act != nil {
		entry.unjudged++
		s.sendAct(entry.act)
	}
}

// withdrawAll has the bot think no more about the decisions of a table.
func (s *session) withdrawAll(tableID string) {
	if table := s.tables[tableID]; table != nil {
		for _, id := range table.openIDs() {
			s.do.withdraw(key{tableID, id})
		}
	}
}

func (s *session) sendAct(act *pb.Act) {
	s.do.send(&pb.ClientMessage{Message: &pb.ClientMessage_Act{Act: act}})
}

func (s *session) sendLeave(tableID string) {
	s.do.send(&pb.ClientMessage{Message: &pb.ClientMessage_Leave{Leave: &pb.Leave{TableId: tableID}}})
}
