package rules

import (
	"lastcard/cards"
	pb "lastcard/lastcardv1"
)

// deal begins the next round: with those who share the first place, if only they play on, else with all who have not
// left.
func (m *Match) deal() error {
	seats := len(m.left)
	m.round++
	m.inRound, m.turn, m.quiet, m.isQuiet = true, 0, 0, false
	m.active, m.hands = make([]bool, seats), make([][]int, seats)
	m.frozen, m.gone = make([]uint32, seats), make([]bool, seats)
	m.discard, m.buried, m.pending, m.direction = nil, nil, 0, 1
	m.canJump, m.isDry, m.drawn, m.color = false, false, -1, pb.Color_COLOR_UNSPECIFIED
	m.offence, m.calls = offence{}, newCalls(seats)
	var playing []int
	for seat := range m.active {
		if m.active[seat] = m.PlaysOn(seat); m.active[seat] {
			playing = append(playing, seat)
		}
	}
	commitment, err := m.chance.Begin(m.round, playing)
	if err != nil {
		return err
	}
	m.dealer = m.nextDealer(playing)
	counts := make([]uint32, seats)
	for _, seat := range playing {
		m.hands[seat] = m.chance.Hand(seat)
		counts[seat] = uint32(len(m.hands[seat]))
	}
	m.tell(&pb.Event{Event: &pb.Event_RoundStarted{RoundStarted: &pb.RoundStarted{
		Round: m.round, Dealer: uint32(m.dealer), Commitment: commitment, HandCounts: counts,
		Hands: m.handsOf(func(seat int) bool { return m.active[seat] }),
	}}})
	for isBack := true; isBack; {
		id := m.chance.TurnUp()
		isBack = m.rules.PutsBack(m.face(id))
		m.tell(&pb.Event{Event: &pb.Event_StartCardTurned{StartCardTurned: &pb.StartCardTurned{
			Card: m.face(id), PutBack: isBack,
		}}})
		if !isBack {
			m.discard = append(m.discard, id)
		}
	}
	m.open(m.top())
	return nil
}

// nextDealer returns the seat that deals.
func (m *Match) nextDealer(playing []int) int {
	former := m.dealer
	switch rotation := m.rules.options["dealer_rotation"]; {
	case former < 0 && m.rules.Is("first_dealer", "seat0"):
		return playing[0]
	case former < 0:
		return m.chance.FirstDealer()
	case rotation == "winner" && m.lastWinner != NoSeat && m.active[m.lastWinner]:
		return m.lastWinner
	case rotation != "clockwise" && m.active[former]:
		return former
	}
	return m.after(former)
}

// open lets a start card have its effect.
func (m *Match) open(card pb.Card) {
	m.color = cards.ColorOf(card)
	m.first = m.after(m.dealer)
	if m.rules.Is("first_player", "random") {
		m.first = m.chance.FirstPlayer()
	}
	switch effect := m.rules.options[startOption(card)]; effect {
	case "first_player_chooses":
		m.actor, m.asks = m.first, aColor
	case "dealer_chooses", "dealer_chooses_apply":
		m.actor, m.asks = m.dealer, aColor
	case "dealer_first", "right_of_dealer":
		m.direction = -1
		m.first = m.after(m.dealer)
		isSkip := m.countActive() == 2 && m.rules.Is("reverse_two_players", "skip")
		if effect == "dealer_first" || isSkip {
			m.first = m.dealer
		}
		m.begin(m.first)
	case "draw_only":
		m.pending = 2
		m.serve(m.first)
	case "apply":
		if cards.RankOf(card) == cards.Skip {
			m.skip(m.first)
			return
		}
		m.pending = 2
		m.ask(m.first)
	default:
		m.begin(m.first)
	}
}

// chooseColor names the colour of the wild that opened the round, and lets the round go on.
func (m *Match) chooseColor(seat int, color pb.Color, byServer bool) {
	m.color = color
	m.tell(&pb.Event{Event: &pb.Event_ColorChosen{ColorChosen: &pb.ColorChosen{
		Seat: uint32(seat), Color: color, ByServer: byServer,
	}}})
	if m.top() == pb.Card_CARD_WILD_DRAW_FOUR {
		m.pending = 4
		m.ask(m.first)
		return
	}
	m.begin(m.first)
}

// begin begins a turn, unless so many have passed that the round is blocked.
func (m *Match) begin(seat int) {
	if m.turn > 0 {
		m.quiet++
		if !m.isQuiet {
			m.quiet = 0
		}
	}
	isStale := m.quiet >= m.rules.Number("stalemate_turns")*uint32(m.countActive())
	if isStale || m.turn >= m.rules.Number("max_turns_per_round") {
		m.endRound(pb.RoundCause_ROUND_CAUSE_BLOCKED, NoSeat)
		return
	}
	m.turn++
	m.isQuiet, m.drawn = true, -1
	m.actor, m.asks = seat, itsTurn
	m.closeAtTurn(seat)
	m.tell(&pb.Event{Event: &pb.Event_TurnStarted{TurnStarted: &pb.TurnStarted{Seat: uint32(seat), Turn: m.turn}}})
}

// skip lets a seat lose its turn.
func (m *Match) skip(seat int) {
	m.tell(&pb.Event{Event: &pb.Event_SeatSkipped{SeatSkipped: &pb.SeatSkipped{Seat: uint32(seat)}}})
	m.begin(m.after(seat))
}

// endTurn ends the turn of the seat to act.
func (m *Match) endTurn() {
	if m.punishVoid() {
		m.begin(m.after(m.actor))
	}
}
