package bot

import (
	"os"
	"os/exec"
	"testing"

	pb "lastcard/lastcardv1"
)

// inChild tells this test binary that it is the program that a test has started.
const inChild = "LASTCARD_TEST_IN_CHILD"

// firstBot plays the first legal action.
type firstBot struct{}

func (firstBot) Choose(*pb.View, []*pb.Action) Answer { return Index(0) }

func TestAProgramPlaysOnWhenNobodyReadsItsLog(t *testing.T) {
	if os.Getenv(inChild) != "" {
		Run(firstBot{}, Options{})
		return
	}
	a := newArena(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), inChild+"=1", serverVariable+"="+a.address, tokenVariable+"=", nameVariable+"=")
	child.Stderr = writer
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	stream := a.next()
	stream.says(question(1, nil, &pb.Action{Kind: pb.ActionKind_ACTION_KIND_DRAW}))
	stream.hearsAct(1)
	stream.end <- nil
	if err := child.Wait(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
}
