// Lastcard_verify verifies records of matches: lastcard_verify RECORD…
//
// A record is a file NAME.jsonl, or NAME.jsonl.gz. Exit status: 0 when nothing wrong was found in any of them, 1 when
// something was, 2 when a file could not be read.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"lastcard/record"
)

const usage = `usage: lastcard_verify [--quiet] RECORD…

Verifies records of matches, NAME.jsonl or NAME.jsonl.gz, independently of the arena that wrote them.
Exit status: 0 when nothing wrong was found, 1 when something was, 2 when a file could not be read.

`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run verifies the records that the arguments name, and returns the exit status.
func run(arguments []string, out, errors io.Writer) int {
	flags := flag.NewFlagSet("lastcard_verify", flag.ContinueOnError)
	flags.SetOutput(errors)
	quiet := flags.Bool("quiet", false, "say nothing of records in which nothing wrong was found")
	flags.Usage = func() {
		fmt.Fprint(errors, usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(arguments); err != nil {
		return 2
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return 2
	}
	status, rights, revealed := 0, 0, 0
	for _, name := range flags.Args() {
		content, err := read(name)
		if err != nil {
			fmt.Fprintf(errors, "error: %v\n", err)
			status = 2
			continue
		}
		report := record.Verify(content)
		if report.Fault != nil {
			fmt.Fprintf(out, "%s: WRONG, %s\n", name, printable(report.Fault.Error()))
			status = max(status, 1)
			continue
		}
		rights++
		if report.IsRevealed {
			revealed++
		}
		if !*quiet {
			fmt.Fprintf(out, "%s: %s\n  record hash %s\n", name, printable(describe(report)), report.Hash)
		}
	}
	if !*quiet && rights > 0 {
		explain(out, rights, revealed)
	}
	return status
}

// largest is the size of the largest record that is read, so that a packed one cannot fill the memory.
const largest = 256 << 20

// read reads a file, unpacked if it is packed.
func read(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > largest {
		return nil, tooLarge(name)
	}
	content, err := readAll(name, file)
	if err != nil || !strings.HasSuffix(name, ".gz") && !bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		return content, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s is no gzip file: %w", name, err)
	}
	return readAll(name, unpacked)
}

func readAll(name string, from io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, largest+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if len(content) > largest {
		return nil, tooLarge(name)
	}
	return content, nil
}

func tooLarge(name string) error {
	return fmt.Errorf("%s is no record: it has more than %d bytes", name, largest)
}

func describe(report record.Report) string {
	text := fmt.Sprintf("nothing wrong in %d events of %d rounds of %s", report.Events, report.Rounds,
		strings.Join(report.Bots, ", "))
	if !report.IsComplete {
		text += "; the match was broken off"
	}
	if !report.IsRevealed {
		text += "; its chance is not yet revealed"
	}
	return text
}

// printable escapes what is not for reading: a record that somebody tampered with must not write to the terminal.
func printable(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// explain says what the records were found right in, and what they cannot prove.
func explain(out io.Writer, rights, revealed int) {
	fmt.Fprintf(out, "\nChecked in %d records:\n", rights)
	list(out, record.Checked)
	if revealed > 0 {
		fmt.Fprintf(out, "Checked in the %d whose chance is revealed:\n", revealed)
		list(out, record.CheckedByChance)
	}
	fmt.Fprintln(out, "No record proves:")
	list(out, record.NotProven)
	fmt.Fprintln(out, "Whoever changes these gets another record hash: compare it with the ledger, or with what a bot was told.")
}

func list(out io.Writer, things []string) {
	for _, thing := range things {
		fmt.Fprintf(out, "  - %s\n", thing)
	}
}
