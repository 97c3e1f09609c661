// Package chance computes all chance of a game from its seeds, as tests/conformance/README.md describes it: words,
// numbers and shuffles of a purpose, keys and commitments, disguises, and the order in which cards come.
//
// It is written from that document and knows none of the arena's own code, so that what it finds proves something.
package chance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// Key is a seed, salt, key or hash: 32 bytes.
type Key [32]byte

// Words gives the 16-bit words of a purpose under a seed, one after the other.
type Words struct {
	seed    Key
	purpose string
	block   uint32
	left    []byte
}

// NewWords begins with the first word of a purpose.
func NewWords(seed Key, purpose string) *Words { return &Words{seed: seed, purpose: purpose} }

// Next returns the next word.
func (w *Words) Next() int {
	if len(w.left) == 0 {
		message := append([]byte(w.purpose), 0)
		block := mac(w.seed, binary.BigEndian.AppendUint32(message, w.block))
		w.left = block[:]
		w.block++
	}
	word := int(w.left[0])<<8 | int(w.left[1])
	w.left = w.left[2:]
	return word
}

// Below returns the next number below n, for n from 1 to 65536.
func (w *Words) Below(n int) int {
	limit := 1<<16 - 1<<16%n
	word := w.Next()
	for word >= limit {
		word = w.Next()
	}
	return word % n
}

// Shuffle puts a list into the order that it takes for a purpose under a seed.
func Shuffle(seed Key, purpose string, items []int) {
	words := NewWords(seed, purpose)
	for i := len(items) - 1; i > 0; i-- {
		j := words.Below(i + 1)
		items[i], items[j] = items[j], items[i]
	}
}

// Commitment returns what is published of a seed before its round.
func Commitment(seed, salt Key) Key {
	return sha256.Sum256(join([]byte("lastcard/commitment\x00"), seed[:], salt[:]))
}

// EventKey returns the key of an event whose file has a seed, a number in decimal.
func EventKey(number string) Key { return sha256.Sum256([]byte("lastcard/event\x00" + number)) }

// DealKey returns the key of a deal of an event.
func DealKey(event Key, deal string) Key { return mac(event, []byte("lastcard/deal\x00"+deal)) }

// RoundSeed returns the seed of a round, from 1, of a deal.
func RoundSeed(deal Key, round uint32) Key {
	return mac(deal, binary.BigEndian.AppendUint32([]byte("lastcard/round\x00"), round))
}

// GameSalt returns the salt of a game of an event.
func GameSalt(event Key, game string) Key { return mac(event, []byte("lastcard/salt\x00"+game)) }

// DisguiseKey returns the key under which the colours of a round are renamed.
func DisguiseKey(seed, salt Key) Key {
	return mac(salt, join([]byte("lastcard/disguise\x00"), seed[:]))
}

func mac(key Key, message []byte) (sum Key) {
	hash := hmac.New(sha256.New, key[:])
	hash.Write(message)
	copy(sum[:], hash.Sum(nil))
	return sum
}

func join(parts ...[]byte) (joined []byte) {
	for _, part := range parts {
		joined = append(joined, part...)
	}
	return joined
}
