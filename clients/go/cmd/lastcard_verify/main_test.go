package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	vectors "lastcard/conformancev1"
	"lastcard/record"
)

// written writes a record of records.json into a file and returns its name.
func written(t *testing.T, name, file string) string {
	t.Helper()
	text, err := os.ReadFile("../../../../tests/conformance/vectors/records.json")
	if err != nil {
		t.Fatal(err)
	}
	var all vectors.RecordVectors
	if err := protojson.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Records {
		if c.Name != name {
			continue
		}
		content := []byte(strings.Join(c.Lines, "\n") + "\n")
		if strings.HasSuffix(file, ".gz") {
			var packed bytes.Buffer
			writer := gzip.NewWriter(&packed)
			if _, err := writer.Write(content); err != nil {
				t.Fatal(err)
			}
			if err := writer.Close(); err != nil {
				t.Fatal(err)
			}
			content = packed.Bytes()
		}
		path := filepath.Join(t.TempDir(), file)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Fatalf("there is no record %q", name)
	return ""
}

func TestStatusAndWords(t *testing.T) {
	right := written(t, "right and revealed", "right.jsonl.gz")
	hidden := written(t, "right, not yet revealed", "hidden.jsonl")
	wrong := written(t, "forged: another score", "wrong.jsonl")
	unnamed := strings.TrimSuffix(written(t, "right and revealed", "packed.jsonl.gz"), ".gz")
	if err := os.Rename(unnamed+".gz", unnamed); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(t.TempDir(), "huge.jsonl")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, largest+1); err != nil {
		t.Fatal(err)
	}
	notPacked := filepath.Join(t.TempDir(), "x.jsonl.gz")
	if err := os.WriteFile(notPacked, []byte("plain"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arguments []string
		status    int
		words     []string
	}{
		{[]string{right}, 0, []string{"nothing wrong in 50 events of 2 rounds of bot-0, bot-1", "record hash",
			"the 1 whose chance is revealed"}},
		{[]string{hidden}, 0, []string{"its chance is not yet revealed", "No record proves:"}},
		{[]string{right, wrong}, 1, []string{"wrong.jsonl: WRONG, line 14: round_ended.scores is [9 0], and the rules give [8 0]"}},
		{[]string{"missing.jsonl", wrong}, 2, []string{"error: open missing.jsonl", "WRONG"}},
		{[]string{unnamed}, 0, []string{"nothing wrong in 50 events"}},
		{[]string{huge}, 2, []string{"huge.jsonl is no record: it has more than 268435456 bytes"}},
		{[]string{notPacked}, 2, []string{"is no gzip file"}},
		{nil, 2, []string{"usage: lastcard_verify"}},
		{[]string{"--quiet", right}, 0, nil},
	} {
		var out bytes.Buffer
		if status := run(c.arguments, &out, &out); status != c.status {
			t.Errorf("%v: status %d, want %d", c.arguments, status, c.status)
		}
		for _, words := range c.words {
			if !strings.Contains(out.String(), words) {
				t.Errorf("%v: %q is not in %q", c.arguments, words, out.String())
			}
		}
		if len(c.words) == 0 && out.Len() > 0 {
			t.Errorf("%v: it said %q", c.arguments, out.String())
		}
	}
}

func TestARecordCannotWriteToTheTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte(`{"header":{"format":1,"preset":"\u001b]0;owned\u0007`+"\x1b\xfd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bots := []string{"\x1b[31mred", "a\"b"}
	for _, text := range []string{printable(describe(record.Report{Bots: bots})), verified(t, path)} {
		if strings.ContainsAny(strings.TrimSpace(text), "\x1b\xfd\x07\n") {
			t.Errorf("it said %q", text)
		}
	}
	if text := printable(bots[1]); text != bots[1] {
		t.Errorf("%q became %q", bots[1], text)
	}
}

func verified(t *testing.T, path string) string {
	t.Helper()
	var out bytes.Buffer
	if status := run([]string{path}, &out, &out); status != 1 {
		t.Errorf("status %d, want 1", status)
	}
	return out.String()
}
