// Package vectorfile reads the conformance vectors for the tests of the packages here.
package vectorfile

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Read reads a file of vectors from a package that is a folder of clients/go; fields that these stubs do not know are an
// error.
func Read(t *testing.T, name string, into proto.Message) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../tests/conformance/vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := protojson.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
