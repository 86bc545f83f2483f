package provider_test

import (
	"maps"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wish is why there is to be a conversion.
type wish struct {
	name      string
	arguments map[string]any
	converted bool // the chapter has been converted before
	joins     bool // somebody else has just begun to convert it
	prepare   func(*core)
}

var wishes = []wish{
	{name: "create"},
	{name: "create what is under way", joins: true},
	{name: "changed triggers", converted: true, prepare: func(c *core) {
		c.restore("book/one")
		c.arguments["triggers"] = map[string]any{"voice": "Ottilie"}
		c.apply(disturbance{})
		c.arguments["triggers"] = map[string]any{"voice": "Marrow"}
	}},
	{name: "edited text", arguments: map[string]any{keepUpToDate: true}, converted: true, prepare: func(c *core) {
		c.apply(disturbance{})
		c.service.EditChapter("book", "one", chapterText+"\n\nThe keeper was away.")
		time.Sleep(10 * time.Second) // until lists show it
	}},
}

// fault is what goes wrong with requests, and when.
type fault struct {
	name string
	at   point
	mockserver.Fault
}

type point string

const (
	never          point = ""
	atTheRequest   point = " at the request"
	duringTheWait  point = " during the wait"
	atTheNextApply point = " at the next refresh"
)

func faults() []fault {
	all := []fault{{name: "nothing wrong", at: never}}
	page := "<!DOCTYPE html><html>maintenance</html>"
	lost := map[string]mockserver.Fault{
		"reset": {Reset: true}, "EOF": {EOF: true}, "hang": {Hang: time.Hour},
		"408": {Status: 408}, "500": {Status: 500}, "502": {Status: 502, Body: page}, "503": {Status: 503}, "504": {Status: 504},
		"unreadable 2xx": {Body: page}, "torn 2xx": {Body: `{"chapters":[{`},
	}
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		after := lost[name]
		after.Process = true
		all = append(all,
			fault{name + " before processing", atTheRequest, lost[name]},
			fault{name + " after processing", atTheRequest, after},
			fault{name, duringTheWait, lost[name]},
			fault{name, atTheNextApply, lost[name]})
	}
	for _, at := range []point{atTheRequest, duringTheWait, atTheNextApply} {
		all = append(all,
			fault{"429 with seconds", at, mockserver.RateLimited(20 * time.Second)},
			fault{"429 with a date", at, mockserver.RateLimitedUntil(bubbleBegins.Add(3 * time.Minute))})
	}
	return append(all,
		fault{"empty 2xx", atTheRequest, mockserver.Fault{Process: true, Status: 200}},
		fault{"truncated 2xx", atTheRequest, mockserver.Fault{Process: true, Truncate: 4}},
		fault{"400 already converting", atTheRequest, mockserver.Fault{Process: true, Status: 400, Body: `{"detail":"already converting"}`}},
		fault{"409 already converting", atTheRequest, mockserver.Fault{Process: true, Status: 409, Body: `{"detail":"already converting"}`}},
	)
}

// bubbleBegins is when time begins in a synctest bubble.
var bubbleBegins = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// way is how the first apply ends, and when the next one follows.
type way struct {
	name string
	disturbance
	timeout   string
	arguments map[string]any
	// tainted: somebody marks the object, so that it will be replaced.
	tainted bool
	// again is what befalls the apply after that.
	again disturbance
	// createBeforeDestroy is how the object is replaced that a timeout leaves tainted.
	createBeforeDestroy bool
	pause               time.Duration
}

var keep = map[string]any{keepUpToDate: true}

// What is lost with the state (killed) or is not handed on (create_before_destroy) can only be
// found at the service, so the next apply comes when the service shows it.
var ways = []way{
	{name: "waited out"},
	{name: "interrupted, next apply at once", disturbance: disturbance{interrupted: 7 * time.Second}},
	{name: "interrupted, next apply later", disturbance: disturbance{interrupted: 7 * time.Second}, pause: 20 * time.Minute},
	{name: "interrupted and tainted, next apply at once", disturbance: disturbance{interrupted: 7 * time.Second}, tainted: true},
	{name: "out of time, next apply at once", timeout: "10s"},
	{name: "out of time, next apply later", timeout: "10s", pause: 20 * time.Minute},
	{name: "out of time, next apply interrupted", timeout: "10s", again: disturbance{interrupted: 5 * time.Second}},
	{name: "killed, next apply soon", disturbance: disturbance{killed: 7 * time.Second}, arguments: keep, pause: 30 * time.Second},
	{name: "killed, next apply later", disturbance: disturbance{killed: 7 * time.Second}, arguments: keep, pause: 20 * time.Minute},
	{name: "create_before_destroy, next apply soon", timeout: "10s", arguments: keep, createBeforeDestroy: true, pause: 30 * time.Second},
	{name: "create_before_destroy, next apply later", timeout: "10s", arguments: keep, createBeforeDestroy: true, pause: 20 * time.Minute},
}

// habit is how the service behaves.
type habit struct {
	name       string
	habits     mockserver.Habits
	conversion mockserver.Conversion
	oldError   string
}

const oldError = "out of breath"

var habits = []habit{
	{name: "plain", conversion: aMinute},
	{name: "queued first", conversion: mockserver.Conversion{Queued: 30 * time.Second, Takes: time.Minute}},
	{name: "begins after 5 s", conversion: mockserver.Conversion{Lag: 5 * time.Second, Takes: time.Minute}},
	{name: "begins after 25 s", conversion: mockserver.Conversion{Lag: 25 * time.Second, Takes: time.Minute}},
	{name: "ends at once", conversion: mockserver.Conversion{}},
	{name: "ends at once after 20 s", conversion: mockserver.Conversion{Lag: 20 * time.Second}},
	{name: "stale lists", habits: mockserver.Habits{StaleLists: 4 * time.Second}, conversion: aMinute},
	{name: "queues what is converting", habits: mockserver.Habits{QueuesMore: true}, conversion: aMinute},
	{name: "stale error kept", habits: mockserver.Habits{KeepsOldError: true}, conversion: aMinute, oldError: oldError},
	{name: "stale error cleared", conversion: aMinute, oldError: oldError},
	{name: "same error again", conversion: aMinute, oldError: freshError},
	{name: "dates failures", habits: mockserver.Habits{DatesFailures: true, KeepsOldError: true}, conversion: aMinute, oldError: oldError},
	{name: "no date", habits: mockserver.Habits{NoDates: true}, conversion: aMinute},
	{name: "no statistics", habits: mockserver.Habits{NoStatistics: true}, conversion: aMinute},
	{name: "fractional progress", habits: mockserver.Habits{Progress: mockserver.Fractional}, conversion: aMinute},
	{name: "no progress, absent fields", habits: mockserver.Habits{Progress: mockserver.None, OmitsUnset: true}, conversion: aMinute},
}
