package record

import (
	"slices"
	"strings"
	"testing"

	"lastcard/chance"
	pb "lastcard/lastcardv1"
)

// position is a table of two at the turn of seat 0, under options of the preset official.
func position(t *testing.T, options map[string]string, top, hand string) *books {
	t.Helper()
	rules, err := rulesOf("official", options)
	if err != nil {
		t.Fatal(err)
	}
	b := newBooks(rules, 2)
	b.round, b.inRound, b.active = 1, true, []bool{true, true}
	b.outside, b.pile, b.direction = map[pb.Card]uint32{}, 100, 1
	b.hands = [][]pb.Card{nil, {pb.Card_CARD_BLUE_9, pb.Card_CARD_BLUE_9}}
	for _, name := range strings.Fields(hand) {
		b.hands[0] = append(b.hands[0], chance.Named(name))
	}
	for _, name := range strings.Fields(top) {
		b.discard = append(b.discard, chance.Named(name))
	}
	b.color = pb.Color(b.discard[len(b.discard)-1] >> 4)
	b.turn, b.turnSeat, b.at, b.accused, b.late = 5, 0, 0, -1, -1
	b.open = len(b.discard) > 1 // the start card is not jumped on
	return b
}

func plays(seat uint32, card string, left, pending uint32) *pb.Event {
	face := chance.Named(card)
	played := &pb.CardPlayed{
		Seat: seat, Card: face, Color: pb.Color(face >> 4), HandCount: left, Direction: 1, Pending: pending,
	}
	if face < 16 && left > 0 {
		played.Color = pb.Color_COLOR_RED
	}
	return &pb.Event{Event: &pb.Event_CardPlayed{CardPlayed: played}}
}

func draws(cards ...pb.Card) *pb.Event {
	drawn := &pb.CardsDrawn{Seat: 0, Count: uint32(len(cards)), Cause: pb.DrawCause_DRAW_CAUSE_TURN, Cards: cards}
	return &pb.Event{Event: &pb.Event_CardsDrawn{CardsDrawn: drawn}}
}

func TestWhatMayBePlayedAndDrawn(t *testing.T) {
	reject := map[string]string{"w4_enforcement": "reject", "voluntary_draw": "forbidden"}
	number := map[string]string{"w4_enforcement": "reject", "w4_legality": "no_color_or_number"}
	other := map[string]string{"w4_enforcement": "reject", "w4_legality": "no_other_play", "match_symbol": "any_action"}
	numbersOnly := map[string]string{"finish_restriction": "number_only", "voluntary_draw": "forbidden"}
	noWild := map[string]string{"finish_restriction": "no_wild"}
	noDraw := map[string]string{"finish_restriction": "no_draw"}
	symbolOff := map[string]string{"match_symbol": "off"}
	anyCard, never := map[string]string{"after_draw_play": "any_card"}, map[string]string{"drawn_card": "never"}
	drawRed1, drawRed2, drawBlue := draws(pb.Card_CARD_RED_1), draws(pb.Card_CARD_RED_2), draws(pb.Card_CARD_BLUE_1)
	until := map[string]string{"draw_mode": "until_playable"}
	upTo := map[string]string{"draw_mode": "up_to_n", "draw_limit": "2"}
	pays := map[string]string{"false_catch_penalty": "2"}
	keeps := &pb.Event{Event: &pb.Event_CardKept{CardKept: &pb.CardKept{}}}
	turn := &pb.Event{Event: &pb.Event_TurnStarted{TurnStarted: &pb.TurnStarted{Seat: 1, Turn: 6}}}
	late := &pb.Event{Event: &pb.Event_TimedOut{TimedOut: &pb.TimedOut{Strikes: 1}}}
	drawTwo := draws(pb.Card_CARD_RED_1, pb.Card_CARD_RED_2)
	drawLate := draws(pb.Card_CARD_BLUE_1)
	drawLate.GetCardsDrawn().Cause = pb.DrawCause_DRAW_CAUSE_TIMEOUT
	falseCatch := &pb.Event{Event: &pb.Event_SeatAccused{SeatAccused: &pb.SeatAccused{Accuser: 1, Target: 0}}}
	stack := map[string]string{"stack_draw_two": "same", "stack_cross": "four_on_two", "stack_max": "6"}
	for name, c := range map[string]struct {
		options   map[string]string
		top, hand string
		pending   uint32
		events    []*pb.Event
		want      string
	}{
		"colour":                  {nil, "R5", "R7 G1", 0, []*pb.Event{plays(0, "R7", 1, 0)}, ""},
		"number":                  {nil, "R5", "B5 G1", 0, []*pb.Event{plays(0, "B5", 1, 0)}, ""},
		"neither":                 {nil, "R5", "B7 G1", 0, []*pb.Event{plays(0, "B7", 1, 0)}, "fits neither R5"},
		"symbol":                  {nil, "RS", "BS G1", 0, []*pb.Event{plays(0, "BS", 1, 0)}, ""},
		"symbol off":              {symbolOff, "RS", "BS G1", 0, []*pb.Event{plays(0, "BS", 1, 0)}, "fits neither"},
		"another action":          {nil, "RS", "BV G1", 0, []*pb.Event{plays(0, "BV", 1, 0)}, "fits neither"},
		"any action":              {other, "RS", "BS G1", 0, []*pb.Event{plays(0, "BS", 1, 0)}, ""},
		"bluff allowed":           {nil, "R5", "W4 R1", 0, []*pb.Event{plays(0, "W4", 1, 4)}, ""},
		"bluff rejected":          {reject, "R5", "W4 R1", 0, []*pb.Event{plays(0, "W4", 1, 4)}, "colour red, and holds R1"},
		"no bluff":                {reject, "R5", "W4 B5", 0, []*pb.Event{plays(0, "W4", 1, 4)}, ""},
		"bluff by number":         {number, "R5", "W4 B5", 0, []*pb.Event{plays(0, "W4", 1, 4)}, "plays W4"},
		"bluff beside a wild":     {other, "R5", "W4 W", 0, []*pb.Event{plays(0, "W4", 1, 4)}, "plays W4"},
		"bluff beside an action":  {other, "RS", "W4 BD", 0, []*pb.Event{plays(0, "W4", 1, 4)}, "plays W4"},
		"no other play":           {other, "R5", "W4 BD", 0, []*pb.Event{plays(0, "W4", 1, 4)}, ""},
		"last a skip":             {numbersOnly, "R5", "RS", 0, []*pb.Event{plays(0, "RS", 0, 0)}, "goes out with RS"},
		"last a number":           {numbersOnly, "R5", "R7", 0, []*pb.Event{plays(0, "R7", 0, 0)}, ""},
		"last a wild":             {noWild, "R5", "W", 0, []*pb.Event{plays(0, "W", 0, 0)}, "goes out with W"},
		"last a draw two":         {noDraw, "R5", "RD", 0, []*pb.Event{plays(0, "RD", 0, 2)}, "goes out with RD"},
		"last a wild, no draw":    {noDraw, "R5", "W", 0, []*pb.Event{plays(0, "W", 0, 0)}, ""},
		"draw with nothing":       {reject, "R5", "B7 W4 R1", 0, []*pb.Event{drawBlue}, "draws, and could play R1"},
		"draw because it must":    {reject, "R5", "B7 G1", 0, []*pb.Event{drawBlue}, ""},
		"draw beside a wild":      {reject, "R5", "B7 W", 0, []*pb.Event{drawBlue}, "could play W"},
		"draw instead of a skip":  {numbersOnly, "R5", "RS", 0, []*pb.Event{drawBlue}, ""},
		"draw twice":              {nil, "R5", "B7", 0, []*pb.Event{drawRed1, drawRed2}, "a second time"},
		"play what was drawn":     {nil, "R5", "R7", 0, []*pb.Event{drawRed1, plays(0, "R1", 1, 0)}, ""},
		"play another":            {nil, "R5", "R7", 0, []*pb.Event{drawRed1, plays(0, "R7", 1, 0)}, "has just drawn R1"},
		"any after drawing":       {anyCard, "R5", "R7", 0, []*pb.Event{drawRed1, plays(0, "R7", 1, 0)}, ""},
		"never after drawing":     {never, "R5", "R7", 0, []*pb.Event{drawRed1, plays(0, "R1", 1, 0)}, "has just drawn"},
		"keep":                    {nil, "R5", "R7", 0, []*pb.Event{drawRed1, keeps, turn}, ""},
		"keep nothing":            {nil, "R5", "R7", 0, []*pb.Event{keeps}, "keeps a card, and has drawn none"},
		"keep what fits nowhere":  {nil, "R5", "R7", 0, []*pb.Event{drawBlue, keeps}, "keeps a card"},
		"pass what fits nowhere":  {nil, "R5", "R7", 0, []*pb.Event{drawBlue, turn}, ""},
		"pass what fits":          {nil, "R5", "R7", 0, []*pb.Event{drawRed1, turn}, "neither played nor kept R1"},
		"draw until it fits":      {until, "R5", "G7", 0, []*pb.Event{draws(pb.Card_CARD_BLUE_1, pb.Card_CARD_RED_1)}, ""},
		"draw no further":         {until, "R5", "G7", 0, []*pb.Event{drawBlue}, "draws no further behind B1"},
		"draw on":                 {until, "R5", "G7", 0, []*pb.Event{drawTwo}, "draws on behind R1"},
		"draw as many as allowed": {upTo, "R5", "G7", 0, []*pb.Event{draws(pb.Card_CARD_BLUE_1, pb.Card_CARD_BLUE_2)}, ""},
		"draw too few":            {upTo, "R5", "G7", 0, []*pb.Event{drawBlue}, "draws no further"},
		"out of time":             {nil, "R5", "G7", 0, []*pb.Event{late, drawLate}, ""},
		"not out of time":         {nil, "R5", "G7", 0, []*pb.Event{drawLate}, "its time ran out, and it did not"},
		"a false catch":           {nil, "R5", "G7", 0, []*pb.Event{falseCatch}, "accuses wrongly"},
		"a false catch that pays": {pays, "R5", "G7", 0, []*pb.Event{falseCatch}, ""},
		"stack":                   {stack, "R5 RD", "BD G1", 2, []*pb.Event{plays(0, "BD", 1, 4)}, ""},
		"stack four on two":       {stack, "R5 RD", "W4 G1", 2, []*pb.Event{plays(0, "W4", 1, 6)}, ""},
		"stack two on four":       {stack, "R5 W4", "RD G1", 4, []*pb.Event{plays(0, "RD", 1, 6)}, "a penalty is pending"},
		"stack four on four":      {stack, "R5 W4", "W4 G1", 4, []*pb.Event{plays(0, "W4", 1, 8)}, "a penalty is pending"},
		"stack beyond the most":   {stack, "R5 RD", "BD G1", 6, []*pb.Event{plays(0, "BD", 1, 8)}, "a penalty is pending"},
		"no stacking":             {nil, "R5 RD", "BD G1", 2, []*pb.Event{plays(0, "BD", 1, 4)}, "a penalty is pending"},
		"the other's turn":        {nil, "B5", "B7", 0, []*pb.Event{plays(1, "B9", 1, 0)}, "not the turn of seat 1"},
		"a card that is not held": {nil, "R5", "B7", 0, []*pb.Event{plays(0, "R7", 0, 0)}, "plays R7, and holds B7"},
	} {
		b := position(t, c.options, c.top, c.hand)
		if c.pending > 0 {
			b.pending, b.turnSeat, b.at = c.pending, -1, 1
		}
		var err error
		for _, event := range c.events {
			if err == nil {
				err = b.enter(event)
			}
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestJumpsAreOnIdenticalCards(t *testing.T) {
	identical := map[string]string{"jump_in": "identical"}
	including := map[string]string{"jump_in": "identical_incl_w4"}
	for name, c := range map[string]struct {
		options   map[string]string
		top, card string
		want      string
	}{
		"identical":       {identical, "R5 B9", "B9", ""},
		"off":             {nil, "R5 B9", "B9", "jumps in"},
		"another":         {identical, "R5 B8", "B9", "jumps in"},
		"on the start":    {identical, "B9", "B9", "jumps in"},
		"wild draw four":  {identical, "R5 W4", "W4", "jumps in"},
		"included":        {including, "R5 W4", "W4", ""},
		"a wild is never": {including, "R5 W", "W", "jumps in"},
	} {
		b := position(t, c.options, c.top, "R1 R2")
		b.hands[1] = []pb.Card{chance.Named(c.card), pb.Card_CARD_GREEN_1}
		event := plays(1, c.card, 1, drawsOf(chance.Named(c.card)))
		event.GetCardPlayed().JumpIn = true
		err := b.enter(event)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestABlockedRoundIsTheLowestHands(t *testing.T) {
	for name, c := range map[string]struct {
		options map[string]string
		hands   string
		want    []uint32
	}{
		"lowest":     {nil, "B1", []uint32{17, 0}}, // seat 1 holds two nines
		"tie":        {nil, "B9 R9", []uint32{0, 0}},
		"keeps own":  {map[string]string{"scoring": "each_keeps_own"}, "B1", []uint32{1, 18}},
		"round wins": {map[string]string{"scoring": "round_wins"}, "B1", []uint32{1, 0}},
		"placement":  {map[string]string{"scoring": "placement"}, "B1", []uint32{1, 0}},
		"void":       {map[string]string{"stalemate_result": "void"}, "B1", []uint32{0, 0}},
		"void place": {map[string]string{"stalemate_result": "void", "scoring": "placement"}, "B1", []uint32{0, 0}},
	} {
		b := position(t, c.options, "R5", c.hands)
		b.frozen, b.gone = make([]uint32, 2), make([]bool, 2)
		left := b.leftOver()
		if got := b.scores(pb.RoundCause_ROUND_CAUSE_BLOCKED, b.lowest(left), left); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestADecidedMatchDoesNotGoOn(t *testing.T) {
	for name, c := range map[string]struct {
		options map[string]string
		totals  []uint32
		want    bool
	}{
		"below the target":  {nil, []uint32{499, 0}, false},
		"at the target":     {nil, []uint32{500, 0}, true},
		"tied":              {nil, []uint32{500, 500}, false},
		"rounds":            {map[string]string{"match_end": "rounds", "match_rounds": "1"}, []uint32{1, 0}, true},
		"rounds to come":    {map[string]string{"match_end": "rounds", "match_rounds": "2"}, []uint32{1, 0}, false},
		"either":            {map[string]string{"match_end": "target+single_round"}, []uint32{1, 0}, true},
		"fewest points win": {map[string]string{"scoring": "each_keeps_own"}, []uint32{500, 20}, true},
		"fewest, tied":      {map[string]string{"scoring": "each_keeps_own"}, []uint32{600, 600}, false},
	} {
		b := position(t, c.options, "R5", "B1")
		b.totals = c.totals
		if got := b.isDecided(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
