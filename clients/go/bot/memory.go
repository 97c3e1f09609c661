package bot

import (
	"fmt"
	"maps"
	"slices"

	pb "lastcard/lastcardv1"
)

const (
	// keptAnswers is how many answers and receipts of closed decisions are remembered for each table in case the server
	// repeats one.
	keptAnswers = 64
	// keptTables is how many closed tables are remembered in case the server repeats their end.
	keptTables = 1024
)

// key names a decision.
type key struct {
	table    string
	decision uint32
}

func (k key) String() string { return fmt.Sprintf("decision %d of table %s", k.decision, k.table) }

// openDecision is a decision that is not closed.
type openDecision struct {
	decision *pb.Decision
	stream   int
	// act is nil while the bot thinks.
	act *pb.Act
	// unjudged is how often act was sent and is not judged yet.
	unjudged int
	// refused are the choices that were refused.
	refused []int
	// apart counts calls and catches by themselves.
	apart int
}

// table is what is remembered of a table, over all streams.
type table struct {
	seat *uint32
	// cursor is the last event seen; nil as long as events cannot be had without a gap.
	cursor *uint32
	// gap is the last event before one that did not come; it has been asked for once by coming back.
	gap      *uint32
	open     map[uint32]*openDecision
	answers  recent[uint32, *pb.Act]
	receipts recent[uint32, struct{}]
}

// openIDs returns the ids of the open decisions in the order in which they were asked.
func (t *table) openIDs() []uint32 { return slices.Sorted(maps.Keys(t.open)) }

// recent remembers the values that came last.
type recent[K comparable, V any] struct {
	values map[K]V
	order  []K
}

// put remembers a value and drops the oldest one when there are more than most.
func (r *recent[K, V]) put(key K, value V, most int) {
	if r.values == nil {
		r.values = map[K]V{}
	}
	if _, known := r.values[key]; !known {
		r.order = append(r.order, key)
	}
	r.values[key] = value
	if len(r.order) > most {
		delete(r.values, r.order[0])
		r.order = r.order[1:]
	}
}

// has tells whether a value is remembered.
func (r *recent[K, V]) has(key K) bool {
	_, known := r.values[key]
	return known
}
