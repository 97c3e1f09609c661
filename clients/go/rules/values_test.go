package rules

import (
	"testing"
)

func TestOptionsHaveOnlyTheirValues(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"drawn_card", "never", true},
		{"drawn_card", "neverx", false},
		{"drawn_card", "", false},
		{"seven_swap", "true", true},
		{"seven_swap", "1", false},
		{"match_rounds", "1", true},
		{"match_rounds", "0", false},
		{"match_rounds", "01", false},
		{"match_rounds", "99999999999999999999", false},
		{"match_end", "target+time", true},
		{"match_end", "time+target", false},
		{"match_end", "time+time", false},
		{"match_end", "", false},
		{"deck_counts", "R0=2,W=4", true},
		{"deck_counts", "W=4,W=5", false},
		{"deck_counts", "W=51", false},
		{"deck_counts", "X=1", false},
		{"card_points", "W=500", true},
		{"card_points", "W=501", false},
	} {
		if got := isValid(c.name, c.value); got != c.want {
			t.Errorf("%s = %q: %v, want %v", c.name, c.value, got, c.want)
		}
	}
	for name := range valid {
		if _, err := New("official", map[string]string{name: "?"}); err == nil {
			t.Errorf("%s may be anything", name)
		}
	}
	for _, options := range []map[string]string{
		{"card_points": "R5=5"}, {"card_points": "R5=6,Y5=6,G5=6,B5=6"}, {"deck": "custom", "deck_counts": "W=4,5=2"},
		{"deck": "custom", "deck_counts": "W4=40"}, {"deck": "custom"}, {"deck_counts": "W=4"}, {"deck": "custom", "deck_counts": "0=50,1=50"},
	} {
		if _, err := New("official", options); err == nil {
			t.Errorf("%v were taken", options)
		}
	}
}

func TestSeatsMustSuitTheRules(t *testing.T) {
	ruleset, err := New("official", map[string]string{"max_players": "5", "hand_size": "15", "deck": "custom", "deck_counts": "1=10"})
	if err != nil {
		t.Fatal(err)
	}
	for seats, want := range map[int]bool{1: false, 2: true, 3: false, 6: false} {
		if err := ruleset.CheckSeats(seats); (err == nil) != want {
			t.Errorf("%d seats: %v, want %v", seats, err, want)
		}
	}
}
