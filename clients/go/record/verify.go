// Package record verifies the records of matches, independently of the arena that wrote them: it is written from
// server/docs/record.md and tests/conformance/README.md, and shares no code with the arena.
package record

import (
	"bytes"
	"encoding/hex"
	"slices"

	"lastcard/chance"
	pb "lastcard/lastcardv1"
)

// Report is what verifying a record found.
type Report struct {
	// Fault is the first thing that is wrong; nil when nothing was found.
	Fault *Fault
	// Hash is the record hash, which the ledger of an event and every bot were told; "" without a closing line.
	Hash string
	// Events and Rounds count what the record holds, Bots are the names by seat.
	Events, Rounds int
	Bots           []string
	// IsComplete tells whether the match was played to its end, IsRevealed whether its chance is revealed.
	IsComplete, IsRevealed bool
}

// Checked are the things that a record without fault was found right in.
var Checked = []string{
	"every line is written as it must be, stands in its place and holds the hash of the line before",
	"whose turn it was: the order of turns, start cards, skips, reverses and penalties included",
	"every card played was in the hand and might be played; hands, counts, colours, directions and penalties add up",
	"nobody drew twice in a turn, more or fewer cards than the rules say, or where it could have played and had to",
	"no card of the deck was in two places, and the pile was rebuilt from exactly the discards",
	"verdicts on wild draw fours, scores, totals and places, and that a match which was decided did not go on",
}

// CheckedByChance are the things that are checked besides once the chance is revealed.
var CheckedByChance = []string{
	"every commitment follows from its seed and the salt, and so do the names of the colours",
	"first dealer, hands, start cards and every card drawn are those that the seeds give, rebuilt piles included",
}

// NotChecked are the things that only all the rules could tell: `lastcard verify` checks them.
var NotChecked = []string{
	"who could call UNO and be caught for a forgotten call, and calls that were punished",
	"when a jump-in came too late, and what it did to the effect of the card under it",
	"whose time ran out, and who left why",
	"when a round was blocked, and ties at the end of a match",
	"that options which list cards list them in the shortest way",
	"that each consequence of an action is told, once and at once, where nothing else in the record depends on it",
	"that a match which was broken off was not broken off in the midst of what one action brings about",
}

// Verify verifies the content of a record file.
func Verify(content []byte) Report {
	if !bytes.HasSuffix(content, []byte("\n")) {
		line := bytes.Count(content, []byte("\n")) + 1
		return Report{Fault: faultAt(line, "the line is cut off: it does not end with a line feed")}
	}
	return VerifyLines(bytes.Split(content[:len(content)-1], []byte("\n")))
}

// VerifyLines verifies a record by its lines, without their line feeds.
func VerifyLines(lines [][]byte) Report {
	c, fault := readLines(lines)
	if fault != nil {
		return Report{Fault: fault}
	}
	report := Report{
		Hash: hashOf(lines[c.closingAt-1]), Events: len(c.events), Bots: c.header.Bots, IsComplete: c.complete,
		IsRevealed: c.revealed,
	}
	for _, event := range c.events {
		if event.GetRoundStarted() != nil {
			report.Rounds++
		}
	}
	report.Fault = c.check(report.Rounds)
	return report
}

// check checks a record that can be read.
func (c *contents) check(rounds int) *Fault {
	rules, err := rulesOf(c.header.Preset, c.header.Options)
	if err == nil {
		err = rules.checkSeats(len(c.header.Bots))
	}
	if err != nil {
		return faultAt(1, "%v", err)
	}
	if fault := c.checkChain(); fault != nil {
		return fault
	}
	if fault := c.checkGame(rules, rounds); fault != nil && fault.Line <= c.closingAt {
		return fault
	} else if isEnded := len(c.events) > 0 && c.events[len(c.events)-1].GetMatchEnded() != nil; c.complete != isEnded {
		return faultAt(c.closingAt, "the closing line says complete: %v, and the last event says otherwise", c.complete)
	} else {
		return fault
	}
}

// checkGame checks what the events of a record tell.
func (c *contents) checkGame(rules *rules, rounds int) *Fault {
	if rounds == 0 && c.header.Commitment != "" {
		return faultAt(1, "the header has a commitment, and no round began")
	}
	books := newBooks(rules, len(c.header.Bots))
	var inBooks *Fault
	count := 0
	for inBooks == nil && count < len(c.events) {
		if err := books.enter(c.events[count]); err != nil {
			inBooks = faultAt(count+2, "%v", err)
		} else {
			count++
		}
	}
	var bySeeds *Fault
	if c.revealed {
		bySeeds = c.checkSeeds(rules, count)
	}
	if inHeader := c.checkHeader(inBooks, bySeeds); inHeader != nil {
		return inHeader
	}
	if bySeeds != nil && (inBooks == nil || bySeeds.Line < inBooks.Line) {
		return bySeeds
	}
	return inBooks
}

// checkHeader holds the commitment of the header against that of the first round. Where they differ the header is wrong,
// unless that round's line is, or seed and salt give what the header says.
func (c *contents) checkHeader(found ...*Fault) *Fault {
	at := slices.IndexFunc(c.events, func(event *pb.Event) bool { return event.GetRoundStarted() != nil })
	if at < 0 || c.isPromised() {
		return nil
	}
	told := hex.EncodeToString(c.events[at].GetRoundStarted().GetCommitment())
	isWrong := slices.ContainsFunc(found, func(fault *Fault) bool { return fault != nil && fault.Line == at+2 })
	if told == c.header.Commitment || isWrong {
		return nil
	}
	return faultAt(1, "the commitment is %q, and that of the first round %s", c.header.Commitment, told)
}

// isPromised tells whether the first seed and the salt give the commitment of the header.
func (c *contents) isPromised() bool {
	if len(c.seeds) == 0 {
		return false
	}
	commitment := chance.Commitment(c.seeds[0], c.salt)
	return hex.EncodeToString(commitment[:]) == c.header.Commitment
}
