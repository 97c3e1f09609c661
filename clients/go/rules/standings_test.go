package rules

import (
	"testing"

	pb "lastcard/lastcardv1"
)

func TestTheConditionThatWasMetFirstStaysTheCause(t *testing.T) {
	ruleset, err := New("official", map[string]string{"match_end": "target+single_round"})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMatch(ruleset, 2, nil)
	m.round = 1 // nobody won it, so that both share the first place
	if m.endMatch(); m.isOver {
		t.Fatal("the match is over, and the first place is shared")
	}
	m.round, m.totals = 2, []uint32{500, 0}
	m.endMatch()
	ended := m.events[len(m.events)-1].GetMatchEnded()
	if ended.GetCause() != pb.MatchCause_MATCH_CAUSE_SINGLE_ROUND || ended.GetPlaces()[1] != 2 {
		t.Errorf("%v", ended)
	}
}

func TestTiesAreSettledAsTheRulesSay(t *testing.T) {
	for tie, want := range map[string][]uint32{
		"shared": {1, 1, 3}, "fewest_points_left": {2, 1, 3}, "round_wins": {1, 2, 3},
	} {
		ruleset, err := New("official", map[string]string{"match_tie": tie})
		if err != nil {
			t.Fatal(err)
		}
		m := NewMatch(ruleset, 3, nil)
		m.totals, m.caught, m.wins = []uint32{20, 20, 5}, []uint32{9, 4, 0}, []uint32{3, 2, 4}
		places := m.places()
		for seat := range want {
			if places[seat] != want[seat] {
				t.Errorf("%s: %v, want %v", tie, places, want)
				break
			}
		}
	}
}
