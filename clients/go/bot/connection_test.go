package bot

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "lastcard/lastcardv1"
)

func (b *thinker) Decide(ctx context.Context, decision *pb.Decision) Answer {
	b.asked <- decision
	select {
	case answer := <-b.answers:
		return answer
	case <-ctx.Done():
		b.hooks <- "cancelled"
		return Answer{}
	}
}

type listener struct {
	*thinker
	events chan uint32
}

func (b *listener) OnEvent(_ string, event *pb.Event) { b.events <- event.GetSequence() }

func ended(t *testing.T, code codes.Code, reason pb.ProtocolReason) error {
	t.Helper()
	end, err := status.New(code, "because").WithDetails(&pb.ErrorCause{ProtocolReason: reason})
	if err != nil {
		t.Fatal(err)
	}
	return end.Err()
}

func TestHelloSaysWhoComes(t *testing.T) {
	a := newArena(t)
	bot := a.plays(newThinker(), Options{Name: "bot", Version: "3", Token: "token", MaxTables: 2})
	stream := a.next()
	want := &pb.Hello{
		ProtocolVersion: 1, BotName: "bot", BotVersion: "3", ClientName: "lastcard-go", ClientVersion: Version,
		MaxTables: 2, MaxOpenDecisions: 1, DecisionsOnly: true,
	}
	if !proto.Equal(stream.hello, want) || len(stream.bearer) != 1 || stream.bearer[0] != "Bearer token" {
		t.Errorf("hello is %v with %q", stream.hello, stream.bearer)
	}
	bot.stops()
	if last := stream.hears(); last != nil {
		t.Errorf("the bot said %v instead of ending the stream", last)
	}
	if err := <-stream.closed; err != io.EOF {
		t.Errorf("the bot broke the stream off: %v", err)
	}
}

func TestSeveralDecisionsOfManyTablesInOneFrame(t *testing.T) {
	a := newArena(t)
	thinker := newThinker()
	bot := a.plays(thinker, Options{MaxOpenDecisions: Unlimited})
	stream := a.next()
	if stream.hello.MaxOpenDecisions != 0 {
		t.Errorf("hello is %v", stream.hello)
	}
	other := twoChoices(1)
	other.TableId = "t2"
	stream.says(twoChoices(1), &pb.Heartbeat{Number: 5}, other)
	if beat := stream.hears(); beat.GetHeartbeatReply().GetNumber() != 5 {
		t.Errorf("a bot that thinks answered a heartbeat with %v", beat)
	}
	thinker.answers <- Index(1)
	thinker.answers <- Index(0)
	first, second := stream.hearsAct(1), stream.hearsAct(1)
	if first.TableId != tableID || first.GetChoice() != 1 || second.TableId != "t2" || second.GetChoice() != 0 {
		t.Errorf("answers are %v and %v", first, second)
	}
	bot.stops()
}

func TestWhatIsReadyLeavesInOneFrame(t *testing.T) {
	a := newArena(t)
	bot := a.plays(newThinker(), Options{})
	stream := a.next()
	stream.says(&pb.Heartbeat{Number: 1}, &pb.Heartbeat{Number: 2}, &pb.Heartbeat{Number: 3})
	if count := <-stream.frames; count != 3 {
		t.Errorf("the first frame has %d messages, want 3", count)
	}
	bot.stops()
}

func TestALargeFrameIsRead(t *testing.T) {
	a := newArena(t)
	bot := a.plays(newThinker(), Options{})
	stream := a.next()
	// Larger than the 4 MiB that grpc reads by default.
	seats := []*pb.Seat{{Name: strings.Repeat("n", 6<<20)}}
	stream.says(&pb.Seated{TableId: tableID, Seats: seats}, &pb.Heartbeat{Number: 1})
	if beat := stream.hears(); beat.GetHeartbeatReply().GetNumber() != 1 {
		t.Errorf("heard %v", beat)
	}
	bot.stops()
}

func TestADroppedLinkIsResumed(t *testing.T) {
	a := newArena(t)
	bot := &listener{newThinker(), make(chan uint32, 64)}
	running := a.plays(bot, Options{Name: "bot"})
	stream := a.next()
	if stream.hello.DecisionsOnly || len(stream.bearer) != 0 {
		t.Errorf("hello is %v with %q", stream.hello, stream.bearer)
	}
	stream.says(&pb.Seated{TableId: tableID}, events(1, 2), twoChoices(1))
	<-bot.asked
	stream.end <- status.Error(codes.Unavailable, "lost")
	again := a.next()
	if len(again.hello.Cursors) != 1 || again.hello.Cursors[0].LastSequence != 2 {
		t.Errorf("cursors are %v", again.hello.Cursors)
	}
	if len(again.bearer) != 1 || again.bearer[0] != "Bearer secret" {
		t.Errorf("it came back as %q", again.bearer)
	}
	again.says(&pb.Seated{TableId: tableID, Resumed: true, LastSequence: 3}, events(3), twoChoices(1))
	bot.answers <- Index(1)
	if act := again.hearsAct(1); act.GetChoice() != 1 {
		t.Errorf("the answer is %v", act)
	}
	for want := uint32(1); want <= 3; want++ {
		if got := <-bot.events; got != want {
			t.Errorf("event %d came, want %d", got, want)
		}
	}
	if len(bot.asked) != 0 {
		t.Error("a repeated decision was thought about again")
	}
	running.stops()
}

func TestAClosedDecisionCancelsTheThought(t *testing.T) {
	a := newArena(t)
	thinker := newThinker()
	bot := a.plays(thinker, Options{})
	stream := a.next()
	stream.says(twoChoices(1))
	<-thinker.asked
	stream.says(&pb.DecisionClosed{TableId: tableID, DecisionId: 1, Reason: pb.Reason_REASON_STALE_DECISION})
	if hook := <-thinker.hooks; hook != "cancelled" {
		t.Errorf("heard %q", hook)
	}
	stream.says(twoChoices(2))
	<-thinker.asked
	thinker.answers <- Index(0)
	stream.hearsAct(2)
	bot.stops()
}

func TestConcurrentThoughts(t *testing.T) {
	a := newArena(t)
	thinker := newThinker()
	bot := a.plays(thinker, Options{Concurrent: true})
	stream := a.next()
	other := twoChoices(1)
	other.TableId = "t2"
	stream.says(twoChoices(1), other)
	<-thinker.asked
	<-thinker.asked // both are asked before either is answered
	thinker.answers <- Index(0)
	thinker.answers <- Index(0)
	stream.hearsAct(1)
	stream.hearsAct(1)
	bot.stops()
}

func TestARefusedAnswerIsReplacedByAnotherLegalOne(t *testing.T) {
	a := newArena(t)
	thinker := newThinker()
	bot := a.plays(thinker, Options{})
	stream := a.next()
	stream.says(twoChoices(1))
	thinker.answers <- Index(0)
	stream.hearsAct(1)
	stream.says(refused(1, 2, pb.Reason_REASON_CARD_NOT_PLAYABLE))
	if act := stream.hearsAct(1); act.GetChoice() != 1 {
		t.Errorf("the second answer is %v", act)
	}
	bot.stops()
}

type clumsy struct{ corrected chan Refusal }

func (clumsy) Choose(_ *pb.View, legalActions []*pb.Action) Answer {
	if len(legalActions) == 2 {
		return Index(17)
	}
	panic("I do not know this position")
}

func (b clumsy) OnRefused(_ *pb.Decision, refusal Refusal) (Answer, bool) {
	b.corrected <- refusal
	return Index(1), true
}

func TestNonsenseAndPanicsStillAnswer(t *testing.T) {
	a := newArena(t)
	bot := clumsy{make(chan Refusal, 1)}
	running := a.plays(bot, Options{})
	stream := a.next()
	stream.says(twoChoices(1))
	if act := stream.hearsAct(1); act.GetChoice() != 1 {
		t.Errorf("a corrected answer is %v", act)
	}
	if refusal := <-bot.corrected; !strings.Contains(refusal.Message, "choice 17 is no index") {
		t.Errorf("the bot was told %+v", refusal)
	}
	three := twoChoices(2)
	three.LegalActions = append(three.LegalActions, &pb.Action{Kind: pass})
	stream.says(three)
	if act := stream.hearsAct(2); act.GetChoice() != 0 {
		t.Errorf("the answer in place of a panic is %v", act)
	}
	running.stops()
}

func TestEndsOfStreams(t *testing.T) {
	for name, c := range map[string]struct {
		end   error
		token string
		want  string
	}{
		"replaced": {ended(t, codes.Aborted, pb.ProtocolReason_PROTOCOL_REASON_SESSION_REPLACED), "",
			"another program with the same identity took the session over: because"},
		"event over": {ended(t, codes.Unauthenticated, pb.ProtocolReason_PROTOCOL_REASON_UNAUTHENTICATED), "token", ""},
		"ended":      {nil, "", ""},
		"version": {ended(t, codes.FailedPrecondition, pb.ProtocolReason_PROTOCOL_REASON_VERSION_UNSUPPORTED), "",
			"the server refused the bot: because"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArena(t)
			bot := a.plays(newThinker(), Options{Token: c.token})
			a.next().end <- c.end
			if err := bot.ends(); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
				t.Errorf("it ended with %v, want %q", err, c.want)
			}
			if len(a.streams) != 0 {
				t.Error("it came back")
			}
		})
	}
}

func TestDrainingIsSurvived(t *testing.T) {
	a := newArena(t)
	bot := a.plays(newThinker(), Options{})
	stream := a.next()
	stream.says(&pb.Draining{})
	stream.end <- nil
	a.next()
	bot.stops()
}

func TestALostSecretIsForgotten(t *testing.T) {
	a := newArena(t)
	bot := a.plays(newThinker(), Options{})
	a.next().end <- status.Error(codes.Unavailable, "lost")
	a.next().end <- ended(t, codes.Unauthenticated, pb.ProtocolReason_PROTOCOL_REASON_UNAUTHENTICATED)
	if stream := a.next(); len(stream.bearer) != 0 {
		t.Errorf("it came back as %q", stream.bearer)
	}
	bot.stops()
}

func TestItGivesUpWithoutAConnection(t *testing.T) {
	connection := newConnection(plain{}, settings{server: "127.0.0.1:9"}, Options{GiveUpAfter: time.Minute}.withDefaults())
	defer connection.mind.close()
	lost := ending{reconnect, "no connection (Unavailable: refused)"}
	err := connection.pause(time.Second, 59500*time.Millisecond, lost)
	if err == nil || !strings.HasPrefix(err.Error(), "no connection to 127.0.0.1:9 for 60 s; last: no connection") {
		t.Errorf("after a minute: %v", err)
	}
	connection.stop()
	if err := connection.pause(time.Minute, 0, lost); err != nil {
		t.Errorf("before that: %v", err)
	}
}

func TestTheBotIsToldTheEndBeforeItEnds(t *testing.T) {
	a := newArena(t)
	thinker := newThinker()
	bot := a.plays(thinker, Options{})
	stream := a.next()
	stream.says(&pb.Seated{TableId: tableID}, twoChoices(1))
	<-thinker.asked
	stream.says(&pb.TableClosed{TableId: tableID, PreviousReceipt: &pb.Receipt{DecisionId: 1}})
	if message := stream.hears(); message.GetTableClosedReceived().GetTableId() != tableID {
		t.Errorf("the end of the table was answered with %v", message)
	}
	stream.end <- nil
	if err := bot.ends(); err != nil {
		t.Errorf("the bot ended with %v", err)
	}
	for _, want := range []string{"cancelled", "receipt 1", "closed t1"} {
		select {
		case got := <-thinker.hooks:
			if got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
		default:
			t.Errorf("the bot ended and was not told %q", want)
		}
	}
}

type leaver struct {
	plain
	player chan *Player
}

func (b leaver) OnStart(player *Player) { b.player <- player }

func TestPlayStopsWithItsContextAndHandsOutThePlayer(t *testing.T) {
	a := newArena(t)
	bot := leaver{player: make(chan *Player, 1)}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { ended <- Play(ctx, bot, Options{Server: a.address, Name: "leaver"}) }()
	stream := a.next()
	stream.says(&pb.Seated{TableId: tableID}, &pb.Heartbeat{Number: 1})
	stream.hears()
	player := <-bot.player
	player.Leave(tableID)
	if message := stream.hears(); message.GetLeave().GetTableId() != tableID {
		t.Errorf("leaving said %v", message)
	}
	player.Stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	cancel()
	if err := Play(ctx, bot, Options{Server: a.address}); err != nil {
		t.Errorf("with a context that is done: %v", err)
	}
}
