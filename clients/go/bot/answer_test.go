package bot

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "lastcard/lastcardv1"
)

const (
	play    = pb.ActionKind_ACTION_KIND_PLAY
	draw    = pb.ActionKind_ACTION_KIND_DRAW
	catch   = pb.ActionKind_ACTION_KIND_CATCH
	uno     = pb.ActionKind_ACTION_KIND_UNO
	pass    = pb.ActionKind_ACTION_KIND_PASS
	red5    = pb.Card_CARD_RED_5
	red7    = pb.Card_CARD_RED_7
	red0    = pb.Card_CARD_RED_0
	wild    = pb.Card_CARD_WILD
	green   = pb.Color_COLOR_GREEN
	blue    = pb.Color_COLOR_BLUE
	turn    = pb.DecisionKind_DECISION_KIND_TURN
	reacts  = pb.DecisionKind_DECISION_KIND_REACTION
	tableID = "t1"
)

var usual = habits{callUNO: true, catch: true}

// question is a decision of seat 0 at a table of three.
func question(id uint32, hand []pb.Card, legal ...*pb.Action) *pb.Decision {
	view := &pb.View{
		Seat:        proto.Uint32(0),
		Hand:        hand,
		HandCounts:  []uint32{uint32(len(hand)), 3, 1},
		ActiveSeats: []uint32{0, 1, 2},
		Direction:   1,
	}
	return &pb.Decision{TableId: tableID, DecisionId: id, Kind: turn, View: view, LegalActions: legal}
}

func withOption(decision *pb.Decision, name, value string) *pb.Decision {
	changed := proto.CloneOf(decision)
	if changed.View.Ruleset == nil {
		changed.View.Ruleset = &pb.Ruleset{}
	}
	changed.View.Ruleset.Options = append(changed.View.Ruleset.Options, &pb.RuleOption{Name: name, Value: value})
	return changed
}

func mustAct(t *testing.T, decision *pb.Decision, answer Answer) *pb.Act {
	t.Helper()
	act, err := actFor(decision, answer, usual)
	if err != nil {
		t.Fatalf("actFor: %v", err)
	}
	return act
}

func TestAnswersBecomeActs(t *testing.T) {
	playWild := &pb.Action{Kind: play, Card: wild, Color: green}
	decision := question(7, []pb.Card{wild, red5, red7},
		&pb.Action{Kind: play, Card: red5}, playWild, &pb.Action{Kind: draw})
	if act := mustAct(t, decision, Index(2)); act.GetChoice() != 2 || act.TableId != tableID || act.DecisionId != 7 {
		t.Errorf("Index(2) became %v", act)
	}
	if act := mustAct(t, decision, Take(proto.CloneOf(playWild))); act.GetChoice() != 1 {
		t.Errorf("a legal action became %v", act)
	}
	needless := &pb.Action{Kind: play, Card: red5, Color: pb.Color_COLOR_RED, Target: proto.Uint32(1)}
	if act := mustAct(t, decision, Take(needless)); act.GetAnswer() == nil || act.GetChoice() != 0 {
		t.Errorf("an action with a needless colour became %v", act)
	}
	if act := mustAct(t, decision, Take(&pb.Action{Kind: uno})); act.GetAction().GetKind() != uno || !isApart(act) {
		t.Errorf("a call by itself became %v", act)
	}
}

func TestBadAnswersAreNamed(t *testing.T) {
	decision := question(7, []pb.Card{red5, red7}, &pb.Action{Kind: play, Card: red5}, &pb.Action{Kind: draw})
	reaction := proto.CloneOf(decision)
	reaction.Kind = reacts
	for _, c := range []struct {
		decision *pb.Decision
		answer   Answer
		want     string
	}{
		{decision, Index(2), "choice 2 is no index into legalActions; valid are 0 to 1"},
		{decision, Index(-1), "choice -1 is no index"},
		{decision, Take(&pb.Action{Kind: play, Card: wild, Color: blue}), "W/B is not a legal action; valid are R5, draw"},
		{decision, Index(0).WithCatches(3), "CatchSeats names 3; valid are seats from 0 to 2"},
		{reaction, Take(&pb.Action{Kind: uno}), "uno is not a legal action"},
	} {
		if act, err := actFor(c.decision, c.answer, usual); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("actFor(%+v) = %v, %v; want %q", c.answer, act, err, c.want)
		}
	}
}

func TestUNOIsCalledWithPlaysThatLeaveOneCard(t *testing.T) {
	two := question(1, []pb.Card{red5, wild}, &pb.Action{Kind: play, Card: red5}, &pb.Action{Kind: draw})
	swap := question(1, []pb.Card{red7, red5, wild},
		&pb.Action{Kind: play, Card: red7, Target: proto.Uint32(2)},
		&pb.Action{Kind: play, Card: red7, Target: proto.Uint32(1)})
	rotate := question(1, []pb.Card{red0, red5, wild}, &pb.Action{Kind: play, Card: red0})
	backwards := withOption(rotate, "zero_rotate", "true")
	backwards.View.Direction = -1
	last := question(1, []pb.Card{red0}, &pb.Action{Kind: play, Card: red0})
	applied := withOption(withOption(last, "zero_rotate", "true"), "last_card_hand_effect", "apply")
	for name, c := range map[string]struct {
		decision *pb.Decision
		answer   Answer
		want     bool
	}{
		"two cards":                     {two, Index(0), true},
		"drawing":                       {two, Index(1), false},
		"said otherwise":                {two, Index(0).WithUNO(false), false},
		"said without need":             {two, Index(1).WithUNO(true), true},
		"three cards":                   {swap, Index(0), false},
		"swap for one card":             {withOption(swap, "seven_swap", "true"), Index(0), true},
		"swap for three":                {withOption(swap, "seven_swap", "true"), Index(1), false},
		"rotation brings one card":      {withOption(rotate, "zero_rotate", "true"), Index(0), true},
		"rotation brings three":         {backwards, Index(0), false},
		"rotation without the rule":     {rotate, Index(0), false},
		"last card, no effect":          {withOption(last, "zero_rotate", "true"), Index(0), false},
		"last card with its effect":     {applied, Index(0), true},
		"two cards, but a swap for one": {withOption(two, "seven_swap", "true"), Index(0), true},
	} {
		if act := mustAct(t, c.decision, c.answer); act.CallUno != c.want {
			t.Errorf("%s: call_uno = %v, want %v", name, act.CallUno, c.want)
		}
	}
	act, err := actFor(two, Index(0), habits{})
	if err != nil || act.CallUno {
		t.Errorf("without the habit: %v, %v", act, err)
	}
}

func TestCatchesAreFreeOrLeftOut(t *testing.T) {
	decision := question(1, []pb.Card{red5, red7, wild}, &pb.Action{Kind: play, Card: red5}, &pb.Action{Kind: draw})
	decision.View.CatchableSeats = []uint32{0, 2}
	for name, c := range map[string]struct {
		decision *pb.Decision
		answer   Answer
		want     []uint32
	}{
		"free":           {decision, Index(0), []uint32{2}},
		"penalty of 0":   {withOption(decision, "false_catch_penalty", "0"), Index(0), []uint32{2}},
		"penalty":        {withOption(decision, "false_catch_penalty", "2"), Index(0), nil},
		"said otherwise": {decision, Index(0).WithCatches(), nil},
		"named twice":    {decision, Index(0).WithCatches(1, 1), []uint32{1}},
		"call by itself": {decision, Take(&pb.Action{Kind: uno}), nil},
	} {
		if act := mustAct(t, c.decision, c.answer); !slices.Equal(act.CatchSeats, c.want) {
			t.Errorf("%s: catch_seats = %v, want %v", name, act.CatchSeats, c.want)
		}
	}
}

func TestDefaultReaction(t *testing.T) {
	jump := &pb.Action{Kind: pb.ActionKind_ACTION_KIND_JUMP_IN, Card: red5}
	call, nothing := &pb.Action{Kind: uno}, &pb.Action{Kind: pass}
	accuse := &pb.Action{Kind: catch, Target: proto.Uint32(2)}
	costly := withOption(question(1, nil), "false_catch_penalty", "2").View
	for _, c := range []struct {
		view  *pb.View
		legal []*pb.Action
		catch bool
		want  int
	}{
		{&pb.View{}, []*pb.Action{jump, call, accuse, nothing}, true, 1},
		{&pb.View{}, []*pb.Action{jump, accuse, nothing}, true, 1},
		{&pb.View{}, []*pb.Action{jump, accuse, nothing}, false, 2},
		{costly, []*pb.Action{jump, accuse, nothing}, true, 2},
		{&pb.View{}, []*pb.Action{jump}, true, 0},
	} {
		if got := DefaultReaction(c.view, c.legal, c.catch); got.Choice != c.want {
			t.Errorf("DefaultReaction(%v, catch %v) = %d, want %d", c.legal, c.catch, got.Choice, c.want)
		}
	}
}

func TestFallbackTakesWhatWasNotRefused(t *testing.T) {
	decision := question(1, nil, &pb.Action{}, &pb.Action{}, &pb.Action{})
	reaction := proto.CloneOf(decision)
	reaction.Kind = reacts
	for _, c := range []struct {
		decision *pb.Decision
		refused  []int
		want     int
	}{
		{decision, nil, 0}, {decision, []int{0}, 1}, {decision, []int{0, 1, 2}, 0},
		{reaction, nil, 2}, {reaction, []int{2}, 1},
	} {
		if got := fallback(c.decision, c.refused); got != c.want {
			t.Errorf("fallback(%v, %v) = %d, want %d", c.decision.Kind, c.refused, got, c.want)
		}
	}
}

func TestAfterApartTheViewSaysSo(t *testing.T) {
	decision := question(1, []pb.Card{red5})
	decision.View.CatchableSeats = []uint32{1, 2}
	decision.View.CalledSeats = []uint32{2}
	accuse := &pb.Action{Kind: catch, Target: proto.Uint32(1)}
	caught := afterApart(decision, &pb.Act{Answer: &pb.Act_Action{Action: accuse}})
	called := afterApart(decision, &pb.Act{Answer: &pb.Act_Action{Action: &pb.Action{Kind: uno}}})
	if got := caught.View.CatchableSeats; !slices.Equal(got, []uint32{2}) {
		t.Errorf("catchable after a catch: %v", got)
	}
	if got := called.View.CalledSeats; !slices.Equal(got, []uint32{0, 2}) {
		t.Errorf("called after a call: %v", got)
	}
	if len(decision.View.CatchableSeats) != 2 || len(decision.View.CalledSeats) != 1 {
		t.Errorf("the decision itself was changed: %v", decision.View)
	}
}
