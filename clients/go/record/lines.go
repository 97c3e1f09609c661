package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protojson"

	"lastcard/chance"
	pb "lastcard/lastcardv1"
)

// Fault is the first thing that is wrong in a record.
type Fault struct {
	// Line is the number of the line, from 1.
	Line int
	// Reason is a sentence.
	Reason string
}

func (f *Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Reason) }

// line returns the line of a fault; one behind all others for none.
func (f *Fault) line() int {
	if f == nil {
		return math.MaxInt
	}
	return f.Line
}

func faultAt(line int, format string, values ...any) *Fault {
	return &Fault{line, fmt.Sprintf(format, values...)}
}

// header is the first line.
type header struct {
	Format     int               `json:"format"`
	Preset     string            `json:"preset"`
	Options    map[string]string `json:"options"`
	Draws      string            `json:"draws"`
	Disguise   *bool             `json:"disguise"`
	Reactions  string            `json:"reactions"`
	Bots       []string          `json:"bots"`
	Labels     map[string]string `json:"labels"`
	Commitment string            `json:"commitment"`
}

// contents are the lines of a record, read: event i is on line i+2.
type contents struct {
	lines     [][]byte
	header    header
	events    []*pb.Event
	complete  bool
	isClosed  bool
	revealed  bool
	salt      chance.Key
	seeds     []chance.Key
	previous  []string // by line, from 0
	closingAt int
}

var (
	linked  = regexp.MustCompile(`^\{"(event|closing|reveal)":(.*),"previous":"([0-9a-f]{64})"\}$`)
	closing = regexp.MustCompile(`^\{"events":(0|[1-9][0-9]*),"complete":(true|false)\}$`)
	reveal  = regexp.MustCompile(`^\{"salt":"([0-9a-f]{64})","seeds":\[((?:"[0-9a-f]{64}"(?:,"[0-9a-f]{64}")*)?)\]\}$`)
	seed    = regexp.MustCompile(`[0-9a-f]{64}`)
)

// readLines reads the lines of a record, and stops at the first that cannot be read, is not written as it must be, or
// may not stand where it does.
func readLines(lines [][]byte) (*contents, *Fault) {
	c := &contents{lines: lines, previous: make([]string, len(lines))}
	if len(lines) == 0 {
		return nil, faultAt(1, "the record is empty")
	}
	if err := c.readHeader(lines[0]); err != nil {
		return nil, faultAt(1, "%v", err)
	}
	for i, line := range lines[1:] {
		number := i + 2
		parts := linked.FindSubmatch(line)
		if parts == nil {
			return nil, faultAt(number, "it is no event, closing line or reveal without blanks and with a previous hash")
		}
		c.previous[number-1] = string(parts[3])
		if err := c.readLinked(string(parts[1]), parts[2], number); err != nil {
			return nil, faultAt(number, "%v", err)
		}
	}
	if !c.isClosed {
		return nil, faultAt(len(lines)+1, "the closing line is missing")
	}
	return c, nil
}

func (c *contents) readLinked(kind string, content []byte, number int) error {
	switch {
	case c.revealed:
		return fmt.Errorf("nothing may follow the reveal")
	case kind == "reveal" && !c.isClosed:
		return fmt.Errorf("the reveal stands before the closing line")
	case kind != "reveal" && c.isClosed:
		return fmt.Errorf("only the reveal may follow the closing line")
	case kind == "event":
		return c.readEvent(content)
	case kind == "closing":
		c.closingAt = number
		return c.readClosing(content)
	}
	return c.readReveal(content)
}

func (c *contents) readHeader(line []byte) error {
	content, isHeader := bytes.CutPrefix(line, []byte(`{"header":`))
	content, isWhole := bytes.CutSuffix(content, []byte("}"))
	if !isHeader || !isWhole {
		return fmt.Errorf("it is no header, written without blanks")
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	h := &c.header
	if err := decoder.Decode(h); err != nil {
		return fmt.Errorf("the header cannot be read: %v", err)
	}
	if !bytes.Equal(content, h.canonical()) {
		return fmt.Errorf("the header is not written as it must be")
	}
	isDisguised := h.Disguise != nil && *h.Disguise
	if h.Format != 1 && h.Format != 2 || (h.Format == 2) != isDisguised || h.Disguise != nil && !isDisguised {
		return fmt.Errorf("format %d does not suit; it is 2 for a disguised game and 1 for any other", h.Format)
	}
	if h.Draws != "pile" && h.Draws != "per_seat" {
		return fmt.Errorf("draws is %q; valid are pile and per_seat", h.Draws)
	}
	if h.Reactions != "sealed" && h.Reactions != "open" {
		return fmt.Errorf("reactions is %q; valid are sealed and open", h.Reactions)
	}
	if len(h.Bots) < 2 {
		return fmt.Errorf("there are %d bots; a table has two at least", len(h.Bots))
	}
	return nil
}

// canonical returns the header as it must be written.
func (h *header) canonical() []byte {
	out := strconv.AppendInt([]byte(`{"format":`), int64(h.Format), 10)
	out = appendQuoted(append(out, `,"preset":`...), h.Preset)
	out = appendTexts(append(out, `,"options":`...), h.Options)
	out = appendQuoted(append(out, `,"draws":`...), h.Draws)
	if h.Disguise != nil {
		out = strconv.AppendBool(append(out, `,"disguise":`...), *h.Disguise)
	}
	out = appendQuoted(append(out, `,"reactions":`...), h.Reactions)
	out = append(out, `,"bots":[`...)
	for i, bot := range h.Bots {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendQuoted(out, bot)
	}
	out = appendTexts(append(out, `],"labels":`...), h.Labels)
	out = appendQuoted(append(out, `,"commitment":`...), h.Commitment)
	return append(out, '}')
}

// appendTexts writes texts by name, ordered by name.
func appendTexts(out []byte, texts map[string]string) []byte {
	out = append(out, '{')
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, name), ':')
		out = appendQuoted(out, texts[name])
	}
	return append(out, '}')
}

func (c *contents) readEvent(content []byte) error {
	event := &pb.Event{}
	if err := protojson.Unmarshal(content, event); err != nil {
		return fmt.Errorf("the event cannot be read: %v", err)
	}
	if event.GetEvent() == nil {
		return fmt.Errorf("the event says nothing")
	}
	if !bytes.Equal(content, appendMessage(nil, event.ProtoReflect())) {
		return fmt.Errorf("the event is not written as it must be")
	}
	if want := uint32(len(c.events) + 1); event.GetSequence() != want {
		return fmt.Errorf("the event has number %d, and %d must come here", event.GetSequence(), want)
	}
	c.events = append(c.events, event)
	return nil
}

func (c *contents) readClosing(content []byte) error {
	parts := closing.FindSubmatch(content)
	if parts == nil {
		return fmt.Errorf("the closing line is not written as it must be")
	}
	if count := string(parts[1]); count != strconv.Itoa(len(c.events)) {
		return fmt.Errorf("the closing line counts %s events, and there are %d", count, len(c.events))
	}
	c.isClosed, c.complete = true, string(parts[2]) == "true"
	return nil
}

func (c *contents) readReveal(content []byte) error {
	parts := reveal.FindSubmatch(content)
	if parts == nil {
		return fmt.Errorf("the reveal is not written as it must be")
	}
	c.revealed = true
	c.salt = keyOf(parts[1])
	for _, text := range seed.FindAll(parts[2], -1) {
		c.seeds = append(c.seeds, keyOf(text))
	}
	return nil
}

// keyOf reads 64 hexadecimal digits, which the caller has found.
func keyOf(text []byte) (key chance.Key) {
	if _, err := hex.Decode(key[:], text); err != nil {
		panic(fmt.Sprintf("%q passed for hexadecimal: %v", text, err))
	}
	return key
}

// checkChain looks for the first break of the chain of hashes, and names the line that was changed.
func (c *contents) checkChain() *Fault {
	isBroken := func(line int) bool { // the link from the line before, counted from 1
		if line > len(c.lines) {
			return false
		}
		return hashOf(c.lines[line-2]) != c.previous[line-1]
	}
	for line := 2; line <= len(c.lines); line++ {
		if !isBroken(line) {
			continue
		}
		if line == len(c.lines) || isBroken(line+1) {
			return faultAt(line, "its hash of the line before is not that line's")
		}
		return faultAt(line-1, "it is not the line whose hash the next one holds")
	}
	return nil
}

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}
