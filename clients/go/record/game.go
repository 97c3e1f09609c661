package record

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"lastcard/cards"
	pb "lastcard/lastcardv1"
	"lastcard/rules"
)

// replay plays a match again as its events tell it.
type replay struct {
	contents *contents
	rules    *rules.Ruleset
	match    *rules.Match
}

// play plays the match again with a chance, and returns the first event that the rules do not give.
func (r *replay) play() *Fault {
	events := r.contents.events
	for at := 0; at < len(events); {
		if r.match.IsOver() {
			return faultAt(at+2, "nothing may follow the end of the match")
		}
		if r.isTimeUp(events[at:]) {
			given := r.match.TimeIsUp()
			if fault := r.compare(at, given); fault != nil {
				return fault
			}
			if at += len(given); len(given) > 0 {
				continue
			}
		}
		move, isMove := r.moveOf(events[at:])
		if !isMove {
			return faultAt(at+2, "%s cannot come here: somebody must act first", kindOf(events[at]))
		}
		given, refusal := r.match.Apply(move)
		if refusal != nil {
			return faultAt(at+2, "%s", refusal.Text)
		}
		if fault := r.compare(at, given); fault != nil {
			return fault
		}
		at += len(given)
	}
	return nil
}

// isTimeUp tells whether the time of the match must have been up before an event between rounds, which stands in no
// record: the match ends by it, or those alone play on who share the first place, and then it ends.
func (r *replay) isTimeUp(events []*pb.Event) bool {
	if r.match.InRound() || !slices.Contains(r.rules.MatchEnd(), "time") {
		return false
	}
	leaders := r.match.Leaders()
	started := events[0].GetRoundStarted()
	mayPlayOff := len(leaders) > 1 && r.rules.Is("match_tie", "extra_round")
	if started == nil || !mayPlayOff || started.GetRound() == 1 {
		return events[0].GetMatchEnded() != nil
	}
	isForAll := true
	for seat, count := range started.GetHandCounts() {
		if seat >= len(r.contents.header.Bots) || !r.match.PlaysOn(seat) || slices.Contains(leaders, seat) {
			continue
		}
		if isForAll = false; count == 0 {
			return true
		}
	}
	return isForAll && endOf(events[1:]) == pb.MatchCause_MATCH_CAUSE_TIME
}

// endOf returns why the match ended behind the round that is on; MATCH_CAUSE_UNSPECIFIED when another round followed.
func endOf(events []*pb.Event) pb.MatchCause {
	for _, event := range events {
		if event.GetRoundStarted() != nil {
			break
		}
		if ended := event.GetMatchEnded(); ended != nil {
			return ended.GetCause()
		}
	}
	return pb.MatchCause_MATCH_CAUSE_UNSPECIFIED
}

// compare compares what the rules give with the events from a place on.
func (r *replay) compare(at int, given []*pb.Event) *Fault {
	for i, event := range given {
		if at+i < len(r.contents.events) {
			r.allowTime(r.contents.events[at+i].GetMatchEnded(), event.GetMatchEnded())
		}
		if at+i == len(r.contents.events) {
			return faultAt(r.contents.closingAt, "the events end before %s, which must follow", kindOf(event))
		}
		if difference := differenceOf(r.contents.events[at+i], event); difference != "" {
			return faultAt(at+i+2, "%s", difference)
		}
	}
	return nil
}

// allowTime lets a match of a single round be said to end by time, if the rules know time: it may have been up by then.
func (r *replay) allowTime(told, given *pb.MatchEnded) {
	isTime := told.GetCause() == pb.MatchCause_MATCH_CAUSE_TIME && slices.Contains(r.rules.MatchEnd(), "time")
	if isTime && given.GetCause() == pb.MatchCause_MATCH_CAUSE_SINGLE_ROUND {
		given.Cause = told.Cause
	}
}

// moveOf returns the move that the events from here on stand for; false when they stand for none. A pile that is rebuilt
// belongs to the draw behind it.
func (r *replay) moveOf(events []*pb.Event) (move rules.Move, isMove bool) {
	event := events[0]
	move.Target = rules.NoSeat
	switch e := event.GetEvent().(type) {
	case *pb.Event_RoundStarted:
		move.Kind = rules.Deal
	case *pb.Event_CardPlayed:
		move = rules.Move{Kind: rules.Play, Seat: int(e.CardPlayed.GetSeat()), Card: e.CardPlayed.GetCard(),
			Color: e.CardPlayed.GetColor(), Target: rules.NoSeat, CallsUNO: e.CardPlayed.GetUnoCalled()}
		if e.CardPlayed.GetJumpIn() {
			move.Kind = rules.Jump
		}
		if e.CardPlayed.Target != nil {
			move.Target = int(e.CardPlayed.GetTarget())
		}
	case *pb.Event_CardsDrawn:
		move.Kind, move.Seat = rules.Draw, int(e.CardsDrawn.GetSeat())
		return move, e.CardsDrawn.GetCause() == pb.DrawCause_DRAW_CAUSE_TURN
	case *pb.Event_PileRebuilt:
		move.Kind, move.Seat = rules.Draw, r.match.Turn()
		return move, r.match.Turn() != rules.NoSeat
	case *pb.Event_CardKept:
		move.Kind, move.Seat = rules.Keep, int(e.CardKept.GetSeat())
	case *pb.Event_PenaltyAccepted:
		move.Kind, move.Seat = rules.Accept, int(e.PenaltyAccepted.GetSeat())
	case *pb.Event_ChallengeResolved:
		move.Kind, move.Seat = rules.Challenge, int(e.ChallengeResolved.GetChallenger())
	case *pb.Event_ColorChosen:
		move.Kind, move.Seat, move.Color = rules.ChooseColor, int(e.ColorChosen.GetSeat()), e.ColorChosen.GetColor()
	case *pb.Event_UnoCalled:
		move.Kind, move.Seat = rules.UNO, int(e.UnoCalled.GetSeat())
	case *pb.Event_SeatAccused:
		move.Kind, move.Seat, move.Target = rules.Catch, int(e.SeatAccused.GetAccuser()), int(e.SeatAccused.GetTarget())
	case *pb.Event_TimedOut:
		move.Kind, move.Seat = rules.Timeout, int(e.TimedOut.GetSeat())
	case *pb.Event_SeatLeft:
		move.Kind, move.Seat, move.Cause = rules.Leave, int(e.SeatLeft.GetSeat()), e.SeatLeft.GetCause()
	default:
		return move, false
	}
	return move, true
}

// kindOf returns the name of what happened in an event.
func kindOf(event *pb.Event) string {
	message := event.ProtoReflect()
	field := message.WhichOneof(message.Descriptor().Oneofs().ByName("event"))
	if field == nil {
		return "an event of an unknown kind"
	}
	return string(field.Name())
}

// differenceOf says in what an event differs from the one that the rules give; "" when it does not.
func differenceOf(told, given *pb.Event) string {
	if kindOf(told) != kindOf(given) {
		return fmt.Sprintf("%s must follow, and not %s", kindOf(given), kindOf(told))
	}
	if proto.Equal(told, given) {
		return ""
	}
	message, other := told.ProtoReflect(), given.ProtoReflect()
	field := message.WhichOneof(message.Descriptor().Oneofs().ByName("event"))
	message, other = message.Get(field).Message(), other.Get(field).Message()
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		if one := fields.Get(i); message.Has(one) != other.Has(one) || !message.Get(one).Equal(other.Get(one)) {
			return fmt.Sprintf("%s.%s is %s, and the rules give %s", kindOf(told), one.Name(), textOf(one, message),
				textOf(one, other))
		}
	}
	return fmt.Sprintf("%s differs from what the rules give", kindOf(told))
}

// textOf returns the value of a field for people to read.
func textOf(field protoreflect.FieldDescriptor, message protoreflect.Message) string {
	value := message.Get(field)
	switch {
	case field.HasPresence() && !message.Has(field):
		return "absent"
	case !field.IsList():
		return valueText(field, value)
	}
	texts := make([]string, value.List().Len())
	for i := range texts {
		texts[i] = valueText(field, value.List().Get(i))
	}
	return "[" + strings.Join(texts, " ") + "]"
}

func valueText(field protoreflect.FieldDescriptor, value protoreflect.Value) string {
	if field.Kind() == protoreflect.EnumKind && field.Enum().Name() == "Card" {
		return cards.Text(pb.Card(value.Enum()))
	}
	if field.Kind() == protoreflect.MessageKind {
		if hand, isHand := value.Message().Interface().(*pb.SeatHand); isHand {
			return fmt.Sprintf("seat %d: %s;", hand.GetSeat(), cards.HandText(hand.GetCards()))
		}
	}
	return string(appendValue(nil, field, value))
}
