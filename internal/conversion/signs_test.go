package conversion

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestSignsThatARequestWasReceived(t *testing.T) {
	t.Parallel()
	ready := record("ready", 100, "no voice", 50, 50)
	for name, test := range map[string]struct {
		now           audioprojects.Chapter
		sign, sign010 bool // sign010: for a ticket of version 0.1.0
	}{
		"nothing":       {ready, false, false},
		"another state": {record("default", 100, "no voice", 50, 50), true, false},
		"progress":      {withProgress(7, ready), true, false},
		"no error":      {record("ready", 100, "", 50, 50), true, true},
		"another error": {record("ready", 100, "quota", 50, 50), true, true},
		"a newer date":  {record("ready", 101, "no voice", 50, 50), true, true},
		"an older date": {record("ready", 99, "no voice", 50, 50), false, false},
		"work":          {record("ready", 100, "no voice", 60, 40), true, true},
		// Version 0.2.0 has kept texts as one line.
		"in paragraphs":  {record("ready\n", 100, "no\n\nvoice ", 50, 50), false, false},
		"text was added": {record("ready", 100, "no voice", 50, 70), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &Ticket{Baseline: baselineOf(ready), SinceUnix: noon.Unix()}
			if got := p.signIn(test.now); got != test.sign {
				t.Errorf("got %t, want %t", got, test.sign)
			}
			p = &Ticket{Baseline: baselineOf(ready)}
			p.Baseline.State, p.Baseline.Progress = nil, nil
			if got := p.signIn(test.now); got != test.sign010 {
				t.Errorf("from version 0.1.0: got %t, want %t", got, test.sign010)
			}
		})
	}
}
