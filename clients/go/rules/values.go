package rules

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// valid is what each option may be, as `lastcard rules --values` lists it: words, a range of numbers, or a list.
var valid = map[string]string{
	"min_players":                "2..10",
	"max_players":                "2..10",
	"hand_size":                  "1..15",
	"deck":                       "classic108 custom",
	"deck_counts":                "CARD=0..50,…",
	"first_dealer":               "random high_card seat0",
	"dealer_rotation":            "clockwise winner fixed",
	"first_player":               "left_of_dealer random",
	"start_skip":                 "apply ignore redraw",
	"start_draw_two":             "apply ignore redraw draw_only",
	"start_reverse":              "dealer_first right_of_dealer ignore redraw",
	"start_wild":                 "first_player_chooses dealer_chooses redraw",
	"start_wild_draw_four":       "redraw dealer_chooses_apply",
	"match_symbol":               "same_symbol any_action off",
	"play_multiple":              "off",
	"voluntary_draw":             "forbidden allowed",
	"draw_mode":                  "one until_playable up_to_n",
	"draw_limit":                 "1..20",
	"drawn_card":                 "may_play must_play never",
	"after_draw_play":            "drawn_only any_card",
	"pile_empty":                 "reshuffle_keep_top end_round",
	"draw_two_target_loses_turn": "true false",
	"w4_target_loses_turn":       "true false",
	"reverse_two_players":        "skip no_effect",
	"w4_legality":                "anytime no_color no_color_or_number no_other_play",
	"w4_enforcement":             "reject bluff_allowed",
	"w4_challenge":               "off next_player",
	"challenge_guilty_draws":     "0..10",
	"challenge_innocent_draws":   "0..10",
	"challenge_success_turn":     "challenger_plays challenger_skipped",
	"challenge_reveal":           "challenger_only all verdict_only",
	"uno_required":               "true false",
	"uno_catch_window":           "next_turn_action own_next_turn none",
	"uno_penalty":                "0..4",
	"false_catch_penalty":        "0..4",
	"false_uno_penalty":          "0..4",
	"passive_uno":                "exempt required",
	"uno_grace_ms":               "0..2000",
	"last_card_draw":             "end_at_once draw_then_score",
	"finish_restriction":         "none no_wild no_draw number_only",
	"last_card_hand_effect":      "win apply",
	"play_on":                    "stop",
	"scoring":                    "winner_takes_sum each_keeps_own placement round_wins",
	"card_points":                "CARD=0..500,…",
	"match_end":                  "target+rounds+time+single_round",
	"target_points":              "1..1000000",
	"match_rounds":               "1..100000",
	"match_time_s":               "1..604800",
	"elimination":                "off",
	"match_tie":                  "shared extra_round fewest_points_left round_wins",
	"stack_draw_two":             "off same",
	"stack_w4":                   "off same",
	"stack_cross":                "off four_on_two any",
	"stack_max":                  "0..500",
	"jump_in":                    "off identical identical_incl_w4",
	"jump_in_effect":             "cancel_previous accumulate",
	"zero_rotate":                "true false",
	"seven_swap":                 "true false",
	"swap_uno_protected":         "true false",
	"teams":                      "off",
	"hand_limit_out":             "0..0",
	"timeout_action":             "draw_and_pass forfeit",
	"max_timeouts":               "0..10000",
	"leaver_cards":               "to_discard frozen",
	"leaver_points":              "score_for_winner void",
	"stalemate_turns":            "1..100",
	"max_turns_per_round":        "1..1000000",
	"stalemate_result":           "lowest_hand void",
}

var cardCount = regexp.MustCompile(`^([RYGB]?([0-9]|S|V|D)|W|W4)=(0|[1-9][0-9]{0,2})$`)

// isValid tells whether an option may have a value.
func isValid(name, value string) bool {
	what := valid[name]
	if counts, isCards := strings.CutPrefix(what, "CARD="); isCards {
		return areCards(value, strings.TrimSuffix(counts, ",…"))
	}
	if strings.Contains(what, "..") {
		return isWithin(value, what)
	}
	if strings.Contains(what, "+") {
		named := strings.Split(value, "+")
		// In the order in which they are listed, each once.
		words := slices.DeleteFunc(strings.Split(what, "+"), func(word string) bool { return !slices.Contains(named, word) })
		return len(words) > 0 && slices.Equal(words, named)
	}
	return slices.Contains(strings.Fields(what), value)
}

// isWithin tells whether a text is a number within a range such as 1..5.
func isWithin(text, within string) bool {
	from, to, _ := strings.Cut(within, "..")
	number, err := strconv.Atoi(text)
	least, _ := strconv.Atoi(from)
	most, _ := strconv.Atoi(to)
	return err == nil && strconv.Itoa(number) == text && least <= number && number <= most
}

// areCards tells whether a text is a list of cards or ranks, each once and with a number within a range.
func areCards(text, within string) bool {
	named := map[string]bool{}
	for _, entry := range strings.Split(text, ",") {
		name, number, _ := strings.Cut(entry, "=")
		if named[name] || !cardCount.MatchString(entry) || !isWithin(number, within) {
			return false
		}
		named[name] = true
	}
	return true
}
