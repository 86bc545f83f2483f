package conversion_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// TestTicketsOfEarlierVersions: 0.1.0 and 0.2.0 wrote no phase. What is written has their fields, so that they can read it again.
func TestTicketsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	const since = `"requested_at_unix":1795330641,"since_unix":1795330641`
	for _, test := range []struct {
		saved   string
		phase   conversion.Phase
		written string // what earlier versions decide by
	}{
		// 0.1.0
		{`{"requested_at_unix":1,"baseline":{"date":null},"seen_converting":false,"confirmed":false}`, conversion.PhaseRequested, "false false false false"},
		{`{"requested_at_unix":1,"baseline":{"date":null},"seen_converting":false,"confirmed":true}`, conversion.PhaseAccepted, "false true false false"},
		{`{"requested_at_unix":1,"baseline":{"date":null},"seen_converting":true,"confirmed":true}`, conversion.PhaseRunning, "true true false false"},
		{`{"requested_at_unix":null,"baseline":{"date":null},"seen_converting":true,"confirmed":true}`, conversion.PhaseRunning, "true true false false"},
		// 0.2.0
		{`{` + since + `,"seen_converting":false,"confirmed":false,"watched":true}`, conversion.PhaseWatched, "false false false true"},
		{`{` + since + `,"seen_converting":false,"confirmed":true,"timed_out":true}`, conversion.PhaseTimedOut, "false true true false"},
		{`{` + since + `,"seen_converting":true,"confirmed":true,"timed_out":true,"busy_state":"converting"}`, conversion.PhaseRunning, "true true false false"},
		{`{` + since + `,"seen_converting":true,"confirmed":true,"busy_state":"converting","failure":"no voice"}`, conversion.PhaseFailed, "true true false false"},
		{`{` + since + `,"seen_converting":false,"confirmed":true,"failure":"no voice"}`, conversion.PhaseFailed, "false true false false"},
		{`{"since_unix":1795330641,"seen_converting":false,"confirmed":false}`, conversion.PhaseRequested, "false false false false"}, // a refusal
	} {
		var ticket, again conversion.Ticket
		err := json.Unmarshal([]byte(test.saved), &ticket)
		if err != nil || ticket.Phase != test.phase {
			t.Errorf("%s: got the phase %q and error %v, want %q", test.saved, ticket.Phase, err, test.phase)
		}
		text, err := json.Marshal(conversion.Memory{Pending: &ticket})
		if err != nil {
			t.Fatal(err)
		}
		var old struct {
			Pending struct {
				Seen      bool `json:"seen_converting"`
				Confirmed bool `json:"confirmed"`
				TimedOut  bool `json:"timed_out"`
				Watched   bool `json:"watched"`
			}
		}
		var kept struct{ Pending json.RawMessage }
		for _, into := range []any{&old, &kept} {
			err := json.Unmarshal(text, into)
			if err != nil {
				t.Fatal(err)
			}
		}
		written := fmt.Sprint(old.Pending.Seen, old.Pending.Confirmed, old.Pending.TimedOut, old.Pending.Watched)
		if written != test.written {
			t.Errorf("%s: written as %s, want %s", test.saved, text, test.written)
		}
		err = json.Unmarshal(kept.Pending, &again)
		if err != nil || again.Phase != ticket.Phase {
			t.Errorf("%s: read again, it is %q, with error %v", test.saved, again.Phase, err)
		}
	}
}
