package chance

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"lastcard/cards"
	vectors "lastcard/conformancev1"
	"lastcard/internal/vectorfile"
	pb "lastcard/lastcardv1"
)

func key(t *testing.T, text string) (key Key) {
	t.Helper()
	if _, err := hex.Decode(key[:], []byte(text)); err != nil || len(text) != 64 {
		t.Fatalf("%q is no key: %v", text, err)
	}
	return key
}

func ints(numbers []uint32) []int {
	same := make([]int, len(numbers))
	for i, number := range numbers {
		same[i] = int(number)
	}
	return same
}

func check(t *testing.T, what string, got, want []int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func deckOfText(text string) Deck {
	var deck Deck
	for _, name := range strings.Fields(text) {
		deck = append(deck, Named(name))
	}
	return deck
}

func TestChance(t *testing.T) {
	var file vectors.ChanceVectors
	vectorfile.Read(t, "chance.json", &file)
	for _, c := range file.Words {
		words := NewWords(key(t, c.Seed), c.Purpose)
		got := make([]int, len(c.Words))
		for i := range got {
			got[i] = words.Next()
		}
		check(t, "words of "+c.Purpose, got, ints(c.Words))
	}
	for _, c := range file.Numbers {
		if got := NewWords(key(t, c.Seed), c.Purpose).Below(int(c.N)); got != int(c.Number) {
			t.Errorf("number below %d of %s: %d, want %d", c.N, c.Purpose, got, c.Number)
		}
	}
	for _, c := range file.Shuffles {
		items := ints(c.Items)
		Shuffle(key(t, c.Seed), c.Purpose, items)
		check(t, "shuffle of "+c.Purpose, items, ints(c.Order))
	}
	if len(file.Words) == 0 || len(file.Numbers) == 0 || len(file.Shuffles) == 0 {
		t.Error("chance.json is empty")
	}
}

func TestKeys(t *testing.T) {
	var file vectors.KeyVectors
	vectorfile.Read(t, "keys.json", &file)
	count := 0
	same := func(what string, got Key, want string) {
		t.Helper()
		count++
		if got != key(t, want) {
			t.Errorf("%s: %x, want %s", what, got, want)
		}
	}
	for _, c := range file.Commitments {
		same("commitment", Commitment(key(t, c.Seed), key(t, c.Salt)), c.Commitment)
	}
	for _, c := range file.EventKeys {
		same("event key", EventKey(c.Number), c.Key)
	}
	for _, c := range file.DealKeys {
		same("deal key", DealKey(key(t, c.EventKey), c.Deal), c.Key)
	}
	for _, c := range file.RoundSeeds {
		same("round seed", RoundSeed(key(t, c.DealKey), c.Round), c.Seed)
	}
	for _, c := range file.Salts {
		same("salt", GameSalt(key(t, c.EventKey), c.Game), c.Salt)
	}
	if count < 5 {
		t.Errorf("keys.json has only %d cases", count)
	}
}

func TestDisguises(t *testing.T) {
	var file vectors.DisguiseVectors
	vectorfile.Read(t, "disguises.json", &file)
	for _, c := range file.Disguises {
		deck, seed := deckOfText(c.Deck), key(t, c.Seed)
		own := DisguiseKey(seed, key(t, c.Salt))
		if own != key(t, c.Key) {
			t.Errorf("%s: key %x", c.Name, own)
		}
		disguise := NewDisguise(deck, own)
		for i, color := range c.Colors {
			if disguise.Colors[i+1] != pb.Color(color) {
				t.Errorf("%s: colours %v, want %v", c.Name, disguise.Colors, c.Colors)
			}
		}
		check(t, c.Name+": cards", disguise.Becomes, ints(c.Cards))
		items := ints(c.Rebuild.Items)
		disguise.shuffle(seed, "rebuild/1", items)
		check(t, c.Name+": rebuild", items, ints(c.Rebuild.Order))
		round := &Round{seed: seed, disguise: disguise}
		for i, color := range c.Named {
			if got := round.ColorBefore(uint32(i + 1)); got != pb.Color(color) {
				t.Errorf("%s: colour before turn %d is %v, want %d", c.Name, i+1, got, color)
			}
		}
	}
	if len(file.Disguises) == 0 {
		t.Error("disguises.json is empty")
	}
}

func TestDeals(t *testing.T) {
	var file vectors.DealVectors
	vectorfile.Read(t, "deals.json", &file)
	for _, c := range file.Deals {
		t.Run(c.Name, func(t *testing.T) { testDeal(t, c) })
	}
	if len(file.Deals) == 0 {
		t.Error("deals.json is empty")
	}
}

func testDeal(t *testing.T, c *vectors.Deal) {
	deck := Classic()
	if counts := c.Options["deck_counts"]; counts != "" {
		var err error
		if deck, err = Custom(counts); err != nil {
			t.Fatal(err)
		}
	}
	if want := deckOfText(c.Deck); !slices.Equal(deck, want) {
		t.Fatalf("the deck is %s, want %s", cards.HandText(deck), c.Deck)
	}
	seed, salt := key(t, c.Seed), key(t, c.Salt)
	if Commitment(seed, salt) != key(t, c.Commitment) {
		t.Error("another commitment")
	}
	disguise := NoDisguise(deck)
	if c.Disguise {
		disguise = NewDisguise(deck, DisguiseKey(seed, salt))
	}
	active := make([]int, c.Players)
	for seat := range active {
		active[seat] = seat
	}
	dealer := FirstDealer(seed, active)
	if c.Preset == "official" {
		dealer = HighCardDealer(deck, seed, disguise, active)
	}
	if dealer != int(c.Dealer) {
		t.Errorf("dealer %d, want %d", dealer, c.Dealer)
	}
	size := map[string]int{"": 7, "1": 1, "2": 2, "3": 3, "5": 5}[c.Options["hand_size"]]
	rules := Rules{Deck: deck, HandSize: size, PerSeat: c.Draws == pb.DrawOrder_DRAW_ORDER_PER_SEAT,
		PutsBack: func(card pb.Card) bool {
			return card == pb.Card_CARD_WILD && c.Preset == "german" ||
				card == pb.Card_CARD_WILD_DRAW_FOUR && c.Preset != "danish"
		}}
	round, err := NewRound(rules, seed, disguise, active)
	if err != nil {
		t.Fatal(err)
	}
	starts := make([]string, len(round.Starts))
	for i, id := range round.Starts {
		starts[i] = cards.Text(deck[id])
	}
	if got := strings.Join(starts, " "); got != c.StartCards {
		t.Errorf("start cards %s, want %s", got, c.StartCards)
	}
	// A draw two at the start has had its effect in the vectors; whoever holds more than was dealt has drawn.
	for seat, hand := range c.Hands {
		for len(round.Hands[seat]) < len(hand.Ids) {
			id, _ := round.Draw(seat)
			round.Hands[seat] = append(round.Hands[seat], id)
		}
		slices.Sort(round.Hands[seat])
		check(t, "hand", round.Hands[seat], ints(hand.Ids))
	}
	for seat, order := range c.Orders {
		check(t, "order", round.Order(seat), ints(order.Ids))
	}
	pile := slices.Sorted(slices.Values(round.Pile))
	check(t, "pile", pile, ints(c.Pile))
	var drawn []int
	for _, seat := range c.DrawnBy {
		if id, ok := round.Draw(int(seat)); ok {
			drawn = append(drawn, id)
		}
	}
	check(t, "drawn", drawn, ints(c.Drawn))
	if len(round.Pile) != 0 {
		t.Errorf("%d cards are left", len(round.Pile))
	}
}

// TestCardsThatCountTheSamePartNobody draws for the deal with a deck without different numbers.
func TestCardsThatCountTheSamePartNobody(t *testing.T) {
	deck, err := Custom("S=3,W=4")
	if err != nil {
		t.Fatal(err)
	}
	if dealer := HighCardDealer(deck, Key{1}, NoDisguise(deck), []int{2, 3, 5}); dealer != 2 {
		t.Errorf("seat %d deals, want the lowest, 2", dealer)
	}
}
