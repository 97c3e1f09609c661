package rules_test

import (
	"slices"
	"strings"
	"testing"

	"lastcard/cards"
	"lastcard/chance"
	pb "lastcard/lastcardv1"
	"lastcard/rules"
)

// stacked is the chance of a position: given hands, start cards and pile. The last seat deals, so that seat 0 begins.
type stacked struct {
	deck   chance.Deck
	hands  [][]int
	starts []int
	pile   []int
}

// newStacked takes cards in notation out of a deck: hands separated by slashes, start cards, and the pile, next card
// first.
func newStacked(t *testing.T, deck chance.Deck, hands, starts, pile string) *stacked {
	t.Helper()
	taken := map[int]bool{}
	take := func(names string) (ids []int) {
		for _, name := range strings.Fields(names) {
			id := 0
			for id < len(deck) && (taken[id] || cards.Text(deck[id]) != name) {
				id++
			}
			if id == len(deck) {
				t.Fatalf("the deck has no further %s", name)
			}
			taken[id] = true
			ids = append(ids, id)
		}
		return ids
	}
	s := &stacked{deck: deck}
	for _, hand := range strings.Split(hands, "/") {
		s.hands = append(s.hands, slices.Sorted(slices.Values(take(hand))))
	}
	s.starts, s.pile = take(starts), take(pile)
	return s
}

func (s *stacked) Begin(uint32, []int) ([]byte, error) { return make([]byte, 32), nil }
func (s *stacked) FirstDealer() int                    { return len(s.hands) - 1 }
func (s *stacked) FirstPlayer() int                    { return 0 }
func (s *stacked) Hand(seat int) []int                 { return s.hands[seat] }
func (s *stacked) Rebuild(ids []int)                   { s.pile = ids }
func (s *stacked) ColorBefore(uint32) pb.Color         { return pb.Color_COLOR_GREEN }

func (s *stacked) TurnUp() int {
	id := s.starts[0]
	s.starts = s.starts[1:]
	return id
}

func (s *stacked) Draw(int) (int, bool) {
	if len(s.pile) == 0 {
		return 0, false
	}
	id := s.pile[0]
	s.pile = s.pile[1:]
	return id, true
}

// position is a round from its deal on. A step is a move, a move and the reason for which it is refused (`0 R5 ->
// CARD_NOT_PLAYABLE`), a move and the kinds of the events that it gives (`0 draw = cards_drawn turn_started`), or a
// question: `? turn 1`, `? legal 0 R5 draw`, `? catchable 0`.
type position struct {
	name                string
	options             string
	hands, starts, pile string
	steps               []string
}

var positions = []position{
	{"colour, number and symbol", "", "R7 B5 BS B7/Y1 Y2", "R5", "G1", []string{
		"0 B7 -> CARD_NOT_PLAYABLE", "0 Y1 -> CARD_NOT_IN_HAND", "1 Y1 -> NOT_YOUR_TURN", "? legal 0 R7 B5 draw",
		"0 B5",
	}},
	{"no symbols", "match_symbol=off start_skip=ignore", "BS B7/Y1 Y2", "RS", "G1", []string{
		"0 BS -> CARD_NOT_PLAYABLE",
	}},
	{"any action", "match_symbol=any_action start_skip=ignore", "BV B7/Y1 Y2", "RS", "G1", []string{
		"? legal 0 BV draw",
	}},
	{"a wild needs a colour", "", "W B7/Y1 Y2", "R5", "G1", []string{"0 W -> COLOR_REQUIRED", "0 W/G", "1 draw"}},
	{"a bluff", "", "W4 R1 B2/Y1 Y2", "R5", "G1 G2 G3 G4 G5 G6", []string{
		"0 W4/B", "? legal 1 accept challenge", "1 challenge = challenge_resolved cards_drawn turn_started",
		"? turn 1",
	}},
	{"no bluff", "", "W4 B1 B2/Y1 Y2", "R5", "G1 G2 G3 G4 G5 G6", []string{"0 W4/B", "1 challenge", "? turn 0"}},
	{"a bluff is refused", "w4_enforcement=reject", "W4 R1/Y1 Y2", "R5", "", []string{
		"? legal 0 R1 draw", "0 W4/B -> CARD_NOT_PLAYABLE",
	}},
	{"the number counts", "w4_enforcement=reject w4_legality=no_color_or_number", "W4 B5/Y1 Y2", "R5", "", []string{
		"? legal 0 B5 draw",
	}},
	{"a wild could be played", "w4_enforcement=reject w4_legality=no_other_play", "W4 W/Y1 Y2", "R5", "", []string{
		"? legal 0 W/R W/Y W/G W/B draw",
	}},
	{"the last card is restricted", "finish_restriction=number_only voluntary_draw=forbidden", "RS/Y1", "R5", "B1", []string{
		"0 RS -> CARD_NOT_PLAYABLE", "0 draw = cards_drawn turn_started",
	}},
	{"who can must play", "voluntary_draw=forbidden", "W/Y1 Y2", "R5", "B1", []string{
		"0 draw -> ACTION_NOT_AVAILABLE",
	}},
	{"nobody must bluff", "voluntary_draw=forbidden", "W4 R1 B1/Y1 Y2", "G5", "B1", []string{
		"0 draw -> ACTION_NOT_AVAILABLE",
	}},
	{"a drawn card alone may be played", "", "R7 B7/Y1 Y2", "R5", "R1", []string{
		"0 draw = cards_drawn", "? legal 0 R1 keep", "0 R7 -> CARD_NOT_PLAYABLE", "0 draw -> ACTION_NOT_AVAILABLE",
		"0 keep = card_kept turn_started",
	}},
	{"any card behind a draw", "after_draw_play=any_card", "R7 B7/Y1 Y2", "R5", "G1", []string{
		"0 draw", "? legal 0 R7 keep",
	}},
	{"a drawn card must be played", "drawn_card=must_play", "R7 B7/Y1 Y2", "R5", "R1", []string{
		"0 draw", "? legal 0 R1", "0 keep -> ACTION_NOT_AVAILABLE",
	}},
	{"a drawn card is never played", "drawn_card=never", "R7 B7/Y1 Y2", "R5", "R1", []string{
		"0 draw = cards_drawn turn_started",
	}},
	{"draw until it fits", "draw_mode=until_playable", "G7 B7/Y1 Y2", "R5", "B1 B2 R3 B4", []string{
		"0 draw", "? legal 0 R3 keep",
	}},
	{"draw at most two", "draw_mode=up_to_n draw_limit=2", "G7 B7/Y1 Y2", "R5", "B1 B2 R3", []string{
		"0 draw = cards_drawn turn_started",
	}},
	{"the pile is rebuilt", "", "R7 R8/R1 Y2", "R5", "", []string{
		"0 R7!", "1 R1!", "0 draw = pile_rebuilt cards_drawn", "0 keep",
	}},
	{"a dry pile ends the round", "pile_empty=end_round", "R7 B7/Y1 Y2", "R5", "", []string{
		"0 draw = cards_drawn round_ended",
	}},
	{"stacks", "stack_draw_two=same stack_cross=four_on_two stack_max=6", "RD B1/W4 BD/Y1 RD", "R5", "", []string{
		"0 RD!", "? legal 1 W4/R W4/Y W4/G W4/B BD accept", "1 W4/B!", "2 RD -> ACTION_NOT_AVAILABLE",
	}},
	{"no stack", "", "RD B1/BD G1", "R5", "B3 B4 B5", []string{
		"0 RD! = card_played cards_drawn turn_started", "? turn 0",
	}},
	{"jump in", "jump_in=identical", "R7 B1/Y1 Y2/R7 G1", "R5", "", []string{
		"0 R7!", "? legal 2 jump R7", "2 jump G1 -> CARD_NOT_PLAYABLE", "2 jump R7!", "? turn 0",
	}},
	{"nobody jumps on the start card", "jump_in=identical", "R7 B1/Y1 Y2/R5 G1", "R5", "", []string{
		"2 jump R5 -> ACTION_NOT_AVAILABLE",
	}},
	{"a jump that comes too late", "jump_in=identical", "RD B1/Y1 Y2/RD G1", "R5", "B2 B3 B4 B5", []string{
		"0 RD!", "1 accept", "2 RD", "0 jump RD -> ACTION_NOT_AVAILABLE",
	}},
	{"a jump beside a penalty that was taken", "jump_in=identical", "RD B1/Y1 Y2/B8 B9/RD G1", "R5", "B2 B3 B4 B5", []string{
		"0 RD!", "? legal 3 jump RD", "1 accept", "? legal 3", "3 jump RD -> ACTION_NOT_AVAILABLE",
	}},
	{"a forgotten call", "", "R7 B1/Y1 Y2/G1 G2", "R5", "B2 B3 B4 B5", []string{
		"0 R7", "? catchable 0", "1 catch 1 -> ACTION_NOT_AVAILABLE", "2 catch 1 -> NOT_LIABLE",
		"2 catch 0 = seat_accused cards_drawn", "? catchable", "1 catch 0 -> NOT_LIABLE",
	}},
	{"called late", "", "R7 B1/Y1 Y2/G1 G2", "R5", "B2 B3", []string{
		"0 R7", "0 uno", "? catchable", "0 uno -> ACTION_NOT_AVAILABLE",
	}},
	{"the next turn action closes the window", "", "R7 B1/Y1 Y2/G1 G2", "R5", "B2 B3", []string{
		"0 R7", "1 draw", "? catchable", "2 catch 0 -> NOT_LIABLE",
	}},
	{"the own next turn closes the window", "uno_catch_window=own_next_turn", "R7 B1/Y1 Y2/G1 G2", "R5", "B2 B3", []string{
		"0 R7", "1 draw", "? catchable 0", "2 draw", "? catchable",
	}},
	{"an own turn that follows at once", "uno_catch_window=own_next_turn", "RS B1/Y1 Y2", "R5", "B2 B3 B4", []string{
		"0 RS", "? turn 0", "? catchable 0", "0 draw", "? catchable",
	}},
	{"called before the play", "false_uno_penalty=2", "R7 B1/Y1 Y2", "R5", "B2 B3 B4", []string{
		"0 uno = uno_called", "0 R7", "? catchable", "0 uno = uno_called cards_drawn",
	}},
	{"called before no play", "false_uno_penalty=2", "R7 B1/Y1 Y2", "R5", "B2 B3 B4 B5", []string{
		"0 uno", "0 draw = cards_drawn cards_drawn turn_started",
	}},
	{"a wrong call", "false_uno_penalty=2", "R7 R8 B1/Y1 Y2", "R5", "B2 B3 B4", []string{
		"0 R7! = card_played cards_drawn turn_started",
	}},
	{"hands are swapped", "seven_swap=true", "R7 B1 B2/Y1/G1 G2", "R5", "", []string{
		"0 R7 -> TARGET_REQUIRED", "0 R7>0 -> TARGET_REQUIRED", "? legal 0 R7>1 R7>2 draw",
		"0 R7>1 = card_played hands_moved turn_started", "? catchable 0",
	}},
	{"one card by another's swap", "seven_swap=true passive_uno=required", "R7 B1/Y1 Y2/G1 G2", "R5", "", []string{
		"0 R7>1!", "? catchable 1",
	}},
	{"a last card moves no hands", "zero_rotate=true", "R0/Y1", "R5", "", []string{"0 R0 = card_played round_ended"}},
	{"a last card moves the empty hand", "zero_rotate=true last_card_hand_effect=apply", "R0/Y1", "R5", "", []string{
		"0 R0 = card_played hands_moved round_ended",
	}},
	{"a last draw card", "", "RD/Y1", "R5", "B1 B2", []string{"0 RD = card_played cards_drawn round_ended"}},
	{"a time that runs out", "max_timeouts=2", "R7 B1/Y1 Y2/G1 G2", "R5", "R1 R2 R3", []string{
		"0 timeout = timed_out cards_drawn turn_started", "1 draw", "1 timeout = timed_out card_kept turn_started", "2 draw",
		"2 keep",
		"0 timeout = timed_out cards_drawn turn_started seat_left", "0 catch 1 -> FORBIDDEN",
	}},
	{"out of time before a colour", "", "R7 B1/Y1 Y2", "W", "R1", []string{
		"0 R7 -> ACTION_NOT_AVAILABLE", "? legal 0 color R color Y color G color B",
		"0 timeout = timed_out color_chosen turn_started", "0 timeout",
	}},
	{"time is forfeit", "timeout_action=forfeit", "R7 B1/Y1 Y2", "R5", "R1", []string{
		"0 timeout = timed_out seat_left round_ended match_ended", "1 draw -> MATCH_OVER",
	}},
	{"who owes a penalty leaves", "", "W4 B1/Y1 Y2/G1 G2", "R5", "", []string{
		"0 W4/B!", "1 leave = seat_left turn_started", "? turn 2",
	}},
	{"a bluffer leaves", "", "W4 R1/Y1 Y2/G1 G2", "R5", "R2 R3 R4 R6", []string{
		"0 W4/B!", "0 leave", "1 challenge = challenge_resolved turn_started", "? turn 1",
	}},
	{"nobody can go on", "stalemate_turns=1", "B7 B8/Y1 Y2", "R5", "", []string{
		"0 draw", "1 draw = cards_drawn round_ended",
	}},
	{"too many turns", "max_turns_per_round=1", "B7 B8/Y1 Y2", "R5", "R1 R2", []string{
		"0 draw", "0 keep = card_kept round_ended", "1 draw -> ROUND_OVER",
	}},
	{"the dealer names the colour", "start_wild_draw_four=dealer_chooses_apply", "B7 B8/Y1 Y2", "W4", "R1 R2 R3 R4", []string{
		"? turn 1", "1 color B = color_chosen cards_drawn turn_started", "? turn 1",
	}},
	{"calls that nobody can catch", "uno_catch_window=none", "R7 B1/Y1 Y2", "R5", "", []string{"0 R7", "? catchable"}},
	{"a penalty lapses with its seat", "", "W4 B1/Y1 Y2/B5 G2", "R5", "", []string{
		"0 W4/B!", "1 leave", "2 B5! = card_played turn_started",
	}},
	{"who begins leaves before the colour", "start_wild=dealer_chooses", "R7 B1/Y1 Y2/G1 G2", "W", "", []string{
		"? turn 2", "0 leave = seat_left", "2 color B = color_chosen turn_started", "? turn 1",
	}},
	{"a start card that is only drawn", "start_draw_two=draw_only stack_draw_two=same", "RD B1/Y1 Y2", "GD", "R1 R2", []string{
		"? turn 0", "0 accept -> ACTION_NOT_AVAILABLE", "0 draw",
	}},
	{"a call before hands move", "seven_swap=true false_uno_penalty=2", "R7 B1/Y1 Y2", "R5", "G1 G2", []string{
		"0 R7>1! = card_played hands_moved turn_started",
	}},
	{"one card for one card", "seven_swap=true passive_uno=required", "R7 B1/Y1/G1 G2", "R5", "", []string{
		"0 R7>1!", "? catchable",
	}},
	{"who has called is protected", "seven_swap=true swap_uno_protected=true", "R1 B1/R7 B2 B3/G1 G2", "R5", "", []string{
		"0 R1!", "? legal 1 R7>2 draw",
	}},
	{"the winner deals", "dealer_rotation=winner", "B7 B8/R7/G1 G2", "R5 R6", "B9", []string{
		"0 draw", "1 R7 = card_played round_ended", "deal", "? turn 2",
	}},
	{"no timeout is one too many", "max_timeouts=0", "R7 B1/Y1 Y2", "R5", "G1", []string{
		"0 timeout = timed_out cards_drawn turn_started",
	}},
	{"a reverse opens", "", "B7 B8/Y1 Y2/G1 G2", "RV", "R1", []string{"? turn 2", "2 draw", "2 keep", "? turn 1"}},
}

func TestPositions(t *testing.T) {
	for _, p := range positions {
		t.Run(p.name, func(t *testing.T) { testRound(t, p) })
	}
}

func testRound(t *testing.T, p position) {
	options := map[string]string{"match_end": "rounds", "match_rounds": "9"}
	for _, entry := range strings.Fields(p.options) {
		name, value, _ := strings.Cut(entry, "=")
		options[name] = value
	}
	ruleset, err := rules.New("official", options)
	if err != nil {
		t.Fatal(err)
	}
	dealt := newStacked(t, ruleset.Deck, p.hands, p.starts, p.pile)
	match := rules.NewMatch(ruleset, len(dealt.hands), dealt)
	if _, refusal := match.Apply(rules.Move{Kind: rules.Deal}); refusal != nil {
		t.Fatal(refusal)
	}
	for _, step := range p.steps {
		if question, isQuestion := strings.CutPrefix(step, "? "); isQuestion {
			testQuestion(t, match, question)
			continue
		}
		text, reason, isRefused := strings.Cut(step, " -> ")
		text, want, hasKinds := strings.Cut(text, " = ")
		move, _ := moveOf(t, text)
		given, refusal := match.Apply(move)
		switch {
		case isRefused && (refusal == nil || refusal.Reason.String() != "REASON_"+reason):
			t.Errorf("%s: refused for %v", step, refusal)
		case !isRefused && refusal != nil:
			t.Fatalf("%s: refused for %v", step, refusal)
		case hasKinds && kindsOf(given) != want:
			t.Errorf("%s: it gives %s", step, kindsOf(given))
		}
	}
}

func testQuestion(t *testing.T, match *rules.Match, question string) {
	t.Helper()
	words := strings.Fields(question)
	var got []string
	switch words[0] {
	case "turn":
		got = append(got, string(rune('0'+match.Turn())))
	case "catchable":
		for _, seat := range match.Catchable() {
			got = append(got, string(rune('0'+seat)))
		}
	case "legal":
		got = append(got, words[1])
		for _, move := range match.Legal(int(words[1][0] - '0')) {
			got = append(got, wordsOf(move))
		}
	}
	if found := strings.Join(append(words[:1:1], got...), " "); found != question {
		t.Errorf("? %s: it is %s", question, found)
	}
}

// kindsOf returns the kinds of events.
func kindsOf(events []*pb.Event) string {
	var kinds []string
	for _, event := range events {
		message := event.ProtoReflect()
		kinds = append(kinds, string(message.WhichOneof(message.Descriptor().Oneofs().ByName("event")).Name()))
	}
	return strings.Join(kinds, " ")
}
