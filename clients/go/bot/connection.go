package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "lastcard/lastcardv1"
)

const (
	// missedHeartbeats is how many heartbeats may fail to come before a stream is given up.
	missedHeartbeats = 3
	// welcomeWait is how long the server may take to welcome the bot before a stream is given up.
	welcomeWait = 30 * time.Second
	// heldFor is how long a stream must have lasted to be no failed attempt: the waits begin anew.
	heldFor = 10 * time.Second
	// checkAfter is when a bot that has not once connected says what to check.
	checkAfter = 10 * time.Second
	// flushWait is how long the server may take to end the stream after the bot has, on the way out.
	flushWait = time.Second
	// connectWait is how long an attempt to connect is given.
	connectWait = 5 * time.Second
	// largestFrame is the largest frame that is read.
	largestFrame = 64 << 20
)

// connection is a bot's connection to an arena, over as many streams as it takes.
type connection struct {
	settings settings
	giveUp   time.Duration
	log      *slog.Logger
	waits    *backoff
	now      func() time.Time
	mind     *mind
	stopped  chan struct{}
	stopOnce sync.Once

	framesRead atomic.Uint64

	// mu guards all below: the session is told of the reader's frames and of the bot's answers.
	mu            sync.Mutex
	session       *session
	outbox        []*pb.ClientMessage
	wake          chan struct{}
	heartbeats    chan time.Duration
	cancelStream  context.CancelFunc
	known         bool
	maxFrameBytes int
	toldToCheck   bool
}

func newConnection(bot Bot, where settings, options Options) *connection {
	c := &connection{
		settings: where,
		giveUp:   options.GiveUpAfter,
		log:      options.Log,
		waits:    newBackoff(),
		now:      time.Now,
		stopped:  make(chan struct{}),
		wake:     make(chan struct{}, 1),
	}
	c.mind = newMind(bot, options, c.log, c.answered)
	c.session = newSession(&pb.Hello{
		ProtocolVersion:  protocolVersion,
		BotName:          where.name,
		BotVersion:       options.Version,
		ClientName:       clientName,
		ClientVersion:    Version,
		MaxTables:        uint32(max(0, options.MaxTables)),
		MaxOpenDecisions: uint32(max(0, options.MaxOpenDecisions)),
		DecisionsOnly:    !wantsEvents(bot),
	}, c)
	return c
}

// stop ends the connection: what is ready is still sent, then the stream is closed.
func (c *connection) stop() {
	c.stopOnce.Do(func() {
		close(c.stopped)
		c.signal()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cancelStream != nil {
			time.AfterFunc(flushWait, c.cancelStream)
		}
	})
}

// isStopped tells whether the connection was asked to end.
func (c *connection) isStopped() bool {
	select {
	case <-c.stopped:
		return true
	default:
		return false
	}
}

// leave leaves a table for good.
func (c *connection) leave(tableID string) {
	c.locked(func() { c.session.leave(tableID) })
}

func (c *connection) answered(key key, act *pb.Act) {
	c.locked(func() { c.session.answered(key, act) })
}

// locked does something with the session, and has what it sends written.
func (c *connection) locked(do func()) {
	c.mu.Lock()
	do()
	isReady := len(c.outbox) > 0
	c.mu.Unlock()
	if isReady {
		c.signal()
	}
}

// signal wakes the writer.
func (c *connection) signal() {
	select {
	case c.wake <- struct{}{}:
	default: // it is awake already
	}
}

// run plays until stopped or until the server is done with the bot. An error says why it cannot go on.
func (c *connection) run() error {
	defer c.mind.close()
	lastWelcome := c.now()
	for !c.isStopped() {
		begun := c.now()
		ended := c.play()
		if c.isStopped() {
			break
		}
		switch ended.next {
		case finish:
			c.log.Info("ended: " + ended.sentence)
			return nil
		case fail:
			return errors.New(ended.sentence)
		case forget:
			c.locked(c.session.forget)
		}
		now := c.now()
		if c.session.welcome {
			lastWelcome = now
		}
		if now.Sub(begun) >= heldFor {
			c.waits.reset()
		}
		if err := c.pause(c.waits.next(), now.Sub(lastWelcome), ended); err != nil {
			return err
		}
	}
	c.log.Info("ended: stopped")
	return nil
}

// pause waits before the next attempt, or gives up.
func (c *connection) pause(wait, away time.Duration, ended ending) error {
	if away+wait > c.giveUp {
		return fmt.Errorf("no connection to %s for %.0f s; last: %s. Is the server running, and is the address right?",
			c.settings.server, away.Seconds(), ended.sentence)
	}
	c.log.Warn(fmt.Sprintf("%s; next attempt in %.1f s", ended.sentence, wait.Seconds()))
	if away >= checkAfter && !c.known && !c.toldToCheck {
		c.toldToCheck = true
		c.log.Warn(fmt.Sprintf(
			"not connected to %s yet; is an arena running there, and is the address right? Giving up in %.0f s",
			c.settings.server, (c.giveUp - away).Seconds()))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.stopped:
	}
	return nil
}

// dial returns a channel with a connection of its own.
func (c *connection) dial() (*grpc.ClientConn, error) {
	return grpc.NewClient(
		c.settings.server,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(), // a bot dials the server that it is told, whatever the environment has for browsers
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largestFrame)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: grpcbackoff.DefaultConfig, MinConnectTimeout: connectWait}),
	)
}

// play runs one call of Play to its end, and judges that. Each has a connection of its own: one that died without a
// word stays open on this side, and a new call would go out on it, too.
func (c *connection) play() ending {
	channel, err := c.dial()
	if err != nil {
		return ending{fail, fmt.Sprintf("server '%s' cannot be dialled: %v", c.settings.server, err)}
	}
	defer channel.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.mu.Lock()
	token := c.settings.token
	if token == "" {
		token = c.session.secret
	}
	withSecret := c.session.secret != "" && c.settings.token == ""
	c.outbox = []*pb.ClientMessage{c.session.openStream()}
	c.cancelStream = cancel
	heartbeats := make(chan time.Duration, 1)
	c.heartbeats = heartbeats
	c.mu.Unlock()
	if c.isStopped() { // stop() may have come before it could see this stream
		return ending{}
	}
	if token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	go c.watch(ctx, cancel, heartbeats)
	stream, err := pb.NewPlayServiceClient(channel).Play(ctx)
	if err == nil {
		var writer sync.WaitGroup
		writer.Add(1)
		go func() {
			defer writer.Done()
			c.write(ctx, stream)
		}()
		c.signal()
		var wrong error
		wrong, err = c.read(stream)
		cancel()
		writer.Wait()
		if wrong != nil {
			return ending{fail, wrong.Error()}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancelStream = nil
	end := status.New(0, "")
	if !errors.Is(err, io.EOF) {
		end = status.Convert(err)
	}
	text, cause := end.Message(), causeOf(end)
	if c.session.farewellText != "" {
		text = c.session.farewellText
	}
	if cause == nil {
		cause = c.session.farewell
	}
	return judge(end.Code(), text, cause, circumstances{
		withToken:  c.settings.token != "",
		withSecret: withSecret,
		known:      c.known,
		draining:   c.session.draining,
	})
}

// read reads frames until the stream ends. The first error says why the bot must not go on, the second how it ended.
func (c *connection) read(stream grpc.BidiStreamingClient[pb.PlayRequest, pb.PlayResponse]) (wrong, end error) {
	for {
		frame, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		c.framesRead.Add(1)
		c.locked(func() {
			for _, message := range frame.GetMessages() {
				if wrong = c.session.receive(message); wrong != nil {
					return
				}
			}
		})
		if wrong != nil {
			return wrong, nil
		}
	}
}

// write writes whatever is ready, packed into as few frames as fit; it half-closes the stream when stopped. An error of
// a write is the end of the call, which the reader reports with its cause.
func (c *connection) write(ctx context.Context, stream grpc.BidiStreamingClient[pb.PlayRequest, pb.PlayResponse]) {
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
		isStopped := c.isStopped()
		c.mu.Lock()
		ready, most := c.outbox, c.maxFrameBytes
		c.outbox = nil
		c.mu.Unlock()
		for _, frame := range frames(ready, most) {
			if stream.Send(frame) != nil {
				return
			}
		}
		if isStopped {
			if err := stream.CloseSend(); err != nil {
				c.log.Warn(fmt.Sprintf("ending the stream: %v", err))
			}
			return
		}
	}
}

// frames packs messages into as few frames as fit into so many bytes each (0: no limit); a single larger one gets its
// own.
func frames(messages []*pb.ClientMessage, mostBytes int) []*pb.PlayRequest {
	var packed []*pb.PlayRequest
	size := 0
	for _, message := range messages {
		own := proto.Size(message) + 6 // tag and length of the repeated field
		if len(packed) == 0 || mostBytes > 0 && size+own > mostBytes {
			packed = append(packed, &pb.PlayRequest{})
			size = 0
		}
		last := packed[len(packed)-1]
		last.Messages = append(last.Messages, message)
		size += own
	}
	return packed
}

// watch gives a stream up when nothing has come for several heartbeats.
//
// It counts its own rounds, not the time: after a pause of the whole process it gives the reader a chance first.
func (c *connection) watch(ctx context.Context, cancel context.CancelFunc, heartbeats <-chan time.Duration) {
	ticker := time.NewTicker(welcomeWait / missedHeartbeats)
	defer ticker.Stop()
	interval := welcomeWait / missedHeartbeats
	silence := silence{seen: c.framesRead.Load()}
	for {
		select {
		case interval = <-heartbeats:
			if interval <= 0 {
				return // the server sends none, so that their lack says nothing
			}
			ticker.Reset(interval)
			silence.missed = 0
		case <-ticker.C:
			if silence.round(c.framesRead.Load()) {
				c.log.Warn(fmt.Sprintf("nothing came from the server for %.0f s", (missedHeartbeats * interval).Seconds()))
				cancel()
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// silence counts the heartbeats that did not come.
type silence struct {
	seen   uint64
	missed int
}

// round takes how many frames have been read by now, and tells whether nothing has come for too many rounds.
func (s *silence) round(framesRead uint64) bool {
	s.missed++
	if framesRead != s.seen {
		s.missed = 0
	}
	s.seen = framesRead
	return s.missed >= missedHeartbeats
}

// What the session has done; all of it is called with the lock.

func (c *connection) send(message *pb.ClientMessage) { c.outbox = append(c.outbox, message) }

func (c *connection) sendLater(wait time.Duration, tableID string) {
	time.AfterFunc(wait, func() { c.locked(func() { c.session.resend(tableID) }) })
}

func (c *connection) ask(ask ask)                      { c.mind.ask(ask) }
func (c *connection) withdraw(key key)                 { c.mind.withdraw(key) }
func (c *connection) tell(hook string, call func(Bot)) { c.mind.tell(hook, call) }
func (c *connection) inform(text string)               { c.log.Info(text) }
func (c *connection) warn(text string)                 { c.log.Warn(text) }

func (c *connection) resume() {
	if c.cancelStream != nil {
		c.cancelStream()
	}
}

func (c *connection) welcomed(welcome *pb.Welcome) {
	c.known = true
	c.maxFrameBytes = int(welcome.GetMaxFrameBytes())
	c.log.Info(fmt.Sprintf("connected to %s (server %s) as %s",
		c.settings.server, welcome.GetServerVersion(), welcome.GetBotName()))
	select {
	case c.heartbeats <- welcome.GetHeartbeatInterval().AsDuration():
	default: // a second welcome on one stream
	}
}
