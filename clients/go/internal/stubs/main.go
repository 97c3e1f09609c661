// Command stubs writes the Go of lastcardv1 and conformancev1 from the .proto files of ../../proto, or with -check
// proves that it is current.
//
// It compiles them itself and hands them to protoc-gen-go and protoc-gen-go-grpc in the versions that go.mod names, so
// that nothing but Go is needed. Run it in clients/go: `make stubs`, `make check-stubs`.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// sources is where the .proto files are, seen from clients/go.
const sources = "../../proto"

// packages maps the folders of .proto files to the Go packages that are made of them.
var packages = map[string]string{
	"lastcard/v1":             "lastcardv1",
	"lastcard/conformance/v1": "conformancev1",
}

func main() {
	check := flag.Bool("check", false, "prove that the stubs are current, and write nothing")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	fresh, err := generate()
	if err != nil {
		return err
	}
	changed, err := differences(fresh)
	if err != nil {
		return err
	}
	if check {
		if len(changed) > 0 {
			return fmt.Errorf("%s: not what %s gives; run `make stubs`", strings.Join(changed, ", "), sources)
		}
		return nil
	}
	for _, name := range changed {
		content, wanted := fresh[name]
		if !wanted {
			err = os.Remove(name)
		} else if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = os.WriteFile(name, content, 0o644)
		}
		if err != nil {
			return err
		}
		fmt.Println(name)
	}
	return nil
}

// generate returns the content of each stub by its path in clients/go.
func generate() (map[string][]byte, error) {
	names, err := protoFiles()
	if err != nil {
		return nil, err
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{sources}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), names...)
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", sources, err)
	}
	parameter := "module=lastcard"
	for _, name := range names {
		goPackage := packages[filepath.ToSlash(filepath.Dir(name))]
		parameter += fmt.Sprintf(",M%s=lastcard/%s", name, goPackage)
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names, Parameter: &parameter}
	seen := map[string]bool{}
	for _, file := range files {
		addWithImports(request, file, seen)
	}
	fresh := map[string][]byte{}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := runPlugin(plugin, request, fresh); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// protoFiles returns the .proto files of all packages, sorted.
func protoFiles() ([]string, error) {
	var names []string
	for folder := range packages {
		found, err := filepath.Glob(filepath.Join(sources, folder, "*.proto"))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			names = append(names, folder+"/"+filepath.Base(path))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there are no .proto files in %s; run this in clients/go", sources)
	}
	sort.Strings(names)
	return names, nil
}

// addWithImports adds a file to the request, behind those that it imports, as plugins expect it.
func addWithImports(request *pluginpb.CodeGeneratorRequest, file protoreflect.FileDescriptor, seen map[string]bool) {
	if seen[file.Path()] {
		return
	}
	seen[file.Path()] = true
	for i := range file.Imports().Len() {
		addWithImports(request, file.Imports().Get(i).FileDescriptor, seen)
	}
	request.ProtoFile = append(request.ProtoFile, protoWithComments(file))
}

// protoWithComments returns a file as plugins read it, comments included.
func protoWithComments(file protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	if compiled, ok := file.(interface {
		FileDescriptorProto() *descriptorpb.FileDescriptorProto
	}); ok {
		return compiled.FileDescriptorProto()
	}
	return protodesc.ToFileDescriptorProto(file)
}

// runPlugin runs one plugin over the request and adds the files that it makes.
func runPlugin(plugin string, request *pluginpb.CodeGeneratorRequest, fresh map[string][]byte) error {
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	command := exec.Command("go", "tool", plugin)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("running go tool %s: %w", plugin, err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return fmt.Errorf("reading what %s made: %w", plugin, err)
	}
	if response.Error != nil {
		return fmt.Errorf("%s: %s", plugin, response.GetError())
	}
	for _, file := range response.File {
		fresh[file.GetName()] = []byte(file.GetContent())
	}
	return nil
}

// differences names the stubs that are missing, left over or not what they should be, sorted.
func differences(fresh map[string][]byte) ([]string, error) {
	var changed []string
	for name, content := range fresh {
		present, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil || !bytes.Equal(present, content) {
			changed = append(changed, name)
		}
	}
	for _, folder := range packages {
		present, err := filepath.Glob(filepath.Join(folder, "*.pb.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range present {
			if _, wanted := fresh[name]; !wanted {
				changed = append(changed, name)
			}
		}
	}
	sort.Strings(changed)
	return changed, nil
}
