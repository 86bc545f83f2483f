package conversion_test

import (
	"encoding/json"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// TestWhatIsKeptOfATicket is its phase for a later process.
func TestWhatIsKeptOfATicket(t *testing.T) {
	t.Parallel()
	failure, busy := audioprojects.Text("no voice"), audioprojects.Text("converting")
	for _, test := range []struct {
		ticket conversion.Ticket
		kept   conversion.Phase
	}{
		{conversion.Ticket{Phase: conversion.PhaseRequested}, conversion.PhaseRequested},
		{conversion.Ticket{Phase: conversion.PhaseRefused}, conversion.PhaseRequested},
		{conversion.Ticket{Phase: conversion.PhaseWatched}, conversion.PhaseWatched},
		{conversion.Ticket{Phase: conversion.PhaseAccepted}, conversion.PhaseAccepted},
		{conversion.Ticket{Phase: conversion.PhaseTimedOut}, conversion.PhaseTimedOut},
		{conversion.Ticket{Phase: conversion.PhaseRunning}, conversion.PhaseRunning},
		{conversion.Ticket{Phase: conversion.PhaseTimedOut, BusyState: &busy}, conversion.PhaseRunning},
		{conversion.Ticket{Phase: conversion.PhaseFailed, BusyState: &busy, Failure: &failure}, conversion.PhaseFailed},
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
