package rules

import pb "lastcard/lastcardv1"

// Chance is what the rules leave to chance. A match asks for it in the order in which it needs it; cards are ids.
//
// There are two: what seeds give, and what a record tells.
type Chance interface {
	// Begin begins a round, from 1, among the seats that are dealt to, ascending, and returns its commitment.
	Begin(round uint32, active []int) ([]byte, error)
	// FirstDealer returns the seat that deals the first round, where that is not seat0.
	FirstDealer() int
	// Hand returns what a seat is dealt.
	Hand(seat int) []int
	// TurnUp turns up the next start card; one that the rules put back goes into the pile again.
	TurnUp() int
	// FirstPlayer returns the seat that starts when that is drawn by lot.
	FirstPlayer() int
	// Draw takes the next card for a seat out of the pile; false when the pile is empty.
	Draw(seat int) (int, bool)
	// Rebuild makes a new pile of cards.
	Rebuild(ids []int)
	// ColorBefore returns the colour that the server names before a turn begins.
	ColorBefore(turn uint32) pb.Color
}
