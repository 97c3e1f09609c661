package bot

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "lastcard/lastcardv1"
)

// enumName returns the short name of an enum's value; the word and its number when this client does not know it.
func enumName(value protoreflect.Enum, prefix, word string) string {
	known := value.Descriptor().Values().ByNumber(value.Number())
	if known == nil {
		return fmt.Sprintf("%s %d", word, value.Number())
	}
	return strings.TrimPrefix(string(known.Name()), prefix)
}

func reasonName(reason pb.Reason) string { return enumName(reason, "REASON_", "reason") }

func protocolReasonName(reason pb.ProtocolReason) string {
	return enumName(reason, "PROTOCOL_REASON_", "reason")
}

// seatText returns where a bot sits and with whom: table T, seat 0 of me, greedy.
func seatText(seated *pb.Seated) string {
	names := make([]string, len(seated.GetSeats()))
	for i, seat := range seated.GetSeats() {
		names[i] = "nobody yet"
		if seat.GetName() != "" {
			names[i] = seat.GetName()
		} else if seat.GetBuiltin() != "" {
			names[i] = seat.GetBuiltin()
		}
	}
	text := fmt.Sprintf("table %s, seat %d", seated.GetTableId(), seated.GetSeat())
	if len(names) > 0 {
		text += " of " + strings.Join(names, ", ")
	}
	return text
}

// resultText returns how a table came out for a seat: table T is over: place 2 of 4, 30 points (all: 120 30 0 0).
func resultText(closed *pb.TableClosed, seat *uint32) string {
	result := closed.GetResult()
	over := fmt.Sprintf("table %s is over", closed.GetTableId())
	cause := result.GetCause()
	if cause != pb.CloseCause_CLOSE_CAUSE_UNSPECIFIED && cause != pb.CloseCause_CLOSE_CAUSE_FINISHED {
		over += ", " + strings.ToLower(enumName(cause, "CLOSE_CAUSE_", "closed with cause"))
	}
	if seat == nil || int(*seat) >= min(len(result.GetPlaces()), len(result.GetPoints())) {
		return over
	}
	points := strings.Trim(fmt.Sprint(result.GetPoints()), "[]")
	place, places := result.GetPlaces()[*seat], len(result.GetPlaces())
	return fmt.Sprintf("%s: place %d of %d, %d points (all: %s)", over, place, places, result.GetPoints()[*seat], points)
}

// faultTexts returns what the server holds against a seat, each with its evidence.
func faultTexts(closed *pb.TableClosed, seat *uint32) []string {
	var texts []string
	for _, fault := range closed.GetResult().GetFaults() {
		if seat != nil && fault.GetSeat() == *seat {
			name := enumName(fault.GetKind(), "FAULT_KIND_", "kind")
			texts = append(texts, fmt.Sprintf("table %s, fault %s: %s", closed.GetTableId(), name, fault.GetEvidence()))
		}
	}
	return texts
}
