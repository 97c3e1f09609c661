package bot

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// The environment in which a bot finds where it plays and as whom.
const (
	serverVariable = "LASTCARD_SERVER"
	tokenVariable  = "LASTCARD_TOKEN"
	nameVariable   = "LASTCARD_BOT"
)

var (
	addressPattern = regexp.MustCompile(`^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})$`)
	namePattern    = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
)

// settings is where a bot plays and as whom; checked.
type settings struct {
	server, token, name string
}

// settingsFor takes server, token and name from the options, else from the environment. A bot with a token that is
// given no name takes the one that the token is bound to, any other one the name of its type.
func settingsFor(options Options, bot Bot, environment func(string) string) (settings, error) {
	found := settings{server: options.Server, token: options.Token, name: options.Name}
	if found.server == "" {
		found.server = environment(serverVariable)
	}
	if found.token == "" {
		found.token = environment(tokenVariable)
	}
	if found.name == "" {
		found.name = environment(nameVariable)
	}
	if found.name == "" && found.token == "" {
		found.name = typeName(bot)
	}
	if found.server == "" {
		return found, fmt.Errorf("no server is named; set %s to host:port, or Options.Server", serverVariable)
	}
	return found, found.check()
}

// check returns what is wrong with an address, a token or a name that cannot be one.
func (s settings) check() error {
	port := 0
	if parts := addressPattern.FindStringSubmatch(s.server); parts != nil {
		port, _ = strconv.Atoi(parts[1]) // at most five digits
	}
	if port < 1 || port > 65535 {
		return fmt.Errorf("server '%s' is no address; give host:port, for example 127.0.0.1:7777", s.server)
	}
	for place, sign := range []rune(s.token) {
		if sign < '!' || sign > '~' {
			return fmt.Errorf("the token has %q at place %d; use it as it was given out", sign, place)
		}
	}
	if !namePattern.MatchString(s.name) && (s.token == "" || s.name != "") {
		return fmt.Errorf("'%s' is no name for a bot; use 1 to 64 letters, digits, '-', '_' or '.'", s.name)
	}
	return nil
}

// typeName returns the name of a bot's type in lower case.
func typeName(bot Bot) string {
	kind := reflect.TypeOf(bot)
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return strings.ToLower(kind.Name())
}
