package rules_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lastcard/cards"
	"lastcard/chance"
	vectors "lastcard/conformancev1"
	"lastcard/internal/vectorfile"
	pb "lastcard/lastcardv1"
	"lastcard/rules"
)

func key(t *testing.T, text string) (key chance.Key) {
	t.Helper()
	if _, err := hex.Decode(key[:], []byte(text)); err != nil || len(text) != 64 {
		t.Fatalf("%q is no key: %v", text, err)
	}
	return key
}

// begin returns the match of a vector before its first deal.
func begin(t *testing.T, m *vectors.Match) *rules.Match {
	t.Helper()
	ruleset, err := rules.New(m.Preset, m.Options)
	if err != nil {
		t.Fatal(err)
	}
	var seeds []chance.Key
	for _, seed := range m.Seeds {
		seeds = append(seeds, key(t, seed))
	}
	perSeat := m.Draws == pb.DrawOrder_DRAW_ORDER_PER_SEAT
	return rules.NewMatch(ruleset, int(m.Players), rules.NewSeeded(ruleset, perSeat, m.Disguise, key(t, m.Salt), seeds))
}

// moveOf reads a move of a vector: `deal`, or `SEAT WORDS` in the notation of scenario.md; false for words that are no
// move of the rules.
func moveOf(t *testing.T, text string) (rules.Move, bool) {
	t.Helper()
	if text == "deal" {
		return rules.Move{Kind: rules.Deal}, true
	}
	words := strings.Fields(text)
	seat, err := strconv.Atoi(words[0])
	if err != nil {
		t.Fatalf("%q begins with no seat", text)
	}
	move := rules.Move{Seat: seat, Target: rules.NoSeat, Cause: pb.LeaveCause_LEAVE_CAUSE_LEFT}
	plain := map[string]rules.Kind{"draw": rules.Draw, "keep": rules.Keep, "accept": rules.Accept,
		"challenge": rules.Challenge, "uno": rules.UNO, "leave": rules.Leave, "timeout": rules.Timeout}
	kind, isPlain := plain[words[1]]
	switch move.Kind = kind; {
	case isPlain:
		return move, true
	case words[1] == "pass":
		return move, false
	case words[1] == "catch":
		move.Kind = rules.Catch
		move.Target, err = strconv.Atoi(words[2])
		return move, err == nil
	case words[1] == "color":
		move.Kind, move.Color = rules.ChooseColor, colorOf(words[2])
		return move, true
	}
	move.Kind = rules.Play
	if words[1] == "jump" {
		move.Kind = rules.Jump
	}
	play, callsUNO := strings.CutSuffix(words[len(words)-1], "!")
	move.CallsUNO = callsUNO
	if card, target, aims := strings.Cut(play, ">"); aims {
		play = card
		move.Target, err = strconv.Atoi(target)
	}
	card, color, _ := strings.Cut(play, "/")
	move.Card, move.Color = chance.Named(card), colorOf(color)
	if move.Card == pb.Card_CARD_UNSPECIFIED || err != nil {
		t.Fatalf("%q is no move", text)
	}
	return move, true
}

func colorOf(letter string) pb.Color {
	return pb.Color(strings.Index(" RYGB", letter+"")) * pb.Color(min(len(letter), 1))
}

// wordsOf writes a move as `? legal` lists it.
func wordsOf(move rules.Move) string {
	action := &pb.Action{Card: move.Card, Color: move.Color}
	if move.Target != rules.NoSeat {
		action.Target = proto.Uint32(uint32(move.Target))
	}
	action.Kind = map[rules.Kind]pb.ActionKind{
		rules.Play: pb.ActionKind_ACTION_KIND_PLAY, rules.Draw: pb.ActionKind_ACTION_KIND_DRAW,
		rules.Keep: pb.ActionKind_ACTION_KIND_KEEP, rules.Accept: pb.ActionKind_ACTION_KIND_ACCEPT,
		rules.Challenge: pb.ActionKind_ACTION_KIND_CHALLENGE, rules.ChooseColor: pb.ActionKind_ACTION_KIND_CHOOSE_COLOR,
		rules.Jump: pb.ActionKind_ACTION_KIND_JUMP_IN,
	}[move.Kind]
	return cards.ActionText(action)
}

func TestGames(t *testing.T) {
	var file vectors.GameVectors
	vectorfile.Read(t, "games.json", &file)
	if len(file.Games) < 20 {
		t.Errorf("games.json has only %d games", len(file.Games))
	}
	for _, g := range file.Games {
		t.Run(g.Match.Name, func(t *testing.T) { testGame(t, g) })
	}
}

func testGame(t *testing.T, g *vectors.Game) {
	match := begin(t, g.Match)
	at := 0
	for _, text := range g.Match.Moves {
		move, isMove := moveOf(t, text)
		given, refusal := match.Apply(move)
		if !isMove || refusal != nil {
			t.Fatalf("%s is refused behind event %d: %v", text, at, refusal)
		}
		for _, event := range given {
			if at == len(g.Events) || !proto.Equal(event, g.Events[at]) {
				t.Fatalf("%s gives\n%v\nand the vector has\n%v", text, event, g.Events[min(at, len(g.Events)-1)])
			}
			at++
		}
	}
	if at != len(g.Events) {
		t.Errorf("%d events came, and the vector has %d", at, len(g.Events))
	}
}

func TestRefusals(t *testing.T) {
	var file vectors.RefusalVectors
	vectorfile.Read(t, "refusals.json", &file)
	if len(file.Games) == 0 {
		t.Error("refusals.json is empty")
	}
	for _, g := range file.Games {
		t.Run(g.Match.Name, func(t *testing.T) {
			match := begin(t, g.Match)
			made := 0
			for _, position := range g.Positions {
				for ; made < int(position.After); made++ {
					move, _ := moveOf(t, g.Match.Moves[made])
					if _, refusal := match.Apply(move); refusal != nil {
						t.Fatal(refusal)
					}
				}
				testPosition(t, match, position)
			}
		})
	}
}

func testPosition(t *testing.T, match *rules.Match, p *vectors.Position) {
	t.Helper()
	turn := rules.NoSeat
	if p.Turn != nil {
		turn = int(*p.Turn)
	}
	if match.Turn() != turn {
		t.Errorf("after %d moves it is the turn of %d, and not of %d", p.After, match.Turn(), turn)
	}
	for seat, want := range p.Legal {
		var legal []string
		for _, move := range match.Legal(seat) {
			legal = append(legal, wordsOf(move))
		}
		if !slices.Equal(legal, want.Actions) {
			t.Errorf("after %d moves seat %d may do %v, and the vector has %v", p.After, seat, legal, want.Actions)
		}
	}
	var catchable []uint32
	for _, seat := range match.Catchable() {
		catchable = append(catchable, uint32(seat))
	}
	if !slices.Equal(catchable, p.Catchable) {
		t.Errorf("after %d moves %v can be caught, and the vector has %v", p.After, catchable, p.Catchable)
	}
	before := fmt.Sprintf("%+v", *match)
	for _, refused := range p.Refused {
		for _, text := range refused.Moves {
			move, isMove := moveOf(t, text)
			if !isMove {
				continue // a pass answers a reaction; the rules know none
			}
			_, refusal := match.Apply(move)
			if refusal == nil || refusal.Reason != refused.Reason {
				t.Errorf("after %d moves %s is refused for %v, and the vector has %v", p.After, text, refusal, refused.Reason)
			}
		}
	}
	if after := fmt.Sprintf("%+v", *match); after != before {
		t.Errorf("after %d moves refused ones changed\n%s\nto\n%s", p.After, before, after)
	}
}
