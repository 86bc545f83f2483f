package soak

import (
	"os"
	"testing"
)

// programs is where the provider's program is.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "audioprojects-soak-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}
