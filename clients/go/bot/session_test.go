package bot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "lastcard/lastcardv1"
)

// recorder notes what a session has done, one line each.
type recorder struct {
	lines []string
	asks  []ask
	sent  []*pb.ClientMessage
}

func (r *recorder) note(format string, values ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, values...))
}

func (r *recorder) send(message *pb.ClientMessage) {
	r.sent = append(r.sent, message)
	switch content := message.GetMessage().(type) {
	case *pb.ClientMessage_Act:
		r.note("act %d %v", content.Act.GetDecisionId(), content.Act.GetChoice())
	case *pb.ClientMessage_Leave:
		r.note("leave %s", content.Leave.GetTableId())
	case *pb.ClientMessage_HeartbeatReply:
		r.note("beat %d", content.HeartbeatReply.GetNumber())
	case *pb.ClientMessage_TableClosedReceived:
		r.note("received %s", content.TableClosedReceived.GetTableId())
	default:
		r.note("%v", message)
	}
}

func (r *recorder) sendLater(wait time.Duration, tableID string) {
	r.note("later %v %s", wait, tableID)
}

func (r *recorder) ask(ask ask) {
	r.asks = append(r.asks, ask)
	if ask.refusal != nil {
		r.note("correct %d %v", ask.key.decision, ask.refused)
	} else {
		r.note("ask %d", ask.key.decision)
	}
}

func (r *recorder) withdraw(key key)              { r.note("withdraw %d", key.decision) }
func (r *recorder) tell(hook string, _ func(Bot)) { r.note("%s", hook) }
func (r *recorder) welcomed(welcome *pb.Welcome)  { r.note("welcomed %s", welcome.GetBotName()) }
func (r *recorder) resume()                       { r.note("resume") }
func (r *recorder) inform(text string)            { r.note("log %s", strings.SplitN(text, " ", 2)[0]) }
func (r *recorder) warn(text string)              { r.note("warn %s", strings.SplitN(text, " ", 2)[0]) }

// take returns what was noted since the last time.
func (r *recorder) take() string {
	lines := strings.Join(r.lines, "; ")
	r.lines = nil
	return lines
}

// script is a session with its recorder, told messages and asked what came of them.
type script struct {
	*testing.T
	session *session
	done    *recorder
}

func newScript(t *testing.T, hello *pb.Hello) *script {
	done := &recorder{}
	s := &script{t, newSession(hello, done), done}
	s.stream("welcomed bot")
	return s
}

// stream opens a stream and lets the server welcome the bot.
func (s *script) stream(want string) *pb.Hello {
	s.Helper()
	hello := s.session.openStream().GetHello()
	s.hears(&pb.Welcome{ProtocolVersion: 1, BotName: "bot", ResumeSecret: "secret"}, want)
	return hello
}

// hears gives the session a message and checks what comes of it.
func (s *script) hears(content proto.Message, want string) {
	s.Helper()
	if err := s.session.receive(serverMessage(content)); err != nil {
		s.Fatalf("receive(%v): %v", content, err)
	}
	s.did(want)
}

func (s *script) did(want string) {
	s.Helper()
	if got := s.done.take(); got != want {
		s.Fatalf("it did %q, want %q", got, want)
	}
}

// answers lets the bot answer the last decision.
func (s *script) answers(choice uint32, want string) {
	s.Helper()
	last := s.done.asks[len(s.done.asks)-1].key
	s.session.answered(last, &pb.Act{
		TableId: last.table, DecisionId: last.decision, Answer: &pb.Act_Choice{Choice: choice},
	})
	s.did(want)
}

// serverMessage wraps the content of a message.
func serverMessage(content proto.Message) *pb.ServerMessage {
	message := &pb.ServerMessage{}
	fields := message.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		if fields.Get(i).Message() == content.ProtoReflect().Descriptor() {
			message.ProtoReflect().Set(fields.Get(i), messageValue(content))
		}
	}
	return message
}

func twoChoices(id uint32) *pb.Decision {
	return question(id, []pb.Card{red5, red7, wild}, &pb.Action{Kind: play, Card: red5}, &pb.Action{Kind: draw})
}

func events(numbers ...uint32) *pb.TableEvents {
	told := &pb.TableEvents{TableId: tableID}
	for _, number := range numbers {
		event := &pb.Event{Sequence: number, Event: &pb.Event_CardKept{CardKept: &pb.CardKept{}}}
		told.Events = append(told.Events, event)
	}
	return told
}

func refused(id uint32, left uint32, reason pb.Reason) *pb.ActResult {
	return &pb.ActResult{TableId: tableID, DecisionId: id, Reason: reason, RefusalsLeft: left, Message: "so"}
}

func accepted(id uint32) *pb.ActResult {
	return &pb.ActResult{TableId: tableID, DecisionId: id, Accepted: true, Receipt: &pb.Receipt{DecisionId: id}}
}

func TestADecisionIsThoughtAboutOnce(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	s.hears(twoChoices(1), "")
	s.answers(1, "act 1 1")
	s.answers(0, "") // one answer to a question
	s.hears(twoChoices(1), "act 1 1")
	s.hears(accepted(1), "OnReceipt")
	s.hears(twoChoices(1), "act 1 1") // the verdict was lost, or the server was: the same answer again
	s.hears(accepted(1), "")
}

func TestADecisionWithoutLegalActionsIsNotPutToTheBot(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(question(1, nil), "warn the")
}

func TestAnAnswerThatWasLostIsSentAgain(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	s.answers(0, "act 1 0")
	s.stream("welcomed bot")
	s.hears(twoChoices(1), "act 1 0")
	s.hears(twoChoices(2), "ask 2")
	s.stream("welcomed bot")
	s.answers(0, "") // kept until the server puts the decision again
	s.hears(twoChoices(2), "act 2 0")
}

func TestANewDecisionShowsThatAnOldOneWasClosed(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	reaction := twoChoices(2)
	reaction.Kind = reacts
	s.hears(reaction, "ask 2")
	s.stream("welcomed bot")
	s.hears(twoChoices(3), "withdraw 1; ask 3")
	s.session.answered(key{tableID, 1}, &pb.Act{DecisionId: 1})
	s.did("")
}

func TestClosedDecisionsAreNotAnswered(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	closed := &pb.DecisionClosed{
		TableId: tableID, DecisionId: 1, Reason: pb.Reason_REASON_TURN_EXPIRED, Receipt: &pb.Receipt{DecisionId: 1},
	}
	s.hears(closed, "withdraw 1; warn no; OnReceipt")
	s.answers(0, "")
	s.hears(twoChoices(2), "ask 2")
	next := twoChoices(3)
	next.PreviousReceipt = &pb.Receipt{DecisionId: 2}
	s.hears(next, "withdraw 2; OnReceipt; ask 3")
	s.hears(closed, "")
}

func TestRefusalsAreCorrected(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	s.answers(0, "act 1 0")
	s.hears(refused(1, 2, pb.Reason_REASON_CARD_NOT_PLAYABLE), "warn answer; correct 1 [0]")
	s.answers(1, "act 1 1")
	s.hears(twoChoices(1), "act 1 1")
	s.hears(refused(1, 1, 77), "") // a verdict on what was sent first; that on the repetition follows
	s.hears(refused(1, 1, 77), "warn answer; correct 1 [0 1]")
	s.answers(0, "act 1 0")
	s.hears(refused(1, 0, 77), "warn answer")
	if s.session.entry(key{tableID, 1}) != nil {
		t.Error("the third refusal left the decision open")
	}
}

func TestRefusalsThatNoAnswerMends(t *testing.T) {
	for _, reason := range final {
		s := newScript(t, &pb.Hello{})
		s.hears(twoChoices(1), "ask 1")
		s.answers(0, "act 1 0")
		s.hears(refused(1, 2, reason), "log answer")
		if s.session.entry(key{tableID, 1}) != nil {
			t.Errorf("%v left the decision open", reason)
		}
	}
	for _, reason := range finalForTransport {
		s := newScript(t, &pb.Hello{})
		s.hears(twoChoices(1), "ask 1")
		s.answers(0, "act 1 0")
		s.hears(&pb.ActResult{TableId: tableID, DecisionId: 1, ProtocolReason: reason, RefusalsLeft: 2}, "log answer")
	}
}

func TestTooFastIsSaidAgainLater(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	s.answers(0, "act 1 0")
	result := refused(1, 3, 0)
	result.ProtocolReason = pb.ProtocolReason_PROTOCOL_REASON_TOO_FAST
	s.hears(result, "warn answer; later 200ms t1")
	s.session.resend(tableID)
	s.did("act 1 0")
	s.session.resend("") // its verdict is still to come
	s.did("")
	leaving := &pb.MessageRefused{TableId: tableID, Reason: 8, RetryAfter: durationpb.New(time.Second)}
	s.hears(leaving, "warn message; later 1s t1")
}

func TestACallByItselfLeavesTheTurnOpen(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	call := &pb.Act{TableId: tableID, DecisionId: 1, Answer: &pb.Act_Action{Action: &pb.Action{Kind: uno}}}
	result := &pb.ActResult{TableId: tableID, DecisionId: 1, Accepted: true}
	s.session.answered(key{tableID, 1}, call)
	s.did("act 1 0")
	s.hears(result, "ask 1")
	if called := s.done.asks[1].decision.View.CalledSeats; !slices.Equal(called, []uint32{0}) {
		t.Errorf("called seats are %v", called)
	}
	s.session.answered(key{tableID, 1}, call)
	s.hears(result, "act 1 0; ask 1")
	s.session.answered(key{tableID, 1}, call)
	s.hears(result, "act 1 0; warn 3; correct 1 []")
}

func TestCursorsResumeWithoutAGap(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(&pb.Seated{TableId: tableID}, "log seated; OnSeated")
	s.hears(events(1, 2), "OnEvent; OnEvent")
	hello := s.stream("welcomed bot")
	if len(hello.Cursors) != 1 || hello.Cursors[0].TableId != tableID || hello.Cursors[0].LastSequence != 2 {
		t.Fatalf("cursors are %v", hello.Cursors)
	}
	s.hears(&pb.Seated{TableId: tableID, LastSequence: 3, Resumed: true}, "")
	s.hears(events(2, 3), "OnEvent")
	s.hears(events(5), "warn events; resume")
	s.hears(events(6), "") // nothing more is taken from a stream with a gap
	if hello := s.stream("welcomed bot"); hello.Cursors[0].LastSequence != 3 {
		t.Errorf("after a gap the cursor is %v", hello.Cursors)
	}
	s.hears(events(5), "warn events; OnEvent") // asked for once; it does not come
	s.hears(&pb.TableSnapshot{TableId: tableID, Sequence: 9}, "OnSnapshot")
	s.hears(&pb.TableSnapshot{TableId: tableID, Sequence: 8}, "")
	beyond := pb.ProtocolReason_PROTOCOL_REASON_CURSOR_BEYOND_END
	s.hears(&pb.MessageRefused{TableId: tableID, Reason: beyond}, "warn message")
	if hello := s.stream("welcomed bot"); len(hello.Cursors) != 0 {
		t.Errorf("a cursor beyond the end is said again: %v", hello.Cursors)
	}
}

func TestNoCursorsForDecisionsOnly(t *testing.T) {
	s := newScript(t, &pb.Hello{DecisionsOnly: true})
	s.hears(&pb.Seated{TableId: tableID}, "log seated; OnSeated")
	if hello := s.stream("welcomed bot"); len(hello.Cursors) != 0 {
		t.Errorf("cursors are %v", hello.Cursors)
	}
}

func TestTheEndOfATableIsAcknowledged(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(&pb.Seated{TableId: tableID}, "log seated; OnSeated")
	s.hears(twoChoices(1), "ask 1")
	closed := &pb.TableClosed{TableId: tableID, PreviousReceipt: &pb.Receipt{DecisionId: 1}}
	s.hears(closed, "withdraw 1; OnReceipt; log table; OnTableClosed; received t1")
	s.hears(closed, "received t1")
	s.answers(0, "")
	if hello := s.stream("welcomed bot"); len(hello.Cursors) != 0 {
		t.Errorf("cursors of a closed table: %v", hello.Cursors)
	}
}

func TestLeavingIsSaidUntilTheTableIsOver(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.session.leave("elsewhere")
	s.did("")
	s.hears(&pb.Seated{TableId: tableID}, "log seated; OnSeated")
	s.session.leave(tableID)
	s.did("leave t1")
	s.stream("welcomed bot")
	s.hears(&pb.Seated{TableId: tableID, Resumed: true}, "leave t1")
	s.hears(&pb.TableClosed{TableId: tableID}, "log table; OnTableClosed; received t1")
	s.hears(&pb.Seated{TableId: tableID}, "log seated; OnSeated") // a table of the same name is another one
	s.session.resend("")
	s.did("")
}

func TestWhatIsUnknownIsIgnored(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(&pb.Leave{}, "") // no message of the server: as one of a newer one, it comes as unset
	decision := twoChoices(1)
	decision.Kind = 99
	decision.LegalActions[0].Kind = 99
	s.hears(decision, "ask 1")
	s.hears(&pb.Notice{TableId: tableID, Kind: 99}, "OnNotice")
	s.hears(&pb.TableEvents{TableId: tableID, Events: []*pb.Event{{Sequence: 1}}}, "")
	s.hears(&pb.Heartbeat{Number: 4}, "beat 4")
}

func TestManyTablesAreKeptApart(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	other := twoChoices(1)
	other.TableId = "t2"
	s.hears(twoChoices(1), "ask 1")
	s.hears(other, "ask 1")
	s.session.answered(key{tableID, 1}, &pb.Act{TableId: tableID, DecisionId: 1})
	s.did("act 1 0")
	s.hears(accepted(1), "OnReceipt")
	if s.session.entry(key{"t2", 1}) == nil || s.session.entry(key{tableID, 1}) != nil {
		t.Error("a verdict at one table closed the decision of another")
	}
	unknown := pb.ProtocolReason_PROTOCOL_REASON_UNKNOWN_TABLE
	s.hears(&pb.MessageRefused{TableId: "t2", Reason: unknown}, "warn message; withdraw 1")
}

func TestForgettingDropsAll(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	if s.session.secret != "secret" {
		t.Errorf("the secret is %q", s.session.secret)
	}
	s.session.forget()
	s.did("withdraw 1")
	if s.session.secret != "" || len(s.session.tables) != 0 {
		t.Error("something was kept")
	}
}

func TestAnotherProtocolIsNamed(t *testing.T) {
	session := newSession(&pb.Hello{}, &recorder{})
	session.openStream()
	err := session.receive(serverMessage(&pb.Welcome{ProtocolVersion: 2}))
	if err == nil || !strings.Contains(err.Error(), "protocol version 2; this client speaks 1") {
		t.Errorf("another version: %v", err)
	}
	err = session.receive(serverMessage(&pb.Heartbeat{}))
	if err == nil || !strings.Contains(err.Error(), `with "heartbeat"; it must begin with "welcome"`) {
		t.Errorf("no welcome: %v", err)
	}
}

func TestTheLastWordOfAStreamIsItsFarewell(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	slow := pb.ProtocolReason_PROTOCOL_REASON_READER_TOO_SLOW
	s.hears(&pb.MessageRefused{Reason: slow, Message: "slow"}, "warn message")
	if s.session.farewellText != "slow" || s.session.farewell.GetProtocolReason() != slow {
		t.Errorf("the farewell is %q, %v", s.session.farewellText, s.session.farewell)
	}
	s.hears(&pb.Heartbeat{}, "beat 0")
	if s.session.farewell != nil {
		t.Error("a farewell was kept though the stream went on")
	}
}

func TestARefusalAfterAReconnectIsTheVerdictOnThePresentAnswer(t *testing.T) {
	s := newScript(t, &pb.Hello{})
	s.hears(twoChoices(1), "ask 1")
	s.answers(0, "act 1 0") // its verdict is lost with the stream
	s.stream("welcomed bot")
	s.hears(twoChoices(1), "act 1 0")
	s.hears(refused(1, 2, pb.Reason_REASON_CARD_NOT_PLAYABLE), "warn answer; correct 1 [0]")
}
