package bot

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// Answer answers a decision. The zero value takes the first legal action; Index and Take make others.
type Answer struct {
	// Choice is an index into the legal actions; it counts when Action is nil.
	Choice int
	// Action is a legal action, or a call or catch by itself, which leaves a turn open: the bot is asked again.
	Action *pb.Action
	// CallUNO calls UNO with a play or not; nil leaves it to the SDK, which calls with every play that leaves one card.
	CallUNO *bool
	// CatchSeats are seats to be caught for a forgotten call; nil leaves it to the SDK, which catches where that costs
	// nothing, and an empty slice catches nobody.
	CatchSeats []int
}

// Index answers with the legal action at an index.
func Index(choice int) Answer { return Answer{Choice: choice} }

// Take answers with an action.
func Take(action *pb.Action) Answer { return Answer{Action: action} }

// WithUNO returns the answer with UNO called or not called, whatever the SDK would do.
func (a Answer) WithUNO(call bool) Answer {
	a.CallUNO = &call
	return a
}

// WithCatches returns the answer with exactly these seats caught.
func (a Answer) WithCatches(seats ...int) Answer {
	a.CatchSeats = append([]int{}, seats...)
	return a
}

// habits is what the SDK does by itself with an answer that leaves it open.
type habits struct {
	callUNO, catch bool
}

// actFor returns the message that gives an answer to a decision. The error says what is wrong with an answer that
// nobody could understand, and what would be valid.
func actFor(decision *pb.Decision, answer Answer, habits habits) (*pb.Act, error) {
	view, legal := decision.GetView(), decision.GetLegalActions()
	act := &pb.Act{TableId: decision.GetTableId(), DecisionId: decision.GetDecisionId()}
	chosen := answer.Action
	choice := answer.Choice
	if chosen != nil {
		choice = slices.IndexFunc(legal, func(action *pb.Action) bool { return means(chosen, action) })
	} else if choice < 0 || choice >= len(legal) {
		return nil, fmt.Errorf("choice %d is no index into legalActions; valid are 0 to %d", choice, len(legal)-1)
	}
	switch {
	case choice >= 0:
		act.Answer = &pb.Act_Choice{Choice: uint32(choice)}
		chosen = legal[choice]
	case isCall(chosen) && decision.GetKind() != pb.DecisionKind_DECISION_KIND_REACTION:
		act.Answer = &pb.Act_Action{Action: chosen}
	default:
		texts := make([]string, len(legal))
		for i, action := range legal {
			texts[i] = cards.ActionText(action)
		}
		return nil, fmt.Errorf("%s is not a legal action; valid are %s", cards.ActionText(chosen), strings.Join(texts, ", "))
	}
	if answer.CallUNO != nil {
		act.CallUno = *answer.CallUNO
	} else {
		act.CallUno = habits.callUNO && leavesOneCard(view, chosen)
	}
	if answer.CatchSeats == nil {
		if habits.catch && !isCall(chosen) {
			act.CatchSeats = freeCatches(view)
		}
		return act, nil
	}
	for _, seat := range answer.CatchSeats {
		if count := len(view.GetHandCounts()); seat < 0 || seat >= count {
			return nil, fmt.Errorf("CatchSeats names %d; valid are seats from 0 to %d", seat, count-1)
		}
		if !slices.Contains(act.CatchSeats, uint32(seat)) {
			act.CatchSeats = append(act.CatchSeats, uint32(seat))
		}
	}
	return act, nil
}

// means tells whether an action is a legal one, give or take a colour or target that the legal one does not need.
func means(action, legal *pb.Action) bool {
	return action.GetKind() == legal.GetKind() && action.GetCard() == legal.GetCard() &&
		(legal.GetColor() == pb.Color_COLOR_UNSPECIFIED || action.GetColor() == legal.GetColor()) &&
		(legal.Target == nil || action.Target != nil && action.GetTarget() == legal.GetTarget())
}

// isCall tells whether an action is a call or a catch.
func isCall(action *pb.Action) bool {
	return action.GetKind() == pb.ActionKind_ACTION_KIND_UNO || action.GetKind() == pb.ActionKind_ACTION_KIND_CATCH
}

// isApart tells whether an answer is a call or a catch by itself, which leaves a turn open.
func isApart(act *pb.Act) bool {
	apart, ok := act.GetAnswer().(*pb.Act_Action)
	return ok && isCall(apart.Action)
}

// afterApart returns the same decision after a call or catch by itself took effect: the view says so, the legal actions
// stand. Cards that the caught seat drew are not in it; a server whose legal actions change asks anew.
func afterApart(decision *pb.Decision, act *pb.Act) *pb.Decision {
	after := proto.CloneOf(decision)
	view := after.GetView()
	if view == nil {
		return after
	}
	if act.GetAction().GetKind() == pb.ActionKind_ACTION_KIND_CATCH {
		caught := act.GetAction().GetTarget()
		view.CatchableSeats = slices.DeleteFunc(view.CatchableSeats, func(seat uint32) bool { return seat == caught })
	} else if !slices.Contains(view.CalledSeats, view.GetSeat()) {
		view.CalledSeats = append(view.CalledSeats, view.GetSeat())
		slices.Sort(view.CalledSeats)
	}
	return after
}

// leavesOneCard tells whether a play leaves the viewer with one card, so that UNO is due. A swap or rotation of hands
// counts by the hand that it brings.
func leavesOneCard(view *pb.View, action *pb.Action) bool {
	if kind := action.GetKind(); kind != pb.ActionKind_ACTION_KIND_PLAY && kind != pb.ActionKind_ACTION_KIND_JUMP_IN {
		return false
	}
	left := len(view.GetHand()) - 1
	if (left > 0 || cards.Option(view, "last_card_hand_effect") == "apply") && !cards.IsWild(action.GetCard()) {
		rank := cards.RankOf(action.GetCard())
		if rank == 7 && action.Target != nil && cards.Option(view, "seven_swap") == "true" {
			return holdsOne(view, action.GetTarget())
		}
		if rank == 0 && cards.Option(view, "zero_rotate") == "true" {
			return holdsOne(view, cards.NextSeat(view, view.GetSeat(), -1))
		}
	}
	return left == 1
}

func holdsOne(view *pb.View, seat uint32) bool {
	return int(seat) < len(view.GetHandCounts()) && view.GetHandCounts()[seat] == 1
}

// freeCatches returns the seats to be caught along with an answer at no cost.
func freeCatches(view *pb.View) []uint32 {
	if !catchesAreFree(view) {
		return nil
	}
	var seats []uint32
	for _, seat := range view.GetCatchableSeats() {
		if view.Seat == nil || seat != view.GetSeat() {
			seats = append(seats, seat)
		}
	}
	return seats
}

// catchesAreFree tells whether a false catch costs nothing under the table's rules (the case in every preset).
func catchesAreFree(view *pb.View) bool {
	penalty := cards.Option(view, "false_catch_penalty")
	return penalty == "" || penalty == "0"
}

// fallback returns the index of a legal action that was not refused yet: in a reaction from the last, which is passing,
// otherwise from the first.
func fallback(decision *pb.Decision, refused []int) int {
	count := len(decision.GetLegalActions())
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	if decision.GetKind() == pb.DecisionKind_DECISION_KIND_REACTION {
		slices.Reverse(order)
	}
	for _, choice := range order {
		if !slices.Contains(refused, choice) {
			return choice
		}
	}
	if count == 0 {
		return 0
	}
	return order[0]
}
