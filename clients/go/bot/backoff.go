package bot

import (
	"math/rand/v2"
	"time"
)

const (
	firstWait = 200 * time.Millisecond
	mostWait  = 5 * time.Second
)

// backoff tells how long to wait before the next attempt to connect: waits double, each shortened at random by up to
// half, so that a thousand bots do not come back to a restarted server in step.
type backoff struct {
	wait   time.Duration
	chance func() float64 // from 0 to below 1
}

func newBackoff() *backoff { return &backoff{wait: firstWait, chance: rand.Float64} }

// next returns the next wait.
func (b *backoff) next() time.Duration {
	wait := b.wait
	b.wait = min(mostWait, wait*2)
	return wait - time.Duration(b.chance()*float64(wait)/2)
}

// reset begins with the shortest wait again, after a connection that held.
func (b *backoff) reset() { b.wait = firstWait }
