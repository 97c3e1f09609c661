package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	vectors "lastcard/conformancev1"
	"lastcard/internal/vectorfile"
	pb "lastcard/lastcardv1"
	"lastcard/rules"
)

func TestRecords(t *testing.T) {
	var file vectors.RecordVectors
	vectorfile.Read(t, "records.json", &file)
	if len(file.Records) == 0 {
		t.Error("records.json is empty")
	}
	for _, c := range file.Records {
		t.Run(c.Name, func(t *testing.T) {
			report := Verify([]byte(strings.Join(c.Lines, "\n") + "\n"))
			switch {
			case c.Line == nil && report.Fault != nil:
				t.Errorf("found wrong: %v", report.Fault)
			case c.Line != nil && report.Fault == nil:
				t.Errorf("line %d is wrong, and nothing was found", *c.Line)
			case c.Line != nil && report.Fault != nil && report.Fault.Line != int(*c.Line):
				t.Errorf("line %d is wrong, and found was %v", *c.Line, report.Fault)
			}
		})
	}
}

// recordOf writes the record of a match of games.json.
func recordOf(g *vectors.Game) []string {
	m := g.Match
	h := header{Format: 1, Preset: m.Preset, Options: m.Options, Draws: "pile", Reactions: "open"}
	if m.Draws == pb.DrawOrder_DRAW_ORDER_PER_SEAT {
		h.Draws = "per_seat"
	}
	if m.Disguise {
		h.Format, h.Disguise = 2, &m.Disguise
	}
	for seat := range m.Players {
		h.Bots = append(h.Bots, fmt.Sprintf("bot-%d", seat))
	}
	h.Commitment = fmt.Sprintf("%x", g.Events[0].GetRoundStarted().GetCommitment())
	lines := []string{`{"header":` + string(h.canonical()) + "}"}
	link := func(kind, content string) {
		lines = append(lines, fmt.Sprintf(`{"%s":%s,"previous":"%s"}`, kind, content, hashOf([]byte(lines[len(lines)-1]))))
	}
	for _, event := range g.Events {
		link("event", string(appendMessage(nil, event.ProtoReflect())))
	}
	isEnded := g.Events[len(g.Events)-1].GetMatchEnded() != nil
	link("closing", fmt.Sprintf(`{"events":%d,"complete":%v}`, len(g.Events), isEnded))
	link("reveal", fmt.Sprintf(`{"salt":"%s","seeds":["%s"]}`, m.Salt, strings.Join(m.Seeds, `","`)))
	return lines
}

func TestGamesAreFoundRight(t *testing.T) {
	var file vectors.GameVectors
	vectorfile.Read(t, "games.json", &file)
	if len(file.Games) == 0 {
		t.Error("games.json is empty")
	}
	for _, g := range file.Games {
		t.Run(g.Match.Name, func(t *testing.T) {
			lines := recordOf(g)
			if report := Verify([]byte(strings.Join(lines, "\n") + "\n")); report.Fault != nil {
				t.Errorf("%v\n%s", report.Fault, lines[min(report.Fault.Line, len(lines))-1])
			}
		})
	}
}

// forgery is an event of which one field was changed.
type forgery struct {
	field string
	event *pb.Event
}

// forgeries returns the event with each of its numbers, words and flags changed, one at a time.
func forgeries(event *pb.Event) (forged []forgery) {
	var change func(path string, of func(*pb.Event) protoreflect.Message)
	change = func(path string, of func(*pb.Event) protoreflect.Message) {
		of(event).Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
			path := strings.TrimPrefix(path+"."+string(field.Name()), ".")
			with := func(set func(protoreflect.Message)) {
				copied := proto.CloneOf(event)
				set(of(copied))
				forged = append(forged, forgery{path, copied})
			}
			switch {
			case path == "sequence":
			case field.IsList():
				for i := range value.List().Len() {
					if field.Kind() == protoreflect.MessageKind {
						change(path, func(e *pb.Event) protoreflect.Message { return of(e).Get(field).List().Get(i).Message() })
						continue
					}
					with(func(m protoreflect.Message) { m.Mutable(field).List().Set(i, another(field, value.List().Get(i))) })
				}
				with(func(m protoreflect.Message) { m.Mutable(field).List().Truncate(value.List().Len() - 1) })
			case field.Kind() == protoreflect.MessageKind:
				change(path, func(e *pb.Event) protoreflect.Message { return of(e).Mutable(field).Message() })
			default:
				with(func(m protoreflect.Message) { m.Set(field, another(field, value)) })
			}
			return true
		})
	}
	change("", func(e *pb.Event) protoreflect.Message { return e.ProtoReflect() })
	return forged
}

// another returns another value for a field.
func another(field protoreflect.FieldDescriptor, value protoreflect.Value) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(!value.Bool())
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(append([]byte{value.Bytes()[0] ^ 1}, value.Bytes()[1:]...))
	case protoreflect.EnumKind:
		values := field.Enum().Values()
		number := value.Enum() + 1
		for values.ByNumber(number) == nil {
			number = (number + 1) % 80
		}
		return protoreflect.ValueOfEnum(number)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(value.Uint()) + 1)
	}
	return protoreflect.ValueOfInt32(-int32(value.Int()))
}

// mayBeOtherwise are the fields of which no record can prove every value, since another game could have been played.
var mayBeOtherwise = []string{
	"card_played.uno_called", // a call that changed nothing
	"card_played.color",      // the choice of a player
	"color_chosen.color",     // likewise
	"seat_left.cause",
	"seat_accused.accuser",
}

// TestForgedEventsAreFound changes events of matches in every way, one at a time, as if the chain of hashes held: every
// third one, and the last ones.
func TestForgedEventsAreFound(t *testing.T) {
	var file vectors.GameVectors
	vectorfile.Read(t, "games.json", &file)
	for _, g := range file.Games {
		var lines [][]byte
		for _, line := range recordOf(g) {
			lines = append(lines, []byte(line))
		}
		c, fault := readLines(lines)
		if fault != nil {
			t.Fatal(fault)
		}
		for i, event := range g.Events {
			if i%3 != 0 && i < len(g.Events)-4 {
				continue
			}
			for _, forged := range forgeries(event) {
				c.events[i] = forged.event
				fault := c.check(1)
				if fault == nil && !slices.Contains(mayBeOtherwise, forged.field) {
					t.Errorf("%s, line %d: %s was changed, and nothing was found in %v", g.Match.Name, i+2, forged.field, forged.event)
				}
				if fault != nil && fault.Line > 1 && fault.Line < i+2 {
					t.Errorf("%s, line %d: %s was changed, and found was %v", g.Match.Name, i+2, forged.field, fault)
				}
			}
			c.events[i] = event
		}
	}
}

func TestNoCardIsInTwoPlaces(t *testing.T) {
	ruleset, err := rules.New("official", map[string]string{
		"deck": "custom", "deck_counts": "5=1,R1=1,R2=2", "hand_size": "1", "first_dealer": "seat0",
	})
	if err != nil {
		t.Fatal(err)
	}
	commitment := make([]byte, commitmentBytes)
	for second, want := range map[pb.Card]string{
		pb.Card_CARD_RED_2: "", pb.Card_CARD_RED_1: "round_started.hands is [seat 0: R1; seat 1: R1;], and the rules give",
	} {
		dealt := &pb.RoundStarted{Round: 1, Commitment: commitment, HandCounts: []uint32{1, 1}, Hands: []*pb.SeatHand{
			{Seat: 0, Cards: []pb.Card{pb.Card_CARD_RED_1}}, {Seat: 1, Cards: []pb.Card{second}},
		}}
		c := &contents{closingAt: 5, events: []*pb.Event{
			{Sequence: 1, Event: &pb.Event_RoundStarted{RoundStarted: dealt}},
			{Sequence: 2, Event: &pb.Event_StartCardTurned{StartCardTurned: &pb.StartCardTurned{Card: pb.Card_CARD_RED_2}}},
			{Sequence: 3, Event: &pb.Event_TurnStarted{TurnStarted: &pb.TurnStarted{Seat: 1, Turn: 1}}},
		}}
		c.header.Bots = []string{"a", "b"}
		fault := c.checkGame(ruleset, false)
		if (fault == nil) != (want == "") || fault != nil && !strings.Contains(fault.Error(), want) {
			t.Errorf("R1 and %v were dealt: %v, want %q", second, fault, want)
		}
	}
}

func TestLinesThatDoNotSuitTheWhole(t *testing.T) {
	var file vectors.RecordVectors
	vectorfile.Read(t, "records.json", &file)
	lines := file.Records[1].Lines // right, not yet revealed
	last := len(lines)
	for name, c := range map[string]struct {
		change func([]string) string
		line   int
	}{
		"complete": {func(l []string) string {
			return strings.Replace(strings.Join(l, "\n")+"\n", `"complete":true`, `"complete":false`, 1)
		}, last},
		"count": {func(l []string) string {
			return strings.Replace(strings.Join(l, "\n")+"\n", `{"events":50`, `{"events":51`, 1)
		}, last},
		"no line feed at the end": {func(l []string) string { return strings.Join(l, "\n") }, last},
		"a line of nothing":       {func(l []string) string { return strings.Join(l, "\n") + "\n\n" }, last + 1},
		"nothing at all":          {func([]string) string { return "\n" }, 1},
		"an unknown preset": {func(l []string) string {
			return strings.Replace(strings.Join(l, "\n")+"\n", `"official"`, `"unofficial"`, 1)
		}, 1},
	} {
		if report := Verify([]byte(c.change(lines))); report.Fault == nil || report.Fault.Line != c.line {
			t.Errorf("%s: %v, want a fault in line %d", name, report.Fault, c.line)
		}
	}
}

func TestOptionsThatDoNotExistAreFoundBeforeTheChain(t *testing.T) {
	var file vectors.RecordVectors
	vectorfile.Read(t, "records.json", &file)
	lines := file.Records[0].Lines
	lines[0] = strings.Replace(lines[0], `"match_end":"rounds"`, `"match_end":"roundz"`, 1)
	report := Verify([]byte(strings.Join(lines, "\n") + "\n"))
	if report.Fault == nil || report.Fault.Line != 1 || !strings.Contains(report.Fault.Reason, "roundz") {
		t.Errorf("%v", report.Fault)
	}
}
