//go:build unix

package upgrade

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	conversion = "audioprojects_chapter_conversion"
	audio      = "audioprojects_project_snapshot_audio"
)

// left is an object in a state that an earlier version wrote.
type left struct {
	name      string // of the file, without its extension
	kind      string
	arguments map[string]any
	habits    mockserver.Habits
	// want is what a plan shows while the pending conversion runs; if nothing is pending, a plan without changes.
	want, says string
}

const (
	text  = "The lamp was lit.\n\nNobody had lit it."
	waits = "Applying waits for it, and requests another only if that one fails"
)

var objects = []left{
	{name: "settled", kind: conversion, arguments: map[string]any{"triggers": map[string]any{"voice": "first"}}},
	{name: "up-to-date", kind: conversion, arguments: map[string]any{"keep_up_to_date": true}},
	// The service leaves the last paragraph.
	{name: "leftover", kind: conversion, arguments: map[string]any{"keep_up_to_date": true}, habits: mockserver.Habits{LeavesLast: true}},
	{name: "imported", kind: conversion},
	// Interrupted while it waited, in a creation and in an update.
	{name: "pending", kind: conversion, arguments: map[string]any{}, want: "update", says: waits},
	{name: "pending-triggers", kind: conversion, arguments: map[string]any{"triggers": map[string]any{"voice": "second"}}, want: "update", says: waits},
	// Out of time in a creation.
	{name: "tainted", kind: conversion, arguments: map[string]any{}, want: "replace"},
	{name: "audio", kind: audio, arguments: map[string]any{"project_snapshot_id": "new", "filename": "book.wav"}},
}

// project is the project at the service, whose chapter's conversions go as given.
func (l left) project(conversions ...mockserver.Conversion) mockserver.Project {
	return mockserver.Project{
		ID:        "book",
		Chapters:  []mockserver.Chapter{{ID: "one", Name: "The Dark Lantern", Text: text, Conversions: conversions}},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "new", Length: time.Second}},
	}
}

// stateFile is the part of a state that the tests read.
type stateFile struct {
	Resources []struct {
		Type      string
		Instances []struct {
			Status                string
			SchemaVersion         int64 `json:"schema_version"`
			Attributes            json.RawMessage
			Private               []byte
			IdentitySchemaVersion int64 `json:"identity_schema_version"`
			Identity              json.RawMessage
		}
	}
}

// times are the times in the object of a state, in seconds since 1970; 0 if it has none.
func (s stateFile) times(t *testing.T) (converted, requested int64) {
	t.Helper()
	var attributes struct {
		Date    int64  `json:"last_conversion_date_unix"`
		Pending string `json:"pending_conversion"`
	}
	var ticket struct {
		Requested int64 `json:"requested_at_unix"`
	}
	decode(t, s.Resources[0].Instances[0].Attributes, &attributes)
	if attributes.Pending != "" {
		decode(t, []byte(attributes.Pending), &ticket)
	}
	return attributes.Date, ticket.Requested
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	err := json.Unmarshal(text, into)
	if err != nil {
		t.Fatal(err)
	}
}

// fileTime is when the audio file was written, according to the state's private data.
func (s stateFile) fileTime(t *testing.T) time.Time {
	t.Helper()
	var private struct{ File []byte }
	var file struct{ Modified time.Time }
	decode(t, s.Resources[0].Instances[0].Private, &private)
	decode(t, private.File, &file)
	if file.Modified.IsZero() {
		t.Fatal("the state does not say when the file was written")
	}
	return file.Modified
}

// states are the states with the object, by file: one for each version and each CLI that it was run with.
func (l left) states(t *testing.T) map[string]stateFile {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*", l.name+".tfstate"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no state has the object %s: %v", l.name, err)
	}
	found := map[string]stateFile{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var state stateFile
		decode(t, content, &state)
		found[file] = state
	}
	return found
}
