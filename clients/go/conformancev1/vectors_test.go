package conformancev1

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// TestEveryFileIsRead reads every file of vectors by the stubs; a field that they do not know is an error.
func TestEveryFileIsRead(t *testing.T) {
	const folder = "../../../tests/conformance/vectors"
	messages := map[string]proto.Message{
		"chance.json":    &ChanceVectors{},
		"deals.json":     &DealVectors{},
		"disguises.json": &DisguiseVectors{},
		"games.json":     &GameVectors{},
		"keys.json":      &KeyVectors{},
		"records.json":   &RecordVectors{},
		"refusals.json":  &RefusalVectors{},
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		message := messages[file.Name()]
		if message == nil {
			t.Errorf("no message is known for %s", file.Name())
			continue
		}
		delete(messages, file.Name())
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := protojson.Unmarshal(text, message); err != nil {
			t.Errorf("%s: %v", file.Name(), err)
		}
		if proto.Size(message) < 1000 {
			t.Errorf("%s holds next to nothing", file.Name())
		}
	}
	for name := range messages {
		t.Errorf("%s is missing", name)
	}
}
