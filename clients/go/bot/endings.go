package bot

import (
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "lastcard/lastcardv1"
)

// next is what to do after a stream.
type next int

const (
	reconnect next = iota
	forget         // reconnect without the resume secret: the server does not know it any more
	finish         // the server is done with this bot
	fail           // it would fail again, or somebody else plays in our place
)

// ending is what to do next and why, in a sentence.
type ending struct {
	next     next
	sentence string
}

// circumstances are what the end of a stream is judged by besides its status: how the bot identified itself on it,
// whether the server has welcomed this bot before, and whether it said that it shuts down.
type circumstances struct {
	withToken, withSecret, known, draining bool
}

// hopeless are codes after which the same Hello would be refused again.
var hopeless = []codes.Code{
	codes.FailedPrecondition, codes.InvalidArgument, codes.PermissionDenied, codes.Unimplemented,
}

// judge judges the end of a stream.
func judge(code codes.Code, text string, cause *pb.ErrorCause, how circumstances) ending {
	reason := cause.GetProtocolReason()
	replaced := cause.GetReason() == pb.Reason_REASON_SESSION_REPLACED ||
		reason == pb.ProtocolReason_PROTOCOL_REASON_SESSION_REPLACED
	if replaced || code == codes.Aborted && cause == nil {
		return ending{fail, "another program with the same identity took the session over: " + text}
	}
	if code == codes.OK {
		if how.draining {
			return ending{reconnect, "the server has shut down"}
		}
		return ending{finish, "the server ended the session"}
	}
	if code == codes.Unauthenticated || reason == pb.ProtocolReason_PROTOCOL_REASON_UNAUTHENTICATED {
		switch {
		case how.withToken && how.known:
			return ending{finish, "the token is not valid any more, so the event is over: " + text}
		case how.withToken:
			return ending{fail, "the server does not accept the token: " + text}
		case how.withSecret:
			return ending{forget, "the server does not know this session any more: " + text}
		}
		return ending{fail, "the server wants a token (set LASTCARD_TOKEN): " + text}
	}
	if code == codes.Unimplemented && !how.known {
		return ending{fail, "what answers at this address is no arena that this client knows: " + text}
	}
	if slices.Contains(hopeless, code) {
		return ending{fail, "the server refused the bot: " + text}
	}
	what := "no connection"
	if how.known {
		what = "connection lost"
	}
	return ending{reconnect, fmt.Sprintf("%s (%s: %s)", what, code, text)}
}

// causeOf returns the ErrorCause in the details of a status; nil when there is none or it cannot be read.
func causeOf(end *status.Status) *pb.ErrorCause {
	for _, detail := range end.Details() {
		if cause, ok := detail.(*pb.ErrorCause); ok {
			return cause
		}
	}
	return nil
}
