// Package record verifies the records of matches, independently of the arena that wrote them: it is written from
// server/docs/record.md and tests/conformance/README.md, and shares no code with the arena.
package record

import (
	"bytes"
	"encoding/hex"
	"slices"

	"lastcard/chance"
	pb "lastcard/lastcardv1"
	"lastcard/rules"
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
	"the whole game, played again by all the rules of its table: whose turn it was, every card played, drawn and kept, " +
		"stacks, challenges, jump-ins and swaps, calls of UNO and catches, what was done for those whose time ran out",
	"every consequence, in its order and no other: scores, totals, places, and when rounds and the match end",
	"no card of the deck was in two places",
}

// CheckedByChance are the things that are checked besides once the chance is revealed.
var CheckedByChance = []string{
	"every commitment follows from its seed and the salt, and so do the names of the colours",
	"dealer, hands, start cards and every card drawn are those that the seeds give, rebuilt piles included",
}

// NotProven are the things that no record proves, since another game could have been played.
var NotProven = []string{
	"the names of the bots and the labels",
	"which of several legal things a seat did, and a call of UNO that changed nothing",
	"that a time ran out, at what time a match ended by time, and why somebody left",
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
	ruleset, err := rules.New(c.header.Preset, c.header.Options)
	if err == nil {
		err = ruleset.CheckSeats(len(c.header.Bots))
	}
	if err != nil {
		return faultAt(1, "%v", err)
	}
	if rounds == 0 && c.header.Commitment != "" {
		return faultAt(1, "the header has a commitment, and no round began")
	}
	inChain, inSeeds := c.checkChain(), c.checkCommitments(ruleset)
	found := []*Fault{inChain, c.checkGame(ruleset, inSeeds == nil), c.checkClosing(), inSeeds}
	found = append(found, c.checkHeader(found))
	return slices.MinFunc(found, func(a, b *Fault) int { return a.line() - b.line() })
}

// checkGame plays the match again: with the chance that the seeds give, if they are revealed and fit, else with the one
// that the record tells.
func (c *contents) checkGame(ruleset *rules.Ruleset, doSeedsFit bool) *Fault {
	r := &replay{contents: c, rules: ruleset}
	if c.revealed && doSeedsFit {
		r.match = rules.NewMatch(ruleset, len(c.header.Bots), c.chance(ruleset))
		return r.play()
	}
	chance := &told{rules: ruleset, events: c.events}
	chance.match = rules.NewMatch(ruleset, len(c.header.Bots), chance)
	r.match = chance.match
	return r.play()
}

// checkClosing checks whether the closing line says rightly whether the match was played to its end.
func (c *contents) checkClosing() *Fault {
	isEnded := len(c.events) > 0 && c.events[len(c.events)-1].GetMatchEnded() != nil
	if c.complete == isEnded {
		return nil
	}
	return faultAt(c.closingAt, "the closing line says complete: %v, and the last event says otherwise", c.complete)
}

// checkHeader holds the commitment of the header against that of the first round. Where they differ the header is wrong,
// unless that round's line is, or seed and salt give what the header says.
func (c *contents) checkHeader(found []*Fault) *Fault {
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
