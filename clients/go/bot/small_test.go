package bot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "lastcard/lastcardv1"
)

type plain struct{}

func (plain) Choose(*pb.View, []*pb.Action) Answer { return Answer{} }

func TestSettings(t *testing.T) {
	environment := map[string]string{
		"LASTCARD_SERVER": "127.0.0.1:7600", "LASTCARD_TOKEN": "secret", "LASTCARD_BOT": "mine",
	}
	get := func(name string) string { return environment[name] }
	none := func(string) string { return "" }
	for name, c := range map[string]struct {
		options     Options
		environment func(string) string
		want        settings
	}{
		"environment":  {Options{}, get, settings{"127.0.0.1:7600", "secret", "mine"}},
		"options win":  {Options{Server: "[::1]:1", Token: "t", Name: "n"}, get, settings{"[::1]:1", "t", "n"}},
		"type's name":  {Options{Server: "localhost:7600"}, none, settings{"localhost:7600", "", "plain"}},
		"token's name": {Options{Server: "localhost:7600", Token: "t"}, none, settings{"localhost:7600", "t", ""}},
	} {
		if got, err := settingsFor(c.options, plain{}, c.environment); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
	long := strings.Repeat("n", 65)
	for want, options := range map[string]Options{
		"no server is named; set LASTCARD_SERVER to host:port":         {},
		"server 'here' is no address; give host:port, for example 127": {Server: "here"},
		"server 'here:99999' is no address":                            {Server: "here:99999"},
		"server 'here:0' is no address":                                {Server: "here:0"},
		"the token has ' ' at place 1; use it as it was given out":     {Server: "here:1", Token: "a b"},
		"'my bot' is no name for a bot; use 1 to 64 letters":           {Server: "here:1", Name: "my bot"},
		"'" + long + "' is no name":                                    {Server: "here:1", Name: long},
		"'a/b' is no name for a bot; use":                              {Server: "here:1", Token: "t", Name: "a/b"},
		"server 'http://here:1' is no address":                         {Server: "http://here:1"},
	} {
		if _, err := settingsFor(options, plain{}, none); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; want %q", options, err, want)
		}
	}
}

func TestBackoffDoublesUpToFiveSeconds(t *testing.T) {
	waits := newBackoff()
	waits.chance = func() float64 { return 0 }
	var got []time.Duration
	for range 7 {
		got = append(got, waits.next())
	}
	if want := "[200ms 400ms 800ms 1.6s 3.2s 5s 5s]"; fmt.Sprint(got) != want {
		t.Errorf("waits are %v, want %s", got, want)
	}
	waits.reset()
	waits.chance = func() float64 { return 0.5 }
	if wait := waits.next(); wait != 150*time.Millisecond {
		t.Errorf("a wait shortened by half of its half is %v", wait)
	}
}

func TestSilenceCountsRounds(t *testing.T) {
	quiet := silence{}
	for i, c := range []struct {
		framesRead uint64
		want       bool
	}{{0, false}, {0, false}, {1, false}, {1, false}, {1, false}, {1, true}} {
		if got := quiet.round(c.framesRead); got != c.want {
			t.Errorf("round %d = %v, want %v", i, got, c.want)
		}
	}
}

func TestFramesAreFilled(t *testing.T) {
	message := &pb.ClientMessage{Message: &pb.ClientMessage_Leave{Leave: &pb.Leave{TableId: strings.Repeat("x", 90)}}}
	messages := []*pb.ClientMessage{message, message, message, message, message}
	for most, want := range map[int]int{0: 1, 1000: 1, 210: 3, 50: 5} {
		packed := frames(messages, most)
		count := 0
		for _, frame := range packed {
			count += len(frame.Messages)
		}
		if len(packed) != want || count != len(messages) {
			t.Errorf("%d frames with %d messages for %d bytes, want %d frames", len(packed), count, most, want)
		}
	}
}

func TestEndings(t *testing.T) {
	reason := func(reason pb.ProtocolReason) *pb.ErrorCause { return &pb.ErrorCause{ProtocolReason: reason} }
	unauthenticated := reason(pb.ProtocolReason_PROTOCOL_REASON_UNAUTHENTICATED)
	tooSlow := reason(pb.ProtocolReason_PROTOCOL_REASON_READER_TOO_SLOW)
	replaced := reason(pb.ProtocolReason_PROTOCOL_REASON_SESSION_REPLACED)
	byGame := &pb.ErrorCause{Reason: pb.Reason_REASON_SESSION_REPLACED}
	draining := reason(pb.ProtocolReason_PROTOCOL_REASON_DRAINING)
	version := reason(pb.ProtocolReason_PROTOCOL_REASON_VERSION_UNSUPPORTED)
	known := circumstances{known: true}
	knownByToken := circumstances{withToken: true, known: true}
	knownBySecret := circumstances{withSecret: true, known: true}
	for name, c := range map[string]struct {
		code  codes.Code
		cause *pb.ErrorCause
		how   circumstances
		want  next
	}{
		"replaced":                 {codes.Aborted, replaced, known, fail},
		"replaced, by the game":    {codes.Aborted, byGame, circumstances{}, fail},
		"aborted without a cause":  {codes.Aborted, nil, circumstances{}, fail},
		"aborted, another cause":   {codes.Aborted, tooSlow, circumstances{}, reconnect},
		"ended":                    {codes.OK, nil, known, finish},
		"ended, draining":          {codes.OK, nil, circumstances{known: true, draining: true}, reconnect},
		"draining":                 {codes.Unavailable, draining, known, reconnect},
		"slow":                     {codes.ResourceExhausted, tooSlow, known, reconnect},
		"token revoked":            {codes.Unauthenticated, unauthenticated, knownByToken, finish},
		"token unknown":            {codes.Unauthenticated, unauthenticated, circumstances{withToken: true}, fail},
		"secret unknown":           {codes.Unauthenticated, unauthenticated, knownBySecret, forget},
		"token wanted":             {codes.Unauthenticated, unauthenticated, circumstances{}, fail},
		"said before the end":      {codes.Unknown, unauthenticated, knownByToken, finish},
		"no arena":                 {codes.Unimplemented, nil, circumstances{}, fail},
		"version":                  {codes.FailedPrecondition, version, circumstances{}, fail},
		"bad hello":                {codes.InvalidArgument, nil, known, fail},
		"no connection":            {codes.Unavailable, nil, circumstances{}, reconnect},
		"cancelled by the watcher": {codes.Canceled, nil, known, reconnect},
	} {
		if got := judge(c.code, "because", c.cause, c.how); got.next != c.want {
			t.Errorf("%s: %+v, want %v", name, got, c.want)
		}
	}
}

func TestCauseIsReadFromTheDetails(t *testing.T) {
	end, err := status.New(codes.Aborted, "replaced").WithDetails(
		&pb.Leave{}, &pb.ErrorCause{ProtocolReason: pb.ProtocolReason_PROTOCOL_REASON_SESSION_REPLACED})
	if err != nil {
		t.Fatal(err)
	}
	if cause := causeOf(end); cause.GetProtocolReason() != pb.ProtocolReason_PROTOCOL_REASON_SESSION_REPLACED {
		t.Errorf("the cause is %v", cause)
	}
	if cause := causeOf(status.New(codes.Aborted, "")); cause != nil {
		t.Errorf("a status without details has the cause %v", cause)
	}
}

type misspelt struct{ plain }

func (misspelt) OnEvent(*pb.Event) {}

type pointed struct{ plain }

func (*pointed) OnReceipt(string, *pb.Receipt) {}

func TestMethodsThatWouldNeverBeCalledAreNamed(t *testing.T) {
	if err := checkMethods(misspelt{}); err == nil || !strings.Contains(err.Error(), "method OnEvent of bot.misspelt") {
		t.Errorf("a hook with another signature: %v", err)
	}
	if err := checkMethods(pointed{}); err == nil || !strings.Contains(err.Error(), "give &bot.pointed{} to Run") {
		t.Errorf("a hook with a pointer as receiver: %v", err)
	}
	if err := checkMethods(&pointed{}); err != nil {
		t.Errorf("a right hook: %v", err)
	}
}

func TestWords(t *testing.T) {
	seat := uint32(1)
	closed := &pb.TableClosed{TableId: "t", Result: &pb.MatchResult{
		Cause: pb.CloseCause_CLOSE_CAUSE_ABANDONED, Points: []uint32{3, 40}, Places: []uint32{2, 1},
		Faults: []*pb.Fault{
			{Seat: 0}, {Seat: 1, Kind: pb.FaultKind_FAULT_KIND_TIMEOUT, Evidence: "slow"}, {Seat: 1, Kind: 99},
		},
	}}
	want := "table t is over, abandoned: place 1 of 2, 40 points (all: 3 40)"
	if got := resultText(closed, &seat); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want = "table t, fault TIMEOUT: slow; table t, fault kind 99: "
	if got := strings.Join(faultTexts(closed, &seat), "; "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	seated := &pb.Seated{TableId: "t", Seat: 1, Seats: []*pb.Seat{{Name: "me"}, {Builtin: "greedy"}, {}}}
	if got, want := seatText(seated), "table t, seat 1 of me, greedy, nobody yet"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if reasonName(77) != "reason 77" || protocolReasonName(8) != "TOO_FAST" {
		t.Errorf("%q, %q", reasonName(77), protocolReasonName(8))
	}
}
