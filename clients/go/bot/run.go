package bot

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"syscall"
	"time"
)

// Version is the version of this client, as Hello states it: that of the arena it belongs to.
const Version = "0.1.0"

const clientName = "lastcard-go"

// sameWish is how soon after the first a signal is the same wish: timeout, shells and supervisors tell a process and
// its group.
const sameWish = 500 * time.Millisecond

// Unlimited is an Options.MaxOpenDecisions that sets no limit.
const Unlimited = -1

// Options say where a bot plays and how. The zero value plays where the environment says.
type Options struct {
	// Server is host:port; empty for LASTCARD_SERVER.
	Server string
	// Token is the bearer token; empty for LASTCARD_TOKEN, and none on the same machine.
	Token string
	// Name is the bot's name; empty for LASTCARD_BOT, else the token's, else the name of the bot's type.
	Name string
	// Version is the bot's version, for records.
	Version string
	// NoAutoUNO leaves calling UNO to the bot.
	NoAutoUNO bool
	// NoAutoCatch leaves catching seats that forgot their call to the bot.
	NoAutoCatch bool
	// MaxTables is the most tables at once; 0 for as many as the server allows.
	MaxTables int
	// MaxOpenDecisions is the most open decisions at once; the clocks of further ones wait until one closes. 0 stands for
	// 1, or with Concurrent for no limit; Unlimited for no limit.
	MaxOpenDecisions int
	// Concurrent thinks about all open decisions at once, each in a goroutine of its own; hooks still come one after the
	// other. The bot must be safe for that.
	Concurrent bool
	// GiveUpAfter is how long a bot without a connection goes on trying; 0 for five minutes.
	GiveUpAfter time.Duration
	// Log takes what a bot author should know; nil for slog.Default(), which writes to standard error.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.MaxOpenDecisions == 0 && !o.Concurrent {
		o.MaxOpenDecisions = 1
	}
	if o.GiveUpAfter == 0 {
		o.GiveUpAfter = 5 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// Run plays until the event is over or the program is asked to end (SIGTERM, SIGINT), then returns. When the bot cannot
// play on, it says why on standard error and exits with status 1.
func Run(bot Bot, options Options) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signal.Ignore(syscall.SIGPIPE) // whoever reads the log may end before the bot
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	go stopAtSignal(signals, cancel)
	if err := Play(ctx, bot, options); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

// stopAtSignal stops at the first signal; one that comes later than sameWish ends the program at once.
func stopAtSignal(signals <-chan os.Signal, stop func()) {
	<-signals
	first := time.Now()
	stop()
	for second := range signals {
		if number, ok := second.(syscall.Signal); ok && time.Since(first) > sameWish {
			os.Exit(128 + int(number))
		}
	}
}

// Play plays a bot until the event is over or the context is done, which ends it cleanly. It listens for no signals, so
// that several bots can play in one program. An error says why the bot cannot play (on).
func Play(ctx context.Context, bot Bot, options Options) error {
	options = options.withDefaults()
	if err := checkMethods(bot); err != nil {
		return err
	}
	where, err := settingsFor(options, bot, os.Getenv)
	if err != nil {
		return err
	}
	connection := newConnection(bot, where, options)
	defer context.AfterFunc(ctx, connection.stop)()
	if starter, ok := bot.(Starter); ok {
		starter.OnStart(&Player{leave: connection.leave, stop: connection.stop})
	}
	return connection.run()
}

// wantsEvents tells whether the server is to send events: exactly when a hook for them is there.
func wantsEvents(bot Bot) bool {
	_, events := bot.(EventHook)
	_, snapshots := bot.(SnapshotHook)
	_, notices := bot.(NoticeHook)
	return events || snapshots || notices
}

// hooks are the interfaces that a bot may have besides Bot; each has one method.
var hooks = []reflect.Type{
	reflect.TypeFor[Reactor](),
	reflect.TypeFor[Decider](),
	reflect.TypeFor[Corrector](),
	reflect.TypeFor[Starter](),
	reflect.TypeFor[SeatedHook](),
	reflect.TypeFor[TableClosedHook](),
	reflect.TypeFor[EventHook](),
	reflect.TypeFor[SnapshotHook](),
	reflect.TypeFor[NoticeHook](),
	reflect.TypeFor[ReceiptHook](),
}

// checkMethods returns what is wrong with a method that has the name of a hook and is none: it would never be called.
func checkMethods(bot Bot) error {
	if bot == nil {
		return fmt.Errorf("there is no bot: nil was given")
	}
	own := reflect.TypeOf(bot)
	for _, hook := range hooks {
		wanted := hook.Method(0)
		if own.Implements(hook) {
			continue
		}
		if _, exists := own.MethodByName(wanted.Name); exists {
			return fmt.Errorf("method %s of %v takes or returns something else than it must; it is %v",
				wanted.Name, own, wanted.Type)
		}
		if own.Kind() != reflect.Pointer {
			if _, exists := reflect.PointerTo(own).MethodByName(wanted.Name); exists {
				return fmt.Errorf("method %s has a pointer as its receiver, so it would never be called; give &%v{} to Run",
					wanted.Name, own)
			}
		}
	}
	return nil
}
