package conversion_test

import (
	"encoding/json"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// TestWhatIsKeptOfAResumeToken is its phase for a later process.
func TestWhatIsKeptOfAResumeToken(t *testing.T) {
	t.Parallel()
	failure, busy := audioprojects.Text("no voice"), audioprojects.Text("converting")
	for _, test := range []struct {
		ticket conversion.ResumeToken
		kept   conversion.Phase
	}{
		{conversion.ResumeToken{Phase: conversion.PhaseRequested}, conversion.PhaseRequested},
		{conversion.ResumeToken{Phase: conversion.PhaseRefused}, conversion.PhaseRequested},
		{conversion.ResumeToken{Phase: conversion.PhaseWatched}, conversion.PhaseWatched},
		{conversion.ResumeToken{Phase: conversion.PhaseAccepted}, conversion.PhaseAccepted},
		{conversion.ResumeToken{Phase: conversion.PhaseTimedOut}, conversion.PhaseTimedOut},
		{conversion.ResumeToken{Phase: conversion.PhaseRunning}, conversion.PhaseRunning},
		{conversion.ResumeToken{Phase: conversion.PhaseTimedOut, BusyState: &busy}, conversion.PhaseRunning},
		{conversion.ResumeToken{Phase: conversion.PhaseFailed, BusyState: &busy, Failure: &failure}, conversion.PhaseFailed},
	} {
		text, err := json.Marshal(conversion.Memory{Pending: &test.ticket})
		if err != nil {
			t.Fatal(err)
		}
		var again conversion.Memory
		err = json.Unmarshal(text, &again)
		if err != nil || again.Pending.Phase != test.kept {
			t.Errorf("%s: got %q, want %q", text, again.Pending.Phase, test.kept)
		}
	}
}
