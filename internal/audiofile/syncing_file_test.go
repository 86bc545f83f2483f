package audiofile

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// A pipe takes what is written to it, and cannot be synced: a disk whose problem shows late.
func TestAProblemOfTheDiskIsToldInTheEnd(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	if _, err := copyTo(writer, bytes.NewReader(make([]byte, syncSize))); err == nil {
		t.Error("got no error")
	}
}
