package bot

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "lastcard/lastcardv1"
)

// patience is how long a test waits for what must come; it fails then, and never waits otherwise.
const patience = 2 * time.Minute

// arena is a scripted arena: each stream that a bot opens is handed to the test.
type arena struct {
	pb.UnimplementedPlayServiceServer
	*testing.T
	address string
	streams chan *scripted
}

// scripted is one stream, played by the test.
type scripted struct {
	arena  *arena
	hello  *pb.Hello
	bearer []string
	server grpc.BidiStreamingServer[pb.PlayRequest, pb.PlayResponse]
	heard  chan *pb.ClientMessage
	frames chan int
	end    chan error
	// closed takes how the bot ended the stream: io.EOF when it did so cleanly.
	closed chan error
}

func newArena(t *testing.T) *arena {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &arena{T: t, address: listener.Addr().String(), streams: make(chan *scripted, 16)}
	server := grpc.NewServer()
	pb.RegisterPlayServiceServer(server, a)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Errorf("the arena ended with %v", err)
		}
	})
	return a
}

// Play hands a stream to the test and ends it as the test says, or when the bot ends it.
func (a *arena) Play(server grpc.BidiStreamingServer[pb.PlayRequest, pb.PlayResponse]) error {
	stream := &scripted{
		arena: a, server: server, end: make(chan error, 1), closed: make(chan error, 1),
		heard: make(chan *pb.ClientMessage, 4096), frames: make(chan int, 4096),
	}
	first, err := server.Recv()
	if err != nil {
		return err
	}
	stream.hello = first.GetMessages()[0].GetHello()
	if found, ok := metadata.FromIncomingContext(server.Context()); ok {
		stream.bearer = found.Get("authorization")
	}
	a.streams <- stream
	closed := make(chan error, 1)
	go func() {
		for {
			frame, err := server.Recv()
			if err != nil {
				close(stream.heard)
				stream.closed <- err
				closed <- err
				return
			}
			stream.frames <- len(frame.GetMessages())
			for _, message := range frame.GetMessages() {
				stream.heard <- message
			}
		}
	}()
	select {
	case err := <-stream.end:
		return err
	case err := <-closed:
		if err == io.EOF {
			return nil
		}
		return err
	}
}

// next returns the next stream that the bot opens, welcomed.
func (a *arena) next() *scripted {
	a.Helper()
	select {
	case stream := <-a.streams:
		stream.says(&pb.Welcome{ProtocolVersion: 1, BotName: "bot", ResumeSecret: "secret", MaxFrameBytes: 1 << 20})
		return stream
	case <-time.After(patience):
		a.Fatal("the bot did not connect")
		return nil
	}
}

// says sends messages in one frame.
func (s *scripted) says(contents ...proto.Message) {
	s.arena.Helper()
	frame := &pb.PlayResponse{}
	for _, content := range contents {
		frame.Messages = append(frame.Messages, serverMessage(content))
	}
	if err := s.server.Send(frame); err != nil {
		s.arena.Fatalf("sending: %v", err)
	}
}

// hears returns the next message of the bot; nil when it has ended the stream.
func (s *scripted) hears() *pb.ClientMessage {
	s.arena.Helper()
	select {
	case message := <-s.heard:
		return message
	case <-time.After(patience):
		s.arena.Fatal("nothing came from the bot")
		return nil
	}
}

// hearsAct checks that the next message answers a decision, and returns it.
func (s *scripted) hearsAct(id uint32) *pb.Act {
	s.arena.Helper()
	message := s.hears()
	if message.GetAct().GetDecisionId() != id || message.GetAct() == nil {
		s.arena.Fatalf("heard %v, want the answer to decision %d", message, id)
	}
	return message.GetAct()
}

// playing is a bot that plays at an arena.
type playing struct {
	*testing.T
	connection *connection
	ended      chan error
}

// plays starts a bot without waits between its attempts to connect.
func (a *arena) plays(bot Bot, options Options) *playing {
	a.Helper()
	options.Log = slog.New(slog.DiscardHandler)
	options.Server = a.address
	options = options.withDefaults()
	where, err := settingsFor(options, bot, func(string) string { return "" })
	if err != nil {
		a.Fatal(err)
	}
	p := &playing{a.T, newConnection(bot, where, options), make(chan error, 1)}
	p.connection.waits.wait = 0
	go func() { p.ended <- p.connection.run() }()
	a.Cleanup(p.connection.stop)
	return p
}

// ends waits for the end of the bot, and returns its error.
func (p *playing) ends() error {
	p.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(patience):
		p.Fatal("the bot did not end")
		return nil
	}
}

// stops ends the bot cleanly.
func (p *playing) stops() {
	p.Helper()
	p.connection.stop()
	if err := p.ends(); err != nil {
		p.Fatalf("the bot ended with %v", err)
	}
}

func messageValue(message proto.Message) protoreflect.Value {
	return protoreflect.ValueOfMessage(message.ProtoReflect())
}

// thinker is a bot whose thoughts the test sees and answers.
type thinker struct {
	asked   chan *pb.Decision
	answers chan Answer
	hooks   chan string
}

func newThinker() *thinker {
	return &thinker{make(chan *pb.Decision, 64), make(chan Answer, 64), make(chan string, 64)}
}

func (b *thinker) Choose(*pb.View, []*pb.Action) Answer { panic("Decide is called in its place") }

func (b *thinker) OnTableClosed(closed *pb.TableClosed) {
	b.hooks <- "closed " + closed.GetTableId()
}

func (b *thinker) OnReceipt(_ string, receipt *pb.Receipt) {
	b.hooks <- fmt.Sprintf("receipt %d", receipt.GetDecisionId())
}
