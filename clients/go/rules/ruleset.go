package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lastcard/cards"
	"lastcard/chance"
	pb "lastcard/lastcardv1"
)

// official is every option of the preset of that name, as `lastcard rules official` lists them.
const official = "min_players=2 max_players=10 hand_size=7 deck=classic108 deck_counts= first_dealer=high_card " +
	"dealer_rotation=clockwise first_player=left_of_dealer start_skip=apply start_draw_two=apply " +
	"start_reverse=dealer_first start_wild=first_player_chooses start_wild_draw_four=redraw match_symbol=same_symbol " +
	"play_multiple=off voluntary_draw=allowed draw_mode=one draw_limit=3 drawn_card=may_play after_draw_play=drawn_only " +
	"pile_empty=reshuffle_keep_top draw_two_target_loses_turn=true w4_target_loses_turn=true reverse_two_players=skip " +
	"w4_legality=no_color w4_enforcement=bluff_allowed w4_challenge=next_player challenge_guilty_draws=4 " +
	"challenge_innocent_draws=6 challenge_success_turn=challenger_plays challenge_reveal=challenger_only " +
	"uno_required=true uno_catch_window=next_turn_action uno_penalty=2 false_catch_penalty=0 " +
	"false_uno_penalty=0 passive_uno=exempt uno_grace_ms=0 last_card_draw=draw_then_score " +
	"finish_restriction=none last_card_hand_effect=win play_on=stop scoring=winner_takes_sum card_points= " +
	"match_end=target target_points=500 match_rounds=10 match_time_s=1800 elimination=off match_tie=extra_round " +
	"stack_draw_two=off stack_w4=off stack_cross=off " +
	"stack_max=0 jump_in=off jump_in_effect=cancel_previous zero_rotate=false seven_swap=false swap_uno_protected=false " +
	"teams=off hand_limit_out=0 timeout_action=draw_and_pass max_timeouts=3 leaver_cards=to_discard " +
	"leaver_points=score_for_winner stalemate_turns=2 max_turns_per_round=2000 stalemate_result=lowest_hand"

const (
	german = "first_dealer=random start_skip=ignore start_draw_two=ignore start_reverse=ignore start_wild=redraw " +
		"voluntary_draw=forbidden w4_legality=no_color_or_number w4_enforcement=reject w4_challenge=off " +
		"last_card_draw=end_at_once"
	danish = "first_dealer=random start_reverse=right_of_dealer start_wild=dealer_chooses " +
		"start_wild_draw_four=dealer_chooses_apply w4_legality=anytime w4_enforcement=reject w4_challenge=off " +
		"uno_catch_window=own_next_turn last_card_draw=end_at_once"
)

// presets are where each preset departs from official, as `lastcard rules` lists them.
var presets = map[string]string{
	"official":       "",
	"german":         german,
	"danish":         danish,
	"german_literal": german + " w4_target_loses_turn=false",
	"danish_literal": danish + " match_symbol=off passive_uno=required",
	"danish_low":     danish + " scoring=each_keeps_own",
	"official_low":   "scoring=each_keeps_own",
}

// Ruleset is a preset with the options that depart from it, and what follows from them.
type Ruleset struct {
	// Deck holds the cards; a card's id is its place in it.
	Deck    chance.Deck
	options map[string]string
	points  map[pb.Card]uint32
}

// New returns the ruleset of a preset and the options that depart from it. The error says what is wrong with them.
func New(preset string, departures map[string]string) (*Ruleset, error) {
	changes, known := presets[preset]
	if !known {
		return nil, fmt.Errorf("preset %q does not exist", preset)
	}
	r := &Ruleset{options: map[string]string{}}
	for _, entry := range strings.Fields(official + " " + changes) {
		name, value, _ := strings.Cut(entry, "=")
		r.options[name] = value
	}
	for name, value := range departures {
		former, known := r.options[name]
		if !known {
			return nil, fmt.Errorf("option %q does not exist", name)
		}
		if former == value {
			return nil, fmt.Errorf("option %s is %q as in the preset, so it must not be listed", name, value)
		}
		if !isValid(name, value) {
			return nil, fmt.Errorf("option %s is %q; valid is %s", name, value, valid[name])
		}
	}
	for name, value := range departures {
		r.options[name] = value
	}
	return r, r.complete()
}

// CheckSeats checks that a table may have so many seats.
func (r *Ruleset) CheckSeats(seats int) error {
	if least, most := int(r.Number("min_players")), int(r.Number("max_players")); seats < least || seats > most {
		return fmt.Errorf("there are %d bots, and a table has %d to %d", seats, least, most)
	}
	if dealt := seats*int(r.Number("hand_size")) + 1; dealt > len(r.Deck) {
		return fmt.Errorf("%d cards would have to be dealt, of %d", dealt, len(r.Deck))
	}
	return nil
}

// complete works out deck and points.
func (r *Ruleset) complete() (err error) {
	r.Deck = chance.Classic()
	isCustom := r.Is("deck", "custom")
	if isCustom == r.Is("deck_counts", "") {
		return fmt.Errorf("deck_counts is %q; it is for a custom deck, which needs it", r.options["deck_counts"])
	}
	if isCustom {
		if r.Deck, err = chance.Custom(r.options["deck_counts"]); err != nil {
			return err
		}
		if len(r.Deck) > 256 {
			return fmt.Errorf("the deck has %d cards; 256 are the most", len(r.Deck))
		}
	}
	if !slices.ContainsFunc(r.Deck, func(card pb.Card) bool { return !r.PutsBack(card) }) {
		return fmt.Errorf("no card of the deck may start a round")
	}
	r.points = map[pb.Card]uint32{}
	for _, card := range faces() {
		r.points[card] = uint32(cards.Points(card))
	}
	if points := r.options["card_points"]; points != "" {
		if err := r.overridePoints(points); err != nil {
			return err
		}
	}
	return r.areListsShort()
}

// areListsShort checks that options which list cards list them in the shortest form.
func (r *Ruleset) areListsShort() error {
	counts := map[pb.Card]uint32{}
	if r.Is("deck", "custom") {
		for _, card := range r.Deck {
			counts[card]++
		}
	}
	for name, want := range map[string]string{
		"deck_counts": shortest(counts, func(pb.Card) uint32 { return 0 }),
		"card_points": shortest(r.points, func(card pb.Card) uint32 { return uint32(cards.Points(card)) }),
	} {
		if r.options[name] != want {
			return fmt.Errorf("option %s is %q; its shortest form is %q", name, r.options[name], want)
		}
	}
	return nil
}

// overridePoints takes the option card_points: what is said of a card counts before what is said of its rank.
func (r *Ruleset) overridePoints(text string) error {
	entries := strings.Split(text, ",")
	// Ranks have names of one letter and stand for four cards; a wild is its own rank.
	slices.SortStableFunc(entries, func(a, b string) int { return strings.Index(a, "=") - strings.Index(b, "=") })
	for _, entry := range entries {
		name, number, _ := strings.Cut(entry, "=")
		value, err := strconv.ParseUint(number, 10, 32)
		if err != nil {
			return fmt.Errorf("card_points has %q; an entry is CARD=POINTS or RANK=POINTS", entry)
		}
		for card := range r.points {
			text := cards.Text(card)
			if text == name || !cards.IsWild(card) && text[1:] == name {
				r.points[card] = uint32(value)
			}
		}
	}
	return nil
}

// faces returns the cards that there are, each once, ascending.
func faces() []pb.Card { return slices.Compact(chance.Classic()) }

// shortest returns a list of cards with numbers in its shortest form: where they are not the usual ones, ranks with one
// number for all colours, then wilds, then single cards.
func shortest(numbers map[pb.Card]uint32, usual func(pb.Card) uint32) string {
	var ranks, wilds, singles []string
	for _, card := range faces() {
		text := cards.Text(card)
		isOne := !cards.IsWild(card)
		for _, color := range cards.Colors {
			isOne = isOne && numbers[card] == numbers[pb.Card(int(color)*16+cards.RankOf(card))]
		}
		entry := fmt.Sprintf("%s=%d", text, numbers[card])
		switch isRed := cards.ColorOf(card) == pb.Color_COLOR_RED; {
		case numbers[card] == usual(card) || isOne && !isRed:
		case cards.IsWild(card):
			wilds = append(wilds, entry)
		case isOne:
			ranks = append(ranks, entry[1:])
		default:
			singles = append(singles, entry)
		}
	}
	return strings.Join(slices.Concat(ranks, wilds, singles), ",")
}

// Is tells whether an option has a value.
func (r *Ruleset) Is(option, value string) bool { return r.options[option] == value }

// Number returns an option that is a number; New has checked that it is one.
func (r *Ruleset) Number(option string) uint32 {
	number, _ := strconv.ParseUint(r.options[option], 10, 32)
	return uint32(number)
}

// MatchEnd returns the conditions that end a match.
func (r *Ruleset) MatchEnd() []string { return strings.Split(r.options["match_end"], "+") }

// PutsBack tells whether a card is put back when it is turned up at the start.
func (r *Ruleset) PutsBack(card pb.Card) bool { return r.options[startOption(card)] == "redraw" }

// DealerChooses tells whether a card turned up at the start lets the dealer name the colour.
func (r *Ruleset) DealerChooses(card pb.Card) bool {
	return strings.HasPrefix(r.options[startOption(card)], "dealer_chooses")
}

// startOption returns the option that says what a card does as the start card; "" for a number.
func startOption(card pb.Card) string {
	switch {
	case card == pb.Card_CARD_WILD:
		return "start_wild"
	case card == pb.Card_CARD_WILD_DRAW_FOUR:
		return "start_wild_draw_four"
	case cards.RankOf(card) == cards.Skip:
		return "start_skip"
	case cards.RankOf(card) == cards.Reverse:
		return "start_reverse"
	case cards.RankOf(card) == cards.DrawTwo:
		return "start_draw_two"
	}
	return ""
}

// worth returns the points of a hand.
func (r *Ruleset) worth(hand []pb.Card) (points uint32) {
	for _, card := range hand {
		points += r.points[card]
	}
	return points
}

// stacks tells whether a pending penalty may be answered by a card, and come to so many cards by it.
func (r *Ruleset) stacks(card, top pb.Card, pending uint32) bool {
	if most := r.Number("stack_max"); most > 0 && pending > most {
		return false
	}
	switch on := drawsOf(top); {
	case drawsOf(card) == 0:
		return false
	case drawsOf(card) == 2 && on == 2:
		return r.Is("stack_draw_two", "same")
	case drawsOf(card) == 4 && on == 4:
		return r.Is("stack_w4", "same")
	case drawsOf(card) == 4:
		return !r.Is("stack_cross", "off")
	}
	return r.Is("stack_cross", "any")
}
